// SPDX-License-Identifier: Apache-2.0
// Runs one program on the core: loads it, lets it run, serves its tohost word, and says how it ended.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "host/lib/elf.hpp"
#include "sim/common/gdb_stub_mpe.hpp"
#include "sim/common/tohost.hpp"
#include "sim/run/mpe/lockstep.hpp"
#include "sim/run/mpe/mpe_sim.hpp"
#include "sim/run/mpe/trace.hpp"

namespace swai::mpe {

struct RunOptions {
  std::string program;
  std::string signature;
  unsigned granularity = 4;
  uint64_t max_cycles = 0;  // 0: no limit
  std::string trace;
  bool stats = false;
  std::string json;
  bool lockstep = false;
  std::optional<uint64_t> seed{};
  unsigned latency = 1;
  uint64_t ram_mib = 64;
  std::string wave;
  std::optional<uint16_t> gdb{};
  std::string replay;  // the command line, for messages
};

class Runner {
 public:
  // Throws common::InputError for what the user got wrong.
  explicit Runner(RunOptions options);

  // Runs to the end and returns the exit code of the tool.
  int run();

 private:
  void load();
  void wait_for_gdb();
  void serve_gdb();
  void simulate();
  void serve_tohost();
  bool end_of_time();
  void end(std::string verdict, bool passed);
  void check_signature() const;
  void write_signature();
  void report(double seconds);

  RunOptions options_;
  common::Elf elf_;
  common::Console console_;
  MpeSim sim_;
  common::MpeGdbTarget target_;
  common::Tohost tohost_;
  std::unique_ptr<ReferenceMemory> reference_memory_;
  std::unique_ptr<Lockstep> lockstep_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<common::GdbServer> gdb_;

  std::optional<std::string> verdict_;
  bool passed_ = false;
  uint64_t cycles_ = 0;  // when the program ended, before anything that the tool did after it
  uint64_t instructions_ = 0;
};

}  // namespace swai::mpe
