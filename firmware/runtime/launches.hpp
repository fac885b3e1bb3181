// SPDX-License-Identifier: Apache-2.0
// Launches of kernels: what a queue's command says is checked once, and begun as often as it comes again.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime::launches {

// All but the sequence number.
inline uint32_t kind_of(const command::Header& header) {
  uint64_t word;
  static_assert(sizeof word == sizeof header && sizeof header.sequence == 4);
  std::memcpy(&word, &header, sizeof word);
  return static_cast<uint32_t>(word >> 32);
}

template <Machine M>
[[gnu::always_inline]] inline bool has_words(const QueueState<M>& state, const Queue& queue,
                                             const std::array<uint64_t, 2>& words) {
  const Again& again = queue.again;
  return words[0] == again.words[0] && words[1] == again.words[1] &&
         state.parts.modules.changes() == again.modules;
}

// Whether that is the queue's last launch once more.
template <Machine M>
[[gnu::always_inline]] inline bool is_again(QueueState<M>& state, const Queue& queue,
                                            const command::Header& header, uint64_t slot) {
  std::array<uint64_t, 2> words;
  static_assert(sizeof header + sizeof words == sizeof(command::Launch));
  if (kind_of(header) != queue.again.header) return false;
  state.parts.machine.fetch(slot + sizeof header, words.data(), sizeof words);
  return has_words(state, queue, words) &&
         queue.next % protocol::kSlots + queue.again.slots <= protocol::kSlots;
}

// The last one before copies that are over and good, which stay there until the launch before them ends.
[[gnu::cold, gnu::noinline]] inline const Flight* before_copies(const Queue& queue) {
  uint32_t i = queue.begun;
  const Flight* flight;
  do {
    flight = &queue.ring[--i % Queue::kDepth];
  } while (i != queue.ended && flight->type == command::Type::kCopy && flight->over && flight->slot == 0);
  return flight;
}

// The launch in `queue.again`; kGraph: of a graph.
template <Machine M>
[[gnu::always_inline]] inline bool start(QueueState<M>& state, Queue& queue, const command::Header& header,
                                         command::Type type, uint32_t argument) {
  const Again& again = queue.again;
  unsigned group = again.group;
  if (queue.flights() != 0) {
    // Only behind launches on the same group: that keeps them in order.
    const Flight* last = &queue.back();
    if (last->type == command::Type::kCopy) [[unlikely]]
      last = before_copies(queue);
    if (last->type != type) return false;
    if (group != last->place && group != protocol::kAnyGroup) return false;
    group = last->place;
  } else if (group == protocol::kAnyGroup) {
    group = state.parts.groups.least_busy();
  }
  if (!state.hand_over(queue, group, again.launch, argument, queue.free())) return false;
  state.put_flight(queue, header, type, group);
  return true;
}

template <Machine M>
[[gnu::always_inline]] inline bool start_again(QueueState<M>& state, Queue& queue,
                                               const command::Header& header) {
  return start(state, queue, header, command::Type::kLaunch, state.argument_at(queue.next));
}

inline bool is_launch(const Flight& flight) {
  return flight.type == command::Type::kLaunch || flight.type == command::Type::kGraph;
}

// The group that is to run it.
template <Machine M>
inline unsigned choose_group(const QueueState<M>& state, Queue& queue, unsigned wanted) {
  if (wanted != protocol::kAnyGroup) return wanted;
  if (queue.flights() != 0 && is_launch(queue.back())) return queue.back().place;
  return state.parts.groups.least_busy();
}

// No number comes back to whoever still has it: what it stood for may be another client's.
template <Machine M>
[[gnu::cold, gnu::noinline]] inline void number_settings_anew(QueueState<M>& state) {
  for (Queue& queue : state.queues) queue.again = {};
  state.parts.groups.forget_settings();
  state.settings = 0;
}

