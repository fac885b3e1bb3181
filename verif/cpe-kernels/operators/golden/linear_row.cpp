// SPDX-License-Identifier: Apache-2.0
#include "cpe-kernels/operators/quantise/plan.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"

namespace swai::operators::golden {
namespace {

// Memory of a host alone, in segments that no list has.
template <typename T>
GlobalPtr<void> beside(Memory& memory, uint16_t segment, std::vector<T>& numbers) {
  const GlobalPtr<void> at(segment, 0);
  memory.add(at, {reinterpret_cast<uint8_t*>(numbers.data()), numbers.size() * sizeof(T)});
  return at;
}

}  // namespace

void linear_row(const LinearRowArgs& args, const Memory& memory) {
  constexpr uint16_t kSegment = 0xfff0;
  Memory all = memory;
  std::vector<float> normal(args.depth), scales(groups_of(args.depth, args.group));
  std::vector<int8_t> bytes(args.depth);
  QuantiseArgs quantised{};
  quantised.to = beside(all, kSegment, bytes);
  quantised.from = args.x;
  quantised.scales = beside(all, kSegment + 1, scales);
  quantised.rows = 1;
  quantised.columns = args.depth;
  quantised.group = args.group;
  quantised.scales_stride = sizeof(float);
  if (args.gamma) {
    NormArgs norm{};
    norm.to = beside(all, kSegment + 2, normal);
    norm.from = args.x;
    norm.gamma = args.gamma;
    norm.beta = args.beta;
    norm.rows = 1;
    norm.columns = args.depth;
    norm.epsilon = args.epsilon;
    args.beta ? layer_norm(norm, all) : rms_norm(norm, all);
    quantised.from = norm.to;
  }
  quantise(quantised, all);
  LinearArgs product{};
  product.to = args.to;
  product.x = quantised.to;
  product.w = args.w;
  product.x_scales = quantised.scales;
  product.w_scales = args.w_scales;
  product.biases = args.biases;
  product.residual = args.residual;
  product.rows = 1;
  product.depth = args.depth;
  product.columns = args.columns;
  product.group = args.group;
  product.x_scales_stride = sizeof(float);
  product.function = args.function;
  product.to_type = args.to_type;
  product.residual_type = args.residual_type;
  linear(product, all);
}

}  // namespace swai::operators::golden
