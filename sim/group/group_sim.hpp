// SPDX-License-Identifier: Apache-2.0
// A simulated core group alone, with everything around it: the management processor's registers and memory,
// and another group's HBM, all of them beyond the initiator port. It is a Machine for the driver of core
// groups (abi/group), so whoever has one starts launches as firmware does:
//
//   GroupSim sim({.seed = 7});
//   group::Group<GroupSim> driver(sim, 0);
//   driver.use_segments(...);
#pragma once

#include <verilated.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "Vgroup_top.h"
#include "abi/group/group.hpp"
#include "sim/board/hbm/hbm_cells.hpp"
#include "sim/common/random.hpp"
#include "sim/group/noc_port.hpp"
#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/memory.hpp"
#include "sim/seam/works.hpp"

#ifdef WAVE
#include <verilated_fst_c.h>
#endif

namespace swai::cg {

class GroupSim {
 public:
  static constexpr uint64_t kSramBase = 0x8000'0000;
  static constexpr uint64_t kSramBytes = 256 * 1024;
  static constexpr uint64_t kHbmBase = iss::cpe::kHbmBase;
  static constexpr uint64_t kFarBase = kHbmBase + iss::cpe::kHbmBytes;  // HBM of the next group

  struct Options {
    uint64_t seed = 0;         // of what reset leaves open; 0: it is zero
    bool random_start = true;  // else all of that is zero, and builds can be compared
    bool stalls = false;       // beyond the initiator port everything takes as long as it likes
    std::string wave;          // file; empty: none
    uint64_t wave_from = 0;
    uint64_t wave_to = UINT64_MAX;
  };
  using Observer = std::function<void(unsigned id, bool trap, const iss::cpe::Retirement& record)>;

  // Ends with the group out of reset. Throws std::runtime_error when waves are wanted and this build has
  // none, or they cannot be written.
  explicit GroupSim(const Options& options);
  ~GroupSim();
  GroupSim(const GroupSim&) = delete;
  GroupSim& operator=(const GroupSim&) = delete;

  void step();
  void steps(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) step();
  }
  uint64_t cycles() const { return cycle_; }

  // Registers of the group and the inbox. A refusal is an error, std::runtime_error, but for try_*. Reading
  // the inbox takes one cycle.
  uint64_t read(uint64_t address);
  uint32_t read_low(uint64_t address) { return static_cast<uint32_t>(read(address)); }
  void write(uint64_t address, uint64_t value);
  std::optional<uint64_t> try_read(uint64_t address);
  bool try_write(uint64_t address, uint64_t value);
  // One request of the ring, and its answer.
  Response ask(const Request& request);

  // Memory, through the back door: HBM of this group and the next, SRAM. While nothing else is under way; the
  // clock runs until what is left in the HBM's queues has reached its cells.
  void peek(uint64_t address, std::span<uint8_t> bytes);
  void poke(uint64_t address, std::span<const uint8_t> bytes);
  void store(uint64_t address, uint64_t value);
  void copy(uint64_t address, std::span<const uint8_t> bytes) { poke(address, bytes); }
  void zero(uint64_t address, uint64_t bytes) { poke(address, std::vector<uint8_t>(bytes)); }
  void publish(uint64_t, uint64_t) {}
  HbmCells& cells() { return cells_; }

  // What the group has set in the inbox so far.
  uint64_t work() const { return work_; }
  uint64_t far_requests() const { return far_requests_; }
  bool cpe_fault() const { return top_->cpe_fault_o != 0; }
  bool busy() const { return top_->busy_o != 0; }

  // Called for each instruction of a CPE that retires or faults, in the cycle after that.
  void set_observer(Observer observer) { observer_ = std::move(observer); }
  void retired(unsigned id, bool trap, const iss::cpe::Retirement& record) {
    if (observer_) observer_(id, trap, record);
  }
  bool observed() const { return observer_ != nullptr; }

  // What the CPEs tell the group and are told in a cycle (array_trace.sv), and what goes through the group's
  // ports.
  enum class Part : uint8_t { kStates, kMemory, kCode, kRows, kColumns, kPorts };
  static constexpr size_t kParts = 6;
  using Watcher = std::function<void(Part part, std::span<const uint32_t> words)>;
  // Called for each part in every cycle. Whoever gets the same words from two builds has seen the same
  // cycles.
  void set_watcher(Watcher watcher) { watcher_ = std::move(watcher); }
  bool watched() const { return watcher_ != nullptr; }
  void said(Part part, std::span<const uint32_t> words) { watcher_(part, words); }
  static GroupSim* current() { return current_; }

  // What engines have done so far; null where CPEs are no models of their own.
  const array::Works* works() const { return array::works_of(&context_); }

  // Called after each cycle.
  std::function<void()> on_cycle;

 private:
  struct Answer {
    uint64_t due;
    Response response;
  };

  void eval(uint8_t clock);
  void dump();
  void drive();
  void sample();
  void watch_ports();
  void serve(const Request& request);
  void drain();
  static constexpr uint64_t kAnswerCycles = 12;  // ring, and what is behind it

  static inline GroupSim* current_ = nullptr;

  Options options_;
  HbmCells cells_;
  iss::cpe::SparseMemory sram_{kSramBase, kSramBytes};
  iss::cpe::SparseMemory far_{kFarBase};
  verif::Random random_;
  verif::Stalls take_;
  verif::Stalls give_;
  VerilatedContext context_;
  std::unique_ptr<Vgroup_top> top_;
#ifdef WAVE
  std::unique_ptr<VerilatedFstC> file_;
#endif
  uint64_t cycle_ = 0;

  std::optional<Request> asked_;  // at the target port, not taken yet
  bool taken_ = false;            // it was, in this cycle
  std::optional<Response> answered_;
  bool moved_ = false;  // an input has changed
  std::deque<Answer> answers_;
  uint64_t done_[4] = {};
  uint64_t work_ = 0;
  uint64_t far_requests_ = 0;
  Observer observer_;
  Watcher watcher_;
};

}  // namespace swai::cg
