// SPDX-License-Identifier: Apache-2.0
// Weights in eight bits as the card's linear layers read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace swai::models {

struct EightBits {
  std::vector<int8_t> packed;  // operators::pack_linear
  std::vector<float> scales;   // of each row of the matrix
};

// Of a matrix, row by row, each of so many numbers.
EightBits eight_bits(std::span<const float> numbers, size_t depth);

}  // namespace swai::models
