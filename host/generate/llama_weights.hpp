// The weights of a llama model as the card's operators read them.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "host/generate/card_llama.hpp"

namespace swai::generate {

// Takes the contents of the weight that a graph knows by this name.
using Put = std::function<void(const std::string& name, std::span<const uint8_t> contents)>;

// All weights but the rotary table, one after the other, so that one alone is in memory at a time.
void pack_llama(const models::Model& model, const CardLlama& card, const Put& put);

// The rotary table: a row for each position, cosines, then sines.
std::vector<float> rotary_table(const CardLlama& card, uint32_t positions);

}  // namespace swai::generate
