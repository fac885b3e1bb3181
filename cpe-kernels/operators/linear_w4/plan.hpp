// SPDX-License-Identifier: Apache-2.0
// What linear layers with weights of four bits take, and how these lie in memory.
#pragma once

#include <cstdint>
#include <span>

#include "cpe-kernels/operators/linear/plan.hpp"

namespace swai::operators {

// A weight is (number 0 to 15 less its zero, 0 to 15) * the scale of its group, 1 to 255, * the factor of its
// column, plus the minimum of its group, if there are minima. Groups lie along depth, in one column.
//
// Packed: pieces of 128 k one after the other, in each of them tiles of 8 columns, a tile in one piece:
//   for each 8 k 32 bytes, number of k and column in nibble 8 k + column;
//   for each group 8 scales, 8 zeros, a byte each;
//   for each group 8 minima, fp16.
// A tile is rounded up to 32 bytes. Depth is rounded up to 8, columns too: what is added has weight 0.
inline constexpr uint32_t kW4Depth = 128;
inline constexpr uint32_t kW4Tile = 8;

struct W4Layout {
  uint32_t depth;
  uint32_t columns;
  uint32_t group;
  bool minima;

  // Of the piece that begins at k.
  constexpr uint32_t depth_at(uint32_t k) const { return depth - k < kW4Depth ? depth - k : kW4Depth; }
  constexpr uint32_t scales_offset(uint32_t k) const { return padded_depth(depth_at(k)) * 4; }
  constexpr uint32_t groups_at(uint32_t k) const { return (depth_at(k) + group - 1) / group; }
  constexpr uint32_t minima_offset(uint32_t k) const { return scales_offset(k) + groups_at(k) * 16; }
  constexpr uint32_t tile_bytes(uint32_t k) const {
    return (minima_offset(k) + (minima ? groups_at(k) * 16 : 0) + 31) / 32 * 32;
  }
  constexpr uint32_t tiles() const { return (columns + kW4Tile - 1) / kW4Tile; }
  // Where the tile of a column begins in the piece of k.
  constexpr uint64_t tile_at(uint32_t k, uint32_t column) const {
    return uint64_t{k / kW4Depth} * tiles() * tile_bytes(0) + uint64_t{column / kW4Tile} * tile_bytes(k);
  }
  constexpr uint64_t bytes() const {
    const uint32_t last = (depth - 1) / kW4Depth * kW4Depth;
    return tile_at(last, 0) + uint64_t{tiles()} * tile_bytes(last);
  }
};
constexpr W4Layout layout_of(const LinearW4Args& args) {
  return {args.depth, args.columns, args.w_group, args.minima != 0};
}

// `numbers`: [columns][depth]; `scales`, `zeros`, `minima` (bits of fp16; empty without): [columns][groups].
// `packed` has layout.bytes().
inline void pack_linear_w4(const W4Layout& layout, std::span<const uint8_t> numbers,
                           std::span<const uint8_t> scales, std::span<const uint8_t> zeros,
                           std::span<const uint16_t> minima, std::span<uint8_t> packed) {
  for (uint8_t& byte : packed) byte = 0;
  const uint32_t groups = (layout.depth + layout.group - 1) / layout.group;
  for (uint32_t column = 0; column < layout.columns; ++column) {
    const uint32_t lane = column % kW4Tile;
    for (uint32_t k = 0; k < padded_depth(layout.depth); ++k) {
      const uint32_t begin = k / kW4Depth * kW4Depth;
      uint8_t* const tile = &packed[layout.tile_at(begin, column)];
      const uint32_t group = k / layout.group;
      const size_t of_group = size_t{column} * groups + group;
      // Beyond the end a number is its zero.
      const uint8_t number = k < layout.depth ? numbers[size_t{column} * layout.depth + k] : zeros[of_group];
      const uint32_t nibble = (k - begin) * kW4Tile + lane;
      tile[nibble / 2] = static_cast<uint8_t>(tile[nibble / 2] | (number & 15) << 4 * (nibble % 2));
      if (k % layout.group != 0) continue;
      const uint32_t here = (k - begin) / layout.group * 16;
      tile[layout.scales_offset(begin) + here + lane] = scales[of_group];
      tile[layout.scales_offset(begin) + here + 8 + lane] = zeros[of_group];
      if (!layout.minima) continue;
      tile[layout.minima_offset(begin) + here + 2 * lane] = static_cast<uint8_t>(minima[of_group]);
      tile[layout.minima_offset(begin) + here + 2 * lane + 1] = static_cast<uint8_t>(minima[of_group] >> 8);
    }
  }
}

constexpr Refusal check(const LinearW4Args& args) {
  if (!is_shape(args.rows, args.columns) || !is_shape(args.rows, args.depth) || args.depth > kMaxDepth)
    return Refusal::kShape;
  if (args.group != args.depth && (args.group != kScaleGroup || args.group > args.depth))
    return Refusal::kShape;
  if (args.w_group != 32 && args.w_group != 64 && args.w_group != 128) return Refusal::kShape;
  if (args.minima > 1) return Refusal::kParameter;
  const uint32_t groups = (args.depth + args.group - 1) / args.group;
  if (!is_read_stride(args.x_stride, args.rows) || !is_stride(args.x_scales_stride, groups, args.rows * 4))
    return Refusal::kStride;
  return check_ending(args);
}

}  // namespace swai::operators
