// SPDX-License-Identifier: Apache-2.0
// Products of 8 x 8 tiles of int8 with rows of activations, as the host computes them fastest.
#pragma once

#include <array>
#include <cstdint>

namespace swai::iss::cpe::products {

using Row = std::array<int32_t, 8>;
// A byte in all eight of a word.
inline constexpr uint64_t kEach = 0x0101'0101'0101'0101;

// Of a column tile: k tiles that have the same scales and zeros.
struct Groups {
  const uint8_t* at =
      nullptr;           // of the first one: 8 scales, 8 zeros of which 4 bits count; null: there are none
  int64_t stride = 0;    // from group to group
  uint32_t k_tiles = 0;  // of a group; the last one may have fewer
};

// Activations and weights side by side in memory, k tile after k tile.
struct Operands {
  const uint64_t* activations;  // [row][k tile]: 8 bytes of 8 k each, exclusive-or kernel().bias
  const uint64_t* weights;      // [k tile][column]: 8 bytes of 8 k
  uint32_t rows;
  uint32_t row_stride;  // of activations
  uint32_t k_tiles;
  Groups groups;
};

// Tiles of weights as they lie in local memory.
struct Weights {
  const uint8_t* at;
  int64_t k_stride;  // from tile to tile
  uint32_t k_tiles;
  bool by_column;      // words, or 4 bytes of nibbles, are 8 k of a column, else 8 columns of a k
  int64_t row_stride;  // of words
  Groups groups;  // if there are any, weights are nibbles, 32 bytes a tile, of which zeros are taken away
};
// Column tiles whose words lie side by side.
inline constexpr unsigned kTogether = 8;

struct Kernel {
  uint64_t bias;
  // Adds the products, times the scales, to sums[row], modulo 2^32.
  void (*add)(const Operands& operands, Row* sums);
  // Puts weights side by side, as `add` wants them.
  void (*gather)(const Weights& weights, uint64_t* columns);
  // The same for kTogether column tiles of words that are columns of a k, one behind the other.
  void (*gather_together)(const Weights& weights, uint64_t* columns);
};
// Of simd::level(), which is not kPlain.
Kernel kernel();

}  // namespace swai::iss::cpe::products
