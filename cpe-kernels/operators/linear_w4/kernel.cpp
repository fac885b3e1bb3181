// Linear layers with weights of four bits.
#include "cpe-kernels/operators/linear/systolic_linear.hpp"
#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op;

constexpr uint32_t kLeastGroup = 32;
constexpr uint32_t kMostGroups = kW4Depth / kLeastGroup;

// As pack_linear_w4 leaves them: the tiles of a step's columns lie one after the other.
class W4Weights {
 public:
  static constexpr Operator kOperator = Operator::kLinearW4;
  using Args = LinearW4Args;
  static constexpr uint32_t kDepth = kW4Depth;
  static constexpr uint32_t kFirstDepth = kW4Depth;
  static constexpr uint32_t kPart = 4096;  // products of bytes, 15 and 255
  static constexpr auto kKind = systolic::Weights::kInt4;
  static constexpr bool kMayAdd = true;

  static constexpr BlockWidth columns(const LinearW4Args&) { return {kBlockColumns, kW4Tile}; }

  W4Weights(const LinearW4Args& args, const Blocks& blocks, const Activations& x, Arena& arena)
      : layout_(layout_of(args)) {
    if (!adds()) return;
    sums_pitch_ = (blocks.rows() + 7) / 8 * 8;
    const uint32_t groups = x.stay() ? (args.depth + args.w_group - 1) / args.w_group : kMostGroups;
    sums_ = arena.take<float>(groups * sums_pitch_ * 4);
    minima_ = arena.take<float>(kMostGroups * kBlockColumns * 4);
  }

  static bool lie_alike(const LinearW4Args& args, const LinearW4Args& other) {
    return other.w_group == args.w_group && other.minima == args.minima;
  }
  uint32_t room(uint32_t, uint32_t columns) const { return columns / kW4Tile * layout_.tile_bytes(0); }
  Pieces pieces(GlobalPtr<const void> w, const Step& step, uint32_t, uint32_t columns) const {
    const uint32_t tiles = (columns + kW4Tile - 1) / kW4Tile;
    return {w.plus_bytes(static_cast<int64_t>(layout_.tile_at(step.k, step.column))), 32,
            tiles * (layout_.tile_bytes(step.k) / 32), 32};
  }
  void set(const Step& step, const std::byte* at, int32_t output_stride) const {
    const auto tile_bytes = static_cast<int32_t>(layout_.tile_bytes(step.k));
    systolic::weights(at, 32);
    systolic::groups(at + layout_.scales_offset(step.k), tile_bytes, layout_.group / 8);
    systolic::column_strides(tile_bytes, output_stride);
  }

  bool adds() const { return layout_.minima; }
  // To each result: for each group its minimum * the sum of the group's activations * their scale.
  vector::Ticket add(const Step& step, const Blocks::Size& size, const std::byte* weights,
                     const vector::Operand& y, const Rows& x) const {
    const uint32_t groups = layout_.groups_at(step.k);
    const float* sums = sums_;
    if (x.stay) {
      if (step.number == 0) sum_up_all(size.rows, x);
      sums += step.k / layout_.group * sums_pitch_;
    } else {
      sum_up(size, x);
    }
    const std::byte* const minima = weights + layout_.minima_offset(step.k);
    const uint32_t tile_bytes = layout_.tile_bytes(step.k);
    return size.rows == 1 ? add_to_row(step, size.columns, minima, tile_bytes, y, sums, groups)
                          : add_to_rows(step, size, minima, tile_bytes, y, sums, groups);
  }

 private:
  static Op op(const Step& step, uint32_t group) { return step.k == 0 && group == 0 ? Op::kMul : Op::kFma; }
  static uint32_t tiles_of(uint32_t columns) { return (columns + kW4Tile - 1) / kW4Tile; }

  // Sums go to places of their own, and what used them is over: these runs may overlap.

