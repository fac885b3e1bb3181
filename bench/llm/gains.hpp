// SPDX-License-Identifier: Apache-2.0
// What optimisations gain that the card's operators have built in: the same without them, in floating point.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/llm/published.hpp"
#include "host/models/files/model.hpp"
#include "host/models/exec/walker.hpp"

namespace swai::cli::bench {

struct Gain {
  std::string what;
  std::string with, without;  // how they are called
  published::Stages published;
  // Nanoseconds of the card.
  published::Stages ns_with = {}, ns_without = {};
};

// Rows of a prompt, the last ones, and one token behind others.
struct GainStage {
  uint32_t rows;
  uint32_t past;
};

std::vector<Gain> measure_gains(walk::Walker& walker, const models::DecoderShape& shape, GainStage prefill,
                                GainStage decode, const std::function<void(double)>& done);

// Of attention in one block: keys and values kept in place, scores never in memory.
std::string fused_attention(const models::DecoderShape& shape, GainStage stage);
// As exporters write it: keys and values joined to those before, heads taken apart, scores, softmax, sums.
std::string joined_attention(const models::DecoderShape& shape, GainStage stage);

}  // namespace swai::cli::bench
