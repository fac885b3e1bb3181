// SPDX-License-Identifier: Apache-2.0
// Handles of graphs and their nodes: a node's is its graph's, with another kind and the node's number above
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "host/runtime/in_use.hpp"
#include "host/runtime/runtime.hpp"

namespace swai::sdaa {

inline constexpr unsigned kNodeKind = 0x57;
inline constexpr unsigned kGraphKind = 0x55;
inline constexpr unsigned kNodeShift = 40;
inline constexpr uintptr_t kGraphMask = (uintptr_t{1} << kNodeShift) - 1;
inline constexpr size_t kMaxNodes = 1 << 16;

inline sdaaGraphNode_t node_handle(sdaaGraph_t graph, size_t index) {
  const auto number = reinterpret_cast<uintptr_t>(graph) & kGraphMask;
  return reinterpret_cast<sdaaGraphNode_t>(uintptr_t{kNodeKind} << 56 | index << kNodeShift | number);
}

struct NodeName {
  sdaaGraph_t graph;
  size_t index;
};
inline NodeName name_of(sdaaGraphNode_t node) {
  const auto handle = reinterpret_cast<uintptr_t>(node);
  require(handle >> 56 == kNodeKind, "no such node", sdaaErrorInvalidHandle);
  return {reinterpret_cast<sdaaGraph_t>(uintptr_t{kGraphKind} << 56 | (handle & kGraphMask)),
          handle >> kNodeShift & (kMaxNodes - 1)};
}
inline void check_node(const Graph& graph, size_t index) {
  require(index < graph.nodes.size() && !graph.nodes[index].removed, "no such node", sdaaErrorInvalidHandle);
}

inline std::shared_ptr<Graph> find_graph(sdaaGraph_t handle) {
  return Runtime::get().graphs.get(handle, "no such graph");
}
inline InUse<Graph> use_graph(sdaaGraph_t handle) {
  return use_object(find_graph(handle), "the graph went with a reset of the device");
}
// The caller has the device's lock.
inline sdaaGraph_t add_graph(Device& device, std::vector<GraphNode> nodes) {
  auto graph = std::make_shared<Graph>();
  graph->device = device.shared_from_this();
  graph->nodes = std::move(nodes);
  device.adopt(graph);
  return reinterpret_cast<sdaaGraph_t>(Runtime::get().graphs.add(std::move(graph)));
}

}  // namespace swai::sdaa
