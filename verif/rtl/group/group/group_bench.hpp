// SPDX-License-Identifier: Apache-2.0
// A simulated group beside its model, both with the same segments, code and memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/group/group_sim.hpp"
#include "sim/iss/cpe/group.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/sim/iss/cpe/random/group_program.hpp"

namespace swai::cg {

namespace cpe = iss::cpe;

class GroupBench {
 public:
  // Segments. That of CPE i is kFirst + i.
  static constexpr uint16_t kDaemon = 1, kCode = 2, kArguments = 3, kReadOnly = 4, kForeign = 5, kInvalid = 6,
                            kNobody = 7, kShared = 8, kFirst = 32;
  static constexpr uint64_t kSharedBytes = 0x4000;
  static constexpr uint8_t kContext = 7;
  static constexpr unsigned kCounters = 16;
  // Code of its own of each CPE lies so far apart, behind code that is common.
  static constexpr uint32_t kCodeOfCpe = 0x1000;

  explicit GroupBench(uint64_t seed, bool random_start = true);

  unsigned cpes() const { return driver.cpes(); }
  uint32_t all() const { return driver.all(); }
  uint32_t some_mask();

  // Code for all CPEs, or for each one its own.
  void code(std::span<const uint32_t> words);
  void codes(const std::vector<cpe::Assembler>& assemblers);
  // Into the memory of both.
  void poke(uint64_t address, std::span<const uint8_t> bytes);
  void poison(uint64_t address);
  uint64_t base(uint16_t number) const { return bases_.at(number); }

  struct Ended {
    uint32_t number;
    group::Group<GroupSim>::Result result;
    uint32_t failed = 0;
    std::vector<cpe::Fault> faults;  // by CPE
  };
  void prepare(uint32_t mask, uint8_t context = kContext);
  // Waits for the end and takes the records.
  Ended finish(uint32_t number, uint64_t limit = 2'000'000);
  Ended launch(uint32_t mask, uint32_t argument = 0);
  cpe::Result launch_model(uint32_t mask, uint32_t argument = 0);
  // All CPEs in service and asleep, no watchdog, no records.
  void recover();

  void load(const cpe::GroupProgram& program);
  cpe::GroupProgram program(unsigned events);
  // What the program should have left, in memory and local memory.
  void check(const cpe::GroupProgram& program);
  void check_ldm(const cpe::GroupProgram& program);

  uint64_t ldm(unsigned cpe, uint32_t at);
  uint32_t counter(unsigned cpe, unsigned number);
  std::vector<uint32_t> counters();  // kCounters of each CPE
  // Everything about time that can be seen, on standard output.
  void digest(const std::string& what);

  GroupSim sim;
  group::Group<GroupSim> driver;
  verif::Random random;
  cpe::SparseMemory memory;  // of the model
  cpe::Group model;

 private:
  void set(uint16_t number, uint64_t bytes, uint8_t permissions, uint8_t owner);

  std::vector<uint64_t> bases_;
  uint64_t table_;
};

}  // namespace swai::cg
