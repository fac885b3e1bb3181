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
  using Args = LinearW4Args;
  static constexpr uint32_t kUnit = kW4Tile;
  static constexpr uint32_t kDepth = kW4Depth;
  static constexpr uint32_t kFirstDepth = kW4Depth;
  static constexpr uint32_t kPart = 4096;  // products of bytes, 15 and 255
  static constexpr auto kKind = systolic::Weights::kInt4;
  static constexpr bool kMayAdd = true;

  W4Weights(const LinearW4Args& args, const Blocks& blocks, Arena& arena)
      : at_(args.w), layout_(layout_of(args)) {
    if (!adds()) return;
    sums_pitch_ = (blocks.rows() + 7) / 8 * 8;
    sums_ = arena.take<float>(kMostGroups * sums_pitch_ * 4);
    minima_ = arena.take<float>(kMostGroups * kBlockColumns * 4);
  }

  uint32_t room(uint32_t, uint32_t columns) const { return columns / kW4Tile * layout_.tile_bytes(0); }
  Pieces pieces(const Step& step, uint32_t, uint32_t columns) const {
    const uint32_t tiles = (columns + kW4Tile - 1) / kW4Tile;
    return {at_.plus_bytes(static_cast<int64_t>(layout_.tile_at(step.k, step.column))), 32,
            tiles * (layout_.tile_bytes(step.k) / 32)};
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
                     const vector::Operand& y, const std::byte* x, uint32_t x_pitch,
                     const float* row_factors) const {
    const uint32_t groups = layout_.groups_at(step.k);
    sum_up(size, groups, x, x_pitch, row_factors);
    widen(step, size.columns, groups, weights);
    vector::size(size.columns, size.rows);
    vector::c(y);
    into(y);
    vector::Ticket last = {};
    for (uint32_t group = 0; group < groups; ++group) {
      vector::a(vector::each_row(sums_ + group * sums_pitch_));
      vector::b(vector::rows(minima_ + group * kBlockColumns));
      last = vector::run(step.k == 0 && group == 0 ? Op::kMul : Op::kFma);
    }
    return last;
  }

 private:
  void sum_up(const Blocks::Size& size, uint32_t groups, const std::byte* x, uint32_t x_pitch,
              const float* row_factors) const {
    vector::b(vector::value(1));
    vector::no_result();
    for (uint32_t group = 0; group < groups; ++group) {
      const uint32_t begin = group * layout_.group;
      vector::size(std::min(layout_.group, size.depth - begin), size.rows);
      vector::a(operand(x + begin, Number::kInt8, x_pitch));
      vector::reductions(sums_ + group * sums_pitch_);
      vector::run(Op::kMul, {.reduce = vector::Reduce::kSum, .overlap = group != 0});
    }
    const auto sums = vector::rows(sums_, static_cast<int32_t>(sums_pitch_ * 4));
    vector::size(size.rows, groups);
    vector::a(sums);
    vector::b(vector::rows(row_factors));
    into(sums);
    vector::run(Op::kMul);
  }
  // Minima to fp32, those of all columns together.
  void widen(const Step& step, uint32_t columns, uint32_t groups, const std::byte* weights) const {
    vector::size(kW4Tile, (columns + kW4Tile - 1) / kW4Tile);
    vector::b(vector::value(1));
    for (uint32_t group = 0; group < groups; ++group) {
      vector::a(operand(weights + layout_.minima_offset(step.k) + group * 16, Number::kFp16,
                        layout_.tile_bytes(step.k)));
      vector::result(minima_ + group * kBlockColumns, kW4Tile * 4);
      vector::run(Op::kMul, {.overlap = true});
    }
  }

  GlobalPtr<const void> at_;
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
