// SPDX-License-Identifier: Apache-2.0
// The Verilated core with the memory model around it: clock, reset, interrupt lines, debug port, retirement
// records. What watches the core (lockstep, trace, counters) hangs on it as an observer, so that nothing is
// paid for what nobody looks at: the core alone should set the pace.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vmpe_tb.h"
#include "sim/common/gdb_stub_mpe.hpp"
#include "sim/common/memory_model.hpp"
#include "sim/common/verilated_main.hpp"
#include "sim/iss/mpe/retirement.hpp"
#include "sim/run/mpe/reference_memory.hpp"

namespace swai::mpe {

// Performance events by their number in mhpmevent; those without a name do not exist.
inline constexpr unsigned kEvents = 16;
inline constexpr std::array<const char*, kEvents> kEventNames = {
    "",      "icache_miss", "dcache_miss", "branch",       "mispredict", "itlb_miss", "dtlb_miss",  "load",
    "store", "use_stall",   "fetch_empty", "memory_stall", "trap",       "uncached",  "write_back", ""};

// One record of the retirement port, and the state after it.
struct Record {
  uint64_t cycle = 0;
  iss::Retirement retirement;
  uint64_t mem_paddr = 0;
  iss::Privilege privilege = iss::Privilege::kMachine;
  iss::CsrState csrs;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void retired(const Record& record) = 0;
  // RAM has taken a write or an atomic from the bus.
  virtual void wrote_memory(const MemoryWrite& /*write*/) {}
};

// Interrupt lines from outside; the CLINT adds its own.
struct Lines {
  bool m_software = false;
  bool m_timer = false;
  bool m_external = false;
  bool s_external = false;
  bool nmi = false;
};

// An assertion in the RTL has failed and said so; it was in this cycle.
class AssertionFailed : public std::runtime_error {
 public:
  explicit AssertionFailed(uint64_t cycle)
      : std::runtime_error("an assertion of the RTL failed in cycle " + std::to_string(cycle)) {}
};

class MpeSim final : public common::DebugPort {
 public:
  struct Options {
    uint64_t boot_addr = 0x8000'0000;
    uint64_t nmi_addr = 0x8000'0000;
    uint64_t power_up_seed = 0;  // of the state that reset leaves open; 0: it is zero
    common::MemoryModel::Options memory{};
  };

  explicit MpeSim(const Options& options);

  // Several cycles of reset, then time and all counts start at zero. Memory is kept.
  void reset(uint64_t boot_addr, uint64_t nmi_addr, std::optional<uint64_t> stall_seed);

  common::MemoryModel& memory() { return memory_; }
  Vmpe_tb& top() { return run_.top(); }
  void open_wave(const std::string& path) { run_.open_wave(path); }

  // Observers see every record from the next cycle on. They must outlive the simulation or be removed.
  void add_observer(Observer& observer) { observers_.push_back(&observer); }
  void remove_observer(Observer& observer);
  void count_events() { count_events_ = true; }
  void watch(uint64_t paddr) { run_.top().watch_addr_i = paddr; }

  // One clock cycle. Throws AssertionFailed.
  void tick() override {
    auto& top = run_.top();
    drive_bus(top);
    auto& clint = memory_.clint();
    clint.advance();
    top.time_i = clint.time();
    top.irq_m_timer_i = lines_.m_timer || clint.timer_interrupt();
    top.irq_m_software_i = lines_.m_software || clint.software_interrupt();
    run_.tick();
    top.dbg_update_i = 0;
    ++cycles_;
    if (run_.finished()) throw AssertionFailed(cycles_);
    if (top.rvfi_valid && !observers_.empty()) notify();
    if (count_events_) add_events();
  }

  // Runs until the watched word is stored to, the core is halted by its debug port or stop() was called, at
  // most `limit` cycles. Returns whether something happened.
  bool run(uint64_t limit);
  void stop() { stop_ = true; }

  void set_lines(const Lines& lines);
  uint64_t cycles() const { return cycles_; }
  uint64_t instructions() { return run_.top().retired_o; }
  bool watch_hit() { return run_.top().watch_hit_o; }
  bool asleep() { return run_.top().sleep_o; }
  // The last record is a trap into the very place where it happened: the handler itself cannot be fetched.
  bool stuck_in_trap() {
    const auto& top = run_.top();
    return top.rvfi_trap && !top.rvfi_intr && top.rvfi_pc == top.rvfi_next_pc;
  }
  const std::array<uint64_t, kEvents>& events() const { return events_; }

  void drive(const common::DebugRequest& request) override;
  common::DebugResponse sample() const override;

 private:
  // The request that the core offers now is answered at the coming edge at the earliest (mpe_tb.sv).
  void drive_bus(Vmpe_tb& top) {
    if (top.req_valid_o || bus_active_) drive_active_bus(top);
  }
  void drive_active_bus(Vmpe_tb& top);
  void notify();
  void notify_write(const common::MbusRequest& request);
  void add_events();
  Record record();

  mutable VerilatedRun<Vmpe_tb> run_;
  common::MemoryModel memory_;
  std::vector<Observer*> observers_;
  Lines lines_;
  uint64_t cycles_ = 0;
  std::array<uint64_t, kEvents> events_{};
  bool bus_active_ = true;
  bool count_events_ = false;
  bool stop_ = false;
};

}  // namespace swai::mpe
