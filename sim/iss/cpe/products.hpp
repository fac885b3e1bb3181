// Products of 8 x 8 tiles of int8 with rows of activations, as the host computes them fastest.
#pragma once

#include <array>
#include <cstdint>

namespace swai::iss::cpe::products {

using Row = std::array<int32_t, 8>;

// Activations and weights side by side in memory, k tile after k tile.
struct Operands {
  const uint64_t* activations;  // [row][k tile]: 8 bytes of 8 k each, exclusive-or kernel().bias
  const uint64_t* weights;      // [k tile][column]: 8 bytes of 8 k
  uint32_t rows;
  uint32_t row_stride;  // of activations
  uint32_t k_tiles;
};

struct Kernel {
  uint64_t bias;
  // Adds the products to sums[row], modulo 2^32.
  void (*add)(const Operands& operands, Row* sums);
};
// Of simd::level(), which is not kPlain.
Kernel kernel();

// 8 x 8 bytes: byte i of word j becomes byte j of word i.
void transpose(std::array<uint64_t, 8>& words);

}  // namespace swai::iss::cpe::products
