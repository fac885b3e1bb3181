// SPDX-License-Identifier: Apache-2.0
// Tools that passes share.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "host/models/onnx/graph.hpp"

namespace swai::onnx {

// Values that others replace. Applied to the whole graph at the end, or to nodes as a pass meets them.
class Renaming {
 public:
  explicit Renaming(Graph& graph) : graph_(graph) {}
  void replace(ValueId value, ValueId by) { to_[value] = resolve(by); }
  ValueId resolve(ValueId value) const;
  void apply(Node& node) const;
  void apply_to_graph();
  size_t count() const { return to_.size(); }

 private:
  Graph& graph_;
  std::map<ValueId, ValueId> to_;
};

// Runs a pass on the graphs within a graph's nodes, and returns the sum of their changes.
size_t for_subgraphs(Graph& graph, size_t (*run)(Graph&));

// The value of a constant with one element.
std::optional<double> scalar_of(const Graph& graph, ValueId value);
// The values of an integer constant.
std::optional<std::vector<int64_t>> integers_of(const Graph& graph, ValueId value);
bool has_shape(const Graph& graph, ValueId value, const std::optional<Shape>& shape);

}  // namespace swai::onnx
