// SPDX-License-Identifier: Apache-2.0
#include "host/sdaa/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "host/sdaa/card_memory.hpp"
#include "host/sdaa/recorder.hpp"

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

// Each behind all that it waits for, and as they were given wherever that leaves a choice.
std::vector<size_t> order_of(const std::vector<GraphNode>& nodes) {
  std::vector<size_t> order;
  std::vector<bool> done(nodes.size());
  for (size_t node = 0; node < nodes.size(); ++node) done[node] = nodes[node].removed;
  for (bool any = true; any;) {
    any = false;
    for (size_t node = 0; node < nodes.size(); ++node) {
      if (done[node] || !std::ranges::all_of(nodes[node].after, [&](size_t one) { return done[one]; }))
        continue;
      order.push_back(node);
      done[node] = any = true;
    }
  }
  require(std::ranges::all_of(done, std::identity()), "nodes of the graph wait for each other");
  return order;
}

// Node n is n + 1 to the card.
std::vector<uint8_t> commands_of(const std::vector<GraphNode>& nodes) {
  std::vector<uint8_t> all;
  for (const size_t node : order_of(nodes)) {
    for (const auto& bytes : nodes[node].commands) {
      const size_t slots = (bytes.size() + protocol::kSlotBytes - 1) / protocol::kSlotBytes;
      command::Header header;
      std::memcpy(&header, bytes.data(), sizeof header);
      header.sequence = static_cast<uint32_t>(node + 1);
      header.slots = static_cast<uint8_t>(slots);
      const size_t at = all.size();
      all.insert(all.end(), bytes.begin(), bytes.end());
      std::memcpy(&all[at], &header, sizeof header);
      all.resize(at + slots * protocol::kSlotBytes);
    }
  }
  if (all.size() > command::kMaxGraphBytes) {
    fail(sdaaErrorNotSupported, fmt::format("the graph's commands take {} bytes, more than {}", all.size(),
                                            command::kMaxGraphBytes));
  }
  return all;
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

void refill(Device& device, Device::Lock& lock, GraphExec& exec, std::vector<GraphNode> nodes) {
  const auto bytes = commands_of(nodes);
  const Point last = exec.last;
  device.wait_until(lock, [&] { return last.reached(); });
  const uint64_t pointer = bytes.empty() ? 0 : CardMemory(device, lock, bytes).release();
  const uint64_t old = std::exchange(exec.pointer, pointer);
  if (std::exchange(exec.bytes, bytes.size()) != 0)
    device.connection().ask(protocol::Operation::kFree, {old});
  exec.fresh = true;
  Kernels kernels;
  for (const GraphNode& node : nodes) kernels.push_back(node.kernel);
  exec.kernels = std::make_shared<const Kernels>(std::move(kernels));
  exec.nodes = std::move(nodes);
}

std::shared_ptr<GraphExec> instantiate(const std::shared_ptr<Graph>& graph, Device::Lock& lock) {
  Device& device = *graph->device;
  require((device.info().capabilities & protocol::kGraphs) != 0, "the card's firmware knows no graphs",
          sdaaErrorNotSupported);
  auto exec = std::make_shared<GraphExec>();
  exec->device = graph->device;
  exec->source = graph;
  refill(device, lock, *exec, graph->nodes);
  device.adopt(exec);
  return exec;
}

void launch_graph(Device& device, Device::Lock& lock, Stream& stream, GraphExec& exec) {
  // One at a time.
  device.order_after(lock, stream, exec.last);
  if (exec.bytes == 0) {
    struct Command {
      command::Header header;
    };
    exec.last = device.submit(lock, stream, Type::kMarker, Command{});
    return;
  }
  command::Graph command = {};
  command.commands = exec.pointer;
  command.bytes = exec.bytes;
  const uint16_t flags = exec.fresh ? command::kFresh : 0;
  exec.last = device.submit(lock, stream, Type::kGraph, command, {}, flags);
  exec.last.queue->note(exec.last.begin, exec.kernels);
  if (Recorder* recorder = Recorder::get()) recorder->holds(device, *exec.last.queue, exec.nodes);
  exec.fresh = false;
}

void destroy(Device& device, Device::Lock& lock, GraphExec& exec) {
  const Point last = exec.last;
  device.wait_until(lock, [&] { return last.reached(); });
  require(exec.alive.exchange(false), "the graph was destroyed", sdaaErrorInvalidHandle);
  if (exec.bytes != 0) device.connection().ask(protocol::Operation::kFree, {exec.pointer});
}

}  // namespace swai::sdaa
