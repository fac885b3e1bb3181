// SPDX-License-Identifier: Apache-2.0
// What tests of linear layers share: functions, biases, residuals, types, as layers draw them and models end.
#pragma once

#include <cmath>

#include "verif/cpe-kernels/operators/arithmetic.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"

namespace swai::operators::test {

inline constexpr uint16_t kLayerFunctions[] = {
    0, static_cast<uint16_t>(Operator::kRelu), static_cast<uint16_t>(Operator::kSilu),
    static_cast<uint16_t>(Operator::kGeluErf), static_cast<uint16_t>(Operator::kGeluTanh)};

inline Number some_float_type(verif::Random& random) {
  return random.chance(70) ? Number::kFp32 : Number::kFp16;
}

inline void draw_scales(verif::Random& random, Tensor& tensor, float most) {
  for (uint32_t row = 0; row < tensor.rows; ++row) {
    for (uint32_t i = 0; i < tensor.columns; ++i)
      tensor.set(row, i, most * static_cast<float>(random.between(1, 1000)) / 1000);
  }
}

// Rows and columns have been set; draws what comes after the products, and the tensors of it.
template <typename Args>
void draw_ending(verif::Random& random, Card& card, Args& args, Tensor& biases, Tensor& residual,
                 Tensor& to) {
  args.function = kLayerFunctions[random.below(std::size(kLayerFunctions))];
  if (random.chance(40)) args.function = 0;
  args.to_type = std::array{Number::kFp32, Number::kFp16, Number::kInt8}[random.below(3)];
  args.residual_type = some_float_type(random);
  biases = card.tensor(1, args.columns, 4);
  residual = card.tensor(args.rows, args.columns, bytes_of(args.residual_type), some_gap(random));
  to = card.tensor(args.rows, args.columns, bytes_of(args.to_type), some_gap(random));
  fill(random, biases, Number::kFp32);
  fill(random, residual, args.residual_type);
  args.to = to.at();
  if (random.chance(50)) args.biases = biases.at();
  if (random.chance(50)) args.residual = residual.at();
  args.to_stride = to.stride;
  args.residual_stride = residual.stride;
}

// Layers of the same x one behind the other, as queries, keys and values are: weights of one come in while
// the one before is computed, if no barrier is between them. With barriers, the bits are to be the same.
template <typename Layer>
void walk_siblings(verif::Random& random, Layer& layer, Operator operation, uint32_t mask) {
  constexpr unsigned kSiblings = 3;
  struct Sibling {
    Tensor w, w_scales, biases, to;
  };
  std::vector<Sibling> siblings;
  std::vector<Node> nodes;
  std::vector<Tensor*> tensors = {&layer.x, &layer.x_scales, &layer.residual};
  for (unsigned i = 0; i < kSiblings; ++i) {
    auto args = layer.args;
    Sibling& one = siblings.emplace_back(Sibling{layer.w, layer.w_scales, layer.biases, layer.to});
    if (i != 0) {
      one.w = layer.card.tensor(1, layer.w.columns, 1);
      one.w_scales = layer.card.tensor(1, args.columns, 4);
      draw_scales(random, one.w_scales, 0.01f);
      for (uint32_t column = 0; column < one.w.columns; ++column)
        one.w.template set<uint8_t>(0, column, layer.w.template get<uint8_t>(0, one.w.columns - 1 - column));
      const auto residual = args.residual;
      Tensor unused;
      draw_ending(random, layer.card, args, one.biases, unused, one.to);
      args.residual = residual;
      args.residual_type = layer.args.residual_type;
      args.residual_stride = layer.args.residual_stride;
      args.w = one.w.at();
      args.w_scales = one.w_scales.at();
    }
    nodes.push_back(node::make(static_cast<uint16_t>(operation), Barrier::kNone, args));
  }
  for (Sibling& one : siblings) {
    for (Tensor* const tensor : {&one.w, &one.w_scales, &one.biases, &one.to}) tensors.push_back(tensor);
  }
  const auto results = [&](Barrier between) {
    for (unsigned i = 1; i < kSiblings; ++i) nodes[i].barrier = between;
    const Result result = layer.card.walk(nodes, mask, tensors);
    REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
    std::vector<std::vector<uint8_t>> images;
    for (const Sibling& one : siblings) {
      Tensor there = one.to;
      layer.card.take(there);
      images.push_back(std::move(there.image));
    }
    return images;
  };
  CHECK((results(Barrier::kNone) == results(Barrier::kAll)));
}

// Of what docs/reference/operators.md allows. Each product and each sum is rounded; functions add errors of
// their own.
inline double error_of_layer(Real y, double exact, double magnitude) {
  return std::abs(y.value() - exact) / (1e-6 * (1 + magnitude) + 2e-6 * std::abs(exact));
}

}  // namespace swai::operators::test
