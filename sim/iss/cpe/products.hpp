// Products of 8 x 8 tiles of int8 with rows of activations, as the host computes them fastest.
#pragma once

#include <array>
#include <cstdint>

namespace swai::iss::cpe::products {

using Row = std::array<int32_t, 8>;
// A byte in all eight of a word.
inline constexpr uint64_t kEach = 0x0101'0101'0101'0101;

// Activations and weights side by side in memory, k tile after k tile.
struct Operands {
  const uint64_t* activations;  // [row][k tile]: 8 bytes of 8 k each, exclusive-or kernel().bias
  const uint64_t* weights;      // [k tile][column]: 8 bytes of 8 k
  uint32_t rows;
  uint32_t row_stride;  // of activations
  uint32_t k_tiles;
};

// Tiles of weights as they lie in local memory.
struct Weights {
  const uint8_t* at;
  int64_t k_stride;  // from tile to tile
  uint32_t k_tiles;
  bool by_column;      // words, or 4 bytes of nibbles, are 8 k of a column, else 8 columns of a k
  bool nibbles;        // 32 bytes are a tile
  uint64_t zeros;      // of nibbles: byte n is what those of column n are too large by
  int64_t row_stride;  // of words
};

struct Kernel {
  uint64_t bias;
  // Adds the products to sums[row], modulo 2^32.
  void (*add)(const Operands& operands, Row* sums);
  // Puts weights side by side, as `add` wants them.
  void (*gather)(const Weights& weights, uint64_t* columns);
};
// Of simd::level(), which is not kPlain.
Kernel kernel();

}  // namespace swai::iss::cpe::products
