// SPDX-License-Identifier: Apache-2.0
// The end of commands: of a queue they become complete in their order, and the first that fails stops it.
#pragma once

#include <bit>
#include <cstdint>

#include "abi/loaded_module.hpp"
#include "abi/segment.hpp"
#include "firmware/runtime/built_in.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime::finish {

inline constexpr unsigned kRefill = launch::kQueue / 2;  // of a graph's launches

inline uint64_t command_of(const Queue& queue, const Flight& flight) {
  return journal::command(queue.number, flight.begin);
}

// The engine's error.
template <Machine M>
inline unsigned release(QueueState<M>& state, Queue& queue, const Flight& flight, unsigned channel) {
  Transfers<M>& transfers = state.parts.transfers;
  const unsigned error = transfers.finish(channel);
  state.look |= state.waiting;  // it is free
  if (error != 0 && error != Transfers<M>::kAborted) {
    state.parts.machine.note(journal::Fault::kTransfer, {error, channel, transfers.error_address(channel), 0,
                                                         command_of(queue, flight)});
  }
  return error;
}

// As the client names it, where the channel failed.
template <Machine M>
inline uint64_t named_error(const QueueState<M>& state, const Queue& queue, unsigned channel) {
  return state.parts.clients.of(queue.context).named(state.parts.transfers.error_address(channel));
}

// Of copies behind launches that are under way. Those that are over give their channels back, and fail when
// it is their turn; where the first of these has failed, `queue.rows` keeps: nothing else has rows then.
template <Machine M>
[[gnu::cold, gnu::noinline]] inline bool copies_fly(QueueState<M>& state, Queue& queue) {
  bool any = false, failed = false;
  for (uint32_t i = queue.ended; i != queue.begun; ++i) {
    Flight& flight = queue.ring[i % Queue::kDepth];
    if (flight.type != command::Type::kCopy) continue;
    if (!flight.over && state.parts.transfers.over(flight.place)) {
      flight.over = true;
      flight.slot = static_cast<uint16_t>(release(state, queue, flight, flight.place));
      if (flight.slot != 0 && !failed) queue.rows.to = named_error(state, queue, flight.place);
    }
    any |= !flight.over;
    failed |= flight.over && flight.slot != 0;
  }
  return any;
}

// The next step of a module that is loaded. Who waits for memory keeps no step for itself.
template <Machine M>
[[gnu::cold, gnu::noinline]] inline bool module_is_over(QueueState<M>& state, Queue& queue,
                                                        const Flight& flight) {
  using Load = ModuleLoad<M>;
  Load& load = state.parts.module_load;
  const uint32_t bit = state.bit(queue.number);
  state.lacks_memory &= ~bit;
  if (!queue.open) {
    load.drop();
  } else {
    const typename Load::State step = load.step();
    if (step == Load::State::kRuns) state.over |= bit;
    if (step == Load::State::kLacksMemory) state.lacks_memory |= bit;
    if (step != Load::State::kOver) return false;
  }
  state.look |= state.waiting;  // the next module may come
  const auto& result = load.result();
  if (result.status == Status::kOk) {
    state.parts.groups.forget();
    protocol::QueueStatus& line = state.parts.completions.line(queue.number);
    line.value = protocol::LoadedModule{result.handle, result.segment}.encode();
    line.value_sequence = flight.begin;
    state.parts.completions.changed(queue.number);
  } else if (queue.open) {
    state.fail(queue, flight.begin, result.status, result.detail);
  }
  return true;
}

template <Machine M>
[[gnu::cold, gnu::noinline]] inline void fail_transfer(QueueState<M>& state, Queue& queue,
                                                       const Flight& flight, unsigned error,
                                                       uint64_t address) {
  if (!queue.failed) state.parts.completions.line(queue.number).detail_address = address;
  state.fail(queue, flight.begin, Status::kTransfer, static_cast<uint16_t>(error));
}

// Whether the channel, which is over, has done its part of the command.
template <Machine M>
inline bool take_channel(QueueState<M>& state, Queue& queue, const Flight& flight, unsigned channel) {
  const unsigned error = release(state, queue, flight, channel);
  if (error != 0) fail_transfer(state, queue, flight, error, named_error(state, queue, channel));
  return error == 0;
}

