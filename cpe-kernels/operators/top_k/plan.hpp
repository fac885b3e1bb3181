// SPDX-License-Identifier: Apache-2.0
// What top_k takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

inline constexpr uint32_t kTopKColumns = 1 << 18;
inline constexpr uint32_t kTopKCount = 64;
inline constexpr uint32_t kTopKPart = 64;  // columns whose largest is in the workspace

constexpr uint32_t top_k_parts(uint32_t columns) { return (columns + kTopKPart - 1) / kTopKPart; }

constexpr Refusal check(const TopKArgs& args) {
  if (!is_shape(args.rows, args.columns) || args.columns > kTopKColumns || args.count == 0 ||
      args.count > kTopKCount || args.count > args.columns) {
    return Refusal::kShape;
  }
  if (!is_stride(args.from_stride, args.rows, args.columns * 4)) return Refusal::kStride;
  return Refusal::kNone;
}

}  // namespace swai::operators
