// SPDX-License-Identifier: Apache-2.0
// Launches of eager PyTorch for Whisper, from the list of operators that it issues (eager_operators.hpp).
#pragma once

#include <cstdint>

namespace swai::cli::bench::eager {

struct Job {
  uint64_t audio_layers = 0;
  uint64_t text_layers = 0;
  uint64_t windows = 0;
  uint64_t tokens = 0;  // of a window, one of each pass of the decoder
};

uint64_t launches(const Job& job);
// Of its layers alone: what equation 1 reckons, with the list's launches of a layer.
uint64_t launches_of_layers(const Job& job);

}  // namespace swai::cli::bench::eager
