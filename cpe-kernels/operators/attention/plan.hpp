// SPDX-License-Identifier: Apache-2.0
// What attention takes, and the memory that it needs in between.
#pragma once

#include <algorithm>

#include "cpe-kernels/operators/common/places.hpp"

namespace swai::operators {

// Keys whose weights are relative to the same score, and that lie together if there are chunks.
inline constexpr uint32_t kKeyBlock = kChunkRows;
inline constexpr uint32_t kMaxHeads = 1024;
inline constexpr uint32_t kMaxHeadWidth = 256;

constexpr uint32_t key_blocks(uint32_t keys) { return (keys + kKeyBlock - 1) / kKeyBlock; }

// What decides how the work of attention is divided.
struct AttentionSizes {
  uint32_t rows;
  uint32_t heads;
  uint32_t kv_heads;
  uint32_t keys;
  bool causal;
  const uint32_t* positions;  // of rows in texts of their own; null: all are of one text
};
template <typename Args>
constexpr AttentionSizes sizes_of(const Args& args, const uint32_t* positions = nullptr) {
  return {args.rows, args.heads, args.kv_heads, args.keys, args.causal != 0, positions};
}

// Keys that a row sees: the first ones. A row of no text sees none.
constexpr uint32_t visible_keys(const AttentionSizes& sizes, uint32_t row) {
  static_assert(kNoText + 1 == 0);
  if (sizes.positions != nullptr) return sizes.positions[row] + 1;
  return sizes.causal ? sizes.keys - sizes.rows + row + 1 : sizes.keys;
}

// What a block of keys makes of a query: the weighted sum of values, then the sum of weights, then the
// largest score, which the weights are relative to; whole vectors.
constexpr uint32_t partial_floats(uint32_t width) { return width + 8; }

// Of few rows all CPEs take blocks of keys, and put partial results into the workspace. Of many each takes
// rows of its own, and adds partial results up as they come.
inline constexpr uint32_t kFewRows = 31;  // of all kv_heads together
constexpr bool uses_workspace(uint32_t rows, uint32_t kv_heads, uint32_t keys) {
  return uint64_t{rows} * kv_heads <= kFewRows && keys > kKeyBlock;
}
// For so many rows and keys, and for fewer.
constexpr uint64_t attention_workspace_bytes(uint32_t rows, uint32_t heads, uint32_t kv_heads, uint32_t width,
                                             uint32_t keys) {
  if (keys <= kKeyBlock) return 0;
  const uint64_t queries = uint64_t{std::min(rows, kFewRows / kv_heads)} * heads;
  return queries * key_blocks(keys) * partial_floats(width) * sizeof(float);
}

// Of attention of any kind.
template <typename Args>
constexpr bool has_good_sizes(const Args& args) {
  return args.heads != 0 && args.heads <= kMaxHeads && args.kv_heads != 0 &&
         args.heads % args.kv_heads == 0 && args.width != 0 && args.width <= kMaxHeadWidth &&
         args.width % 8 == 0 && is_shape(args.rows, args.heads * args.width) && args.keys != 0 &&
         args.keys <= kMaxSize;
}
template <typename Args>
constexpr Refusal check_places(const Args& args, Number kv_type) {
  const uint32_t columns = args.heads * args.width;
  // In chunks no two rows are neighbours for sure, so there is no row that needs no stride.
  const uint32_t places = args.chunks ? std::max(args.keys, uint32_t{2}) : args.keys;
  if (!is_stride(args.to_stride, args.rows, columns * bytes_of(args.to_type)) ||
      !is_source_stride(args.q_stride, args.rows, columns * bytes_of(args.q_type)) ||
      !is_source_stride(args.kv_stride, places, args.kv_heads * args.width * bytes_of(kv_type)) ||
      (kv_type == Number::kInt8 &&
       !is_source_stride(args.scales_stride, args.kv_heads, args.keys * uint32_t{sizeof(float)}))) {
    return Refusal::kStride;
  }
  if (args.causal > 1) return Refusal::kParameter;
  return Refusal::kNone;
}
// Of the last keys one is each row's own.
template <typename Args>
constexpr bool has_keys_for_rows(const Args& args) {
  return args.causal == 0 || args.keys >= args.rows;
}

constexpr Refusal check(const AttentionArgs& args) {
  if (!has_good_sizes(args) || (!args.positions && !has_keys_for_rows(args))) return Refusal::kShape;
  if (const Refusal positions = check_positions(args); positions != Refusal::kNone) return positions;
  if (!is_float(args.to_type) || !is_float(args.q_type) ||
      (!is_float(args.kv_type) && args.kv_type != Number::kInt8)) {
    return Refusal::kType;
  }
  if (const Refusal places = check_places(args, args.kv_type); places != Refusal::kNone) return places;
  if (uses_workspace(args.rows, args.kv_heads, args.keys) && !args.workspace) return Refusal::kParameter;
  if (args.positions ? args.causal == 0 : args.chunks_stride != 0) return Refusal::kParameter;
  return Refusal::kNone;
}

}  // namespace swai::operators
