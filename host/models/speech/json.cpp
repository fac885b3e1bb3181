// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/json.hpp"

namespace swai::transcribe {
namespace {

double seconds_of(uint64_t hundredths) { return static_cast<double>(hundredths) / 100; }

}  // namespace

nlohmann::ordered_json segment_json(const Said& said, size_t number) {
  return {{"id", number},
          {"start", seconds_of(said.segment.begin)},
          {"end", seconds_of(said.segment.end)},
          {"text", said.text},
          {"tokens", said.segment.tokens},
          {"temperature", said.temperature},
          {"avg_logprob", said.mean_log_probability},
          {"no_speech_prob", said.no_speech_probability}};
}

}  // namespace swai::transcribe
