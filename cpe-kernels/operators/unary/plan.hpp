// SPDX-License-Identifier: Apache-2.0
// What functions of elements take.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

constexpr Refusal check(const UnaryArgs& args) {
  if (!is_shape(args.rows, args.columns)) return Refusal::kShape;
  if (!is_float(args.to_type) || !is_float(args.from_type)) return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      !is_source_stride(args.from_stride, args.rows, args.columns * bytes_of(args.from_type))) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
