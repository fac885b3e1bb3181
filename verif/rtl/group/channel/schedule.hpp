// SPDX-License-Identifier: Apache-2.0
// What the cores of a row tell their channel engines, and what must come of it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cpe_isa.hpp"
#include "sim/common/random.hpp"

namespace swai::channel {

constexpr unsigned kPositions = 8;  // at most
constexpr unsigned kWords = 4096;   // of 32 bytes in a local memory
constexpr unsigned kHalf = kWords / 2;

using Word = std::array<uint64_t, 4>;
using Memory = std::vector<Word>;

Memory random_memory(verif::Random& random);

struct Step {
  enum Kind {
    kSend = cpe::isa::channel_op::kSend,
    kReceive = cpe::isa::channel_op::kReceive,
    kWaitSend = cpe::isa::channel_op::kWaitSend,
    kWaitReceive = cpe::isa::channel_op::kWaitReceive
  } kind = kSend;
  unsigned at = 0;  // word in local memory
  unsigned words = 0;
  unsigned peer = 0;    // mask of receivers, or sender
  uint32_t ticket = 0;  // to wait for

  uint32_t rs1() const;
  uint32_t rs2() const;
};
using Program = std::vector<Step>;

struct Schedule {
  uint8_t participants = 0;
  std::array<Program, kPositions> programs;
};

// Messages in one global order, of which every CPE has its part in this order: whatever the timing, this
// ends. Messages are cut and joined at random, so that sends and receives seldom have the same size. Sends
// read one half of the memory, receives write the other.
Schedule random_schedule(verif::Random& random, unsigned positions, unsigned messages);

// Takes a command out, or gives it another peer or size: most such schedules get stuck.
void spoil(verif::Random& random, Schedule& schedule);

// What every receiver writes, in order, when no queue is ever full. Timing does not matter: heads of queues
// either match or they do not.
struct Write {
  unsigned at = 0;
  Word data{};
};
struct Outcome {
  std::array<std::deque<Write>, kPositions> writes;
  bool complete = true;  // nothing is left in a queue
};
Outcome outcome(const Schedule& schedule, const std::array<Memory, kPositions>& memories);

}  // namespace swai::channel
