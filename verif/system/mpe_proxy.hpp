// SPDX-License-Identifier: Apache-2.0
// The management processor as an errand boy of the host: a short program in its SRAM reads and writes
// registers of the card as the host asks. So drivers of the firmware (abi/group) run in a test, on the
// whole card.
//
// Memory the host reaches by itself, through BAR0. What was written there before is there when the processor
// does its next errand: errands are asked for by doorbell.
#pragma once

#include <cstdint>
#include <span>

#include "abi/group/machine.hpp"
#include "host/transport/card.hpp"

namespace swai::system {

class MpeProxy {
 public:
  // Takes the processor from its firmware. It comes back by a reset.
  explicit MpeProxy(link::Card& card);

  // group::Machine
  uint64_t read(uint64_t address);
  uint32_t read_low(uint64_t address) { return static_cast<uint32_t>(read(address)); }
  void write(uint64_t address, uint64_t value);
  void store(uint64_t address, uint64_t value);
  void copy(uint64_t address, std::span<const uint8_t> bytes);
  void zero(uint64_t address, uint64_t bytes);
  void publish(uint64_t /*address*/, uint64_t /*bytes*/) {}
  uint64_t cycles() { return card_.cycle(); }

  // Memory of the card, HBM or the part of the SRAM that the host may use.
  void fetch(uint64_t address, std::span<uint8_t> to);

  link::Card& card() { return card_; }

 private:
  uint64_t errand(uint64_t address, uint64_t value, bool write);

  link::Card& card_;
  uint64_t errands_ = 0;
};
static_assert(group::Machine<MpeProxy>);

}  // namespace swai::system
