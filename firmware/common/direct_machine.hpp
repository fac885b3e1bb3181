// SPDX-License-Identifier: Apache-2.0
// The management processor itself, with addresses as they are (no translation, or an identical one).
// Everything is inline: launching is a matter of tens of cycles.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "abi/group/machine.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"

namespace swai::group {

struct DirectMachine {
  static uint64_t read(uint64_t address) { return fw::read_reg(address); }
  static uint32_t read_low(uint64_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }
  static void write(uint64_t address, uint64_t value) { fw::write_reg(address, value); }

  static void store(uint64_t address, uint64_t value) {
    *reinterpret_cast<volatile uint64_t*>(address) = value;
  }
  static void copy(uint64_t address, std::span<const uint8_t> bytes) {
    std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
  }
  static void zero(uint64_t address, uint64_t bytes) {
    std::memset(reinterpret_cast<void*>(address), 0, bytes);
  }
  // The caches are write-back: what is in them nobody else sees. flush_cache() ends with a fence, so the
  // lines have arrived.
  static void publish(uint64_t address, uint64_t bytes) {
    csr::flush_cache(reinterpret_cast<const void*>(address), bytes);
  }

  static uint64_t cycles() { return csr::read<csr::kMcycle>(); }
};
static_assert(Machine<DirectMachine>);

}  // namespace swai::group
