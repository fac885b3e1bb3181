// SPDX-License-Identifier: Apache-2.0
// How a sequence's tokens are chosen: in memory, so that another request needs no other list.
#pragma once

#include <bit>
#include <cstdint>

namespace swai::operators {

struct SampleSettings {
  float temperature = 1;  // 2^-10 to 2^10; 0: the largest logit
  float top_p = 1;        // 2^-20 to 1; 1: all
  uint32_t top_k = 0;     // 0: all
  uint32_t stream = 0;    // of the generator: sequences with the same seed need different ones
  uint32_t seed[2] = {};  // its lower half first
  // Of `penalise`.
  float repetition = 1;  // 2^-10 to 2^10; 1: none
  float frequency = 0;   // at most 2^10, or -2^10
  float presence = 0;    // likewise
  uint32_t reserved[3] = {};
};
static_assert(sizeof(SampleSettings) == 48);

// Cores compare numbers above 0 by their bits.
constexpr bool is_between(float value, float low, float high) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return bits >= std::bit_cast<uint32_t>(low) && bits <= std::bit_cast<uint32_t>(high);
}

constexpr bool is_greedy(const SampleSettings& settings) {
  return std::bit_cast<uint32_t>(settings.temperature) == 0;
}
constexpr bool can_sample(const SampleSettings& settings) {
  return (is_greedy(settings) || is_between(settings.temperature, 1.0f / 1024, 1024)) &&
         is_between(settings.top_p, 1.0f / (1 << 20), 1);
}

}  // namespace swai::operators
