// SPDX-License-Identifier: Apache-2.0
// Instructions of the management processor, for the short programs that tests give it.
#pragma once

#include <cstdint>

namespace swai::system::mpe_code {

inline constexpr unsigned kT0 = 5, kT1 = 6, kT2 = 7, kS0 = 8, kA0 = 10, kA1 = 11, kA2 = 12, kT3 = 28,
                          kT4 = 29;

constexpr uint32_t ld(unsigned rd, int offset, unsigned base) {
  return static_cast<uint32_t>(offset) << 20 | base << 15 | 3 << 12 | rd << 7 | 0x03;
}
constexpr uint32_t sd(unsigned from, int offset, unsigned base) {
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 5 & 127) << 25 | from << 20 | base << 15 | 3 << 12 | (bits & 31) << 7 | 0x23;
}
constexpr uint32_t addi(unsigned rd, unsigned from, int value) {
  return static_cast<uint32_t>(value) << 20 | from << 15 | rd << 7 | 0x13;
}
constexpr uint32_t andi(unsigned rd, unsigned from, int value) { return addi(rd, from, value) | 7 << 12; }
constexpr uint32_t cbo_inval(unsigned base) { return 0u << 20 | base << 15 | 2 << 12 | 0x0F; }
constexpr uint32_t cbo_flush(unsigned base) { return 2u << 20 | base << 15 | 2 << 12 | 0x0F; }
constexpr uint32_t kFence = 0x0FF0'000F;
constexpr uint32_t beqz(unsigned from, int offset) {
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25 | from << 15 | (bits >> 1 & 15) << 8 |
         (bits >> 11 & 1) << 7 | 0x63;
}
constexpr uint32_t bnez(unsigned from, int offset) { return beqz(from, offset) | 1 << 12; }
constexpr uint32_t jump(int offset) {
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3FF) << 21 | (bits >> 11 & 1) << 20 |
         (bits >> 12 & 0xFF) << 12 | 0x6F;
}

}  // namespace swai::system::mpe_code
