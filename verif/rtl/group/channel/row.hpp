// SPDX-License-Identifier: Apache-2.0
// A row of channel engines with their bus: cores that issue programs, local memories that answer when they
// like, and the checks that hold in every cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "Vtb_channel.h"
#include "verif/rtl/group/channel/schedule.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::channel {

class Row : private verif::Agent {
 public:
  explicit Row(uint64_t seed);

  verif::Bench<Vtb_channel>& bench() { return bench_; }
  verif::Random& random() { return bench_.random(); }
  Vtb_channel& top() { return bench_.top(); }
  unsigned positions() const { return positions_; }

  void full_speed();                                          // nobody stalls from now on
  void conflicts(unsigned percent) { conflicts_ = percent; }  // but the ports of local memories, so often
  // New contents of all memories, programs for all cores. What is written must be what outcome() says, in
  // this order.
  void start(const Schedule& schedule);
  bool finished() const;  // all programs are issued and all engines idle
  bool complete() const;  // and all was written that was to be
  // Cycles since a word or a command moved anywhere.
  uint64_t still() const { return still_; }
  // After complete(): every byte of every local memory.
  void compare_memories() const;

  void halt(uint8_t mask);  // from the next cycle on, until reset_engines()
  void reset_engines();

  uint64_t sent() const { return words_sent_; }          // words on the bus
  uint64_t received() const { return words_received_; }  // summed over receivers
  // Of the latest of these, the cycle in which it was taken or became ready.
  uint64_t issued_at(unsigned position, Step::Kind kind) const { return cpes_[position].issued_at[kind]; }

 private:
  struct Cpe {
    explicit Cpe(verif::Random& random) : issue_stalls(random), read_stalls(random), write_stalls(random) {}

    verif::Stalls issue_stalls, read_stalls, write_stalls;
    Memory memory;
    Memory expected_memory;  // in the end
    std::deque<Step> program;
    bool issuing = false;
    std::deque<unsigned> reads;  // words to be read by the commands that were taken, in order
    std::deque<Write> writes;    // words that may be written
    std::vector<uint64_t> send_ends, receive_ends;  // of all commands taken: words up to their ends
    uint64_t sent = 0;
    uint64_t written = 0;
    bool read_waits = false;
    bool write_waits = false;
    bool wait_is_over = false;  // the wait that is issued was fulfilled in the last cycle
    int fresh = -1;             // the word that was read in the last cycle
    unsigned halted = 0;        // cycles
    std::array<uint64_t, 4> issued_at{};
  };

  void drive() override;
  void sample() override;
  void sample_issue(unsigned i);
  void sample_memory(unsigned i);
  void sample_halted(unsigned i);

  verif::Bench<Vtb_channel> bench_;
  unsigned positions_ = 0;
  std::vector<Cpe> cpes_;
  bool stalling_ = true;
  unsigned conflicts_ = 0;
  uint8_t halt_ = 0;
  uint64_t still_ = 0;
  uint64_t words_sent_ = 0;
  uint64_t words_received_ = 0;
};

}  // namespace swai::channel
