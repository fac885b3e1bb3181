// SPDX-License-Identifier: Apache-2.0
// The beginning of commands: what lies in a queue's slots is checked and started. Nothing here waits: what
// cannot begin now is looked at again later.
#pragma once

#include <algorithm>
#include <cstdint>

#include "firmware/runtime/card_copies.hpp"
#include "firmware/runtime/copies.hpp"
#include "firmware/runtime/launches.hpp"
#include "firmware/runtime/nodes.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime::begin {

inline bool is_sound(const Queue& queue, const command::Header& header) {
  const unsigned slot = queue.next % protocol::kSlots;
  return header.slots != 0 && header.slots <= command::kMaxSlots && slot + header.slots <= protocol::kSlots;
}

// False: later.
template <Machine M>
inline bool record_event(QueueState<M>& state, const Queue& queue, uint32_t event) {
  if (!state.parts.completions.event_room()) return false;
  const uint64_t count = state.parts.events.record(queue.context, event);
  state.parts.completions.event(queue.context, state.parts.clients.of(queue.context).page, event,
                                {count, state.parts.machine.time()});
  state.over |= state.flying;
  return true;
}

// Behind a failure nothing is done, but who waits for an event in another queue does not wait for ever.
template <Machine M>
inline bool refuse(QueueState<M>& state, Queue& queue, const command::Header& header) {
  if (header.type == command::Type::kEventRecord) {
    const auto command = state.template read<command::Event>(queue, header);
    if (Events<M>::exists(command.event) && !record_event(state, queue, command.event)) return false;
  }
  return state.finish_now(queue, header.slots, Status::kRefused);
}

// Nobody waits for a pad: it goes with what is before it.
template <Machine M>
inline bool take_pad(QueueState<M>& state, Queue& queue, const command::Header& header) {
  if (queue.flights() == 0) return state.finish_now(queue, header.slots);
  queue.next += header.slots;
  queue.back().end = queue.next - 1;
  return true;
}

// A launch of the client is under way, as the first of its queue: others' are behind copies that are over.
template <Machine M>
inline bool is_launching(const QueueState<M>& state, uint8_t context) {
  return std::ranges::any_of(state.queues, [&](const Queue& queue) {
    return queue.context == context && queue.flights() != 0 && launches::is_launch(queue.front());
  });
}

// One at a time, in steps (module_is_over() of finish.hpp).
template <Machine M>
[[gnu::cold, gnu::noinline]] inline bool load_module(QueueState<M>& state, Queue& queue,
                                                     const command::Header& header) {
  if (state.parts.module_load.active()) return false;
  const auto command = state.template read<command::ModuleLoad>(queue, header);
  const Status status = state.parts.module_load.begin({command.file, command.bytes, queue.context});
  if (status != Status::kOk) return state.finish_now(queue, header.slots, status);
  state.begin(queue, header);
  state.over |= state.bit(queue.number);
  return true;
}

// Commands that nothing of the queue runs beside.
template <Machine M>
inline bool take_alone(QueueState<M>& state, Queue& queue, const command::Header& header) {
  const auto finish = [&](Status status = Status::kOk) {
    return state.finish_now(queue, header.slots, status);
  };
  switch (header.type) {
    case command::Type::kFill:
      return card_copies::take_fill(state, queue, header);
    case command::Type::kCopyDevice:
      return card_copies::take_copy_device(state, queue, header);
    case command::Type::kEventRecord: {
      const auto command = state.template read<command::Event>(queue, header);
      if (!Events<M>::exists(command.event)) return finish(Status::kBadHandle);
      return record_event(state, queue, command.event) && finish();
    }
    case command::Type::kEventWait: {
      const auto command = state.template read<command::Event>(queue, header);
      if (!Events<M>::exists(command.event)) return finish(Status::kBadHandle);
      if (state.parts.events.reached(queue.context, command.event, command.count)) return finish();
      queue.event = command.event;
      queue.count = command.count;
      state.begin(queue, header);
      return true;
    }
    case command::Type::kModuleLoad:
      return load_module(state, queue, header);
    case command::Type::kModuleUnload: {
      const auto command = state.template read<command::ModuleUnload>(queue, header);
      if (is_launching(state, queue.context)) return false;
      const Status status = state.parts.modules.unload(command.module, queue.context);
      if (status == Status::kOk) state.parts.groups.forget();
      return finish(status);
    }
    case command::Type::kPageList: {
      const auto command = state.template read<command::PageList>(queue, header);
      // Pages are what they are called on the bus.
      if (!state.parts.clients.of(queue.context).alone()) return finish(Status::kBadOperation);
      Transfer transfer;
      transfer.context = queue.context;
      if (const Status status = state.page_list.take(command, queue.context, transfer); status != Status::kOk)
        return finish(status);
      const unsigned channel = state.parts.transfers.start(transfer);
      if (channel == Transfers<M>::kNone) return false;
      state.begin(queue, header, channel);
      return true;
    }
    case command::Type::kHostCall: {
      protocol::QueueStatus& line = state.parts.completions.line(queue.number);
      line.waiting = queue.next;
      ++line.waits;
      state.parts.completions.changed(queue.number);
      state.begin(queue, header);
      return true;
    }
    default:
      return state.refuse_garbage(queue, header, header.slots);
  }
}

template <Machine M>
[[gnu::noinline]] inline bool take_other(QueueState<M>& state, Queue& queue, const command::Header& header) {
  if (!is_sound(queue, header)) return state.refuse_garbage(queue, header, 1);
  // What comes behind a failure waits for what was begun before, so that the order stays.
  if (queue.failed) return queue.flights() == 0 && refuse(state, queue, header);
  switch (header.type) {
    case command::Type::kLaunch:
      return launches::take_launch(state, queue, header);
    case command::Type::kCopy:
      return copies::take_copy(state, queue, header);
    case command::Type::kGraph:
      return nodes::take_graph(state, queue, header);
    case command::Type::kPad:
      return take_pad(state, queue, header);
    case command::Type::kMarker:
      return queue.flights() == 0 && state.finish_now(queue, header.slots);
    default:
      return queue.flights() == 0 && take_alone(state, queue, header);
  }
}

// The queue's next command, if it is there. Whether something was taken, or thrown away.
template <Machine M>
[[gnu::always_inline]] inline bool take(QueueState<M>& state, Queue& queue) {
  if (queue.flights() == Queue::kDepth) return false;
  command::Header header;
  const uint64_t slot = state.slot_address(queue, queue.next);
  state.parts.machine.fetch(slot, &header, sizeof header);
  if (header.sequence != queue.next) return false;
  const bool taken = launches::is_again(state, queue, header, slot)
                         ? launches::start_again(state, queue, header)
                         : take_other(state, queue, header);
  if (!taken) state.waiting |= state.bit(queue.number);
  return taken;
}

}  // namespace swai::runtime::begin
