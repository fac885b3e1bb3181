// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/capture.hpp"

#include <algorithm>
#include <cstring>

#include "abi/command.hpp"

namespace swai::sdaa {
namespace {

using command::Type;

sdaaGraphNodeType type_of(Type type) {
  switch (type) {
    case Type::kLaunch:
      return sdaaGraphNodeTypeKernel;
    case Type::kFill:
      return sdaaGraphNodeTypeMemset;
    default:
      return sdaaGraphNodeTypeMemcpy;
  }
}

}  // namespace

bool Capture::ordered() const {
  return std::ranges::any_of(streams_, [](const auto& stream) { return stream->ordered(); });
}

void Capture::join(const std::shared_ptr<Stream>& stream, const Frontier& after) {
  if (stream->capture == nullptr) {
    streams_.push_back(stream);
    stream->frontier.clear();
  }
  stream->frontier.insert(after.begin(), after.end());
}

void Capture::add(Stream& stream, std::span<const uint8_t> command, std::span<const uint8_t> tail) {
  if (!valid_) fail(sdaaErrorStreamCaptureInvalidated, "an earlier call has invalidated the capture");
  command::Header header;
  std::memcpy(&header, command.data(), sizeof header);
  const bool known = header.type == Type::kLaunch || header.type == Type::kCopy ||
                     header.type == Type::kCopyDevice || header.type == Type::kFill;
  if (!known) {
    invalidate();
    fail(sdaaErrorStreamCaptureUnsupported, "a graph cannot do that");
  }
  std::vector<uint8_t> bytes(command.begin(), command.end());
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  if ((header.flags & command::kConcurrent) == 0) {
    nodes_.push_back({type_of(header.type), {}, std::exchange(stream.frontier, {nodes_.size()}), nullptr});
  }
  nodes_.back().commands.push_back(std::move(bytes));
}

// Whether the nodes are all before these, or among them.
bool Capture::all_joined(const Frontier& last) const {
  std::vector<bool> before(nodes_.size());
  for (const size_t node : last) before[node] = true;
  for (size_t node = nodes_.size(); node-- > 0;) {
    if (!before[node]) return false;
    for (const size_t earlier : nodes_[node].after) before[earlier] = true;
  }
  return true;
}

void Capture::drop() {
  for (const auto& stream : std::exchange(streams_, {})) stream->capture.reset();
}

std::shared_ptr<Graph> Capture::end() {
  const auto origin = streams_.front();
  drop();
  if (!valid_) fail(sdaaErrorStreamCaptureInvalidated, "an earlier call has invalidated the capture");
  require(all_joined(origin->frontier), "what other streams were given is not waited for by the first one",
          sdaaErrorStreamCaptureUnjoined);
  auto graph = std::make_shared<Graph>();
  graph->device = origin->device;
  graph->nodes = std::move(nodes_);
  return graph;
}

GraphNode merged(sdaaGraphNodeType type, const std::vector<GraphNode>& nodes) {
  GraphNode all;
  all.type = type;
  for (const GraphNode& node : nodes) {
    all.commands.insert(all.commands.end(), node.commands.begin(), node.commands.end());
    all.kernel = node.kernel;
  }
  return all;
}

}  // namespace swai::sdaa
