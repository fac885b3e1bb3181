// SPDX-License-Identifier: Apache-2.0
// How far a queue has come with the commands of a graph (command::Graph). They lie in memory of the client,
// who may change or free them at any time: so each is read once and checked as a command in a slot is,
// whenever it runs, and nothing is remembered of where it lay. What the caches hold of them counts only when
// the queue ran the same ones last, they were not written since, and no block of memory has changed its
// owner.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "abi/command.hpp"
#include "abi/launch.hpp"
#include "abi/protocol.hpp"
#include "abi/segment.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

struct GraphRun {
  uint64_t pointer = 0;
  uint64_t at = 0;  // physical: the command that is being taken; 0: what is taken lies in the queue
  uint32_t bytes = 0;
  uint32_t done = 0;      // of the commands that were begun
  uint32_t sequence = 0;  // of the command that runs it
  uint16_t node = 0;      // name of the command that is looked at
  bool active = false;
  bool known = false;     // before and behind it: the caches hold nothing else
  uint32_t releases = 0;  // Memory::releases() when it began

  bool is_of(uint32_t command) const { return active && sequence == command; }
  bool at_end() const { return done == bytes; }
  void begin(const command::Graph& command, uint32_t its_sequence, uint32_t now) {
    const bool same = known && command.commands == pointer && command.bytes == bytes && releases == now &&
                      (command.header.flags & command::kFresh) == 0;
    *this = {command.commands, 0, static_cast<uint32_t>(command.bytes), 0, its_sequence, 0, true, same, now};
  }
  void end() {
    active = false;
    known = true;
  }
  // Where cores find the arguments of a launch in this slot of it.
  uint32_t argument_at(uint32_t slot) const {
    return static_cast<uint32_t>(launch::kArgumentWindow + segment::offset(pointer)) +
           slot * protocol::kSlotBytes + static_cast<uint32_t>(sizeof(command::Launch));
  }
  static bool is_sound(const command::Graph& command) {
    constexpr uint64_t kWindowBytes = (uint64_t{1} << 32) - launch::kArgumentWindow;
    return (command.commands | command.bytes) % protocol::kSlotBytes == 0 && command.bytes != 0 &&
           command.bytes <= command::kMaxGraphBytes &&
           segment::offset(command.commands) < kWindowBytes - command::kMaxGraphBytes;
  }
};

// Words that the caches hold, each read once.
template <Machine M>
[[gnu::always_inline]] inline void load_words(M& machine, uint64_t address, void* to, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    const uint64_t word = machine.load(address + i);
    std::memcpy(static_cast<uint8_t*>(to) + i, &word, sizeof word);
  }
}

}  // namespace swai::runtime
