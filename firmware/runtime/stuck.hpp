// SPDX-License-Identifier: Apache-2.0
// Finds launches in which nobody can go on any more: every core that has not finished waits for a barrier, a
// channel or a unit, nothing that is under way can end its wait, and from one look to the next none of them
// has executed an instruction and no channel has moved a word.
//
// Looks are rare and mostly short: at the first core that computes or waits for something that will come, it
// is known that the launch goes on.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "abi/launch.hpp"
#include "abi/segment.hpp"
#include "abi/wait.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

template <Machine M>
class Stuck {
 public:
  explicit Stuck(M& machine) : machine_(machine) {}

  // A launch that may run, by its number in the group.
  struct Candidate {
    unsigned group;
    unsigned columns;
    uint32_t number;
    uint32_t mask;
  };
  // Looks that count are so many cycles apart: longer than anything takes that is on its way to a core.
  static constexpr uint64_t kApart = 10'000;
  // True: it can never end, and is to be stopped.
  [[gnu::cold, gnu::noinline]] bool look(const Candidate& launch) {
    Seen& seen = seen_[launch.group];
    Seen now = {.number = launch.number, .time = machine_.time()};
    if (seen.number == launch.number && (seen.found || (seen.suspect && now.time - seen.time < kApart)))
      return false;
    now.suspect = all_wait(launch, now);
    const bool same = now.suspect && seen.suspect && seen.number == now.number &&
                      seen.running == now.running && seen.done == now.done;
    seen = now;
    return same && find_reason(launch, seen);
  }
  [[gnu::cold, gnu::noinline]] void forget(unsigned group) { seen_[group].suspect = false; }
  // Some launch may be stuck: to be looked at again soon.
  bool suspects() const {
    for (const Seen& seen : seen_) {
      if (seen.suspect && !seen.found) return true;
    }
    return false;
  }
  // Why a launch was stopped, if it was for that: a core, and the record that takes the place of its own.
  template <typename Set>
  void explain(unsigned group, uint32_t number, Set set) const {
    const Seen& seen = seen_[group];
    if (!seen.found || seen.number != number) return;
    set(seen.core, launch::Fault{.cause = launch::Cause::kStuck,
                                 .access = launch::Access::kNone,
                                 .dma = false,
                                 .pc = seen.pc,
                                 .segment = segment::kNone,
                                 .offset = launch::encode(seen.wait)});
  }

 private:
  struct Seen {
    uint32_t number = 0;
    uint64_t time = 0;
    uint32_t running = 0;  // cores that have not finished
    uint32_t done = 0;     // instructions and words of channels, of all of these together
    bool suspect = false;
    bool found = false;
    unsigned core = 0;
    uint32_t pc = 0;
    launch::Wait wait = {};
  };
  // Counters of a core (docs/hardware/cpe-core.md).
  static constexpr unsigned kInstructions = 1;
  static constexpr unsigned kRowWords = 13;
  static constexpr unsigned kColumnWords = 14;

  // Cores may be reset, and groups as well, so every access may be refused.
  bool read(unsigned group, uint64_t offset, uint64_t& value) {
    return machine_.try_read(regs::cg::kBase + group * regs::cg::kSize + offset, value);
  }
  bool read_core(unsigned group, unsigned core, uint64_t offset, uint64_t& value) {
    return read(group, regs::kCgAccess + core * regs::kCgAccessStride + offset, value);
  }
  // Nobody but another core can end its wait.
  static bool is_helpless(uint64_t status) {
    namespace word = cpe::isa::cpe_status;
    namespace unit = cpe::isa::unit;
    if (word::kWaits.get(status) == 0 || word::kIdle.get(status) != 0) return false;
    const uint64_t its = word::kUnit.get(status);
    return word::kSync.get(status) != 0 || its == unit::kRow || its == unit::kColumn ||
           word::kWorks.get(status) == 0;
  }
  bool all_wait(const Candidate& launch, Seen& now) {
    namespace reg = regs::cg::launch_status;
    uint64_t word = 0;
    if (!read(launch.group, reg::kOffset, word) || reg::kRunning.get(word) == 0 ||
        static_cast<uint32_t>(reg::kEnded.get(word)) + 1 != launch.number ||
        !read(launch.group, regs::cg::cpe_running::kOffset, word))
      return false;
    now.running = static_cast<uint32_t>(word);
    for (uint32_t left = now.running; left != 0; left &= left - 1) {
      const auto core = static_cast<unsigned>(std::countr_zero(left));
      if (!read_core(launch.group, core, regs::kCgAccessStatus, word) || !is_helpless(word)) return false;
      for (const unsigned counter : {kInstructions, kRowWords, kColumnWords}) {
        if (!read_core(launch.group, core, regs::kCgAccessCounters + counter * 8, word)) return false;
        now.done += static_cast<uint32_t>(word);
      }
    }
    return now.running != 0;
  }
  // Of the first core that waits.
  bool find_reason(const Candidate& launch, Seen& seen) {
    namespace word = cpe::isa::cpe_status;
    uint64_t status = 0, pc = 0;
    seen.core = static_cast<unsigned>(std::countr_zero(seen.running));
    if (!read_core(launch.group, seen.core, regs::kCgAccessStatus, status) ||
        !read_core(launch.group, seen.core, regs::kCgAccessPc, pc))
      return false;
    seen.pc = static_cast<uint32_t>(pc);
    seen.wait = {static_cast<uint8_t>(word::kUnit.get(status)), static_cast<uint8_t>(word::kOp.get(status)),
                 static_cast<uint8_t>(word::kSync.get(status)), seen.running};
    if (seen.wait.sync != 0) seen.wait.cores = missing(launch, seen);
    seen.found = true;
    return true;
  }
  uint32_t missing(const Candidate& launch, const Seen& seen) {
    namespace word = cpe::isa::cpe_status;
    constexpr unsigned kRow = 1, kColumn = 2;
    uint32_t cores = 0;
    for (uint32_t left = launch.mask; left != 0; left &= left - 1) {
      const auto core = static_cast<unsigned>(std::countr_zero(left));
      if (seen.wait.sync == kRow && core / launch.columns != seen.core / launch.columns) continue;
      if (seen.wait.sync == kColumn && core % launch.columns != seen.core % launch.columns) continue;
      uint64_t status = 0;
      const bool waits = (seen.running >> core & 1) != 0 &&
                         read_core(launch.group, core, regs::kCgAccessStatus, status) &&
                         word::kSync.get(status) == seen.wait.sync;
      if (!waits) cores |= uint32_t{1} << core;
    }
    return cores;
  }

  M& machine_;
  std::array<Seen, launch::kMaxGroups> seen_ = {};
};

}  // namespace swai::runtime
