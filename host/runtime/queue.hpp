// SPDX-License-Identifier: Apache-2.0
// A queue of the card as the host sees it: what was put in, and what the card has told of it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "abi/command.hpp"
#include "abi/program.hpp"
#include "abi/protocol.hpp"
#include "host/runtime/launches.hpp"
#include "host/runtime/two_level.hpp"

namespace swai::sdaa {

// Sequence numbers count modulo 2^32.
constexpr bool is_at_least(uint32_t sequence, uint32_t wanted) {
  return static_cast<int32_t>(sequence - wanted) >= 0;
}

struct Queue {
  unsigned number = 0;
  unsigned users = 0;               // streams, or who has it for itself
  bool for_program = false;         // which fills it in this library's place
  program::Record* ring = nullptr;  // in host memory: its messages come there
  uint32_t next = 0;                // sequence number of the next command
  uint32_t base = 0;                // lines of the card that are older do not count
  protocol::QueueStatus line = {};
  std::string explanation;  // describes a kernel's invalid address, if memory is checked
  Launches launches;
  // For the order between the default stream and others: the last command of a stream that keeps it, the last
  // one of this queue that the default stream waits for, the last one of the default stream that this queue
  // waits for.
  uint32_t last_ordered = 0;
  uint32_t awaited = 0;
  uint32_t waits_for = 0;
  std::unique_ptr<TwoLevel> two_level;  // nullptr: commands are written to the card
  static constexpr uint64_t kRingBytes = program::kRecords * sizeof(program::Record);
  // What was written to the card's slots.
  std::array<uint8_t, protocol::kQueueBytes> written = {};

  using Slot = std::array<uint8_t, protocol::kSlotBytes>;
  static constexpr uint32_t place(uint32_t sequence) {
    return sequence % protocol::kSlots * protocol::kSlotBytes;
  }
  // The first slot of a command that is not complete. Behind these words the card puts arguments of its own
  // for fills and copies.
  bool is_as_written(uint32_t sequence, const Slot& slot) const {
    const std::span<const uint8_t> own = std::span(written).subspan(place(sequence), slot.size());
    command::Header header;
    std::memcpy(&header, own.data(), sizeof header);
    const bool is_used = header.type == command::Type::kFill || header.type == command::Type::kCopyDevice ||
                         header.type == command::Type::kGraph;
    return std::memcmp(own.data(), slot.data(), is_used ? sizeof(command::Launch) : slot.size()) == 0;
  }
  void begin(uint32_t sequence) {
    next = sequence;
    base = sequence - 1;
    line = {};
    line.completed = base;
    explanation.clear();
    last_ordered = awaited = base;
  }
  bool failed() const { return line.status != protocol::Status::kOk; }
  // That the command which begins there is a launch. What is given behind a failure is dropped, and must not
  // take the place of what failed.
  void note(uint32_t begin, std::shared_ptr<const Kernels> kernels) {
    if (!failed()) launches.note(begin, std::move(kernels));
  }
  bool reached(uint32_t sequence) const { return is_at_least(line.completed, sequence); }
  bool idle() const { return reached(next - 1); }
  // Slots to be skipped so that `slots` in a row fit.
  uint32_t padding(uint32_t slots) const {
    const uint32_t at = next % protocol::kSlots;
    return at + slots > protocol::kSlots ? protocol::kSlots - at : 0;
  }
  bool has_room(uint32_t slots) const {
    return next + padding(slots) + slots - 1 - line.completed <= protocol::kSlots;
  }
};

// A place in a queue: the end of a command.
struct Point {
  Queue* queue = nullptr;
  uint32_t sequence = 0;
  uint32_t begin = 0;  // the command's first slot, which names it when it fails

  bool reached() const { return queue == nullptr || queue->reached(sequence); }
  bool failed() const {
    return queue != nullptr && queue->failed() && is_at_least(sequence, queue->line.failed);
  }
};

}  // namespace swai::sdaa
