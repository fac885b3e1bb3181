// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/rewrite.hpp"

namespace swai::onnx {

ValueId Renaming::resolve(ValueId value) const {
  for (auto found = to_.find(value); found != to_.end(); found = to_.find(value)) value = found->second;
  return value;
}

void Renaming::apply(Node& node) const {
  for (ValueId& id : node.inputs) id = resolve(id);
  for (Subgraph& inner : node.subgraphs)
    for (ValueId& id : inner.captured) id = resolve(id);
}

void Renaming::apply_to_graph() {
  if (to_.empty()) return;
  for (Node& node : graph_.nodes) apply(node);
  for (ValueId& id : graph_.outputs) id = resolve(id);
}

size_t for_subgraphs(Graph& graph, size_t (*run)(Graph&)) {
  size_t changes = 0;
  for (Node& node : graph.nodes)
    for (Subgraph& inner : node.subgraphs) changes += run(*inner.graph);
  return changes;
}

std::optional<double> scalar_of(const Graph& graph, ValueId value) {
  const Tensor* const tensor = graph.constant(value);
  if (tensor == nullptr || bits_of(tensor->element) < 8 || tensor->count() != 1) return std::nullopt;
  return doubles(*tensor)[0];
}

std::optional<std::vector<int64_t>> integers_of(const Graph& graph, ValueId value) {
  const Tensor* const tensor = graph.constant(value);
  if (tensor == nullptr || (tensor->element != Element::kI64 && tensor->element != Element::kI32))
    return std::nullopt;
  return int64s(*tensor);
}

bool has_shape(const Graph& graph, ValueId value, const std::optional<Shape>& shape) {
  return shape && graph.values[value].shape == shape;
}

}  // namespace swai::onnx
