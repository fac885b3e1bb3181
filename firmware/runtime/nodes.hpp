// SPDX-License-Identifier: Apache-2.0
// The commands of a graph, which begin by the rules of a queue.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "firmware/runtime/areas.hpp"
#include "firmware/runtime/card_copies.hpp"
#include "firmware/runtime/copies.hpp"
#include "firmware/runtime/graphs.hpp"
#include "firmware/runtime/launches.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime::nodes {

inline constexpr unsigned kNodesAtOnce = launch::kQueue;

// Arguments lie in the graph's memory, and are read there.
template <Machine M>
inline bool launch_node(QueueState<M>& state, Queue& queue, const command::Header& node, uint8_t slots) {
  const GraphRun& run = queue.graph;
  command::Header header = node;
  header.slots = slots;
  std::array<uint64_t, 2> words;
  load_words(state.parts.machine, run.at + sizeof header, words.data(), sizeof words);
  const Again& again = queue.again;
  if ((header.flags & command::kWord) != 0) return state.finish_now(queue, 0, Status::kBadArguments);
  if (launches::kind_of(header) != again.header || words != again.words ||
      state.parts.modules.changes() != again.modules) {
    if (const Status status = launches::check_launch(state, queue, header, words); status != Status::kOk)
      return state.finish_now(queue, 0, status);
    queue.again.launch.argument_segment = segment::number(run.pointer);
  }
  return launches::start(state, queue, node, command::Type::kGraph,
                         run.argument_at(run.done / protocol::kSlotBytes));
}

template <Machine M>
inline bool take_node(QueueState<M>& state, Queue& queue, command::Header node) {
  const GraphRun& run = queue.graph;
  const uint8_t slots = std::exchange(node.slots, 0);
  if (slots == 0 || slots > command::kMaxSlots || slots * protocol::kSlotBytes > run.bytes - run.done)
    return state.refuse_garbage(queue, node, 0);
  switch (node.type) {
    case command::Type::kLaunch:
      return launch_node(state, queue, node, slots);
    case command::Type::kCopy:
      return copies::take_copy(state, queue, node);
    case command::Type::kFill:
      return queue.flights() == 0 && card_copies::take_fill(state, queue, node);
    case command::Type::kCopyDevice:
      return queue.flights() == 0 && card_copies::take_copy_device(state, queue, node);
    default:
      return state.refuse_garbage(queue, node, 0);
  }
}

template <Machine M>
inline bool next_node(QueueState<M>& state, Queue& queue) {
  GraphRun& run = queue.graph;
  command::Header node;
  if (run.known) {
    state.parts.machine.touch();
  } else {
    state.parts.machine.look(run.at, protocol::kSlotBytes);
  }
  load_words(state.parts.machine, run.at, &node, sizeof node);
  run.node = static_cast<uint16_t>(node.sequence);
  if (!take_node(state, queue, node)) return false;
  if (queue.failed) return true;
  queue.back().slot = static_cast<uint16_t>(run.done / protocol::kSlotBytes);
  queue.back().node = run.node;
  const uint32_t bytes = node.slots * protocol::kSlotBytes;
  run.done += bytes;
  run.at += bytes;
  return true;
}

template <Machine M>
inline Status begin_graph(QueueState<M>& state, Queue& queue, const command::Header& header) {
  const auto command = state.template read<command::Graph>(queue, header);
  if (!GraphRun::is_sound(command)) return Status::kBadRange;
  const Area found = find_area(state.parts.memory, command.commands, command.bytes, 1, 0, queue.context);
  if (found.status != Status::kOk) return found.status;
  if (found.usage != memory::Usage::kShared) return Status::kBadPointer;
  queue.graph.begin(command, queue.next, state.parts.memory.releases());
  queue.again = {};
  return Status::kOk;
}

// Its memory may have been freed meanwhile, and be somebody else's.
template <Machine M>
inline bool find_node(QueueState<M>& state, Queue& queue) {
  GraphRun& run = queue.graph;
  const Area found =
      find_area(state.parts.memory, run.pointer + run.done, run.bytes - run.done, 1, 0, queue.context);
  if (found.status != Status::kOk || found.usage != memory::Usage::kShared) return false;
  run.at = found.physical;
  return true;
}

// The next command of a graph, or its end. The queue stays at the command that runs it, and looks at it
// again and again; so nothing of the queue runs beside.
template <Machine M>
[[gnu::noinline]] inline bool take_graph(QueueState<M>& state, Queue& queue, const command::Header& header) {
  GraphRun& run = queue.graph;
  if (!run.is_of(queue.next)) {
    if (queue.flights() != 0) return false;
    if (const Status status = begin_graph(state, queue, header); status != Status::kOk)
      return state.finish_now(queue, header.slots, status);
  }
  if (run.at_end()) {
    if (queue.flights() != 0) return false;
    run.end();
    queue.again = {};  // its arguments were elsewhere
    return state.finish_now(queue, header.slots);
  }
  run.node = 0;
  if (!find_node(state, queue)) return state.finish_now(queue, 0, Status::kBadPointer);
  // Some at once, that it need not be found for each.
  bool any = false;
  for (unsigned i = 0; i < kNodesAtOnce && !run.at_end() && !queue.failed && next_node(state, queue); ++i)
    any = true;
  run.at = 0;
  return any;
}

}  // namespace swai::runtime::nodes
