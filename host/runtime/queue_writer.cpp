// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/queue_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace swai::sdaa {

void QueueWriter::put(std::span<const uint8_t> slots) {
  if (queue_.two_level != nullptr) {
    queue_.two_level->put(queue_.next, slots);
  } else {
    std::ranges::copy(slots, queue_.written.begin() + Queue::place(queue_.next));
    queues_.connection().write_slots(queue_.number, queue_.next, slots);
  }
}

Point QueueWriter::send_bytes(std::span<const uint8_t> command, std::span<const uint8_t> tail) {
  std::array<uint8_t, command::kMaxSlots* protocol::kSlotBytes> bytes = {};
  const size_t used = command.size() + tail.size();
  const auto slots = static_cast<uint32_t>((used + protocol::kSlotBytes - 1) / protocol::kSlotBytes);
  require(slots <= command::kMaxSlots, "more arguments than fit into a launch");
  std::ranges::copy(command, bytes.begin());
  std::ranges::copy(tail, bytes.begin() + command.size());
  waiting_.until(lock_, [&] { return queue_.has_room(slots); });

  if (const uint32_t padding = queue_.padding(slots); padding != 0) {
    std::array<uint8_t, protocol::kSlotBytes> pad = {};
    const command::Header header = {queue_.next, command::Type::kPad, static_cast<uint8_t>(padding), 0};
    std::memcpy(pad.data(), &header, sizeof header);
    put(pad);
    queue_.next += padding;
  }
  command::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.sequence = queue_.next;
  header.slots = static_cast<uint8_t>(slots);
  std::memcpy(bytes.data(), &header, sizeof header);
  put(std::span(bytes).first(slots * size_t{protocol::kSlotBytes}));
  if (queue_.two_level == nullptr) queues_.connection().ring(protocol::queue_doorbell(queue_.number));
  const uint32_t begin = queue_.next;
  queue_.next += slots;
  waiting_.note_activity();
  return {&queue_, queue_.next - 1, begin};
}

}  // namespace swai::sdaa
