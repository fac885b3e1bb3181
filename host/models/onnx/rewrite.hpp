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

// Whether these are the axes from 0 on, in any order.
bool is_order(const std::vector<int64_t>& axes);
// The value of a constant with one element.
std::optional<double> scalar_of(const Graph& graph, ValueId value);
// The values of an integer constant.
std::optional<std::vector<int64_t>> integers_of(const Graph& graph, ValueId value);
bool has_shape(const Graph& graph, ValueId value, const std::optional<Shape>& shape);

// Finds patterns among the nodes of a graph, and replaces their last nodes. What only a replaced node used is
// unused from then on.
class Matcher {
 public:
  explicit Matcher(Graph& graph);

  Graph& graph() const { return graph_; }
  // The node that makes a value as its first result, if it is this standard operation; null otherwise.
  const Node* producer(ValueId value, std::string_view operation) const;
  const Node* producer(ValueId value) const;
  bool is_used_once(ValueId value) const { return uses_[value] == 1; }
  std::optional<size_t> rank(ValueId value) const;
  // The size of a dimension, counted from the last one if negative; no value if it is not known.
  std::optional<Size> size(ValueId value, int64_t dimension) const;
  // Whether this axis, or the only one of these, is the last of the value.
  bool is_last_axis(ValueId value, int64_t axis) const;
  bool is_last_axis(ValueId value, const std::optional<std::vector<int64_t>>& axes) const;
  double scalar_or(ValueId value, double otherwise) const {
    return scalar_of(graph_, value).value_or(otherwise);
  }
  // The other input of a node with two inputs, one of which fulfils the condition.
  template <typename Condition>
  std::optional<std::pair<ValueId, ValueId>> either(const Node& node, Condition condition) const {
    for (const size_t first : {0, 1})
      if (condition(node.input(first))) return std::pair(node.input(first), node.input(1 - first));
    return std::nullopt;
  }

  // New nodes in front of the replaced one, each with one result.
  ValueId make(Node node, const char* suffix);
  ValueId constant(const char* suffix, Tensor tensor);

  // Tries each node from the last to the first: `match` returns what replaces a node, with its outputs.
  template <typename Match>
  size_t replace(Match match) {
    for (at_ = graph_.nodes.size(); at_-- > 0;) {
      if (!is_alive(graph_.nodes[at_]) || graph_.nodes[at_].outputs.size() != 1) continue;
      if (std::optional<Node> node = match(*this, graph_.nodes[at_])) put(std::move(*node));
    }
    finish();
    return changes_;
  }

 private:
  bool is_alive(const Node& node) const;
  void put(Node node);
  void release(const Node& node);
  void finish();

  Graph& graph_;
  std::vector<uint32_t> producers_, uses_;
  std::vector<std::vector<Node>> before_;
  size_t at_ = 0, changes_ = 0;
};

// A pass that replaces patterns in a graph and in those within it, until none is left.
template <std::optional<Node> (*kMatch)(Matcher&, const Node&)>
size_t fuse(Graph& graph) {
  size_t total = 0;
  while (const size_t changes = Matcher(graph).replace(kMatch)) total += changes;
  return total + for_subgraphs(graph, fuse<kMatch>);
}

}  // namespace swai::onnx
