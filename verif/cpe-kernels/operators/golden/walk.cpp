// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "verif/cpe-kernels/operators/golden/golden.hpp"

namespace swai::operators::golden {
namespace {

template <typename Args>
Args args_of(const node::Node& node) {
  Args args;
  std::memcpy(&args, node.arguments.data(), sizeof args);
  return args;
}

}  // namespace

node::Node patched(node::Node node, std::span<const uint64_t> parameters) {
  for (const node::Patch patch : node.patches) {
    if (patch.target == 0) continue;
    if (patch.parameter >= parameters.size()) throw std::out_of_range("a parameter that is not there");
    std::byte* const at = &node.arguments[size_t{4} * (patch.target & node::Patch::kNumber)];
    uint64_t value = 0;
    const size_t bytes = patch.target >= node::Patch::kPointer ? 8 : 4;
    std::memcpy(&value, at, bytes);
    value += parameters[patch.parameter];
    std::memcpy(at, &value, bytes);
  }
  return node;
}

namespace {

void run(const node::Node& node, const Memory& memory) {
  switch (static_cast<Operator>(node.operation)) {
    case Operator::kNothing:
      return;
    case Operator::kCopy:
      return copy(args_of<CopyArgs>(node), memory);
    case Operator::kAdd:
      return add(args_of<BinaryArgs>(node), memory);
    case Operator::kMul:
      return mul(args_of<BinaryArgs>(node), memory);
    case Operator::kRelu:
    case Operator::kSilu:
    case Operator::kGeluErf:
    case Operator::kGeluTanh:
    case Operator::kCast:
      return unary(static_cast<Operator>(node.operation), args_of<UnaryArgs>(node), memory);
    case Operator::kLayerNorm:
      return layer_norm(args_of<NormArgs>(node), memory);
    case Operator::kRmsNorm:
      return rms_norm(args_of<NormArgs>(node), memory);
    case Operator::kSoftmax:
      return softmax(args_of<SoftmaxArgs>(node), memory);
    case Operator::kLogSoftmax:
      return log_softmax(args_of<SoftmaxArgs>(node), memory);
    case Operator::kQuantise:
      return quantise(args_of<QuantiseArgs>(node), memory);
    case Operator::kEmbedding:
      return embedding(args_of<EmbeddingArgs>(node), memory);
    case Operator::kLinear:
      return linear(args_of<LinearArgs>(node), memory);
    case Operator::kLinearRow:
      return linear_row(args_of<LinearRowArgs>(node), memory);
    case Operator::kLinearFp32:
      return linear_fp32(args_of<LinearFp32Args>(node), memory);
    case Operator::kMatmul:
      return matmul(args_of<MatmulArgs>(node), memory);
    case Operator::kLinearW4:
      return linear_w4(args_of<LinearW4Args>(node), memory);
    case Operator::kAttention:
      return attention(args_of<AttentionArgs>(node), memory);
    case Operator::kAttentionInt8:
      return attention_int8(args_of<AttentionInt8Args>(node), memory);
    case Operator::kArgmax:
      return argmax(args_of<ArgmaxArgs>(node), memory);
    case Operator::kSample:
      return sample(args_of<SampleArgs>(node), memory);
    case Operator::kMask:
      return mask(args_of<MaskArgs>(node), memory);
    case Operator::kPreferGroup:
      return prefer_group(args_of<PreferGroupArgs>(node), memory);
    case Operator::kTopK:
      return top_k(args_of<TopKArgs>(node), memory);
    default: {
      const char* const known = name(node.operation);
      throw std::logic_error(
          fmt::format("verif/cpe-kernels/operators/golden has nothing for operator {} ({})", node.operation,
                      known == nullptr ? "which is none" : known));
    }
  }
}

}  // namespace

void walk(std::span<const node::Node> list, std::span<const uint64_t> parameters, const Memory& memory) {
  for (const node::Node& node : list) run(patched(node, parameters), memory);
}

}  // namespace swai::operators::golden
