// Copies between host and card, and memory that commands name.
#pragma once

#include <cstdint>

#include "firmware/runtime/launches.hpp"
#include "firmware/runtime/queue.hpp"

namespace swai::runtime {

template <Machine M>
class Copies : protected Launches<M> {
 protected:
  using Launches<M>::Launches;
  using QueueState<M>::parts_;
  using QueueState<M>::page_list_;
  using UnderWay<M>::begin;
  using UnderWay<M>::finish_now;

  // Rows of memory that a client may use. Status kOk and where they lie, or what is wrong.
  struct Area {
    Status status = Status::kOk;
    uint64_t physical = 0;
    unsigned group = 0;
    memory::Usage usage = memory::Usage::kCpe;
  };
  Area area(uint64_t pointer, uint64_t bytes, uint32_t rows, uint64_t pitch, uint8_t context) const {
    const memory::Range range = parts_.memory.find(pointer, context);
    if (range.bytes == 0) return {Status::kBadPointer};
    if (bytes == 0 || rows == 0 || bytes > kMostBytes || pitch > kMostBytes) return {Status::kBadOperation};
    const uint64_t offset = segment::offset(pointer) - segment::offset(range.pointer);
    const uint64_t left = range.bytes - offset;
    if (bytes > left || (rows > 1 && pitch != 0 && (left - bytes) / pitch < rows - 1))
      return {Status::kBadRange};
    return {Status::kOk, range.physical + offset, range.group, range.usage};
  }
  [[gnu::noinline]] bool take_copy(Queue& queue, const command::Header& header) {
    const bool beside = (header.flags & command::kConcurrent) != 0;
    if (queue.flights() != 0 && (!beside || (queue.back().type != command::Type::kCopy &&
                                             queue.back().type != command::Type::kLaunch)))
      return false;
    const auto command = this->template read<command::Copy>(queue, header);
    const Area card = area(command.device, command.bytes, command.rows, command.device_pitch, queue.context);
    if (card.status != Status::kOk) return finish_now(queue, header.slots, card.status);
    const Client& client = parts_.clients.of(queue.context);
    if (!reaches(client, command)) return finish_now(queue, header.slots, Status::kBadRange);
    if (channels_left(queue.context) == 0) return false;
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
                                ? page_list_.use(command.host, command.bytes, queue.context, transfer)
                                : Status::kBadOperation;
      if (status != Status::kOk) return finish_now(queue, header.slots, status);
    }
    const unsigned channel = parts_.transfers.start(transfer);
    if (channel == Transfers<M>::kNone) return false;
    (command.to_host != 0 ? queue.counts->bytes_to_host : queue.counts->bytes_to_card) +=
        command.bytes * command.rows;
    if (queue.flights() != 0 && queue.back().type == command::Type::kLaunch)
      this->beside_ |= this->bit(queue.number);
    begin(queue, header, channel);
    return true;
  }
  // Of channels, while there are others.
  unsigned channels_left(uint8_t context) const {
    constexpr unsigned kAll = Transfers<M>::kChannels;
    if (!parts_.clients.crowded()) return kAll;
    const unsigned has = parts_.transfers.count(context);
    const unsigned may = parts_.clients.channels_each(kAll);
    return may > has ? may - has : 0;
  }

 private:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 40;

  // Whether all rows of host memory are the client's to name.
  static bool reaches(const Client& client, const command::Copy& command) {
    uint64_t length = 0;
    if (command.rows > 1 && __builtin_mul_overflow(command.host_pitch, command.rows - 1, &length))
      return false;
    uint64_t end = 0;
    return !__builtin_add_overflow(command.bytes, length, &length) &&
           !__builtin_add_overflow(command.host, length, &end) && client.reaches(command.host, length);
  }
};

}  // namespace swai::runtime
