// SPDX-License-Identifier: Apache-2.0
// Rows of several texts at once: each has its position in its own text, and a text's rows lie in chunks of
// memory, wherever there was room.
#pragma once

#include <algorithm>

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

inline constexpr uint32_t kChunkRows = 64;  // that lie together
// Chunks beyond, of rows so far apart, are outside of every segment.
inline constexpr uint32_t kMaxChunk = 1 << 25;

inline constexpr uint32_t kMaxPlacedRows = 64;   // that have positions of their own
inline constexpr uint32_t kNoText = UINT32_MAX;  // the position of a row that belongs to no text

template <typename Args>
constexpr Refusal check_positions(const Args& args) {
  return args.positions && args.rows > kMaxPlacedRows ? Refusal::kShape : Refusal::kNone;
}
// Of rows at positions even one needs a stride.
template <typename Args>
constexpr uint32_t places_of(const Args& args) {
  return args.positions ? std::max(args.rows, uint32_t{2}) : args.rows;
}

}  // namespace swai::operators
