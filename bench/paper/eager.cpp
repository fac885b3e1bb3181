// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/eager.hpp"

#include "bench/paper/eager_operators.hpp"

namespace swai::cli::bench::eager {

uint64_t launches_of_layers(const Job& job) {
  const uint64_t decoder = kFirstLayer.size() + (job.tokens - 1) * kStepLayer.size();
  return job.windows * (job.audio_layers * kEncoderLayer.size() + job.text_layers * decoder);
}

uint64_t launches(const Job& job) {
  const uint64_t steps = (job.tokens - 1) * (kStepBefore.size() + kStepAfter.size());
  const uint64_t window =
      kEncoderBefore.size() + kEncoderAfter.size() + kFirstBefore.size() + kFirstAfter.size() + steps;
  return launches_of_layers(job) + job.windows * window;
}

}  // namespace swai::cli::bench::eager
