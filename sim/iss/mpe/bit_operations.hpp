// SPDX-License-Identifier: Apache-2.0
// Zba and Zbb as pure functions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/iss/mpe/operations.hpp"

namespace swai::iss::op {

template <unsigned kShift>
constexpr uint64_t shadd(uint64_t a, uint64_t b) {
  return (a << kShift) + b;
}
template <unsigned kShift>
constexpr uint64_t shadd_uw(uint64_t a, uint64_t b) {
  return (uint64_t{static_cast<uint32_t>(a)} << kShift) + b;
}
constexpr uint64_t slli_uw(uint64_t a, uint64_t b) { return uint64_t{static_cast<uint32_t>(a)} << (b & 63); }

constexpr uint64_t andn(uint64_t a, uint64_t b) { return a & ~b; }
constexpr uint64_t orn(uint64_t a, uint64_t b) { return a | ~b; }
constexpr uint64_t xnor(uint64_t a, uint64_t b) { return ~(a ^ b); }

constexpr uint64_t max(uint64_t a, uint64_t b) { return lt(a, b) ? b : a; }
constexpr uint64_t maxu(uint64_t a, uint64_t b) { return std::max(a, b); }
constexpr uint64_t min(uint64_t a, uint64_t b) { return lt(a, b) ? a : b; }
constexpr uint64_t minu(uint64_t a, uint64_t b) { return std::min(a, b); }

constexpr uint64_t rol(uint64_t a, uint64_t b) { return std::rotl(a, static_cast<int>(b & 63)); }
constexpr uint64_t ror(uint64_t a, uint64_t b) { return std::rotr(a, static_cast<int>(b & 63)); }
constexpr uint64_t rolw(uint64_t a, uint64_t b) {
  return sext32(std::rotl(static_cast<uint32_t>(a), static_cast<int>(b & 31)));
}
constexpr uint64_t rorw(uint64_t a, uint64_t b) {
  return sext32(std::rotr(static_cast<uint32_t>(a), static_cast<int>(b & 31)));
}

constexpr uint64_t clz(uint64_t a) { return static_cast<uint64_t>(std::countl_zero(a)); }
constexpr uint64_t ctz(uint64_t a) { return static_cast<uint64_t>(std::countr_zero(a)); }
constexpr uint64_t cpop(uint64_t a) { return static_cast<uint64_t>(std::popcount(a)); }
constexpr uint64_t clzw(uint64_t a) {
  return static_cast<uint64_t>(std::countl_zero(static_cast<uint32_t>(a)));
}
constexpr uint64_t ctzw(uint64_t a) {
  return static_cast<uint64_t>(std::countr_zero(static_cast<uint32_t>(a)));
}
constexpr uint64_t cpopw(uint64_t a) {
  return static_cast<uint64_t>(std::popcount(static_cast<uint32_t>(a)));
}

constexpr uint64_t sext_b(uint64_t a) { return static_cast<uint64_t>(int64_t{static_cast<int8_t>(a)}); }
constexpr uint64_t sext_h(uint64_t a) { return static_cast<uint64_t>(int64_t{static_cast<int16_t>(a)}); }
constexpr uint64_t zext_h(uint64_t a) { return a & 0xffff; }

constexpr uint64_t rev8(uint64_t a) { return __builtin_bswap64(a); }
constexpr uint64_t orc_b(uint64_t a) {
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((a >> shift) & 0xff) result |= uint64_t{0xff} << shift;
  }
  return result;
}

}  // namespace swai::iss::op
