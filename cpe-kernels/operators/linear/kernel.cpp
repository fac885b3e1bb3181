// Linear layers with weights of int8.
#include "cpe-kernels/operators/linear/systolic_linear.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

// As pack_linear leaves them: a step's are one piece of memory. Of so few columns that hardly a CPE would
// have work each takes half of these, which is half of each line of memory.
class Int8Weights {
 public:
  static constexpr Operator kOperator = Operator::kLinear;
  using Args = LinearArgs;
  static constexpr uint32_t kDepth = 128;
  static constexpr uint32_t kFirstDepth = 64;
  static constexpr uint32_t kPart = kMaxDepth;
  static constexpr uint32_t kRunDepth = kMaxDepth;
  static constexpr auto kKind = systolic::Weights::kInt8;
  static constexpr bool kMayAdd = false;

  static BlockWidth columns(const LinearArgs& args) {
    const uint32_t width = args.columns <= kFewColumns ? kBlockColumns / 2 : kBlockColumns;
    return {width, width};
  }

  Int8Weights(const LinearArgs& args, const Blocks&, const Activations&, Arena&)
      : depth_(args.depth), width_(columns(args).most) {}

  static bool lie_alike(const LinearArgs& args, const LinearArgs& other) {
    return other.to_type == args.to_type && other.function == args.function;
  }
  uint32_t room(uint32_t depth, uint32_t) const { return depth * width_; }
  Pieces pieces(GlobalPtr<const void> w, const Step& step) const {
    return {w.plus_bytes(static_cast<int64_t>(packed_linear_index(depth_, step.k, step.column))), width_,
            step.columns == 0 ? 0 : padded_depth(step.depth), kBlockColumns};
  }
  dma::Ticket load(std::byte* to, GlobalPtr<const void> w, const Step& step) const {
    const Pieces all = pieces(w, step);
    return all.load(to, {0, all.count});
  }
  void set(uint32_t, const std::byte* at, int32_t output_stride) const {
    systolic::weights(at, 8 * width_, width_);
    systolic::column_strides(8, output_stride);
  }
  void move(const std::byte* at) const { systolic::weights(at, 8 * width_, width_); }
  static constexpr bool adds() { return kMayAdd; }

 private:
  // Halves of lines come at half of memory's rate: of more columns that would be less than CPEs take.
  static constexpr uint32_t kFewColumns = 2 * kBlockColumns;

  uint32_t depth_;
  uint32_t width_;  // of a block
};

}  // namespace

void operator_linear(const LinearArgs& args) {
  require(check(args));
  SystolicLinear<Int8Weights>(args).run();
}

}  // namespace swai::operators
