#include "host/sdaa/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/sdaa/card_memory.hpp"

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

// Node n is n + 1 to the card.
std::vector<uint8_t> commands_of(const Graph& graph) {
  std::vector<uint8_t> all;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const auto& bytes : graph.nodes[node].commands) {
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

std::shared_ptr<GraphExec> instantiate(const Graph& graph) {
  const auto device = graph.device;
  const auto bytes = commands_of(graph);
  auto exec = std::make_shared<GraphExec>();
  exec->device = device;
  exec->bytes = bytes.size();
  Kernels kernels;
  for (const GraphNode& node : graph.nodes) kernels.push_back(node.kernel);
  exec->kernels = std::make_shared<const Kernels>(std::move(kernels));
  if (bytes.size() > command::kMaxGraphBytes) {
    fail(sdaaErrorNotSupported, fmt::format("the graph's commands take {} bytes, more than {}", bytes.size(),
                                            command::kMaxGraphBytes));
  }
  Device::Lock lock = device->enter();
  require((device->info().capabilities & protocol::kGraphs) != 0, "the card's firmware knows no graphs",
          sdaaErrorNotSupported);
  if (!bytes.empty()) exec->pointer = CardMemory(*device, lock, bytes).release();
  device->adopt(exec);
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
  exec.fresh = false;
}

void destroy(Device& device, Device::Lock& lock, GraphExec& exec) {
  const Point last = exec.last;
  device.wait_until(lock, [&] { return last.reached(); });
  require(exec.alive.exchange(false), "the graph was destroyed", sdaaErrorInvalidHandle);
  if (exec.bytes != 0) device.connection().ask(protocol::Operation::kFree, {exec.pointer});
}

}  // namespace swai::sdaa
