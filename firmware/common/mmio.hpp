// SPDX-License-Identifier: Apache-2.0
// Device registers. Accesses are volatile: all happen, once each, in program order.
#pragma once

#include <cstdint>

#include "card_regs.hpp"

namespace swai::fw {

inline uint64_t read_reg(uint64_t address) { return *reinterpret_cast<volatile uint64_t*>(address); }
inline void write_reg(uint64_t address, uint64_t value) {
  *reinterpret_cast<volatile uint64_t*>(address) = value;
}
inline void write_byte(uint64_t address, uint8_t value) {
  *reinterpret_cast<volatile uint8_t*>(address) = value;
}

}  // namespace swai::fw
