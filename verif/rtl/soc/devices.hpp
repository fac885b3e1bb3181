// SPDX-License-Identifier: Apache-2.0
// The devices of the SoC on a bench: register accesses as function calls, pins in the hands of agents.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "Vtb_devices.h"
#include "card_regs.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::soc {

using verif::check;

// The bits of a register that byte lanes name.
uint64_t lane_mask(uint8_t lanes);

class Devices final : private verif::Agent {
 public:
  explicit Devices(uint64_t seed);

  Vtb_devices& top() { return bench_.top(); }
  verif::Random& random() { return bench_.random(); }
  verif::Bench<Vtb_devices>& bench() { return bench_; }
  uint64_t cycle() const { return bench_.cycle(); }

  void step() { bench_.step(); }
  void steps(uint64_t count) { bench_.steps(count); }
  // From a power-on reset to the end of the system reset.
  void power_on();
  void wait_reset_end();

  struct Result {
    uint64_t data = 0;  // in the lanes of the register; lanes that were not asked for are 0
    bool err = false;
    uint64_t cycles = 0;  // from the first cycle of the access to its answer
  };
  // One access of 1, 2, 4 or 8 naturally aligned bytes; write data in the lanes of the register; what
  // lies outside the lanes of the access must not count.
  Result access(bool write, uint64_t address, unsigned size, uint64_t data = 0);

  // Accesses that must not end in an error. Values of less than 8 bytes are in the low bits.
  uint64_t read(uint64_t address, unsigned size = 8);
  void write(uint64_t address, uint64_t value, unsigned size = 8);

  void expect(uint64_t address, uint64_t value, const std::string& what);
  // Reads until `field` has the value; fails after `limit` cycles.
  void poll(uint64_t address, regs::Field field, uint64_t value, uint64_t limit, const std::string& what);

  // The next accesses follow each other without idle cycles (default: sometimes a few).
  void no_gaps(bool on) { no_gaps_ = on; }

 private:
  void drive() override;
  void sample() override;

  verif::Bench<Vtb_devices> bench_;
  bool active_ = false;
  bool write_ = false;
  bool no_gaps_ = false;
  uint64_t address_ = 0;
  uint64_t data_ = 0;
  uint8_t lanes_ = 0;
  Result result_;
};

}  // namespace swai::soc
