// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/rewrite.hpp"

#include <algorithm>

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

bool is_order(const std::vector<int64_t>& axes) {
  std::vector<bool> seen(axes.size());
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= std::ssize(axes) || seen[static_cast<size_t>(axis)]) return false;
    seen[static_cast<size_t>(axis)] = true;
  }
  return true;
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

Matcher::Matcher(Graph& graph)
    : graph_(graph), producers_(producers_of(graph)), uses_(uses_of(graph)), before_(graph.nodes.size()) {}

const Node* Matcher::producer(ValueId value) const {
  if (value == kNone || value >= producers_.size() || producers_[value] == kNone) return nullptr;
  return &graph_.nodes[producers_[value]];
}

const Node* Matcher::producer(ValueId value, std::string_view operation) const {
  const Node* const node = producer(value);
  return node != nullptr && node->is(operation) && node->outputs[0] == value ? node : nullptr;
}

std::optional<size_t> Matcher::rank(ValueId value) const {
  if (value == kNone || !graph_.values[value].shape) return std::nullopt;
  return graph_.values[value].shape->size();
}

std::optional<Size> Matcher::size(ValueId value, int64_t dimension) const {
  const auto all = rank(value);
  if (!all) return std::nullopt;
  if (dimension < 0) dimension += static_cast<int64_t>(*all);
  if (dimension < 0 || dimension >= static_cast<int64_t>(*all)) return std::nullopt;
  return (*graph_.values[value].shape)[static_cast<size_t>(dimension)];
}

bool Matcher::is_last_axis(ValueId value, int64_t axis) const {
  if (axis == -1) return true;
  const auto all = rank(value);
  return all && axis == static_cast<int64_t>(*all) - 1;
}

bool Matcher::is_last_axis(ValueId value, const std::optional<std::vector<int64_t>>& axes) const {
  return axes && axes->size() == 1 && is_last_axis(value, (*axes)[0]);
}

ValueId Matcher::make(Node node, const char* suffix) {
  const std::string name = graph_.name_of(graph_.nodes[at_]) + suffix;
  node.name = name;
  node.outputs = {graph_.add({name, {}, {}})};
  uses_.push_back(0);
  producers_.push_back(kNone);
  for (const ValueId id : node.inputs)
    if (id != kNone) ++uses_[id];
  before_[at_].push_back(std::move(node));
  return before_[at_].back().outputs[0];
}

ValueId Matcher::constant(const char* suffix, Tensor tensor) {
  uses_.push_back(0);
  producers_.push_back(kNone);
  return graph_.add_constant(graph_.name_of(graph_.nodes[at_]) + suffix, std::move(tensor));
}

bool Matcher::is_alive(const Node& node) const {
  return std::ranges::any_of(node.outputs, [&](ValueId id) { return id != kNone && uses_[id] > 0; });
}

void Matcher::release(const Node& node) {
  std::vector<ValueId> unused(node.inputs);
  for (const Subgraph& inner : node.subgraphs)
    unused.insert(unused.end(), inner.captured.begin(), inner.captured.end());
  while (!unused.empty()) {
    const ValueId id = unused.back();
    unused.pop_back();
    if (id == kNone || --uses_[id] > 0) continue;
    const Node* const maker = producer(id);
    if (maker == nullptr || is_alive(*maker)) continue;
    unused.insert(unused.end(), maker->inputs.begin(), maker->inputs.end());
    for (const Subgraph& inner : maker->subgraphs)
      unused.insert(unused.end(), inner.captured.begin(), inner.captured.end());
  }
}

void Matcher::put(Node node) {
  Node& old = graph_.nodes[at_];
  node.name = graph_.name_of(old);
  for (const ValueId id : node.inputs)
    if (id != kNone) ++uses_[id];
  release(old);
  old = std::move(node);
  ++changes_;
}

void Matcher::finish() {
  if (changes_ == 0) return;
  std::vector<Node> kept;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    for (Node& node : before_[i]) kept.push_back(std::move(node));
    if (is_alive(graph_.nodes[i])) kept.push_back(std::move(graph_.nodes[i]));
  }
  graph_.nodes = std::move(kept);
}

bool has_shape(const Graph& graph, ValueId value, const std::optional<Shape>& shape) {
  return value != kNone && shape && graph.values[value].shape == shape;
}

}  // namespace swai::onnx
