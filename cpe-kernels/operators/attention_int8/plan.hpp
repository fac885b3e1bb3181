// SPDX-License-Identifier: Apache-2.0
// What attention with products of int8 takes.
#pragma once

#include "cpe-kernels/operators/attention/plan.hpp"

namespace swai::operators {

// Weights of values are whole numbers to this one.
inline constexpr float kMostWeight = 127;
// Scales of values below count as this: their logarithms and reciprocals stay numbers.
inline constexpr float kLeastValueScale = 0x1p-64f;
// What a score becomes that a row does not see.
inline constexpr float kHiddenScore = -0x1.fffffep127f;

// Queries that local memory has room for: a row of scores, twice, and of weights, twice; queries in floating
// point and in int8, a block's sums and those of all blocks. Beside them keys and values, two blocks of each.
constexpr uint32_t most_int8_queries(uint32_t width) {
  constexpr uint32_t kRoom = 108 * 1024;
  const uint32_t for_each = 2 * kKeyBlock * (4 + 1) + width * (4 + 1 + 4 + 4);
  return std::min<uint32_t>((kRoom - 4 * kKeyBlock * width) / for_each, 64);
}

constexpr Refusal check(const AttentionInt8Args& args) {
  if (!has_good_sizes(args) || !has_keys_for_rows(args)) return Refusal::kShape;
  if (!is_float(args.to_type) || !is_float(args.q_type)) return Refusal::kType;
  return check_places(args, Number::kInt8);
}

}  // namespace swai::operators
