// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/speech.hpp"

#include <algorithm>
#include <cmath>

namespace swai::transcribe {

double probability(std::span<const float> logits, Token token) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return std::exp(static_cast<double>(logits[token]) - largest) / sum;
}

}  // namespace swai::transcribe
