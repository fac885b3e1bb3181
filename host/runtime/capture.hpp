// SPDX-License-Identifier: Apache-2.0
// What streams are given while they capture: nodes of a graph, as commands of the card (command::Graph).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "host/runtime/error.hpp"
#include "host/runtime/objects.hpp"

namespace swai::sdaa {

// What one call has given: a command, or several that run side by side.
struct GraphNode {
  sdaaGraphNodeType type = sdaaGraphNodeTypeKernel;
  std::vector<std::vector<uint8_t>> commands;  // none: it is empty
  Frontier after;
  std::shared_ptr<const KernelInfo> kernel;  // of a launch
  bool removed = false;                      // its number stays
};

// Nodes in the order in which they were given. Those of a capture come behind all that they wait for.
struct Graph : Object {
  std::vector<GraphNode> nodes;
};

// Streams that capture together: the one that began, and those that have waited for an event of theirs.
class Capture {
 public:
  explicit Capture(const std::shared_ptr<Stream>& origin) { join(origin, {}); }

  bool valid() const { return valid_; }
  void invalidate() { valid_ = false; }
  bool began_with(const Stream& stream) const { return streams_.front().get() == &stream; }
  // One of its streams is in order with the default stream.
  bool ordered() const;

  void join(const std::shared_ptr<Stream>& stream, const Frontier& after);
  void add(Stream& stream, std::span<const uint8_t> command, std::span<const uint8_t> tail);
  // What was added last is a launch of this.
  void name_last(std::shared_ptr<const KernelInfo> kernel) { nodes_.back().kernel = std::move(kernel); }
  // The streams capture no more. Throws if it is good for nothing.
  std::shared_ptr<Graph> end();
  bool ended() const { return streams_.empty(); }
  void drop();

 private:
  bool all_joined(const Frontier& last) const;

  bool valid_ = true;
  std::vector<std::shared_ptr<Stream>> streams_;
  std::vector<GraphNode> nodes_;
};

// One node that does what several would have, one after the other.
GraphNode merged(sdaaGraphNodeType type, const std::vector<GraphNode>& nodes);

}  // namespace swai::sdaa
