// SPDX-License-Identifier: Apache-2.0
// The systolic unit between a core that issues commands and a local memory whose ports are ready when they
// like. The model carries out each run when the unit takes it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "Vtb_systolic.h"
#include "sim/common/random.hpp"
#include "sim/iss/cpe/systolic.hpp"
#include "verif/rtl/cpe/systolic/ldm_port.hpp"
#include "verif/rtl/cpe/systolic/run.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::cpe {

// How much longer a run takes than in the large unit, about.
#ifdef SYSTOLIC_SERIAL
constexpr uint64_t kSlower = 25;
#else
constexpr uint64_t kSlower = 1;
#endif

class SystolicBench : public verif::Bench<Vtb_systolic>, private verif::Agent {
 public:
  explicit SystolicBench(uint64_t seed);

  // The core's next commands, in this order. They may be refused.
  void command(const Command& command) { script_.push_back({.command = command}); }
  // Settings that are as they should be are mostly left out.
  void run(const Run& run);
  void wait(uint32_t ticket) {
    command({.unit = iss::cpe::unit::kSystolic, .op = iss::cpe::systolic_op::kWait, .rs1 = ticket});
  }
  void poll(uint32_t ticket) {
    command({.unit = iss::cpe::unit::kSystolic, .op = iss::cpe::systolic_op::kPoll, .rs1 = ticket});
  }
  uint32_t planned() const { return planned_; }  // runs, legal ones, taken or to come

  bool asking() const { return !script_.empty() || current_.has_value(); }
  // Until all is complete; then everything is compared.
  void finish();
  // Until the unit shows the fault that the model met.
  void expect_fault();
  bool failed() const { return model.fault().cause != iss::cpe::Cause::kNone; }
  // From the next cycle on; checks that nothing moves.
  void halt();
  // After that all accumulators hold what the model says.
  void restart();
  void prompt();  // nobody stalls
  void compare() const;

  std::vector<uint8_t> actual, expected;
  iss::cpe::Systolic model;
  uint64_t runs = 0, refused = 0, faults = 0, waits = 0, rows = 0;
  uint64_t waits_weights = 0, waits_activations = 0, waits_drain = 0;

 private:
  struct Planned {
    Command command;
    bool legal = false;  // must not be refused
  };

  void drive() override;
  void sample() override;
  void taken();
  void quiet(bool quiet);
  std::array<LdmPort*, 3> ports() { return {&x_, &w_, &d_}; }

  verif::Stalls issue_stalls_;
  LdmPort x_, w_, d_;
  std::deque<Planned> script_;
  std::optional<Planned> current_;
  std::array<std::optional<Command>, 16> set_;  // what the settings will be, by operation
  std::deque<Run> history_;
  uint32_t planned_ = 0;
  uint32_t polled_ = 0;
  uint64_t rows_before_ = 0;
};

}  // namespace swai::cpe
