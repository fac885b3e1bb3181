// SPDX-License-Identifier: Apache-2.0
// A core group as the management processor sees it: the registers of device `cg`, the queue of launches, done
// words, kill, watchdog, fault records, and the window on the CPEs. Group runs the launches.
//
// Time is that of Group's coarse clock: the cycles that launches have run and waited.
// docs/simulate/group-model.md tells what the registers show here.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "sim/iss/cpe/group.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class GroupUnit {
 public:
  struct Outside {
    // A launch has ended: its word goes to the inbox, and then its notification, if it wants one.
    std::function<void(uint64_t word, bool notify)> done;
    // The CPE fault rises.
    std::function<void()> fault;
    // A launch has ended. Null: nobody looks for mistakes.
    std::function<void(Group& group, const std::vector<Finding>& findings)> mistakes = nullptr;
  };
  struct Options {
    unsigned number = 0;                 // of the group
    uint32_t hbm_kib = 0;                // what register `config` says
    uint64_t turn = Group::kTurn;        // as Group's
    common::Workers* workers = nullptr;  // likewise
  };

  GroupUnit(unsigned rows, unsigned columns, Memory& memory, const Options& options, Outside outside);

  // Registers: offsets in the group, below the window. 1, 2, 4 or 8 bytes, aligned. False: a bus error.
  bool read(uint64_t offset, unsigned bytes, uint64_t& value);
  bool write(uint64_t offset, unsigned bytes, uint64_t value);
  // The CPEs, from cg_access on; as many bytes at once as registers.
  bool read_window(uint64_t offset, std::span<uint8_t> bytes);
  bool write_window(uint64_t offset, std::span<const uint8_t> bytes);

  // False: nothing will happen until a register is written. A launch of which nobody can go on, and which no
  // watchdog will end, counts as nothing.
  bool busy() const;
  // Goes on for about so many cycles, and says how many they were; 0 only when not busy.
  uint64_t run(uint64_t cycles);
  // As the reset of the group's domain. Local memories keep what they hold.
  void reset();

  const Group& group() const { return group_; }
  void visit(Archive& archive);

 private:
  static constexpr unsigned kResults = 16;

  struct Queued {
    Launch launch;
    bool notify = false;
    uint64_t came = 0;
  };
  // What is reset: all but the CPEs.
  struct State {
    // Registers
    uint32_t mask = 0;
    uint64_t setup = 0;
    bool hold = false;
    uint32_t watchdog = 0;
    Daemon daemon;
    uint64_t table = 0;
    uint32_t entries = 0;
    uint32_t enable = 0;
    bool fault_enable = true;
    bool cpe_fault_enable = true;
    std::array<uint64_t, kResults> results{};
    std::array<Fault, 32> records{};  // those that were cleared

    // Counters
    uint64_t launches = 0;
    uint64_t failures = 0;
    uint64_t refused = 0;

    // Launches
    std::deque<Queued> queue;
    uint32_t doomed = 0;  // of them, to be flushed
    bool held = false;
    uint32_t started = 0;
    uint32_t ended = 0;
    bool running = false;
    bool notify = false;
    uint64_t waited = 0;
    uint64_t cycles = 0;
    uint64_t ahead = 0;  // cycles that CPEs have run already and that have not passed yet
    bool kill = false;
    bool stuck = false;  // nobody can go on until a register is written
    bool fault = false;  // the CPE fault, as it was last

    void visit(Archive& archive);
  };

  bool read_word(uint64_t offset, uint64_t& word) const;
  uint64_t read_counter(uint64_t offset) const;
  bool write_word(uint64_t offset, uint64_t word, uint64_t lanes);
  void enable(uint32_t mask);
  Fault shown(unsigned cpe) const;
  uint32_t pending() const;
  bool ring(uint64_t word);
  uint64_t read_cpe(const Cpe& cpe, unsigned number) const;

  bool can_start() const;
  uint64_t step(uint64_t limit);
  uint64_t start();
  void end(bool failed, bool by_watchdog);
  void tell_fault();

  Group group_;
  Options options_;
  Outside outside_;
  State now_;
  uint64_t time_ = 0;
  // Counters of the group that go on, as they stood when they were cleared.
  struct Before {
    uint64_t faults = 0, reads = 0, writes = 0;
  } before_;
};

}  // namespace swai::iss::cpe
