// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/models/onnx/operators.hpp"

namespace swai::onnx {

const Tensor& Call::in(size_t index) const {
  const Tensor* const tensor = maybe(index);
  if (tensor == nullptr) throw EvaluationError(fmt::format("input {} is absent", index));
  return *tensor;
}

int64_t Call::count(const Sizes& shape) const {
  const auto number = count_of(shape);
  if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; }))
    throw EvaluationError(fmt::format("the shape {} has a negative size", shape_text(shape)));
  if (!number || *number > limits.max_elements || shape.size() > kMaxRank) throw TooLarge{};
  return *number;
}

void Call::check_work(int64_t a, int64_t b) const {
  int64_t work = 0;
  if (__builtin_mul_overflow(a, b, &work) || work > limits.max_work) throw TooLarge{};
}

size_t axis_of(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    throw EvaluationError(fmt::format("axis {} is outside of {} dimensions", axis, rank));
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

Sizes strides_of(const Sizes& shape) {
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
  return strides;
}

Sizes broadcast(const Sizes& a, const Sizes& b) {
  Sizes result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    const auto size_at = [&](const Sizes& shape) {
      const size_t missing = result.size() - shape.size();
      return i < missing ? 1 : shape[i - missing];
    };
    const int64_t left = size_at(a), right = size_at(b);
    if (left != right && left != 1 && right != 1)
      throw EvaluationError(fmt::format("the shapes {} and {} do not fit", shape_text(a), shape_text(b)));
    result[i] = left == 1 ? right : left;
  }
  return result;
}

Sizes broadcast_strides(const Sizes& shape, const Sizes& to) {
  if (shape.size() > to.size())
    throw EvaluationError(fmt::format("the shape {} does not fit {}", shape_text(shape), shape_text(to)));
  const Sizes own = strides_of(shape);
  Sizes strides(to.size());
  const size_t missing = to.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && shape[i] != to[missing + i])
      throw EvaluationError(fmt::format("the shape {} does not fit {}", shape_text(shape), shape_text(to)));
    strides[missing + i] = shape[i] == 1 ? 0 : own[i];
  }
  return strides;
}

Tensor strided(const Tensor& tensor, const Sizes& shape, const Sizes& strides, int64_t first) {
  const size_t bytes = bits_of(tensor.element) / 8;
  std::vector<uint8_t> result(static_cast<size_t>(*count_of(shape)) * bytes);
  uint8_t* to = result.data();
  walk<1>(shape, {strides}, [&](const auto& at) {
    std::memcpy(to, tensor.bytes.data() + static_cast<size_t>(first + at[0]) * bytes, bytes);
    to += bytes;
  });
  return make_tensor(tensor.element, shape, std::move(result));
}

std::optional<std::vector<Tensor>> evaluate(const Node& node, std::span<const Tensor* const> inputs,
                                            const EvaluationLimits& limits) {
  if (!node.subgraphs.empty() || !node.has_known_domain()) return std::nullopt;
  for (const Tensor* const input : inputs)
    if (input != nullptr && bits_of(input->element) < 8) return std::nullopt;
  for (const Operators* const operators : {&moving_operators(), &element_operators(), &matrix_operators()}) {
    const auto found = operators->find(node.operation);
    if (found == operators->end()) continue;
    try {
      std::vector<Tensor> results = found->second({node, inputs, limits});
      if (results.size() < node.outputs.size()) return std::nullopt;
      return results;
    } catch (const TooLarge&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<Tensor> evaluate(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<std::optional<Tensor>> values(graph.values.size());
  for (size_t i = 0; i < graph.values.size(); ++i) values[i] = graph.values[i].constant;
  for (size_t i = 0; i < graph.inputs.size(); ++i) values[graph.inputs[i]] = inputs.at(i);
  for (const Node& node : graph.nodes) {
    std::vector<const Tensor*> operands;
    for (const ValueId id : node.inputs) operands.push_back(id == kNone ? nullptr : &values[id].value());
    const auto fail = [&](const char* what) {
      throw EvaluationError(fmt::format("node '{}' ({}): {}", graph.name_of(node), node.operation, what));
    };
    try {
      auto results = evaluate(node, operands);
      if (!results) fail("the evaluator has no such operator");
      for (size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] != kNone) values[node.outputs[i]] = std::move((*results)[i]);
    } catch (const EvaluationError& error) {
      if (std::string_view(error.what()).starts_with("node '")) throw;
      fail(error.what());
    }
  }
  std::vector<Tensor> outputs;
  for (const ValueId id : graph.outputs) outputs.push_back(values[id].value());
  return outputs;
}

}  // namespace swai::onnx
