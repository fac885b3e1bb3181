// SPDX-License-Identifier: Apache-2.0
// Functional model of a core group: CPEs, segment table, channels, synchronisation, launches: everything that
// programs can see, and a coarse clock beside it. docs/simulate/group-model.md tells what is modelled how.
//
//   SparseMemory memory;                       // with segment table, code and data in it
//   Group group(4, 8, memory);
//   group.set_segment_table(0x80'0000'0000, 16);
//   group.boot({.pc = 0x4000'0000, .segment = 1});
//   const Result result = group.launch({.pc = ..., .argument = ..., .mask = 0xff, .code_segment = 2});
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/common/workers.hpp"
#include "sim/iss/cpe/cpe.hpp"
#include "sim/iss/cpe/hbm_time.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

// What a CPE runs when it comes out of reset.
struct Daemon {
  uint32_t pc = space::kDaemon << 28;
  uint16_t segment = 0;
};

enum class Ending : uint8_t {
  kDone,      // every CPE of the mask is through
  kFailed,    // a CPE has faulted; the others are through
  kDeadlock,  // nobody of those that are left can go on
  kLimit,     // a CPE has used up its instructions
  kRefused    // the mask names CPEs that do not run: nothing was started
};
const char* text(Ending ending);

struct Result {
  Ending ending = Ending::kDone;
  uint32_t failed = 0;                 // CPEs that have a fault
  std::vector<Fault> faults;           // by CPE; cause none: it has none
  std::vector<uint64_t> instructions;  // by CPE: from the one that took the launch to the one that ended it
  uint64_t cycles = 0;                 // of the launch, by the coarse clock
  // By CPE, with anything but kDone: what it did when the launch ended, in words.
  std::vector<std::string> states;

  bool ok() const { return ending == Ending::kDone; }
};

class Group {
 public:
  // Long enough that what a CPE uses is in the host's caches, and that threads of the host have something to
  // share; the clock keeps its order of time (docs/simulate/group-model.md).
  static constexpr uint64_t kTurn = 1024;

  struct Options {
    unsigned number = 0;  // of the group
    // Instructions of a CPE in a round; less when it waits.
    uint64_t turn = kTurn;
    // Threads of the host, which others may use between rounds; null: the caller's alone. They change nothing
    // but the time that it takes.
    common::Workers* workers = nullptr;
    // The caller does alone what takes less than that, going by the round before: waking others takes longer.
    std::chrono::nanoseconds worthwhile = std::chrono::microseconds(50);
  };

  Group(unsigned rows, unsigned columns, Memory& memory);
  Group(unsigned rows, unsigned columns, Memory& memory, const Options& options);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // --- as the registers of the group do it
  void set_segment_table(uint64_t base, uint32_t entries) { port_.set_table(base, entries); }
  void set_daemon(const Daemon& daemon);
  // Resets CPEs and lets them run the daemon from then on.
  void boot(const Daemon& daemon, uint32_t mask = ~uint32_t{0});
  // Puts CPEs into reset.
  void disable(uint32_t mask);
  // Forgets code that has been read. The segment table is read anew for each access.
  void invalidate_code() { code_.invalidate(); }
  // Stands for the watchdog: how many instructions of a CPE a launch may take; 0: any number.
  void set_limit(uint64_t instructions) { limit_ = instructions; }

  // Runs a launch to its end. After one in which a CPE failed, all CPEs of its mask are reset.
  Result launch(const Launch& launch);

  // The first fault of each CPE since it was cleared; cause none: it had none.
  const Fault& fault(unsigned cpe) const { return records_.at(cpe); }
  void clear_faults(uint32_t mask = ~uint32_t{0});
  // Faults, also those that left no record.
  uint64_t faults() const { return faults_; }

