// SPDX-License-Identifier: Apache-2.0
// What linear layers in floating point take.
#pragma once

#include "cpe-kernels/operators/linear/limits.hpp"

namespace swai::operators {

// The products of so many k are added up in the vector unit's order, and these sums one after the other.
inline constexpr uint32_t kSumDepth = 128;

constexpr Refusal check(const LinearFp32Args& args) {
  if (!is_shape(args.rows, args.columns) || !is_shape(args.rows, args.depth) ||
      !is_shape(args.columns, args.depth)) {
    return Refusal::kShape;
  }
  if (!is_float(args.x_type) || !is_float(args.w_type)) return Refusal::kType;
  if (!is_read_stride(args.x_stride, args.rows) || !is_read_stride(args.w_stride, args.columns))
    return Refusal::kStride;
  return check_ending(args);
}

}  // namespace swai::operators
