// SPDX-License-Identifier: Apache-2.0
// One random program on the core and on the reference model in lockstep, while the world around it
// misbehaves: bus stalls, interrupt lines, jumps of time, non-maskable interrupts, a debugger that halts,
// looks and steps. Everything follows from the program's seed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/common/gdb_stub_mpe.hpp"
#include "sim/run/mpe/lockstep.hpp"
#include "sim/run/mpe/mpe_sim.hpp"
#include "sim/run/mpe/trace.hpp"
#include "verif/sim/iss/random/random_program.hpp"
#include "verif/sim/iss/random/rng.hpp"

namespace swai::mpe {

struct RandomOptions {
  uint64_t seed = 1;
  std::optional<uint32_t> kinds{};   // of the generator; absent: drawn
  std::optional<uint32_t> length{};  // instructions in memory; absent: drawn
  std::string trace;
};

// What was executed, summed over programs.
struct Mix {
  uint64_t programs = 0;
  uint64_t cycles = 0;
  uint64_t records = 0;
  uint64_t instructions = 0;
  uint64_t compressed = 0;
  uint64_t loads = 0;
  uint64_t stores = 0;
  uint64_t halts = 0;
  uint64_t checked_words = 0;
  std::array<uint64_t, 4> modes{};
  std::array<uint64_t, kEvents> events{};
  std::array<uint64_t, 128> opcodes{};
  std::map<uint64_t, uint64_t> causes;

  void add(const Mix& other);
};

class MixCounter final : public Observer {
 public:
  explicit MixCounter(Mix& mix) : mix_(mix) {}
  void retired(const Record& record) override;

 private:
  Mix& mix_;
};

class RandomRun {
 public:
  explicit RandomRun(const RandomOptions& options);

  // Empty if all is well; otherwise what went wrong, in lines.
  std::string run();
  const Mix& mix() const { return mix_; }
  const random_program::Program& program() const { return program_; }

 private:
  // Remembers the last record, for what the bench reacts to.
  class Watcher final : public Observer {
   public:
    explicit Watcher(RandomRun& run) : run_(run) {}
    void retired(const Record& record) override { run_.note(record); }

   private:
    RandomRun& run_;
  };

  // How eventful this program's life is, in cycles between two events; 0: never.
  struct Pace {
    uint64_t lines = 0;
    uint64_t time = 0;
    uint64_t halts = 0;
    uint64_t nmi_at = 0;
  };

  void load();
  void run_to_end();
  void note(const Record& record);
  void choose_pace();
  void play_lines();
  void drop_line(uint64_t cause);
  void wake();
  void play_debugger();
  std::string describe_standstill();
  std::string compare_registers();
  std::string compare_memory_view();
  std::string step_some();
  std::string compare_final_memory();
  void fail(const std::string& what);
  uint64_t soon(uint64_t pace) { return sim_->cycles() + 1 + rng_.below(2 * pace); }

  RandomOptions options_;
  random_program::Rng rng_;
  random_program::Program program_;
  Mix mix_;
  MixCounter counter_{mix_};
  Watcher watcher_{*this};
  std::unique_ptr<MpeSim> sim_;
  std::unique_ptr<ReferenceMemory> reference_;
  std::unique_ptr<Lockstep> lockstep_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<common::MpeGdbTarget> debugger_;
  Pace pace_;
  Lines lines_;
  uint64_t next_line_ = 0;
  uint64_t next_jump_ = 0;
  uint64_t next_halt_ = 0;
  uint64_t last_record_ = 0;  // cycle
  uint64_t result_ = 0;       // what the program wrote to tohost
  bool nmi_raised_ = false;
  std::string failure_;
};

}  // namespace swai::mpe
