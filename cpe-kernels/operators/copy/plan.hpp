// What `copy` takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

constexpr Refusal check(const CopyArgs& args) {
  if (!is_shape(args.rows, args.row_bytes)) return Refusal::kShape;
  if (!is_stride(args.to_stride, args.rows, args.row_bytes) ||
      !is_source_stride(args.from_stride, args.rows, args.row_bytes)) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
