// SPDX-License-Identifier: Apache-2.0
// Linear layers with weights of int8.
#include "cpe-kernels/operators/linear/systolic_linear.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

// As pack_linear leaves them: the weights of a block's columns are one piece of memory for each 128 k.
class Int8Weights {
 public:
  static constexpr Operator kOperator = Operator::kLinear;
  using Args = LinearArgs;
  static constexpr uint32_t kDepth = kPackedDepth;
  static constexpr uint32_t kFirstDepth = kDepth / 2;
  static constexpr uint32_t kPart = kMaxDepth;
  static constexpr uint32_t kRunDepth = kPackedDepth;
  static constexpr uint32_t kMostPieces = 2;
  static constexpr auto kKind = systolic::Weights::kInt8;
  static constexpr bool kJoins = true;
  static constexpr bool kMayAdd = false;

  // Where CPEs do not share rows, of a narrow layer all have some columns, if they can.
  static BlockWidth columns(const LinearArgs& args, uint32_t columns) {
    uint32_t width = kBlockColumns;
    if (args.rows > kBlockRows) {
      if (columns <= kFewColumns) width /= 2;
    } else {
      while (width > kPackedColumns && columns <= cpe::count() / 2 * width &&
             args.depth * width > kWorthwhile)
        width /= 2;
    }
    return {width, width};
  }

  Int8Weights(const LinearArgs& args, const Blocks&, const Activations&, Arena&) : depth_(args.depth) {}

  static bool lie_alike(const LinearArgs& args, const LinearArgs& other) {
    return other.to_type == args.to_type && other.function == args.function;
  }
  static uint32_t room(uint32_t depth, uint32_t columns) { return depth * padded(columns); }
  // Of a step that has a piece, or a part of one.
  Pieces pieces(GlobalPtr<const void> w, const Step& step) const {
    const uint32_t bytes = padded_depth(step.depth) * kPackedColumns;
    const uint32_t stride = packed_piece_depth(depth_, step.k) * kPackedColumns;
    const uint32_t tiles = padded(step.columns) / kPackedColumns;
    const auto from = at(w, step.k, step.column);
    if (bytes != stride) return {from, bytes, tiles, stride};
    // In such small ones all CPEs that share them have a part.
    return {from, cpe::kLine, tiles * bytes / cpe::kLine, cpe::kLine};
  }
  dma::Ticket load(std::byte* to, GlobalPtr<const void> w, const Step& step) const {
    const uint32_t whole = step.depth / kPackedDepth;
    const uint32_t bytes = room(kPackedDepth, step.columns);
    dma::Ticket last = {};
    if (whole != 0) {
      const Pieces all = {at(w, step.k, step.column), bytes, whole, kPackedDepth * kBlockColumns};
      last = all.load(to, {0, whole});
    }
    Step rest = step;
    rest.k += whole * kPackedDepth;
    rest.depth -= whole * kPackedDepth;
    if (rest.depth == 0) return last;
    const Pieces all = pieces(w, rest);
    return all.load(to + whole * bytes, {0, all.count});
  }
  static void set(uint32_t, uint32_t depth, const std::byte* at, int32_t output_stride) {
    move(at);
    systolic::column_strides(static_cast<int32_t>(padded_depth(depth) * kPackedColumns), output_stride);
  }
  static void move(const std::byte* at) { systolic::weights(at, 8 * kPackedColumns, kPackedColumns); }
  static constexpr bool adds() { return kMayAdd; }

 private:
  // Bytes of weights: for fewer a CPE had better prepare its next node.
  static constexpr uint32_t kWorthwhile = 4096;
  // Of all CPEs that share rows four columns have work then, and not two.
  static constexpr uint32_t kFewColumns = 2 * kBlockColumns;

  static uint32_t padded(uint32_t columns) {
    return (columns + kPackedColumns - 1) / kPackedColumns * kPackedColumns;
  }
  GlobalPtr<const void> at(GlobalPtr<const void> w, uint32_t k, uint32_t column) const {
    return w.plus_bytes(static_cast<int64_t>(packed_linear_index(depth_, k, column)));
  }

  uint32_t depth_;
};

}  // namespace

void operator_linear(const LinearArgs& args) {
  require(check(args));
  SystolicLinear<Int8Weights>(join(args)).run();
}

}  // namespace swai::operators
