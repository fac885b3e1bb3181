// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the I and M extensions as pure functions of two operands.
#pragma once

#include <cstdint>
#include <limits>

namespace swai::iss::op {

constexpr int64_t as_signed(uint64_t a) { return static_cast<int64_t>(a); }
constexpr uint64_t sext32(uint64_t a) { return static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)}); }

constexpr uint64_t add(uint64_t a, uint64_t b) { return a + b; }
constexpr uint64_t sub(uint64_t a, uint64_t b) { return a - b; }
constexpr uint64_t sll(uint64_t a, uint64_t b) { return a << (b & 63); }
constexpr uint64_t srl(uint64_t a, uint64_t b) { return a >> (b & 63); }
constexpr uint64_t sra(uint64_t a, uint64_t b) { return static_cast<uint64_t>(as_signed(a) >> (b & 63)); }
constexpr uint64_t slt(uint64_t a, uint64_t b) { return as_signed(a) < as_signed(b); }
constexpr uint64_t sltu(uint64_t a, uint64_t b) { return a < b; }
constexpr uint64_t bit_xor(uint64_t a, uint64_t b) { return a ^ b; }
constexpr uint64_t bit_or(uint64_t a, uint64_t b) { return a | b; }
constexpr uint64_t bit_and(uint64_t a, uint64_t b) { return a & b; }

constexpr uint64_t addw(uint64_t a, uint64_t b) { return sext32(a + b); }
constexpr uint64_t subw(uint64_t a, uint64_t b) { return sext32(a - b); }
constexpr uint64_t sllw(uint64_t a, uint64_t b) { return sext32(a << (b & 31)); }
constexpr uint64_t srlw(uint64_t a, uint64_t b) { return sext32(static_cast<uint32_t>(a) >> (b & 31)); }
constexpr uint64_t sraw(uint64_t a, uint64_t b) {
  return sext32(static_cast<uint64_t>(static_cast<int32_t>(a) >> (b & 31)));
}

constexpr bool eq(uint64_t a, uint64_t b) { return a == b; }
constexpr bool ne(uint64_t a, uint64_t b) { return a != b; }
constexpr bool lt(uint64_t a, uint64_t b) { return as_signed(a) < as_signed(b); }
constexpr bool ge(uint64_t a, uint64_t b) { return as_signed(a) >= as_signed(b); }
constexpr bool ltu(uint64_t a, uint64_t b) { return a < b; }
constexpr bool geu(uint64_t a, uint64_t b) { return a >= b; }

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

constexpr uint64_t mul(uint64_t a, uint64_t b) { return a * b; }
constexpr uint64_t mulh(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((Int128{as_signed(a)} * as_signed(b)) >> 64);
}
constexpr uint64_t mulhsu(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((Int128{as_signed(a)} * static_cast<Int128>(b)) >> 64);
}
constexpr uint64_t mulhu(uint64_t a, uint64_t b) { return static_cast<uint64_t>((Uint128{a} * b) >> 64); }
constexpr uint64_t mulw(uint64_t a, uint64_t b) { return sext32(a * b); }

// Division by zero gives all ones and the dividend as remainder; the one signed overflow gives the dividend
// and 0.
constexpr uint64_t div(uint64_t a, uint64_t b) {
  if (b == 0) return ~uint64_t{0};
  if (as_signed(a) == std::numeric_limits<int64_t>::min() && as_signed(b) == -1) return a;
  return static_cast<uint64_t>(as_signed(a) / as_signed(b));
}
constexpr uint64_t rem(uint64_t a, uint64_t b) {
  if (b == 0) return a;
  if (as_signed(b) == -1) return 0;
  return static_cast<uint64_t>(as_signed(a) % as_signed(b));
}
constexpr uint64_t divu(uint64_t a, uint64_t b) { return b == 0 ? ~uint64_t{0} : a / b; }
constexpr uint64_t remu(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }

// In 64 bits the signed 32-bit overflow is no overflow; cutting the quotient to 32 bits gives the dividend
// as required.
constexpr uint64_t divw(uint64_t a, uint64_t b) { return sext32(div(sext32(a), sext32(b))); }
constexpr uint64_t remw(uint64_t a, uint64_t b) { return sext32(rem(sext32(a), sext32(b))); }
constexpr uint64_t divuw(uint64_t a, uint64_t b) {
  return sext32(divu(static_cast<uint32_t>(a), static_cast<uint32_t>(b)));
}
constexpr uint64_t remuw(uint64_t a, uint64_t b) {
  return sext32(remu(static_cast<uint32_t>(a), static_cast<uint32_t>(b)));
}

}  // namespace swai::iss::op
