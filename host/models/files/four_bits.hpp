// SPDX-License-Identifier: Apache-2.0
// Weights in four bits as the card's linear layers read them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/models/files/tensor.hpp"

namespace swai::models {

struct FourBits {
  std::vector<uint8_t> packed;  // operators::pack_linear_w4
  std::vector<float> factors;   // of each row of the matrix
};

inline constexpr uint32_t kFourBitGroup = 32;

// Of a matrix of finite numbers, row by row, each of so many: scales and zeros that lose least.
FourBits four_bits(std::span<const float> numbers, size_t depth);

// Of a matrix in Q4_0 or Q4_1: the file's own numbers, with minima. `rows`: which of the matrix; none: zeros.
FourBits four_bits_of(const Tensor& tensor, std::span<const std::optional<uint32_t>> rows);

}  // namespace swai::models