// By the processor, or over the link.
template <Machine M>
[[gnu::noinline]] inline bool card_copy_is_over(QueueState<M>& state, Queue& queue, const Flight& flight) {
  if (queue.rows.engine == Engine::kProcessor) {
    if (!built_ins::move_some(state, queue)) return true;
    state.over |= state.bit(queue.number);
    return false;
  }
  for (uint32_t left = flight.place; left != 0; left &= left - 1) {
    if (!state.parts.transfers.over(static_cast<unsigned>(std::countr_zero(left)))) return false;
  }
  bool good = true;
  for (uint32_t left = flight.place; left != 0; left &= left - 1)
    good = take_channel(state, queue, flight, static_cast<unsigned>(std::countr_zero(left))) && good;
  // Next time it goes another way.
  if (!good && queue.open) state.parts.costs.forget(set_of(queue.rows.engine));
  return true;
}

template <Machine M>
inline bool copy_is_over(QueueState<M>& state, Queue& queue, const Flight& flight) {
  if (!state.parts.transfers.over(flight.place)) return false;
  take_channel(state, queue, flight, flight.place);
  return true;
}

template <Machine M>
inline bool is_over(QueueState<M>& state, Queue& queue, Flight& flight) {
  queue.graph.node = flight.node;
  switch (flight.type) {
    case command::Type::kLaunch:  // leaves when its end is noted
    case command::Type::kGraph:   // a launch of one
      return false;
    case command::Type::kFill:
    case command::Type::kCopyDevice:
      if (queue.rows.engine != Engine::kCores) return card_copy_is_over(state, queue, flight);
      if (!flight.over) return false;
      if (!queue.failed && queue.rows.count != 0 && state.parts.groups.lost(flight.place))
        state.fail(queue, flight.begin, Status::kGroupLost);
      return !built_ins::next_piece(state, queue, flight);
    case command::Type::kCopy:
      if (!flight.over) return copy_is_over(state, queue, flight);
      if (flight.slot != 0) fail_transfer(state, queue, flight, flight.slot, queue.rows.to);
      return true;
    case command::Type::kPageList:
      return copy_is_over(state, queue, flight);
    case command::Type::kModuleLoad:
      return module_is_over(state, queue, flight);
    case command::Type::kEventWait:
      return state.parts.events.reached(queue.context, queue.event, queue.count) || !queue.open;
    default:  // kHostCall
      return flight.over || !queue.open;
  }
}

// Takes what is over, and no launch, from the front of the queue.
template <Machine M>
inline void retire(QueueState<M>& state, Queue& queue) {
  unsigned count = 0;
  uint32_t end = 0;
  bool quiet = true;
  while (queue.flights() != 0) {
    Flight& flight = queue.front();
    if (!is_over(state, queue, flight)) break;
    if (flight.in_graph()) {
      queue.pop();
      continue;
    }
    end = flight.end;
    quiet = quiet && flight.quiet;
    queue.pop();
    ++count;
  }
  if (queue.flights() == 0 || (queue.front().type == command::Type::kLaunch && !copies_fly(state, queue)))
    state.flying &= ~state.bit(queue.number);
  if (count != 0) state.complete(queue, end, quiet, count);
}

// A launch, and copies behind it that are over and good.
template <Machine M>
[[gnu::cold, gnu::noinline]] inline void end_with_copies(QueueState<M>& state, Queue& queue,
                                                         const Flight& launch) {
  const auto is_copy = [&] { return queue.flights() != 0 && queue.front().type == command::Type::kCopy; };
  uint32_t end = launch.end;
  bool quiet = launch.quiet;
  unsigned count = 1;
  for (; is_copy() && queue.front().over && queue.front().slot == 0; ++count) {
    end = queue.front().end;
    quiet = quiet && queue.front().quiet;
    queue.pop();
  }
  state.complete(queue, end, quiet, count);
  state.look |= state.bit(queue.number);
  if (is_copy()) state.over |= state.bit(queue.number);
  if (is_copy() || queue.flights() == 0) state.beside &= ~state.bit(queue.number);
}

