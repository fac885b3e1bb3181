// SPDX-License-Identifier: Apache-2.0
// A queue of commands as the card knows it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/command.hpp"
#include "abi/protocol.hpp"
#include "firmware/runtime/clients.hpp"
#include "firmware/runtime/costs.hpp"
#include "firmware/runtime/graphs.hpp"
#include "firmware/runtime/settings.hpp"

namespace swai::runtime {

// A command that was begun and is not complete. Its size is a power of two, so that finding one takes no
// multiplication.
struct alignas(16) Flight {
  command::Type type = command::Type::kNone;
  bool quiet = false;
  // Of fills and copies on the card the launch for this piece; a host call; a copy behind a launch, which has
  // given its channel back. Of a launch: it is by word.
  bool over = false;
  uint8_t place = 0;   // group, or channel; of copies on the card by way of the link a bit for each channel
  uint32_t begin = 0;  // sequence numbers of its slots
  uint32_t end = 0;
  // Of a graph's command: where it lies there, and its name. Of a copy behind a launch: the engine's error.
  uint16_t slot = 0;
  uint16_t node = 0;

  // A graph's command has no slots of its own.
  bool in_graph() const { return begin == end + 1; }
};

// What is left of a fill or copy on the card. Its addresses are pointers for the cores, physical for others.
struct Rows {
  uint64_t bytes = 0;
  uint32_t count = 0;
  Engine engine = Engine::kCores;
  uint64_t to = 0;
  uint64_t from = 0;
  uint64_t to_pitch = 0;
  uint64_t from_pitch = 0;
  uint32_t value = 0;
  uint64_t done = 0;  // bytes of the row

  static constexpr uint64_t kPiece = uint64_t{1} << 30;
  uint64_t piece() const { return std::min(bytes - done, kPiece); }
  void step(uint64_t some) {
    done += some;
    if (done != bytes) return;
    done = 0;
    to += to_pitch;
    from += from_pitch;
    --count;
  }
};

// The queue's last launch: one with the same words is as good and needs no second look, unless modules came
// or went.
struct Again {
  uint32_t header = 0;                   // without sequence
  uint8_t slots = protocol::kSlots + 1;  // so many fit nowhere: there was none, or the queue has failed
  std::array<uint64_t, 2> words = {};
  uint64_t modules = 0;  // Modules::changes() then
  uint8_t group = 0;     // as the command has it
  bool by_word = false;
  Launch launch = {};
};

// Its size is a power of two, so that finding one takes no multiplication.
struct alignas(512) Queue {
  static constexpr unsigned kDepth = 16;
  uint8_t number = 0;
  bool open = false;
  bool failed = false;
  uint8_t context = 0;
  uint32_t next = protocol::kSlots;  // sequence of the slot that is looked at next
  uint64_t slots = 0;                // where they lie
  uint32_t begun = 0;                // flights; both count modulo 2^32
  uint32_t ended = 0;
  std::array<Flight, kDepth> ring = {};
  Again again = {};
  Rows rows = {};
  uint32_t event = 0;  // what an event wait waits for
  uint64_t count = 0;
  Counts* counts = nullptr;  // its client's
  GraphRun graph = {};

  [[gnu::cold, gnu::noinline]] void clear(unsigned its_number, uint64_t its_slots) {
    *this = {};
    number = static_cast<uint8_t>(its_number);
    slots = its_slots;
  }
  uint32_t flights() const { return begun - ended; }
  bool are_quiet() const {
    for (uint32_t i = ended; i != begun; ++i) {
      if (!ring[i % kDepth].quiet) return false;
    }
    return true;
  }
  // Places in the ring: of the flight that began first, and of the next one.
  unsigned first() const { return ended % kDepth; }
  unsigned free() const { return begun % kDepth; }
  Flight& front() { return ring[first()]; }
  const Flight& front() const { return ring[first()]; }
  Flight& back() { return ring[(begun - 1) % kDepth]; }
  Flight& push() { return ring[begun++ % kDepth]; }
  void pop() { ++ended; }
};
static_assert(sizeof(Queue) == 512);

// What a launch comes back with when it has ended: the queue, and the place of the flight in its ring.
constexpr uint16_t owner_of(unsigned number, unsigned place) {
  return static_cast<uint16_t>(number * Queue::kDepth + place);
}

}  // namespace swai::runtime
