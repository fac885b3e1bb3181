// SPDX-License-Identifier: Apache-2.0
// The weights of a llama model as the card's operators read them.
#pragma once

#include <vector>

#include "host/generate/card_llama.hpp"
#include "host/models/packed_file.hpp"

namespace swai::generate {

using models::Put;

// All weights but the rotary table, one after the other, so that one alone is in memory at a time.
void pack_llama(const models::Model& model, const CardLlama& card, const Put& put);

// The rotary table: a row for each position, cosines, then sines.
std::vector<float> rotary_table(const CardLlama& card, uint32_t positions);

}  // namespace swai::generate
