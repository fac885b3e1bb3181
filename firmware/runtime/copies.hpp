// SPDX-License-Identifier: Apache-2.0
// Copies between host and card.
#pragma once

#include <cstdint>

#include "firmware/runtime/areas.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime::copies {

// Whether all rows of host memory are the client's to name.
inline bool reaches(const Client& client, const command::Copy& command) {
  uint64_t length = 0;
  if (command.rows > 1 && __builtin_mul_overflow(command.host_pitch, command.rows - 1, &length)) return false;
  uint64_t end = 0;
  return !__builtin_add_overflow(command.bytes, length, &length) &&
         !__builtin_add_overflow(command.host, length, &end) && client.reaches(command.host, length);
}

// Of channels, while there are others.
template <Machine M>
inline unsigned channels_left(const QueueState<M>& state, uint8_t context) {
  constexpr unsigned kAll = Transfers<M>::kChannels;
  if (!state.parts.clients.crowded()) return kAll;
  const unsigned has = state.parts.transfers.count(context);
  const unsigned may = state.parts.clients.channels_each(kAll);
  return may > has ? may - has : 0;
}

template <Machine M>
[[gnu::noinline]] inline bool take_copy(QueueState<M>& state, Queue& queue, const command::Header& header) {
  const bool beside = (header.flags & command::kConcurrent) != 0;
  if (queue.flights() != 0 &&
      (!beside || (queue.back().type != command::Type::kCopy && queue.back().type != command::Type::kLaunch)))
    return false;
  const auto command = state.template read<command::Copy>(queue, header);
  const Area card = find_area(state.parts.memory, command.device, command.bytes, command.rows,
                              command.device_pitch, queue.context);
  if (card.status != Status::kOk) return state.finish_now(queue, header.slots, card.status);
  const Client& client = state.parts.clients.of(queue.context);
  if (!reaches(client, command)) return state.finish_now(queue, header.slots, Status::kBadRange);
  if (channels_left(state, queue.context) == 0) return false;
  Transfer transfer = {.context = queue.context,
                       .to_host = command.to_host != 0,
                       .host = client.bus(command.host),
                       .pages = 0,
                       .card = card.physical,
                       .bytes = command.bytes,
                       .rows = command.rows,
                       .host_pitch = command.host_pitch,
                       .card_pitch = command.device_pitch};
  if ((header.flags & command::kPaged) != 0) {
    const Status status = client.alone()
                              ? state.page_list.use(command.host, command.bytes, queue.context, transfer)
                              : Status::kBadOperation;
    if (status != Status::kOk) return state.finish_now(queue, header.slots, status);
  }
  const unsigned channel = state.parts.transfers.start(transfer);
  if (channel == Transfers<M>::kNone) return false;
  (command.to_host != 0 ? queue.counts->bytes_to_host : queue.counts->bytes_to_card) +=
      command.bytes * command.rows;
  if (queue.flights() != 0 && queue.back().type == command::Type::kLaunch)
    state.beside |= state.bit(queue.number);
  state.begin(queue, header, channel);
  return true;
}

}  // namespace swai::runtime::copies