// Whether the client may do that; leaves the launch in `queue.again`.
template <Machine M>
inline Status check_launch(QueueState<M>& state, Queue& queue, const command::Header& header,
                           const std::array<uint64_t, 2>& words) {
  queue.again = {};
  command::Launch command;
  std::memcpy(reinterpret_cast<uint8_t*>(&command) + sizeof header, words.data(), sizeof words);
  const Module* module = state.parts.modules.find(command.module, queue.context);
  if (module == nullptr || command.kernel >= module->kernels) return Status::kBadHandle;
  const Kernel kernel = state.parts.modules.kernel(command.module, command.kernel);
  if (command.argument_bytes != kernel.argument_bytes ||
      sizeof(command) + command.argument_bytes > header.slots * size_t{protocol::kSlotBytes}) {
    return Status::kBadArguments;
  }
  if ((header.flags & ~(command::kQuiet | command::kWord)) != 0) return Status::kBadArguments;
  if ((header.flags & command::kWord) != 0 && command.argument_bytes != sizeof(uint32_t))
    return Status::kBadArguments;
  if (command.group >= state.parts.groups.count() && command.group != protocol::kAnyGroup)
    return Status::kBadOperation;
  // All groups are alike.
  const uint32_t all = state.parts.groups.all(0);
  const uint32_t mask = command.mask == ~uint32_t{0} ? all : command.mask;
  if (mask == 0 || (mask & ~all) != 0) return Status::kBadMask;
  if (state.parts.groups.lost(choose_group(state, queue, command.group))) return Status::kGroupLost;
  if (state.settings == Groups<M>::kLastSettings) number_settings_anew(state);
  queue.again.launch = {++state.settings,
                        kernel.pc,
                        mask,
                        command.watchdog == 0 ? state.plan.watchdog : command.watchdog,
                        module->segment,
                        state.argument_segment(queue),
                        queue.context};
  queue.again.words = words;
  queue.again.modules = state.parts.modules.changes();
  queue.again.group = command.group;
  queue.again.slots = header.slots;
  // By word none is begun so soon from a slot: no header says so.
  queue.again.by_word = (header.flags & command::kWord) != 0;
  command::Header kind = header;
  kind.flags &= static_cast<uint16_t>(~command::kWord);
  queue.again.header = kind_of(kind);
  return Status::kOk;
}

template <Machine M>
[[gnu::noinline]] inline bool take_launch(QueueState<M>& state, Queue& queue, const command::Header& header) {
  std::array<uint64_t, 2> words;
  state.parts.machine.fetch(state.slot_address(queue, queue.next) + sizeof header, words.data(),
                            sizeof words);
  if (const Status status = check_launch(state, queue, header, words); status != Status::kOk)
    return state.finish_now(queue, header.slots, status);
  if (!queue.again.by_word) return start_again(state, queue, header);
  if (!start(state, queue, header, command::Type::kLaunch, state.word_of(queue, queue.next))) return false;
  queue.back().over = true;
  return true;
}

// The arguments of the queue's next command.
template <Machine M>
[[gnu::always_inline]] inline void say_where(const Queue& queue, ReadyLaunch& ready) {
  ready.slot = QueueState<M>::slot_address(queue, queue.next) + sizeof(command::Launch);
  if (ready.argument == 0)
    ready.doorbell = Groups<M>::Driver::with_argument(ready.doorbell, QueueState<M>::argument_at(queue.next));
}

// --- The same in parts, for the last launch once more where nothing is before it. What has to be looked at
// is looked at before it is wanted, and what has to be noted comes behind.

// Nothing of the queue is under way, and nothing waits. Leaves how it begins, if that is all there is to
// it.
template <Machine M>
inline void make_ready(const QueueState<M>& state, const Queue& queue, ReadyLaunch& ready) {
  const Again& again = queue.again;
  if (again.slots != 1 || again.modules != state.parts.modules.changes() || state.parts.clients.crowded())
    return;
  const bool any = again.group == protocol::kAnyGroup;
  unsigned group = any ? 0 : again.group;
  while (!state.parts.groups.is_idle(group)) {
    if (!any || ++group == state.parts.groups.count()) return;
  }
  if (!state.parts.groups.is_prepared(group, again.launch)) return;
  const auto kind = std::bit_cast<command::Header>(uint64_t{again.header} << 32);
  if ((kind.flags & command::kQuiet) == 0) return;
  const auto flags = static_cast<uint16_t>(kind.flags | (again.by_word ? command::kWord : 0));
  ready.argument = again.by_word ? ~uint32_t{0} : 0;
  ready.doorbell = state.parts.groups.compose(group, again.launch, 0);
  ready.group = group;
  ready.words = again.words;
  ready.function = program::submit_word(static_cast<uint8_t>(kind.type), flags);
  say_where<M>(queue, ready);
}

// Such a one has begun. What can be said of the next one is said now, while the cores run.
template <Machine M>
[[gnu::always_inline]] inline void note_begin(QueueState<M>& state, Queue& queue, ReadyLaunch& ready) {
  const auto group = static_cast<unsigned>(ready.group);
  state.parts.groups.rung(group, owner_of(queue.number, queue.free()));
  state.put_flight(queue, std::bit_cast<command::Header>(queue.next | uint64_t{queue.again.header} << 32),
                   command::Type::kLaunch, group, ready.argument != 0);
  ready.next = std::exchange(ready.function, ReadyLaunch::kNone);
  say_where<M>(queue, ready);
}

}  // namespace swai::runtime::launches
