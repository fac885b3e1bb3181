// SPDX-License-Identifier: Apache-2.0
// What transpose takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

constexpr Refusal check(const TransposeArgs& args) {
  if (!is_shape(args.rows, args.columns)) return Refusal::kShape;
  if (args.element_bytes != 1 && args.element_bytes != 2 && args.element_bytes != 4) return Refusal::kType;
  if (!is_stride(args.to_stride, args.columns, args.rows * args.element_bytes) ||
      !is_source_stride(args.from_stride, args.rows, args.columns * args.element_bytes)) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