template <Machine M>
[[gnu::noinline]] inline void note_built_in(QueueState<M>& state, Queue& queue, Flight& flight) {
  if (flight.type == command::Type::kGraph) {  // the first of those under way, as any launch that ends
    ++queue.counts->launches;
    queue.pop();
    // Several are begun at once: to look at the graph takes longer than to begin one.
    if (queue.flights() <= kRefill) {
      state.look |= state.bit(queue.number);
    } else {
      state.waiting &= ~state.bit(queue.number);
    }
    return;
  }
  flight.over = true;
  queue.rows.step(queue.rows.piece());
  state.over |= state.bit(queue.number);
}

// A launch has ended well. Before a launch of a queue there are only launches, which end in their order,
// and copies that are over: so it is complete. Copies behind it may be, too.
template <Machine M>
[[gnu::always_inline]] inline void note_end(QueueState<M>& state, uint16_t owner, uint32_t cycles) {
  const unsigned number = owner / Queue::kDepth;
  Queue& queue = state.queues[number];
  Counts& counts = *queue.counts;
  counts.busy += cycles;
  Flight& flight = queue.ring[owner % Queue::kDepth];
  if (flight.type != command::Type::kLaunch) [[unlikely]]
    return note_built_in(state, queue, flight);
  ++counts.launches;
  queue.pop();
  if ((state.beside & state.bit(number)) != 0) [[unlikely]]
    return end_with_copies(state, queue, flight);
  state.complete(queue, flight.end, flight.quiet);
  state.look |= state.bit(number);
}

template <Machine M>
[[gnu::cold, gnu::noinline]] inline void fail_launch(QueueState<M>& state, Queue& queue, const Flight& flight,
                                                     const LaunchEnd& end) {
  ++state.statistics.launches_failed;
  protocol::QueueStatus& line = state.parts.completions.line(queue.number);
  const launch::Fault& fault = end.fault;
  const uint64_t address =
      fault.segment == segment::kNone ? fault.offset : segment::pointer(fault.segment, fault.offset);
  if (!queue.failed) {
    line.detail_cpe = end.cpe;
    line.detail_address = address;
    line.detail_pc = fault.pc;
  }
  const auto kind = end.watchdog                           ? journal::Fault::kKernelTimeout
                    : fault.cause == launch::Cause::kStuck ? journal::Fault::kKernelStuck
                                                           : journal::Fault::kKernel;
  state.parts.machine.note(kind, {static_cast<uint64_t>(fault.cause), end.cpe, fault.pc, address,
                                  command_of(queue, flight), static_cast<uint64_t>(fault.access)});
  state.fail(queue, flight.begin, end.watchdog ? Status::kKernelTimeout : Status::kKernelFault,
             static_cast<uint16_t>(end.fault.cause));
}

// A launch that may have failed. False: it is started again, as it was dropped for the sake of another one.
template <Machine M>
[[gnu::noinline]] inline bool has_ended(QueueState<M>& state, Queue& queue, const Flight& flight,
                                        const LaunchEnd& end) {
  queue.graph.node = flight.node;
  if (end.lost) {
    state.fail(queue, flight.begin, Status::kGroupLost);
    return true;
  }
  if (end.dropped) {
    if (queue.failed || state.parts.clients.of(queue.context).attached != Attached::kYes) return true;
    const uint32_t argument = flight.in_graph() ? queue.graph.argument_at(flight.slot)
                              : flight.over     ? state.word_of(queue, flight.begin)
                                                : state.argument_at(flight.begin);
    state.parts.groups.start_again(flight.place, end, argument);
    return false;
  }
  if (end.failed) {
    fail_launch(state, queue, flight, end);
    state.parts.groups.go_on(flight.place,
                             [&](uint16_t other) { return other / Queue::kDepth == queue.number; });
  }
  return true;
}

// A launch that may have failed: `end` tells.
template <Machine M>
[[gnu::noinline]] inline void note_end(QueueState<M>& state, uint16_t owner, const LaunchEnd& end) {
  Queue& queue = state.queues[owner / Queue::kDepth];
  if (has_ended(state, queue, queue.ring[owner % Queue::kDepth], end)) note_end(state, owner, end.cycles);
}

}  // namespace swai::runtime::finish
