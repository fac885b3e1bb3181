// SPDX-License-Identifier: Apache-2.0
// What argmax takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

inline constexpr uint32_t kArgmaxPiece = 2048;
inline constexpr uint32_t kArgmaxColumns = 1 << 20;

constexpr uint32_t argmax_pieces(uint32_t columns) { return (columns + kArgmaxPiece - 1) / kArgmaxPiece; }

constexpr Refusal check(const ArgmaxArgs& args) {
  if (!is_shape(args.rows, args.columns) || args.columns > kArgmaxColumns) return Refusal::kShape;
  if (!is_stride(args.from_stride, args.rows, args.columns * 4)) return Refusal::kStride;
  return Refusal::kNone;
}

}  // namespace swai::operators
