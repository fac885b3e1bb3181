// SPDX-License-Identifier: Apache-2.0
// The debug port of the management processor as the host has it: registers in BAR4.
#pragma once

#include "host/transport/card.hpp"
#include "sim/common/gdb_stub_mpe.hpp"

namespace swai::system {

class BarDebug final : public common::DebugPort {
 public:
  explicit BarDebug(link::Card& card) : card_(card) {}

  void drive(const common::DebugRequest& request) override;
  common::DebugResponse sample() const override;
  void tick() override {}  // reading registers takes time enough

 private:
  link::Card& card_;
  common::DebugRequest last_;
};

// A stopped processor, for as long as it lives.
class Halted {
 public:
  explicit Halted(link::Card& card);
  ~Halted();
  Halted(const Halted&) = delete;
  Halted& operator=(const Halted&) = delete;

  common::MpeGdbTarget& target() { return target_; }
  bool reached() { return target_.run_until_halted(); }
  uint64_t read(uint64_t address);
  void write(uint64_t address, uint64_t value);
  uint64_t reg(unsigned number) { return target_.read_register(number).value(); }

 private:
  BarDebug port_;
  common::MpeGdbTarget target_;
};

}  // namespace swai::system
