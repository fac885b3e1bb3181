// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "host/runtime/card_memory.hpp"
#include "host/runtime/recorder.hpp"

namespace swai::sdaa {
namespace {

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

void refill(Device& device, Device::Lock& lock, GraphExec& exec, std::vector<GraphNode> nodes) {
  const auto bytes = commands_of(nodes);
  const Point last = exec.last;
  device.waiting().until(lock, [&] { return last.reached(); });
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

void launch_graph(StreamWriter stream, GraphExec& exec) {
  // One at a time.
  stream.order_after(exec.last);
  if (exec.bytes == 0) {
    exec.last = stream.mark();
    return;
  }
  command::Graph command = {};
  command.commands = exec.pointer;
  command.bytes = exec.bytes;
  const uint16_t flags = exec.fresh ? command::kFresh : 0;
  exec.last = stream.submit(command::Type::kGraph, command, {}, flags);
  exec.last.queue->note(exec.last.begin, exec.kernels);
  if (Recorder* recorder = Recorder::get())
    recorder->holds(stream.device().recorded(), *exec.last.queue, exec.nodes);
  exec.fresh = false;
}

void destroy(Device& device, Device::Lock& lock, GraphExec& exec) {
  const Point last = exec.last;
  device.waiting().until(lock, [&] { return last.reached(); });
  require(exec.alive.exchange(false), "the graph was destroyed", sdaaErrorInvalidHandle);
  if (exec.bytes != 0) device.connection().ask(protocol::Operation::kFree, {exec.pointer});
}

}  // namespace swai::sdaa
