// SPDX-License-Identifier: Apache-2.0
// No function here adds what it has multiplied: so the compiler finds nothing to contract.
#include "sim/iss/cpe/fp32.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace swai::iss::cpe::fp32 {

namespace {

float number(uint32_t bits) { return std::bit_cast<float>(bits); }

uint32_t bits(float number) {
  uint32_t result = std::bit_cast<uint32_t>(number);
  return is_nan(result) ? kNan : result;
}

// Numbers of different bits in their order, as integers.
int32_t order(uint32_t a) { return static_cast<int32_t>((a & kSign) != 0 ? a ^ ~kSign : a); }

template <typename Integer>
Integer saturated(uint32_t a) {
  using Limits = std::numeric_limits<Integer>;
  if (is_nan(a)) {
    return Limits::max();
  }
  // A double holds the nearest integers of all floats that are in reach.
  const double nearest = std::nearbyint(double{number(a)});
  return static_cast<Integer>(std::clamp(nearest, double{Limits::min()}, double{Limits::max()}));
}

}  // namespace

uint32_t fma(uint32_t a, uint32_t b, uint32_t c) { return bits(std::fma(number(a), number(b), number(c))); }
uint32_t add(uint32_t a, uint32_t b) { return bits(number(a) + number(b)); }
uint32_t mul(uint32_t a, uint32_t b) { return bits(number(a) * number(b)); }

uint32_t min(uint32_t a, uint32_t b) {
  if (is_nan(a) || is_nan(b)) {
    return is_nan(a) ? (is_nan(b) ? kNan : b) : a;
  }
  return order(b) < order(a) ? b : a;
}

uint32_t max(uint32_t a, uint32_t b) {
  if (is_nan(a) || is_nan(b)) {
    return is_nan(a) ? (is_nan(b) ? kNan : b) : a;
  }
  return order(a) < order(b) ? b : a;
}

bool less(uint32_t a, uint32_t b) { return number(a) < number(b); }
bool equal(uint32_t a, uint32_t b) { return number(a) == number(b); }

uint32_t of_int32(int32_t i) { return bits(static_cast<float>(i)); }

uint32_t of_fp16(uint16_t h) {
  const uint32_t sign = (h & 0x8000U) << 16;
  const uint32_t exponent = h >> 10 & 0x1f;
  const uint32_t mantissa = h & 0x3ff;
  if (exponent == 0x1f) {
    return mantissa != 0 ? kNan : sign | kInfinity;
  }
  if (exponent == 0) {
    return sign | bits(static_cast<float>(mantissa) * 0x1p-24F);
  }
  return sign | (exponent + 112) << 23 | mantissa << 13;
}

int32_t to_int32(uint32_t a) { return saturated<int32_t>(a); }
int8_t to_int8(uint32_t a) { return saturated<int8_t>(a); }

uint16_t to_fp16(uint32_t a) {
  const uint32_t sign = a >> 16 & 0x8000;
  const uint32_t magnitude = a & ~kSign;
  if (is_nan(a)) {
    return 0x7e00;
  }
  if (magnitude < 0x38800000) {  // below the smallest normal number of fp16: a multiple of 2^-24
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::nearbyint(number(magnitude) * 0x1p24F)));
  }
  // Half of the last place less one, and one more before an odd number; a carry goes into the exponent, where
  // it belongs.
  const uint32_t rounded = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  return static_cast<uint16_t>(sign | std::min(rounded, uint32_t{0x7c00}));
}

}  // namespace swai::iss::cpe::fp32
