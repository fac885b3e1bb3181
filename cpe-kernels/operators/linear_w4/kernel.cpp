// SPDX-License-Identifier: Apache-2.0
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
  static constexpr uint32_t kRunDepth = kW4Depth;
  static constexpr uint32_t kPart = 4096;  // products of bytes, 15 and 255
  static constexpr uint32_t kMostPieces = 4;
  static constexpr auto kKind = systolic::Weights::kInt4;
  static constexpr bool kJoins = false;
  static constexpr bool kMayAdd = true;

  static constexpr BlockWidth columns(const LinearW4Args&, uint32_t) { return {kBlockColumns, kW4Tile}; }

  W4Weights(const LinearW4Args& args, const Blocks& blocks, const Activations& x, Arena& arena)
      : layout_(layout_of(args)),
        whole_(piece_at(0)),
        rest_(piece_at((args.depth - 1) / kW4Depth * kW4Depth)),
        piece_bytes_(layout_.tiles() * whole_.tile_bytes) {
    if (!adds()) return;
    sums_pitch_ = (blocks.rows() + 7) / 8 * 8;
    const uint32_t groups = x.stay() ? (args.depth + args.w_group - 1) / args.w_group : kMostGroups;
    sums_ = arena.take<float>(groups * sums_pitch_ * 4);
    minima_ = arena.take<float>(kMostGroups * kBlockColumns * 4);
  }

  static bool lie_alike(const LinearW4Args& args, const LinearW4Args& other) {
    return other.w_group == args.w_group && other.minima == args.minima;
  }
  uint32_t room(uint32_t depth, uint32_t columns) const {
    return (depth + kW4Depth - 1) / kW4Depth * tiles_of(columns) * whole_.tile_bytes;
  }
  Pieces pieces(GlobalPtr<const void> w, const Step& step) const {
    return {at(w, step.k, step.column), 32, tiles_of(step.columns) * (piece(step.k).tile_bytes / 32), 32};
  }
  // A piece is one transfer, several are one, what is left of the depth is another one.
  dma::Ticket load(std::byte* to, GlobalPtr<const void> w, const Step& step) const {
    const uint32_t tiles = tiles_of(step.columns);
    const uint32_t count = step.depth / kW4Depth;
    const uint32_t bytes = tiles * whole_.tile_bytes;
    dma::Ticket last = {};
    if (count != 0) {
      const Pieces pieces = {at(w, step.k, step.column), bytes, count, piece_bytes_};
      last = pieces.load(to, {0, count});
    }
    if (count * kW4Depth == step.depth) return last;
    return dma::load(to + count * bytes, at(w, step.k + count * kW4Depth, step.column),
                     tiles * rest_.tile_bytes);
  }
  void set(uint32_t k, uint32_t, const std::byte* at, int32_t output_stride) const {
    const Piece& here = piece(k);
    systolic::weights(at, 32);
    systolic::groups(at + here.scales, static_cast<int32_t>(here.tile_bytes), layout_.group / 8);
    systolic::column_strides(static_cast<int32_t>(here.tile_bytes), output_stride);
  }
  void move(const std::byte* at) const {
    systolic::weights(at, 32);
    systolic::groups(at + whole_.scales, static_cast<int32_t>(whole_.tile_bytes), layout_.group / 8);
  }

  bool adds() const { return layout_.minima; }
  // Before the first `add`, if all rows stay.
  void begin(uint32_t rows, const Rows& x) const {
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
    if (whole * layout_.group != layout_.depth) sum_up_group(layout_.depth, rows, x, whole);
    if (x.factors_pitch == 0) {
      vector::size(rows, (layout_.depth + layout_.group - 1) / layout_.group);
      return scale(sums_, x.factors);
    }
    const float* factors = x.factors;
    float* sums = sums_;
    for (uint32_t k = 0; k < layout_.depth; k += kW4Depth, factors += x.factors_pitch / 4) {
      vector::size(rows, piece(k).groups);
      scale(sums, factors);
      sums += whole_.groups * sums_pitch_;
    }
  }
  // What else `add` wants in local memory: sums, if rows do not stay; of several rows, minima of all columns
  // put together, in fp32: then a row of results takes them as they are.
  void prepare(uint32_t rows, uint32_t columns, uint32_t k, uint32_t depth, const std::byte* weights,
               const Rows& x) const {
    if (!x.stay) sum_up(depth, rows, x);
    if (rows == 1) return;
    const Piece& here = piece(k);
    auto from = operand(weights + here.minima, Number::kFp16, here.tile_bytes);
    vector::size(kW4Tile, tiles_of(columns));
    vector::b(vector::value(1));
    float* to = minima_;
    for (uint32_t group = 0; group < here.groups; ++group) {
      vector::a(from);
      vector::result(to, kW4Tile * 4);
      // The first one comes behind what reads those of the piece before.
      vector::run(Op::kMul, {.overlap = group != 0});
      from.at += 16;
      to += kBlockColumns;
    }
  }
  // To each result: for each group of a piece its minimum * the sum of the group's activations * their scale.
  // The vector unit's size, c and result are those of the results; of one row, its tiles.
  vector::Ticket add(uint32_t rows, uint32_t k, const std::byte* weights, bool stays) const {
    const Piece& here = piece(k);
    const float* const sums = stays ? sums_ + k / kW4Depth * whole_.groups * sums_pitch_ : sums_;
    const bool one = rows == 1;
    auto sum = vector::each_row(sums, one ? 0 : 4);
    auto minimum =
        one ? operand(weights + here.minima, Number::kFp16, here.tile_bytes) : vector::rows(minima_);
    const uint32_t minimum_pitch = one ? 16 : kBlockColumns * 4;
    const uint32_t pitch = sums_pitch_ * 4;
    vector::Ticket last = {};
    auto function = k == 0 ? Op::kMul : Op::kFma;
    for (uint32_t group = here.groups; group != 0; --group) {
      vector::a(sum);
      vector::b(minimum);
      last = vector::run(function);
      function = Op::kFma;
      sum.at += pitch;
      minimum.at += minimum_pitch;
    }
    return last;
  }

 private:
  // 128 k of a tile, or what is left of them.
  struct Piece {
    uint32_t tile_bytes;
    uint32_t groups;
    uint32_t scales, minima;  // where they begin
  };
  Piece piece_at(uint32_t k) const {
    return {layout_.tile_bytes(k), layout_.groups_at(k), layout_.scales_offset(k), layout_.minima_offset(k)};
  }
  const Piece& piece(uint32_t k) const { return layout_.depth - k < kW4Depth ? rest_ : whole_; }
  GlobalPtr<const void> at(GlobalPtr<const void> w, uint32_t k, uint32_t column) const {
    const uint64_t offset = uint64_t{k / kW4Depth} * piece_bytes_ + column / kW4Tile * piece(k).tile_bytes;
    return w.plus_bytes(static_cast<int64_t>(offset));
  }
  static uint32_t tiles_of(uint32_t columns) { return (columns + kW4Tile - 1) / kW4Tile; }

  // Sums go to places of their own, and what used them is over: these runs may overlap.

  // Of a piece: the groups of all rows, one group after the other.
  void sum_up(uint32_t depth, uint32_t rows, const Rows& x) const {
    const uint32_t groups = (depth + layout_.group - 1) / layout_.group;
    vector::b(vector::value(1));
    vector::no_result();
    for (uint32_t group = 0; group < groups; ++group) sum_up_group(depth, rows, x, group);
    vector::size(rows, groups);
    scale(sums_, x.factors);
  }
  void sum_up_group(uint32_t depth, uint32_t rows, const Rows& x, uint32_t group) const {
    const uint32_t begin = group * layout_.group;
    vector::size(std::min(layout_.group, depth - begin), rows);
    vector::a(operand(x.at + begin, Number::kInt8, x.pitch));
    vector::reductions(sums_ + group * sums_pitch_);
    vector::run(Op::kMul, {.reduce = vector::Reduce::kSum, .overlap = true});
  }
  // The vector unit's size is that of the sums.
  void scale(float* at, const float* factors) const {
    const auto sums = vector::rows(at, static_cast<int32_t>(sums_pitch_ * 4));
    vector::a(sums);
    vector::b(vector::rows(factors));
    into(sums);
    vector::run(Op::kMul);
  }

  W4Layout layout_;
  Piece whole_, rest_;
  uint32_t piece_bytes_;  // in memory
  uint32_t sums_pitch_ = 0;
  float* sums_ = nullptr;    // of each group's activations in each row, times the row's scale
  float* minima_ = nullptr;  // of each group in each column
};

}  // namespace

void operator_linear_w4(const LinearW4Args& args) {
  require(check(args));
  SystolicLinear<W4Weights>({{&args}, 1}).run();
}

}  // namespace swai::operators