  // Of a step: the groups of all rows, one group after the other.
  void sum_up(const Blocks::Size& size, const Rows& x) const {
    const uint32_t groups = (size.depth + layout_.group - 1) / layout_.group;
    vector::b(vector::value(1));
    vector::no_result();
    for (uint32_t group = 0; group < groups; ++group) sum_up_group(size, x, group);
    scale(0, groups, size.rows, x.factors);
  }
  void sum_up_group(const Blocks::Size& size, const Rows& x, uint32_t group) const {
    const uint32_t begin = group * layout_.group;
    vector::size(std::min(layout_.group, size.depth - begin), size.rows);
    vector::a(operand(x.at + begin, Number::kInt8, x.pitch));
    vector::reductions(sums_ + group * sums_pitch_);
    vector::run(Op::kMul, {.reduce = vector::Reduce::kSum, .overlap = true});
  }
  // Of all steps at once: all groups of a row, one row after the other.
  void sum_up_all(uint32_t rows, const Rows& x) const {
    const uint32_t whole = layout_.depth / layout_.group;
    vector::b(vector::value(1));
    vector::no_result();
    if (whole != 0) {
      vector::size(layout_.group, whole);
      for (uint32_t row = 0; row < rows; ++row) {
        vector::a(operand(x.at + row * x.pitch, Number::kInt8, layout_.group));
        vector::reductions(sums_ + row, static_cast<int32_t>(sums_pitch_ * 4));
        vector::run(Op::kMul, {.reduce = vector::Reduce::kSum, .overlap = true});
      }
    }
    if (whole * layout_.group != layout_.depth) sum_up_group({rows, layout_.depth, 0}, x, whole);
    if (x.factors_pitch == 0) {
      return scale(0, (layout_.depth + layout_.group - 1) / layout_.group, rows, x.factors);
    }
    const uint32_t step_groups = kW4Depth / layout_.group;
    const float* factors = x.factors;
    for (uint32_t k = 0; k < layout_.depth; k += kW4Depth, factors += x.factors_pitch / 4)
      scale(k / kW4Depth * step_groups, layout_.groups_at(k), rows, factors);
  }
  void scale(uint32_t first_group, uint32_t groups, uint32_t rows, const float* factors) const {
    const auto sums = vector::rows(sums_ + first_group * sums_pitch_, static_cast<int32_t>(sums_pitch_ * 4));
    vector::size(rows, groups);
    vector::a(sums);
    vector::b(vector::rows(factors));
    into(sums);
    vector::run(Op::kMul);
  }

  // Tiles as the vector unit's rows: minima stay where they are.
  vector::Ticket add_to_row(const Step& step, uint32_t columns, const std::byte* minima, uint32_t tile_bytes,
                            const vector::Operand& y, const float* sums, uint32_t groups) const {
    const vector::Operand tiles = {
        {y.at, vector::detail::describe(vector::detail::Kind::kVector, cpe::Number::kFp32, kW4Tile * 4)}};
    vector::size(kW4Tile, tiles_of(columns));
    vector::c(tiles);
    into(tiles);
    vector::Ticket last = {};
    for (uint32_t group = 0; group < groups; ++group) {
      vector::a(vector::each_row(sums + group * sums_pitch_, 0));
      vector::b(operand(minima + group * 16, Number::kFp16, tile_bytes));
      last = vector::run(op(step, group));
    }
    return last;
  }
  // Minima of all columns are put together first, in fp32: then a row of results takes them as they are.
  vector::Ticket add_to_rows(const Step& step, const Blocks::Size& size, const std::byte* minima,
                             uint32_t tile_bytes, const vector::Operand& y, const float* sums,
                             uint32_t groups) const {
    vector::size(kW4Tile, tiles_of(size.columns));
    vector::b(vector::value(1));
    for (uint32_t group = 0; group < groups; ++group) {
      vector::a(operand(minima + group * 16, Number::kFp16, tile_bytes));
      vector::result(minima_ + group * kBlockColumns, kW4Tile * 4);
      vector::run(Op::kMul, {.overlap = true});
    }
    vector::size(size.columns, size.rows);
    vector::c(y);
    into(y);
    vector::Ticket last = {};
    for (uint32_t group = 0; group < groups; ++group) {
      vector::a(vector::each_row(sums + group * sums_pitch_));
      vector::b(vector::rows(minima_ + group * kBlockColumns));
      last = vector::run(op(step, group));
    }
    return last;
  }

  W4Layout layout_;
  uint32_t sums_pitch_ = 0;
  float* sums_ = nullptr;    // of each group's activations in each row, times the row's scale
  float* minima_ = nullptr;  // of each group in each column
};

}  // namespace

void operator_linear_w4(const LinearW4Args& args) {
  require(check(args));
  SystolicLinear<W4Weights>(args).run();
}

}  // namespace swai::operators
