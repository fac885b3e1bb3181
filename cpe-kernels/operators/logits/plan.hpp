// SPDX-License-Identifier: Apache-2.0
// What operators take that change logits in place.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/common/pieces.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"

namespace swai::operators {

inline constexpr uint32_t kLogits = 1 << 20;  // columns
inline constexpr uint32_t kPenalisedRows = 128;
inline constexpr uint32_t kMaxRanges = 16;

struct ColumnRange {
  uint32_t first;
  uint32_t end;
};

constexpr bool can_penalise(const SampleSettings& settings) {
  const auto is_small = [](float value) {
    return is_between(std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0x7fff'ffff), 0, 1024);
  };
  return is_between(settings.repetition, 1.0f / 1024, 1024) && is_small(settings.frequency) &&
         is_small(settings.presence);
}
// Whether nothing changes.
constexpr bool is_neutral(const SampleSettings& settings) {
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  return bits(settings.repetition) == bits(1.0f) && (bits(settings.frequency) << 1) == 0 &&
         (bits(settings.presence) << 1) == 0;
}

constexpr Refusal check(const PenaliseArgs& args) {
  if (!is_shape(args.rows, args.columns) || args.columns > kLogits || args.rows > kPenalisedRows ||
      args.count > kLogits) {
    return Refusal::kShape;
  }
  if (!is_stride(args.to_stride, args.rows, args.columns * 4) ||
      !is_source_stride(args.tokens_stride, args.rows, args.count * 4) ||
      !is_source_stride(args.settings_stride, args.rows, sizeof(SampleSettings))) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

constexpr Refusal check(const MaskArgs& args) {
  if (!is_shape(args.rows, args.columns) || args.columns > kLogits) return Refusal::kShape;
  if (!is_stride(args.to_stride, args.rows, args.columns * 4) ||
      (args.from && !is_source_stride(args.from_stride, args.rows, args.columns * 4)) ||
      !is_source_stride(args.bits_stride, args.rows, (args.columns + 31) / 32 * 4) ||
      !is_source_stride(args.ranges_stride, args.rows, args.range_count * uint32_t{sizeof(ColumnRange)})) {
    return Refusal::kStride;
  }
  if (args.range_count > kMaxRanges) return Refusal::kParameter;
  return Refusal::kNone;
}

constexpr Refusal check(const PreferGroupArgs& args) {
  if (!is_shape(args.rows, args.columns) || args.columns > kLogits || args.first == 0 ||
      args.first >= args.columns) {
    return Refusal::kShape;
  }
  if (!is_stride(args.to_stride, args.rows, args.columns * 4)) return Refusal::kStride;
  return Refusal::kNone;
}

}  // namespace swai::operators
