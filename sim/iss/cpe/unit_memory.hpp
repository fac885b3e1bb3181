// SPDX-License-Identifier: Apache-2.0
// Local memory as the systolic and the vector unit see it: what their commands may name, and what happens
// when a run goes beyond it.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "sim/iss/cpe/fault.hpp"

namespace swai::iss::cpe {

// May a command name this address, or this stride? Strides are signed and have 18 bits. Multiples are powers
// of two, which the compiler does not know.
constexpr bool is_multiple(uint32_t number, uint32_t of) { return (number & (of - 1)) == 0; }
constexpr bool legal_address(uint32_t address, uint32_t multiple) {
  return address - kLdmBase < kLdmBytes && is_multiple(address, multiple);
}
constexpr bool legal_stride(uint32_t stride, uint32_t multiple) {
  return static_cast<int32_t>(stride << 14) >> 14 == static_cast<int32_t>(stride) &&
         is_multiple(stride, multiple);
}

// A run came to an address that is not there. Addresses of runs count from the start of local memory.
struct Overrun {
  int64_t address;
  Access access;
};

constexpr Fault overrun_fault(const Overrun& overrun, uint32_t pc) {
  // Hardware adds in 18 bits: whatever lies outside has bit 17 set.
  const auto low = static_cast<uint64_t>(overrun.address) & (kLdmBytes - 1);
  return {.cause = Cause::kCommand,
          .access = overrun.access,
          .dma = true,
          .pc = pc,
          .offset = uint64_t{kLdmBase} + kLdmBytes + low};
}

class UnitMemory {
 public:
  explicit UnitMemory(std::span<uint8_t> ldm) : ldm_(ldm) {}

  // Accesses are aligned to their size: none is half inside.
  bool has(int64_t address) const { return address >= 0 && address < static_cast<int64_t>(ldm_.size()); }
  // Throws Overrun.
  void check(int64_t address, Access access) const {
    if (!has(address)) throw Overrun{address, access};
  }
  const uint8_t* read(int64_t address) const {
    check(address, Access::kRead);
    return &ldm_[static_cast<size_t>(address)];
  }
  // To write; the caller has checked.
  uint8_t* at(int64_t address) { return &ldm_[static_cast<size_t>(address)]; }
  template <typename T>
  T read_as(int64_t address) const {
    T value;
    std::memcpy(&value, read(address), sizeof value);
    return value;
  }
  template <typename T>
  void write(int64_t address, const T& value) {
    check(address, Access::kWrite);
    std::memcpy(&ldm_[static_cast<size_t>(address)], &value, sizeof value);
  }

 private:
  std::span<uint8_t> ldm_;
};

}  // namespace swai::iss::cpe
