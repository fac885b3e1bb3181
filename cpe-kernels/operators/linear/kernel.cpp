// Linear layers with weights of int8.
#include "cpe-kernels/operators/linear/systolic_linear.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

// As pack_linear leaves them: a step's are one piece of memory.
class Int8Weights {
 public:
  using Args = LinearArgs;
  static constexpr uint32_t kUnit = kBlockColumns;
  static constexpr uint32_t kDepth = 256;
  static constexpr uint32_t kFirstDepth = 64;
  static constexpr uint32_t kPart = kMaxDepth;
  static constexpr auto kKind = systolic::Weights::kInt8;
  static constexpr bool kMayAdd = false;

  Int8Weights(const LinearArgs& args, const Blocks&, const Activations&, Arena&) : args_(args) {}

  uint32_t room(uint32_t depth, uint32_t) const { return depth * kBlockColumns; }
  Pieces pieces(const Step& step, uint32_t depth, uint32_t columns) const {
    return {args_.w.plus_bytes(static_cast<int64_t>(packed_linear_index(args_.depth, step.k, step.column))),
            kBlockColumns, columns == 0 ? 0 : padded_depth(depth)};
  }
  void set(const Step&, const std::byte* at, int32_t output_stride) const {
    systolic::weights(at, 8 * kBlockColumns, kBlockColumns);
    systolic::column_strides(8, output_stride);
  }
  static constexpr bool adds() { return kMayAdd; }

 private:
  const LinearArgs& args_;
};

}  // namespace

void operator_linear(const LinearArgs& args) {
  require(check(args));
  SystolicLinear<Int8Weights>(args).run();
}

}  // namespace swai::operators
