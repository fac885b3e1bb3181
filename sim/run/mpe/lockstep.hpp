// SPDX-License-Identifier: Apache-2.0
// Compares every record of the core's retirement port with the reference model: what the instruction did, and
// all architectural state that the port shows after it. The core's writes to memory must match the model's
// memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/iss/mpe/hart.hpp"
#include "sim/run/mpe/mpe_sim.hpp"
#include "sim/run/mpe/reference_memory.hpp"

namespace swai::mpe {

class Lockstep final : public Observer {
 public:
  struct Options {
    uint64_t boot_addr = 0;
    uint64_t nmi_addr = 0;
  };

  // `mismatch` is called once, at the first difference, with a report of several lines.
  Lockstep(ReferenceMemory& memory, const Options& options, std::function<void(const std::string&)> mismatch);

  void retired(const Record& record) override;
  void wrote_memory(const MemoryWrite& write) override;
  void raise_nmi(uint64_t cycle) { nmi_since_ = cycle; }  // the NMI input was raised
  // The debugger has asked for a halt or lets the core make a step: wfi may end without an interrupt, and
  // interrupts wait.
  void debug_mode() {
    excused_ = true;
    overdue_ = 0;
  }
  iss::Hart& hart() { return hart_; }
  uint64_t compared() const { return compared_; }
  void describe_with(std::function<std::string(uint64_t)> symbol) { symbol_ = std::move(symbol); }

 private:
  std::string differences(const iss::Retirement& model, const Record& dut) const;
  std::string broken_promise(const Record& dut);
  std::string wrong_writes();
  void fail(const std::string& what, const iss::Retirement& model, const Record& dut);

  ReferenceMemory& memory_;
  iss::Hart hart_;
  std::function<void(const std::string&)> mismatch_;
  std::function<std::string(uint64_t)> symbol_;
  std::array<Record, 20> history_;  // a ring, indexed by the number of the comparison
  uint64_t compared_ = 0;
  std::optional<uint64_t> nmi_since_;
  std::vector<MemoryWrite> early_;  // writes that the next record must explain
  bool excused_ = false;
  bool failed_ = false;
  unsigned overdue_ = 0;  // records since an enabled interrupt or an NMI became pending
};

}  // namespace swai::mpe
