// SPDX-License-Identifier: Apache-2.0
// What linear layers take, and how their weights lie in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "cpe-kernels/operators/linear/limits.hpp"

namespace swai::operators {

// A block of results of one CPE: as many sums as half of its accumulators holds.
inline constexpr uint32_t kBlockRows = 32;
inline constexpr uint32_t kBlockColumns = 64;
inline constexpr uint32_t kScaleGroup = 128;
// Sums of so many products of bytes fit in 32 bits.
inline constexpr uint32_t kMaxDepth = 65536;

// Packed weights: for each 64 columns all pieces of 128 k, for each 8 columns of a piece all its k, 8 bytes
// for each. So the weights of 8 columns or more, as many as a CPE may take, are one transfer of a piece.
// Depth is rounded up to 8, columns to 64; what is added is 0, so that nothing that stands beside x counts.
inline constexpr uint32_t kPackedDepth = 128;
inline constexpr uint32_t kPackedColumns = 8;
constexpr uint32_t padded_depth(uint32_t depth) { return (depth + 7) / 8 * 8; }
constexpr uint64_t packed_linear_bytes(uint32_t depth, uint32_t columns) {
  return uint64_t{padded_depth(depth)} * ((columns + kBlockColumns - 1) / kBlockColumns) * kBlockColumns;
}
// Of the piece that `k` is in.
constexpr uint32_t packed_piece_depth(uint32_t depth, uint32_t k) {
  return std::min(padded_depth(depth) - k / kPackedDepth * kPackedDepth, kPackedDepth);
}
constexpr uint64_t packed_linear_index(uint32_t depth, uint32_t k, uint32_t column) {
  const uint32_t of_piece = k % kPackedDepth, of_block = column % kBlockColumns;
  const uint64_t piece = uint64_t{column / kBlockColumns} * padded_depth(depth) + (k - of_piece);
  const uint32_t row = of_block / kPackedColumns * packed_piece_depth(depth, k) + of_piece;
  return piece * kBlockColumns + row * kPackedColumns + of_block % kPackedColumns;
}
// `weights`: [columns][depth], as models have them. `packed` has packed_linear_bytes.
inline void pack_linear(std::span<const int8_t> weights, uint32_t depth, uint32_t columns,
                        std::span<int8_t> packed) {
  for (int8_t& byte : packed) byte = 0;
  for (uint32_t column = 0; column < columns; ++column) {
    for (uint32_t k = 0; k < depth; ++k)
      packed[packed_linear_index(depth, k, column)] = weights[size_t{column} * depth + k];
  }
}

// All of the depth shares a scale of x, or each 128.
template <typename Args>
constexpr bool is_scale_group(const Args& args) {
  return args.group == args.depth || (args.group == kScaleGroup && args.group <= args.depth);
}

constexpr Refusal check(const LinearArgs& args) {
  if (!is_shape(args.rows, args.columns) || !is_shape(args.rows, args.depth) || args.depth > kMaxDepth)
    return Refusal::kShape;
  if (!is_scale_group(args)) return Refusal::kShape;
  const uint32_t groups = (args.depth + args.group - 1) / args.group;
  if (!is_read_stride(args.x_stride, args.rows) || !is_stride(args.x_scales_stride, groups, args.rows * 4))
    return Refusal::kStride;
  return check_ending(args);
}

}  // namespace swai::operators
