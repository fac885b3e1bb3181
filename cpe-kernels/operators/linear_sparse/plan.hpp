// SPDX-License-Identifier: Apache-2.0
// What linear layers with sparse weights take, and how these lie in memory.
#pragma once

#include <cstdint>

#include "cpe-kernels/operators/linear/plan.hpp"

namespace swai::operators {

// What is kept, or left out because all of it is 0, is a block: the weights of one k for four columns that
// begin at a multiple of four.
//
// Packed: depth in pieces. A table has for each piece, in it for each 8 columns, and once more at the end,
// how many tiles come before (u32). Behind it, at a line of 64 bytes, the tiles, as the systolic unit takes
// them: 16 bits for each of twice 8 blocks, which k of the piece, then twice 8 x 4 weights. 8 columns have as
// many tiles as that half of them needs which has more blocks, one at least. Of several pieces all columns of
// a group of 64 have equally many. Blocks that fill up tiles have weights 0 and k 0.
inline constexpr uint32_t kSparseColumns = 4;
inline constexpr uint32_t kSparseBlocks = 8;  // of four columns, in a tile
inline constexpr uint32_t kSparseTileBytes = 2 * kSparseBlocks * (2 + kSparseColumns);

// Depth of a piece. All of it in one leaves less room in tiles, but must fit into local memory: so much depth
// does, of so few tiles for 8 columns at most.
inline constexpr uint32_t kSparsePiece = 512;
inline constexpr uint32_t kSparseWhole = 1024;
inline constexpr uint32_t kSparseWholeTiles = 32;
inline constexpr uint32_t kSparseMostTiles = kSparsePiece / kSparseBlocks;
constexpr uint32_t sparse_piece(uint32_t depth, uint32_t tiles) {
  return depth <= kSparseWhole && tiles <= kSparseWholeTiles ? kSparseWhole : kSparsePiece;
}

struct SparseLayout {
  uint32_t depth;
  uint32_t columns;
  uint32_t tiles;  // of 8 columns and a piece, at most
  uint32_t piece = sparse_piece(depth, tiles);

  constexpr uint32_t pieces() const { return (depth + piece - 1) / piece; }
  constexpr uint32_t column_tiles() const { return (columns + 7) / 8; }
  // In the table.
  constexpr uint64_t entry(uint32_t k, uint32_t column) const {
    return uint64_t{k / piece} * column_tiles() + column / 8;
  }
  constexpr uint64_t table_bytes() const {
    return (uint64_t{pieces()} * column_tiles() * 4 + 4 + 63) / 64 * 64;
  }
  constexpr uint64_t tile_at(uint64_t tile) const { return table_bytes() + tile * kSparseTileBytes; }
  // At most.
  constexpr uint64_t bytes() const { return tile_at(uint64_t{pieces()} * column_tiles() * tiles); }
};
constexpr SparseLayout layout_of(const LinearSparseArgs& args) {
  return {args.depth, args.columns, args.tiles};
}

constexpr Refusal check(const LinearSparseArgs& args) {
  if (!is_shape(args.rows, args.columns) || !is_shape(args.rows, args.depth) ||
      !is_shape(args.depth, args.columns) || args.depth > kMaxDepth) {
    return Refusal::kShape;
  }
  if (args.tiles == 0 || args.tiles > kSparseMostTiles) return Refusal::kShape;
  if (!is_read_stride(args.x_stride, args.rows)) return Refusal::kStride;
  return check_ending(args);
}

}  // namespace swai::operators
