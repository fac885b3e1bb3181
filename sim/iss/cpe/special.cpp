// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/special.hpp"

#include <algorithm>
#include <bit>

#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/special_table.hpp"

namespace swai::iss::cpe::special {

namespace {

using fp32::kInfinity;
using fp32::kNan;
using fp32::kSign;

// Where the pieces of a function begin in the table.
constexpr uint32_t kExp2 = 0;
constexpr uint32_t kReciprocal = 128;
constexpr uint32_t kLog2[] = {64, 384};  // of mantissas below 1.5, and above, where a piece is twice as long
constexpr uint32_t kRoot[] = {256, 416};
constexpr uint32_t kRootOdd[] = {320, 448};  // of exponents that are odd

constexpr int kPositionBits = 20;

uint32_t exponent(uint32_t x) { return x >> 23 & 0xff; }
uint32_t mantissa(uint32_t x) { return x & 0x7fffff; }

// The value of a piece at a position, from 1 to 2, in 2^-29.
uint64_t value(uint32_t piece, uint32_t position) {
  const uint64_t word = kTable[piece];
  const uint64_t c0 = word >> 37;
  const uint64_t c1 = word >> 15 & 0x3fffff;
  const uint64_t c2 = word & 0x7fff;
  const uint64_t slope = (c1 << 2) + (position * c2 >> (kPositionBits - 2));
  return (uint64_t{1} << 29) + (c0 << 2) + (position * slope >> kPositionBits);
}

// Pieces of 2^-7 of the mantissa's range, or twice that; positions count from the end of a piece.
uint64_t value_short(uint32_t first, uint32_t x) {
  return value(first + (mantissa(x) >> 16), (~x & 0xffff) << (kPositionBits - 16));
}
uint64_t value_long(uint32_t first, uint32_t x) {
  return value(first + (mantissa(x) >> 17 & 31), (~x & 0x1ffff) << (kPositionBits - 17));
}
uint64_t value_either(const uint32_t (&first)[2], uint32_t x) {
  return (x >> 22 & 1) != 0 ? value_long(first[1], x) : value_short(first[0], x);
}

// A value with the biased exponent that it would have without its one before the point.
uint32_t packed(int32_t exponent, uint64_t value) {
  const int32_t bits = exponent * (1 << 23) + static_cast<int32_t>((value + 32) >> 6);
  return bits < 1 << 23 ? 0 : static_cast<uint32_t>(bits);
}

}  // namespace

uint32_t exp2(uint32_t x) {
  if (fp32::is_nan(x)) return kNan;
  const bool negative = (x & kSign) != 0;
  if (exponent(x) >= (negative ? 127U + 8 : 127U + 7)) return negative ? 0 : kInfinity;
  const uint64_t magnitude =
      (uint64_t{mantissa(x) | 1U << 23} << 11) >> std::min(134 - exponent(x), 63U);  // in 2^-27
  const auto rounded = static_cast<int64_t>((magnitude + 1) >> 1);
  const int64_t fixed = negative ? -rounded : rounded;
  const auto fraction = static_cast<uint32_t>(fixed & 0x3ffffff);
  return packed(static_cast<int32_t>(fixed >> 26) + 126,
                value(kExp2 + (fraction >> kPositionBits), fraction & ((1U << kPositionBits) - 1)));
}

uint32_t log2(uint32_t x) {
  if (exponent(x) == 0) return kSign | kInfinity;
  if (fp32::is_nan(x) || (x & kSign) != 0) return kNan;
  if (x == kInfinity) return x;
  // log2(m) = (m - 1) * g(m) with m from 0.75 to 1.5, in 2^-53.
  const bool high = (x >> 22 & 1) != 0;
  const int64_t distance = high ? int64_t{mantissa(x)} - (1 << 23) : int64_t{mantissa(x)} * 2;
  const int64_t whole = static_cast<int64_t>(exponent(x)) - 127 + high;
  const int64_t sum = whole * (int64_t{1} << 53) + distance * static_cast<int64_t>(value_either(kLog2, x));
  if (sum == 0) return 0;
  const uint64_t magnitude = sum < 0 ? 0 - static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
  const int zeros = std::countl_zero(magnitude);
  const uint64_t normal = magnitude << zeros;
  // Rounded upwards from a half; a carry counts the exponent up.
  const uint32_t bits = (static_cast<uint32_t>(136 - zeros) << 23) + static_cast<uint32_t>(normal >> 40) +
                        static_cast<uint32_t>(normal >> 39 & 1);
  return (sum < 0 ? kSign : 0) | bits;
}

uint32_t reciprocal(uint32_t x) {
  if (fp32::is_nan(x)) return kNan;
  const uint32_t sign = x & kSign;
  if (exponent(x) == 0) return sign | kInfinity;
  if (exponent(x) == 255) return sign;
  return sign | packed(252 - static_cast<int32_t>(exponent(x)), value_short(kReciprocal, x));
}

uint32_t root(uint32_t x) {
  if (exponent(x) == 0) return (x & kSign) | kInfinity;
  if (fp32::is_nan(x) || (x & kSign) != 0) return kNan;
  if (x == kInfinity) return 0;
  return packed(static_cast<int32_t>((378 - exponent(x)) >> 1),
                value_either((exponent(x) & 1) != 0 ? kRoot : kRootOdd, x));
}

}  // namespace swai::iss::cpe::special
