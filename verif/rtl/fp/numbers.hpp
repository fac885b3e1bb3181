// SPDX-License-Identifier: Apache-2.0
// fp32 numbers that find mistakes: the ends of each kind, what rounds to a half, what cancels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/iss/cpe/fp32.hpp"

namespace swai::fp {

namespace fp32 = iss::cpe::fp32;

// Both signs of numbers at which something changes.
inline std::vector<uint32_t> special_numbers() {
  static constexpr uint32_t kMagnitudes[] = {
      0x00000000,                          // 0
      0x00000001, 0x00000002, 0x00000003,  // smallest subnormal numbers
      0x00400000, 0x00555555, 0x007fffff,  // largest ones
      0x00800000, 0x00800001, 0x00ffffff,  // smallest normal ones
      0x1f800000, 0x20000000, 0x1fffffff,  // their products: at the end of the subnormal ones
      0x33000000, 0x33800000, 0x34000000,  // 2^-25, 2^-24, 2^-23
      0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
      0x3fffffff, 0x40000000, 0x4b000000, 0x4b7fffff, 0x4b800001,  // 2^23, 2^24 and their neighbours
      0x5f800000, 0x7effffff, 0x7f000000, 0x7f7fffff,              // largest
      0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,              // infinity and NaNs
  };
  std::vector<uint32_t> numbers;
  for (const uint32_t magnitude : kMagnitudes) {
    numbers.push_back(magnitude);
    numbers.push_back(magnitude | fp32::kSign);
  }
  return numbers;
}

class Numbers {
 public:
  explicit Numbers(verif::Random& random) : random_(random) {}

  // Exponents near `exponent`; mantissas full, with few ones, or with long runs of equal bits.
  uint32_t near(int exponent) {
    exponent = std::clamp(exponent, 0, 255);
    const auto bits = static_cast<uint32_t>(random_.next());
    return (bits & fp32::kSign) | static_cast<uint32_t>(exponent) << 23 | mantissa();
  }

  uint32_t number() {
    switch (random_.below(8)) {
      case 0:
        return static_cast<uint32_t>(random_.next());
      case 1:
        return special_[random_.below(special_.size())];
      case 2:  // subnormal, or nearly
        return near(static_cast<int>(random_.below(3)));
      case 3:  // to the end
        return near(static_cast<int>(random_.between(250, 255)));
      default:
        return near(static_cast<int>(random_.between(100, 154)));
    }
  }

  std::array<uint32_t, 2> pair() {
    const uint32_t a = number();
    switch (random_.below(4)) {
      case 0:
        return {a, number()};
      case 1:  // the same but for the sign and a few units
        return {a, neighbour(a) ^ fp32::kSign * (random_.below(2) != 0)};
      default:
        return {a, near(exponent(a) + static_cast<int>(random_.below(60)) - 30)};
    }
  }

  // Factors and an addend.
  std::array<uint32_t, 3> triple() {
    const uint32_t a = number();
    uint32_t b = number();
    if (random_.below(4) == 0) {  // products at the lower end
      b = near(127 - exponent(a) + static_cast<int>(random_.below(60)) - 25);
    }
    const uint32_t product = fp32::mul(a, b);
    switch (random_.below(4)) {
      case 0:
        return {a, b, number()};
      case 1:  // what the product is rounded to, but for the sign and a few units
        return {a, b, neighbour(product) ^ fp32::kSign * (random_.below(4) != 0)};
      default:
        return {a, b, near(exponent(product) + static_cast<int>(random_.below(80)) - 40)};
    }
  }

 private:
  static int exponent(uint32_t a) { return static_cast<int>(a >> 23 & 0xff); }
  uint32_t neighbour(uint32_t a) { return a + static_cast<uint32_t>(random_.below(7)) - 3; }

  uint32_t mantissa() {
    const auto bits = static_cast<uint32_t>(random_.next());
    switch (random_.below(4)) {
      case 0:
        return (1U << bits % 24 | 1U << bits / 32 % 24) & 0x7fffff;
      case 1:
        return (0U - (1U << bits % 24)) & 0x7fffff;
      case 2:
        return (1U << bits % 24) - 1;
      default:
        return bits & 0x7fffff;
    }
  }

  verif::Random& random_;
  std::vector<uint32_t> special_ = special_numbers();
};

}  // namespace swai::fp
