// SPDX-License-Identifier: Apache-2.0
// How tokens are chosen.
#pragma once

#include <cstdint>

#include "cpe-kernels/operators/sample/settings.hpp"

namespace swai::generate {

struct Sampling {
  float temperature = 0;  // 0: always the likeliest
  uint32_t top_k = 0;     // 0: among all
  float top_p = 1;
  uint64_t seed = 0;
  // Of tokens that the text has already: 1, 0 and 0 are none.
  float repetition = 1;  // divides what speaks for them
  float frequency = 0;   // less for each time
  float presence = 0;    // less

  bool penalises() const { return repetition != 1 || frequency != 0 || presence != 0; }
};

inline operators::SampleSettings settings_of(const Sampling& wish) {
  operators::SampleSettings settings;
  settings.temperature = wish.temperature;
  settings.top_k = wish.top_k;
  settings.top_p = wish.top_p;
  settings.seed[0] = static_cast<uint32_t>(wish.seed);
  settings.seed[1] = static_cast<uint32_t>(wish.seed >> 32);
  settings.repetition = wish.repetition;
  settings.frequency = wish.frequency;
  settings.presence = wish.presence;
  return settings;
}

}  // namespace swai::generate
