// SPDX-License-Identifier: Apache-2.0
// Graphs that are built node by node, and instances of them that take over changes.
#pragma once

#include <string>

#include "host/runtime/graph.hpp"

namespace swai::sdaa {

// What `give` gives to the stream that it is called with: a launch, a copy, a fill, or nothing. One node,
// however many commands that takes.
template <typename Give>
GraphNode record_node(const std::shared_ptr<Device>& device, Device::Lock& lock, sdaaGraphNodeType type,
                      Give give) {
  const auto stream = std::make_shared<Stream>();
  stream->device = device;
  stream->flags = sdaaStreamNonBlocking;
  stream->queue = &device->queues().service();
  const auto capture = std::make_shared<Capture>(stream);
  stream->capture = capture;
  try {
    give(StreamWriter(*device, lock, *stream));
  } catch (...) {
    capture->drop();  // it and the stream hold each other
    throw;
  }
  return merged(type, capture->end()->nodes);
}

// Throws when the edge would join a node with itself.
void add_edge(Graph& graph, size_t from, size_t to);
// Throws when there is none.
void remove_edge(Graph& graph, size_t from, size_t to);
// No other node waits for it any more.
void remove_node(Graph& graph, size_t node);

// The instance does what the graph says from now on, and waits for its launches before. The answer is
// sdaaGraphExecUpdateSuccess, or why it cannot; then `node` is the first one that differs.
sdaaGraphExecUpdateResult update(Device& device, Device::Lock& lock, GraphExec& exec, const Graph& graph,
                                 size_t& node);
// One node of the instance, of the same type.
void replace_node(Device& device, Device::Lock& lock, GraphExec& exec, size_t node, GraphNode fresh);

// For graphviz.
std::string dot(const Graph& graph);

}  // namespace swai::sdaa
