// SPDX-License-Identifier: Apache-2.0
// Graphs in the card's memory: what was captured or built, to be launched as one command.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/runtime/stream_writer.hpp"

namespace swai::sdaa {

// A graph in the card's memory.
struct GraphExec : Object {
  uint64_t pointer = 0;
  uint64_t bytes = 0;  // 0: it has no nodes
  bool fresh = true;   // the card has not run it yet
  Point last;          // launch
  std::shared_ptr<const Kernels> kernels;
  std::vector<GraphNode> nodes;  // what it does
  std::weak_ptr<Graph> source;
};

std::shared_ptr<GraphExec> instantiate(const std::shared_ptr<Graph>& graph, Device::Lock& lock);
// It does this from now on, when what was launched is complete.
void refill(Device& device, Device::Lock& lock, GraphExec& exec, std::vector<GraphNode> nodes);
void launch_graph(StreamWriter stream, GraphExec& exec);
// When what was launched is complete.
void destroy(Device& device, Device::Lock& lock, GraphExec& exec);

}  // namespace swai::sdaa
