// SPDX-License-Identifier: Apache-2.0
// Packs sparse weights at import.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "cpe-kernels/operators/linear_sparse/plan.hpp"

namespace swai::operators {

// Blocks that are not 0 of weights [columns][depth], as models have them.
class SparseBlocks {
 public:
  SparseBlocks(std::span<const int8_t> weights, uint32_t depth, uint32_t columns)
      : weights_(weights), depth_(depth), columns_(columns) {}

  int8_t at(uint32_t k, uint32_t column) const {
    return column < columns_ ? weights_[size_t{column} * depth_ + k] : int8_t{0};
  }
  // Which k of a piece have one in the four columns that begin at `column`.
  std::vector<uint16_t> places(uint32_t begin, uint32_t piece, uint32_t column) const {
    std::vector<uint16_t> found;
    for (uint32_t k = begin; k < std::min(begin + piece, depth_); ++k) {
      bool any = false;
      for (uint32_t i = 0; i < kSparseColumns; ++i) any |= at(k, column + i) != 0;
      if (any) found.push_back(static_cast<uint16_t>(k - begin));
    }
    return found;
  }
  // How many tiles each 8 columns have of each piece.
  std::vector<uint32_t> tiles(uint32_t piece) const {
    std::vector<uint32_t> counts;
    for (uint32_t begin = 0; begin < depth_; begin += piece) {
      const size_t first = counts.size();
      for (uint32_t column = 0; column < columns_; column += 8) {
        const size_t blocks = std::max({size_t{1}, places(begin, piece, column).size(),
                                        places(begin, piece, column + kSparseColumns).size()});
        counts.push_back(static_cast<uint32_t>((blocks + kSparseBlocks - 1) / kSparseBlocks));
      }
      if (piece >= depth_) break;
      for (size_t i = first; i < counts.size(); i += kBlockColumns / 8) {
        const auto group =
            std::span(counts).subspan(i, std::min<size_t>(kBlockColumns / 8, counts.size() - i));
        std::ranges::fill(group, std::ranges::max(group));
      }
    }
    return counts;
  }

 private:
  std::span<const int8_t> weights_;
  uint32_t depth_;
  uint32_t columns_;
};

// Weights are [columns][depth]. What has to be said of them: how many tiles 8 columns have at most.
inline uint32_t sparse_tiles(std::span<const int8_t> weights, uint32_t depth, uint32_t columns) {
  const SparseBlocks blocks(weights, depth, columns);
  if (depth > kSparseWhole) return std::ranges::max(blocks.tiles(kSparsePiece));
  const uint32_t whole = std::ranges::max(blocks.tiles(kSparseWhole));
  if (whole <= kSparseWholeTiles) return whole;
  return std::max(kSparseWholeTiles + 1, std::ranges::max(blocks.tiles(kSparsePiece)));
}

// `layout.tiles`: sparse_tiles() or more.
inline std::vector<uint8_t> pack_linear_sparse(const SparseLayout& layout, std::span<const int8_t> weights) {
  const uint32_t depth = layout.depth, columns = layout.columns, piece = layout.piece;
  const SparseBlocks blocks(weights, depth, columns);
  const std::vector<uint32_t> counts = blocks.tiles(piece);
  std::vector<uint32_t> table = {0};
  for (const uint32_t count : counts) table.push_back(table.back() + count);
  std::vector<uint8_t> bytes(layout.tile_at(table.back()));
  std::memcpy(bytes.data(), table.data(), table.size() * sizeof table[0]);
  for (uint32_t begin = 0; begin < depth; begin += piece) {
    for (uint32_t column = 0; column < columns; column += kSparseColumns) {
      uint8_t* tile = &bytes[layout.tile_at(table[layout.entry(begin, column)])];
      const uint32_t half = column / kSparseColumns % 2 * kSparseBlocks;
      uint32_t block = half;
      for (const uint16_t k : blocks.places(begin, piece, column)) {
        if (block == half + kSparseBlocks) {
          block = half;
          tile += kSparseTileBytes;
        }
        std::memcpy(tile + size_t{block} * sizeof k, &k, sizeof k);
        uint8_t* const to = tile + 2 * kSparseBlocks * sizeof k + size_t{block} * kSparseColumns;
        for (uint32_t i = 0; i < kSparseColumns; ++i)
          to[i] = static_cast<uint8_t>(blocks.at(begin + k, column + i));
        ++block;
      }
    }
  }
  return bytes;
}

}  // namespace swai::operators
