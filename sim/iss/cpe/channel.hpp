// SPDX-License-Identifier: Apache-2.0
// One row or column channel with its engines in the CPEs: sends and receives that meet move data from local
// memory to local memory, as streams.
//
// The head of a sender's queue moves when every CPE in its mask has a receive for that sender at the head of
// its own queue. Who is at the head decides alone, so what is moved does not depend on who runs first.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "sim/iss/cpe/footprint.hpp"
#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/rate.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class Channel {
 public:
  static constexpr unsigned kBeatBytes = 32;
  static constexpr unsigned kMaxPositions = 8;
  // Commands that a queue holds, the one that moves included. A kernel must not need more: hardware makes its
  // core wait.
  static constexpr unsigned kQueue = 5;

  // The local memories of the CPEs on it, by position.
  explicit Channel(std::vector<std::span<uint8_t>> ldm) : ends_(ldm.size()) {
    for (size_t i = 0; i < ldm.size(); ++i) ends_[i].ldm = ldm[i];
  }

  // Positions that take part in the launch.
  void set_participants(uint8_t mask) { participants_ = mask; }
  Environment::Answer issue(unsigned position, const Command& command);
  static Footprint footprint(const Command& command);
  // Moves all that can be moved; false: nothing. Until then commands of one position change nothing for
  // others.
  bool move();
  void reset(unsigned position);

  // Time (clock.hpp). A send, or a receive, was issued then: it has not moved yet.
  void issued(unsigned position, bool send, uint32_t ticket, uint64_t time);
  // Its end, as far as one still knows; and that of the last one that has ended.
  uint64_t end_of(unsigned position, bool send, uint32_t ticket) const;
  uint64_t last_end(unsigned position, bool send) const {
    return end_of(position, send, direction(position, send).done);
  }

  bool busy(unsigned position) const {
    return !ends_[position].send.queue.empty() || !ends_[position].receive.queue.empty();
  }
  uint64_t bytes_sent(unsigned position) const { return ends_[position].send.bytes; }
  uint64_t bytes_received(unsigned position) const { return ends_[position].receive.bytes; }

  // What the engines there wait for, in words; empty: nothing.
  std::string describe(unsigned position) const;
  void visit(Archive& archive);

 private:
  struct Transfer {
    uint32_t at = 0;     // in the local memory
    uint32_t left = 0;   // bytes
    uint8_t peer = 0;    // mask of receivers, or sender
    uint64_t ready = 0;  // when it was issued
  };
  struct Direction {
    std::deque<Transfer> queue;
    uint32_t begun = 0;
    uint32_t done = 0;
    uint64_t bytes = 0;
    std::array<uint64_t, 8> ends{};  // of the last ones, by ticket
    uint64_t free = 0;               // when the last word had gone by
  };
  struct End {
    std::span<uint8_t> ldm;
    Direction send;
    Direction receive;
  };

  bool legal(unsigned position, const Command& command) const;
  static Environment::Answer wait(const Direction& direction, uint32_t ticket);
  bool move(End& sender, unsigned position);
  // The bytes go by on the bus until then.
  static void advance(Direction& direction, uint32_t bytes, uint64_t until, uint64_t end);
  const Direction& direction(unsigned position, bool send) const {
    return send ? ends_[position].send : ends_[position].receive;
  }

  std::vector<End> ends_;
  uint8_t participants_ = 0;
  Rate bus_{512};
};

}  // namespace swai::iss::cpe
