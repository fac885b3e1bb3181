// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/graph_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace swai::sdaa {
namespace {

const char* name_of(sdaaGraphNodeType type) {
  switch (type) {
    case sdaaGraphNodeTypeKernel:
      return "kernel";
    case sdaaGraphNodeTypeMemcpy:
      return "copy";
    case sdaaGraphNodeTypeMemset:
      return "fill";
    case sdaaGraphNodeTypeEmpty:
      return "empty";
  }
  return "";
}

// The nodes that there are, and what each waits for, counted without those that were removed.
struct Shape {
  struct Node {
    size_t index;
    sdaaGraphNodeType type;
    Frontier after;
  };
  std::vector<Node> nodes;

  explicit Shape(const std::vector<GraphNode>& all) {
    std::vector<size_t> rank(all.size());
    for (size_t node = 0; node < all.size(); ++node) {
      if (all[node].removed) continue;
      rank[node] = nodes.size();
      nodes.push_back({node, all[node].type, all[node].after});
    }
    for (Node& node : nodes) {
      Frontier counted;
      for (const size_t earlier : node.after) counted.insert(rank[earlier]);
      node.after = std::move(counted);
    }
  }
};

}  // namespace

void add_edge(Graph& graph, size_t from, size_t to) {
  require(from != to, "a node cannot wait for itself");
  graph.nodes[to].after.insert(from);
}

void remove_edge(Graph& graph, size_t from, size_t to) {
  require(graph.nodes[to].after.erase(from) == 1, "the node does not wait for the other one");
}

void remove_node(Graph& graph, size_t node) {
  graph.nodes[node] = {};
  graph.nodes[node].removed = true;
  for (GraphNode& other : graph.nodes) other.after.erase(node);
}

sdaaGraphExecUpdateResult update(Device& device, Device::Lock& lock, GraphExec& exec, const Graph& graph,
                                 size_t& node) {
  const Shape old(exec.nodes);
  const Shape fresh(graph.nodes);
  for (size_t i = 0; i < std::min(old.nodes.size(), fresh.nodes.size()); ++i) {
    node = fresh.nodes[i].index;
    if (old.nodes[i].type != fresh.nodes[i].type) return sdaaGraphExecUpdateErrorNodeTypeChanged;
    if (old.nodes[i].after != fresh.nodes[i].after) return sdaaGraphExecUpdateErrorTopologyChanged;
  }
  if (old.nodes.size() != fresh.nodes.size()) return sdaaGraphExecUpdateErrorTopologyChanged;
  refill(device, lock, exec, graph.nodes);
  return sdaaGraphExecUpdateSuccess;
}

void replace_node(Device& device, Device::Lock& lock, GraphExec& exec, size_t node, GraphNode fresh) {
  require(node < exec.nodes.size() && !exec.nodes[node].removed && exec.nodes[node].type == fresh.type,
          "the instance has no such node");
  std::vector<GraphNode> nodes = exec.nodes;
  fresh.after = nodes[node].after;
  nodes[node] = std::move(fresh);
  refill(device, lock, exec, std::move(nodes));
}

std::string dot(const Graph& graph) {
  std::string text = "digraph sdaa {\n";
  const auto put = std::back_inserter(text);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    if (node.removed) continue;
    fmt::format_to(put, "  node{} [label=\"{}: {}{}{}\"];\n", i, i, name_of(node.type),
                   node.kernel == nullptr ? "" : " ", node.kernel == nullptr ? "" : node.kernel->name);
    for (const size_t earlier : node.after) fmt::format_to(put, "  node{} -> node{};\n", earlier, i);
  }
  return text + "}\n";
}

}  // namespace swai::sdaa
