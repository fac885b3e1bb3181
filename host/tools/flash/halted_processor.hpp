// SPDX-License-Identifier: Apache-2.0
// The management processor of a running card, halted through the debug port in BAR4, and the card's registers
// by way of it. Works whatever the firmware does, or if there is none.
#pragma once

#include <cstdint>

#include "host/transport/card.hpp"

namespace swai::flash {

// Until it is destroyed; then the processor goes on where it was. Functions throw link::Error, and BoardError
// when the processor does not do what it is told.
class HaltedProcessor {
 public:
  explicit HaltedProcessor(link::Card& card);
  ~HaltedProcessor();
  HaltedProcessor(const HaltedProcessor&) = delete;
  HaltedProcessor& operator=(const HaltedProcessor&) = delete;

  // Eight bytes of a device's registers, by physical address.
  uint64_t read(uint64_t address);
  void write(uint64_t address, uint64_t value);

 private:
  void execute(uint32_t instruction);
  uint64_t read_gpr(unsigned number);
  void write_gpr(unsigned number, uint64_t value);
  uint64_t read_csr(unsigned number);
  void write_csr(unsigned number, uint64_t value);
  void set_address(uint64_t address);

  link::Card& card_;
  uint64_t address_ = 0;  // that the address register has
  uint64_t saved_address_ = 0;
  uint64_t saved_data_ = 0;
  uint64_t saved_mode_ = 0;
  uint64_t saved_mstatus_ = 0;
};

}  // namespace swai::flash
