// SPDX-License-Identifier: Apache-2.0
// The vector unit between a core that issues commands and a local memory that stalls; every command goes to
// the model, too.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "Vtb_vector.h"
#include "sim/common/field.hpp"
#include "sim/common/random.hpp"
#include "sim/iss/cpe/vector.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::cpe {

class VectorBench : public verif::Bench<Vtb_vector>, private verif::Agent {
 public:
  explicit VectorBench(uint64_t seed);

  // The core's next command; nothing means not now.
  std::function<std::optional<iss::cpe::Command>()> next = [] { return std::nullopt; };

  // After a reset, with new contents of the memory; the unit may be in any state.
  void restart();
  void halt();
  // The unit's memory against the model's; all runs must be complete.
  void compare();
  bool failed() const { return failed_; }  // the model has a fault
  bool issuing() const { return command_.has_value(); }
  void check_fault();  // the unit shows the model's

  std::vector<uint8_t> memory, model_memory;
  iss::cpe::Vector model;
  bool prompt = false;  // nobody stalls
  uint64_t commands = 0, refused = 0, compared = 0, groups = 0, wait_operands = 0, wait_store = 0;

 private:
  static constexpr unsigned kPorts = 4;  // a, b, c read, d writes

  void drive() override;
  void sample() override;
  void sample_issue();
  void sample_port(unsigned port);

  verif::Stalls issue_stalls_;
  std::vector<verif::Stalls> port_stalls_;
  std::optional<iss::cpe::Command> command_;
  struct Offer {
    uint64_t addr = 0;
    std::array<uint8_t, 36> rest{};
    bool operator==(const Offer&) const = default;
  };
  std::array<std::optional<Offer>, kPorts> offers_;  // not yet taken
  std::array<std::array<uint8_t, 32>, 3> read_{};    // what a read port shows from the next cycle on
  bool halted_ = false, was_halted_ = false, failed_ = false;
};

}  // namespace swai::cpe
