// SPDX-License-Identifier: Apache-2.0
#include "math_number.hpp"

namespace swai::cpe::math {
namespace {

// 2^fraction - 1 (both Q32): ln(2)^k / k!, nested.
uint32_t power_of_fraction(uint32_t fraction) {
  constexpr uint32_t kTerms[] = {2977044472, 1031764991, 238388332, 41309550, 5726720, 661577,
                                 65510,      5676,       437,       30,       2};
  uint32_t sum = 0;
  for (int i = 10; i >= 0; --i) sum = high(fraction, kTerms[i] + sum);
  return sum;
}

}  // namespace

float rounded(uint32_t sign, uint64_t value, int exponent) {
  if (value == 0) return number(sign);
  // Bit 62 becomes the highest.
  const int shift = std::countl_zero(value) - 1;
  value = shift < 0 ? value >> 1 | (value & 1) : value << shift;
  exponent += 62 - shift;
  if (exponent > kBias) return number(sign | kInfinity);
  int drop = 62 - kFraction;
  if (exponent < 1 - kBias) {
    drop += 1 - kBias - exponent;
    exponent = -kBias;  // the highest bit is not there, unless rounding makes it
  } else {
    exponent -= 1;  // the highest bit is there, and adds one
  }
  if (drop > 63) return number(sign);
  const uint64_t half = uint64_t{1} << (drop - 1);
  const uint64_t kept = value >> drop;
  const uint64_t rest = value & (half * 2 - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  const uint32_t field = static_cast<uint32_t>(exponent + kBias) << kFraction;
  return number(sign | (field + static_cast<uint32_t>(kept + (up ? 1 : 0))));
}

uint64_t high(uint64_t a, uint64_t b) {
  const uint64_t a0 = static_cast<uint32_t>(a);
  const uint64_t a1 = a >> 32;
  const uint64_t b0 = static_cast<uint32_t>(b);
  const uint64_t b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + static_cast<uint32_t>(middle)) >> 32);
}

Wide operator+(Wide a, Wide b) {
  if (a.zero()) return b;
  if (b.zero()) return a;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
    const Wide other = a;
    a = b;
    b = other;
  }
  // A bit of room for the sum.
  const auto down = [](uint64_t value, int shift) {
    if (shift > 63) return uint64_t{1};
    const uint64_t kept = value >> shift;
    return kept << shift == value ? kept : kept | 1;
  };
  const uint64_t larger = down(a.mantissa, 1);
  const uint64_t smaller = down(b.mantissa, a.exponent - b.exponent + 1);
  const uint64_t sum = a.negative == b.negative ? larger + smaller : larger - smaller;
  return wide(sum, a.exponent + 1, a.negative);
}

Wide operator*(Wide a, Wide b) {
  if (a.zero() || b.zero()) return {};
  const uint64_t upper = high(a.mantissa, b.mantissa);
  const uint64_t lower = a.mantissa * b.mantissa;
  // At most one bit is missing at the top.
  const uint64_t product = upper >> 63 != 0 ? upper : upper << 1 | lower >> 63;
  const uint64_t rest = upper >> 63 != 0 ? lower : lower << 1;
  const int exponent = a.exponent + b.exponent + (upper >> 63 != 0 ? 64 : 63);
  return {product | (rest != 0 ? 1 : 0), exponent, a.negative != b.negative};
}

Wide operator/(Wide a, Wide b) {
  if (a.zero()) return {};
  // 2^127 / mantissa: 31 bits by division, and twice as many by one step of Newton's.
  const uint64_t first = (~uint64_t{0} >> 1) / (b.mantissa >> 32);
  const uint64_t near = (first >> 32 != 0 ? 0xffff'ffff : first) << 32;
  const uint64_t product = high(b.mantissa, near);  // 2^63, nearly
  constexpr uint64_t kRight = uint64_t{1} << 63;
  const uint64_t inverse = product < kRight ? near + (high(near, kRight - product) << 1)
                                            : near - (high(near, product - kRight) << 1);
  const int shift = inverse >> 63 != 0 ? 0 : 1;
  return a * Wide{inverse << shift, -127 - shift - b.exponent, b.negative};
}

Wide root(Wide x) {
  if (x.zero()) return {};
  // An even exponent, and a mantissa of 63 or 64 bits, of which the root has 32.
  const int odd = x.exponent & 1;
  const uint64_t value = x.mantissa >> odd;
  uint64_t found = 0;
  for (uint64_t bit = uint64_t{1} << 31; bit != 0; bit >>= 1) {
    const uint64_t tried = found | bit;
    if (tried * tried <= value) found |= bit;
  }
  const uint64_t half = found * found == value ? 0 : uint64_t{1} << 31;
  return wide(found << 32 | half, (x.exponent + odd) / 2 - 32);
}

int64_t q32(Wide x) {
  const int shift = -32 - x.exponent;
  const auto value = static_cast<int64_t>(x.zero() || shift > 63 ? 0 : x.mantissa >> shift);
  return x.negative ? -value : value;
}

Wide power_of_two(int64_t x) {
  const uint64_t value = (uint64_t{1} << 32) + power_of_fraction(static_cast<uint32_t>(x));
  return wide(value, static_cast<int>(x >> 32) - 32);
}

}  // namespace swai::cpe::math
