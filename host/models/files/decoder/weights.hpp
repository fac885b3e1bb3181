// SPDX-License-Identifier: Apache-2.0
// The weights of a decoder as the card's operators read them.
#pragma once

#include <vector>

#include "host/models/files/decoder/card.hpp"

namespace swai::models {

// All weights, one after the other, so that one alone is in memory at a time.
void pack_decoder(const Model& model, const CardDecoder& card, const Put& put);

// A rotary table for heads of that width: a row for each position, cosines, then sines.
std::vector<float> rotary_table(const std::vector<double>& frequencies, uint32_t head_width,
                                uint32_t positions);

}  // namespace swai::models
