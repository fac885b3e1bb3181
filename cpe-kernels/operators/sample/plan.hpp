// SPDX-License-Identifier: Apache-2.0
// What sample takes.
#pragma once

#include "cpe-kernels/operators/common/grid.hpp"
#include "cpe-kernels/operators/common/pieces.hpp"
#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"

namespace swai::operators {

inline constexpr uint32_t kSampleColumns = 1 << 20;
inline constexpr uint32_t kSampleRows = 128;
// A number for each piece of all rows, rows at a pitch, is in every CPE's local memory.
inline constexpr uint32_t kSamplePieces = 4096;

// Among so many one is drawn at once, by weights that add up to about kSampleWhole.
inline constexpr uint32_t kSampleGroup = 32;
inline constexpr float kSampleWhole = 1 << 30;

// Numbers that the workspace has for each piece: its largest logit; the sum of its probabilities at
// temperature 1; columns that are kept, and the sum of their probabilities. Of the last two there are two:
// one is written while others still read the one before.
enum class SamplePlane : uint32_t { kMost = 0, kPlainSum = 1, kCount = 2, kSum = 4, kPlanes = 6 };

constexpr uint64_t sample_workspace(uint32_t rows, uint32_t columns) {
  return uint64_t{static_cast<uint32_t>(SamplePlane::kPlanes)} * rows * pieces_of(columns) * 4;
}

constexpr Refusal check(const SampleArgs& args) {
  if (!is_shape(args.rows, args.columns) || args.columns > kSampleColumns || args.rows > kSampleRows ||
      args.rows * pitch_of(pieces_of(args.columns)) > kSamplePieces) {
    return Refusal::kShape;
  }
  if (const Refusal positions = check_positions(args); positions != Refusal::kNone) return positions;
  if (!is_source_stride(args.from_stride, args.rows, args.columns * 4) ||
      !is_source_stride(args.settings_stride, args.rows, sizeof(SampleSettings))) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
