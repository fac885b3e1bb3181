// SPDX-License-Identifier: Apache-2.0
// A model program on the played card: its queue, its memory, and what it does next.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "verif/firmware/runtime/guest.hpp"

namespace swai::runtime {

using swai::sdaa::FakePrograms;

constexpr unsigned kA0 = 10, kA1 = 11, kA7 = 17;
constexpr uint64_t kEntry = program::kCode + 0x10;

inline void call(ProgramState& state, program::Call function, uint64_t first = 0, uint64_t second = 0) {
  state.cause = FakePrograms::kCall;
  state.registers[kA7] = static_cast<uint64_t>(function);
  state.registers[kA0] = first;
  state.registers[kA1] = second;
}
inline void submit(ProgramState& state, command::Type type, const std::array<uint64_t, 7>& words) {
  call(state, program::Call::kSubmit);
  state.registers[kA7] = program::submit_word(static_cast<uint8_t>(type), command::kQuiet);
  std::ranges::copy(words, state.registers.begin() + kA0);
}

// A client with a queue for a program, and one beside it.
struct Bed {
  Played played;
  verif::Random random{1};
  std::unique_ptr<Guest> guest = make_guest(played, random, 0);
  std::unique_ptr<Guest> other = make_guest(played, random, 1);
  unsigned queue = 0;
  uint64_t memory = 0;

  Bed() {
    if (guest->lanes.size() == protocol::kSharedQueues) {
      const unsigned last = guest->lanes.back().number;
      REQUIRE(guest->ask(Operation::kQueueClose, {last}).ok());
      guest->lanes.pop_back();
    }
    const auto opened = guest->ask(Operation::kQueueOpen, {});
    REQUIRE(opened.ok());
    queue = static_cast<unsigned>(opened.values[0]);
    memory = guest->allocate(2 * program::kPageBytes, protocol::Usage::kShared);
  }
  FakePrograms& programs() { return played.processor().programs; }
  // What the program does next, which waits as program::wait() does: anew, when the processor has done
  // something else meanwhile.
  template <typename Turn>
  void runs(Turn turn) {
    played.processor().sleeps = true;
    programs().turn = [turn, waits = std::array<uint64_t, 2>{}](unsigned number,
                                                                ProgramState& state) mutable {
      if (state.registers[kA7] == static_cast<uint64_t>(program::Call::kWait) &&
          static_cast<Status>(state.registers[kA0]) == Status::kAgain)
        return call(state, program::Call::kWait, waits[0], waits[1]);
      turn(number, state);
      waits = {state.registers[kA0], state.registers[kA1]};
    };
  }
  Status start(uint64_t argument = 0) {
    return guest->ask(Operation::kProgramStart, {queue, memory, kEntry, argument}).status;
  }
  protocol::QueueStatus line() const {
    Guest::Lane lane;
    lane.number = queue;
    return guest->line(lane);
  }
  void renew() {
    const auto closed = guest->ask(Operation::kQueueReset, {queue});
    REQUIRE(closed.ok());
  }
};

}  // namespace swai::runtime