  // --- a launch in steps, of which launch() is made
  // False: the mask names CPEs that do not run, and nothing was started.
  bool begin(const Launch& launch);
  struct Turn {
    uint64_t cycles = 0;  // that have passed for the CPE that is farthest
    uint32_t moved = 0;   // CPEs that have done anything
  };
  // Each CPE has its turn, with and without a launch.
  Turn turn();
  // CPEs of the launch that neither are through nor have failed.
  uint32_t unfinished() const;
  // Those of them that are in the mask fail.
  void abandon(uint32_t mask, Cause cause);
  // After the end.
  Result finish();
  // Nothing happens for so long.
  void rest(uint64_t cycles) { time_ += cycles; }
  uint64_t time() const { return time_; }

  // --- as the access window does it
  std::span<uint8_t> ldm(unsigned cpe) { return cpes_.at(cpe)->ldm(); }
  // Accesses of CPEs to global memory.
  uint64_t lines_read() const;
  uint64_t lines_written() const;
  // CPEs that no launch can use: in reset, or given up because they faulted again and again.
  uint32_t stopped() const { return ~enabled_ & all_; }
  // Whose clock hardware would stop.
  uint32_t asleep() const;
  const Cpe& cpe(unsigned number) const { return *cpes_.at(number); }
  std::string describe(unsigned cpe) const;

  // --- for tools
  // Called after each instruction of each CPE; makes the model slower.
  void set_observer(Cpe::Observer observer) { observer_ = std::move(observer); }
  // Looks for mistakes of kernels that the model forgives, from now on; makes it slower.
  void look_for_mistakes();
  bool looks_for_mistakes() const { return cpes_.front()->check() != nullptr; }
  // Of the launch that runs, or did last: the line of code at this address, a multiple of its size.
  Cause read_code(uint32_t address, uint8_t* line) { return port_.fetch(address, line); }
  const Launch& last_launch() const { return launch_; }
  // Found since the last time, in the order of CPEs.
  std::vector<Finding> take_findings();
  unsigned rows() const { return rows_; }
  unsigned columns() const { return columns_; }
  unsigned size() const { return rows_ * columns_; }
  const Channel& row(unsigned number) const { return channels_.at(number); }
  const Channel& column(unsigned number) const { return channels_.at(rows_ + number); }
  // Between turns. Decoded code begins anew.
  void visit(Archive& archive);

 private:
  void prepare(const Launch& launch);
  Ending run();
  bool lost(unsigned cpe) const;
  void wait_for_code(uint32_t mask);
  void tell_time(uint32_t mask);
  void go_through_notes(uint32_t left);
  void run_cpes(uint32_t mask, std::array<uint64_t, 32>& counts);
  void run_together(uint32_t mask, const std::function<void(unsigned cpe)>& run);
  void record(unsigned cpe);
  void restart_or_give_up(unsigned cpe);

  unsigned rows_;
  unsigned columns_;
  uint64_t turn_;
  uint32_t all_;
  Port port_;
  Code code_;
  Sync sync_;
  // Zero; pages that nobody has written take no memory.
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<uint8_t[], Free> memories_;
  std::span<uint8_t> ldm_;         // all of it
  std::vector<Channel> channels_;  // of the rows, then of the columns
  std::vector<std::unique_ptr<Cpe>> cpes_;

  Daemon daemon_;
  uint32_t enabled_ = 0;
  uint64_t limit_ = 0;
  Launch launch_;
  uint32_t abandoned_ = 0;  // of the launch
  std::vector<Fault> records_;
  uint64_t faults_ = 0;
  std::vector<unsigned> restarts_;  // by CPE: in a row, outside of launches
  std::vector<uint64_t> used_;      // by CPE: instructions since the launch began
  HbmTime hbm_;
  uint64_t time_ = 0;      // of the CPE that is farthest
  uint64_t launched_ = 0;  // when the launch began
  Cpe::Observer observer_;
  common::Workers* workers_;
  std::chrono::nanoseconds worthwhile_;
  std::chrono::nanoseconds last_round_{0};  // of all threads together
};

}  // namespace swai::iss::cpe
