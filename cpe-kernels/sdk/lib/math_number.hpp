// SPDX-License-Identifier: Apache-2.0
// What the functions of swai/math.hpp are made of: numbers taken apart, fixed-point fractions, and numbers
// with 64 bits, of which a function rounds one at its end. "Q40" is a number times 2^40.
#pragma once

#include <bit>
#include <cstdint>

namespace swai::cpe::math {

inline constexpr uint32_t kSign = 0x8000'0000;
inline constexpr uint32_t kInfinity = 0x7f80'0000;
inline constexpr uint32_t kNotANumber = 0x7fc0'0000;
inline constexpr uint32_t kOne = 0x3f80'0000;
inline constexpr int kBias = 127;
inline constexpr int kFraction = 23;

inline float number(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
inline uint32_t sign_of(float x) { return bits_of(x) & kSign; }
inline uint32_t size_of(float x) { return bits_of(x) & ~kSign; }
inline bool is_nan(float x) { return size_of(x) > kInfinity; }

// A finite number that is not 0: mantissa * 2^(exponent - 23), with bit 23 of the mantissa set.
struct Parts {
  uint32_t mantissa;
  int exponent;
};

inline Parts parts(uint32_t bits) {
  const int field = static_cast<int>(bits >> kFraction & 0xff);
  const uint32_t fraction = bits & 0x7f'ffff;
  if (field != 0) return {fraction | 0x80'0000, field - kBias};
  const int shift = std::countl_zero(fraction) - 8;
  return {fraction << shift, 1 - kBias - shift};
}

// value * 2^exponent, rounded to the nearest, to even where there are two.
float rounded(uint32_t sign, uint64_t value, int exponent);

constexpr uint32_t high(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
}

// The upper half of the product of 128 bits.
uint64_t high(uint64_t a, uint64_t b);

// a / k of x - a / k of x^2 + ...: x (c0 - x (c1 - x (c2 - ...))), and the same with sums; all of it Q32,
// below 1.
template <unsigned kCount>
uint32_t alternating(uint32_t x, const uint32_t (&terms)[kCount]) {
  uint32_t sum = 0;
  for (unsigned i = kCount; i-- > 0;) sum = high(x, terms[i] - sum);
  return sum;
}
template <unsigned kCount>
uint32_t series(uint32_t x, const uint32_t (&terms)[kCount]) {
  uint32_t sum = 0;
  for (unsigned i = kCount; i-- > 0;) sum = high(x, terms[i] + sum);
  return sum;
}

// mantissa * 2^exponent; the highest bit of the mantissa is set, or all of it is 0. What arithmetic drops is
// kept as a lowest bit that is set, so that a sum or product of numbers of 24 bits is rounded right.
struct Wide {
  uint64_t mantissa = 0;
  int exponent = 0;
  bool negative = false;

  bool zero() const { return mantissa == 0; }
  // Of 1 <= size < 2 it is 0; of zero nothing.
  int power() const { return exponent + 63; }
  Wide size() const { return {mantissa, exponent, false}; }
  Wide operator-() const { return {mantissa, exponent, !negative}; }
  // 2^count times it.
  Wide scaled(int count) const { return {mantissa, exponent + count, negative}; }
};

inline Wide wide(uint64_t value, int exponent, bool negative = false) {
  if (value == 0) return {};
  const int shift = std::countl_zero(value);
  return {value << shift, exponent - shift, negative};
}
// Of a finite number.
inline Wide wide(float x) {
  if (size_of(x) == 0) return {};
  const Parts taken = parts(size_of(x));
  return wide(taken.mantissa, taken.exponent - kFraction, sign_of(x) != 0);
}
inline float rounded(Wide x) { return rounded(x.negative ? kSign : 0, x.mantissa, x.exponent); }
// With this sign, which a number has that is rounded to 0, too.
inline float rounded(Wide x, uint32_t sign) { return rounded(sign, x.mantissa, x.exponent); }

Wide operator+(Wide a, Wide b);
Wide operator*(Wide a, Wide b);
Wide operator/(Wide a, Wide b);  // b is not 0
inline Wide operator-(Wide a, Wide b) { return a + -b; }
// With 33 bits, unless it is exact.
Wide root(Wide x);
// Of a size below 2^30.
int64_t q32(Wide x);
// 1 + c and 1 - c, where c is Q32.
inline Wide one_and(uint32_t c) { return wide((uint64_t{1} << 32) + c, -32); }
inline Wide one_less(uint32_t c) { return wide((uint64_t{1} << 32) - c, -32); }
inline Wide whole(int count) { return wide(static_cast<uint64_t>(count < 0 ? -count : count), 0, count < 0); }

inline constexpr Wide kWideOne = {uint64_t{1} << 63, -63, false};
inline constexpr Wide kWideTwo = {uint64_t{1} << 63, -62, false};

// 2^x, of x in Q32 and a size below 2^42.
Wide power_of_two(int64_t x);

}  // namespace swai::cpe::math
