// SPDX-License-Identifier: Apache-2.0
// Fills, and copies from card to card: by which engine, and its beginning.
#pragma once

#include <cstdint>

#include "firmware/runtime/areas.hpp"
#include "firmware/runtime/built_in.hpp"
#include "firmware/runtime/copies.hpp"
#include "firmware/runtime/costs.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime::card_copies {

inline bool cores_reach(const Area& area) { return area.usage != memory::Usage::kMpe; }

template <Machine M>
inline bool begin_on_cores(QueueState<M>& state, Queue& queue, const command::Header& header,
                           unsigned group) {
  if (state.parts.groups.lost(group)) return state.finish_now(queue, header.slots, Status::kGroupLost);
  ++queue.counts->launches;
  state.begin(queue, header, group);
  queue.back().over = true;  // of no piece: so the first one is next
  built_ins::next_piece(state, queue, queue.back());
  return true;
}

// Those that can do it, and may.
template <Machine M>
inline uint32_t able_engines(const QueueState<M>& state, const command::CopyDevice& command,
                             const CardCopy& copy, bool cores_reach) {
  constexpr uint64_t kLine = 64;
  const uint32_t wanted = command.engine == Engine::kBest ? ~uint32_t{0} : set_of(command.engine);
  uint32_t able = cores_reach ? set_of(Engine::kCores) : 0;
  if (command.rows == 1) able |= state.parts.routes.engines() & state.parts.costs.known();
  // The processor writes whole lines: of a line in part somebody else could write the rest meanwhile.
  const bool whole_lines = command.rows == 1 && (copy.to | copy.bytes) % kLine == 0;
  if (!cores_reach || whole_lines) able |= set_of(Engine::kProcessor);
  return able & wanted;
}

template <Machine M>
[[gnu::always_inline]] inline Engine best_engine(QueueState<M>& state, uint32_t engines, uint64_t bytes,
                                                 unsigned group) {
  constexpr uint32_t kCores = set_of(Engine::kCores);
  const uint32_t others = engines & ~kCores;
  if (others == 0) return Engine::kCores;
  const Costs& costs = state.parts.costs;
  // A group that is lost ends nothing.
  const bool may_cores = others != engines && !state.parts.groups.lost(group);
  if (may_cores && !state.parts.groups.busy(group) && bytes >= costs.cores_lead()) return Engine::kCores;
  const Reckoning takes = costs.at(bytes);
  const Reckoning::Choice other = takes.best_of(others);
  const int64_t patience = other.cycles - takes.by(Engine::kCores);
  if (!may_cores || patience <= 0) return other.engine;
  return state.parts.groups.is_idle_within(group, static_cast<uint64_t>(patience)) ? Engine::kCores
                                                                                   : other.engine;
}

template <Machine M>
inline bool take_fill(QueueState<M>& state, Queue& queue, const command::Header& header) {
  const auto command = state.template read<command::Fill>(queue, header);
  Area to =
      find_area(state.parts.memory, command.to, command.bytes, command.rows, command.pitch, queue.context);
  if (to.status == Status::kOk && !cores_reach(to)) to.status = Status::kBadPointer;
  if (to.status != Status::kOk) return state.finish_now(queue, header.slots, to.status);
  queue.rows = {.bytes = command.bytes,
                .count = command.rows,
                .to = command.to,
                .to_pitch = command.pitch,
                .value = command.value};
  return begin_on_cores(state, queue, header, state.parts.groups.least_busy());
}

template <Machine M>
[[gnu::noinline]] inline bool take_copy_device(QueueState<M>& state, Queue& queue,
                                               const command::Header& header) {
  const auto command = state.template read<command::CopyDevice>(queue, header);
  const Area to =
      find_area(state.parts.memory, command.to, command.bytes, command.rows, command.to_pitch, queue.context);
  const Area from = find_area(state.parts.memory, command.from, command.bytes, command.rows,
                              command.from_pitch, queue.context);
  for (const Area& one : {to, from}) {
    if (one.status != Status::kOk) return state.finish_now(queue, header.slots, one.status);
  }
  const CardCopy copy = {to.physical, from.physical, command.bytes};
  const unsigned group = state.parts.groups.least_busy();
  const uint32_t able = able_engines(state, command, copy, cores_reach(to) && cores_reach(from));
  if (able == 0) return state.finish_now(queue, header.slots, Status::kBadPointer);
  queue.rows = {.bytes = command.bytes,
                .count = command.rows,
                .engine = best_engine(state, able, command.bytes, group),
                .to = command.to,
                .from = command.from,
                .to_pitch = command.to_pitch,
                .from_pitch = command.from_pitch};
  if (queue.rows.engine == Engine::kCores) return begin_on_cores(state, queue, header, group);
  if (queue.rows.engine == Engine::kProcessor) {
    queue.rows.to = copy.to;
    queue.rows.from = copy.from;
    state.begin(queue, header);
    state.over |= state.bit(queue.number);
    return true;
  }
  const unsigned channels = copies::channels_left(state, queue.context);
  const uint32_t taken = state.parts.routes.start(queue.rows.engine, copy, queue.context, channels);
  if (taken == 0) return false;
  state.begin(queue, header, taken);
  return true;
}

}  // namespace swai::runtime::card_copies
