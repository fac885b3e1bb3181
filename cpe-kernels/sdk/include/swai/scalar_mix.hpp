// SPDX-License-Identifier: Apache-2.0
// The work of kernel `scalar`, for CPE and host.
#pragma once

#include <cstdint>

namespace swai::cpe {

inline constexpr uint32_t kMixWords = 256;

inline uint32_t scalar_mix(uint32_t* table, uint32_t number, uint32_t rounds) {
  for (uint32_t i = 0; i < kMixWords; ++i) table[i] = i * 0x9e37'79b9u + number;
  uint32_t check = number + 1;
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t index = (check >> 5 ^ round) % kMixWords;
    uint32_t value = table[index];
    if ((value & 1) != 0) {
      value = (value >> 1) + check;
    } else {
      value ^= check << 3;
    }
    if (static_cast<int32_t>(value) < 0) check += round;
    table[(index + 1) % kMixWords] = value;
    check = check * 5 + (value >> 7);
  }
  return check;
}

}  // namespace swai::cpe
