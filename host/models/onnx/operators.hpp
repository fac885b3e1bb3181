// SPDX-License-Identifier: Apache-2.0
// What the evaluator's operators share: access to inputs, and walks over broadcast shapes.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "host/models/onnx/evaluation_limits.hpp"
#include "host/models/onnx/graph.hpp"

namespace swai::onnx {

using Sizes = std::vector<int64_t>;

// Thrown when a result or the work exceeds the limits.
struct TooLarge {};

struct Call {
  const Node& node;
  std::span<const Tensor* const> inputs;
  const EvaluationLimits& limits;

  // Throws EvaluationError if it is absent.
  const Tensor& in(size_t index) const;
  const Tensor* maybe(size_t index) const { return index < inputs.size() ? inputs[index] : nullptr; }
  // Checks a result's shape against the limits and returns its number of elements.
  int64_t count(const Sizes& shape) const;
  void check_work(int64_t a, int64_t b) const;
};

using Operator = std::vector<Tensor> (*)(const Call&);
using Operators = std::map<std::string_view, Operator>;
const Operators& moving_operators();
const Operators& element_operators();
const Operators& matrix_operators();

// An axis from -rank to rank - 1, as one from 0 on. Throws EvaluationError.
size_t axis_of(int64_t axis, size_t rank);
Sizes strides_of(const Sizes& shape);
// Throws EvaluationError if the shapes cannot be broadcast.
Sizes broadcast(const Sizes& a, const Sizes& b);
// Strides over a shape that this one is broadcast to; 0 where it is repeated.
Sizes broadcast_strides(const Sizes& shape, const Sizes& to);

// Calls `act` with one offset for each set of strides, for every element of the shape in order.
template <size_t N, typename Act>
void walk(const Sizes& shape, const std::array<Sizes, N>& strides, Act act) {
  for (const int64_t size : shape)
    if (size == 0) return;
  std::array<int64_t, N> at{};
  Sizes index(shape.size());
  while (true) {
    act(at);
    size_t dimension = shape.size();
    while (dimension > 0) {
      --dimension;
      if (++index[dimension] < shape[dimension]) {
        for (size_t i = 0; i < N; ++i) at[i] += strides[i][dimension];
        break;
      }
      for (size_t i = 0; i < N; ++i) at[i] -= strides[i][dimension] * (shape[dimension] - 1);
      index[dimension] = 0;
      if (dimension == 0) return;
    }
    if (shape.empty()) return;
  }
}

// Elements at `first` plus multiples of the strides, as a tensor of this shape.
Tensor strided(const Tensor& tensor, const Sizes& shape, const Sizes& strides, int64_t first = 0);

}  // namespace swai::onnx
