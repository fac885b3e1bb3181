// SPDX-License-Identifier: Apache-2.0
// What `copy` takes.
#pragma once

#include "cpe-kernels/operators/common/places.hpp"

namespace swai::operators {

constexpr Refusal check(const CopyArgs& args) {
  if (!is_shape(args.rows, args.row_bytes)) return Refusal::kShape;
  if (const Refusal positions = check_positions(args); positions != Refusal::kNone) return positions;
  if (!is_stride(args.to_stride, places_of(args), args.row_bytes) ||
      !is_source_stride(args.from_stride, args.rows, args.row_bytes)) {
    return Refusal::kStride;
  }
  if (!args.positions && (args.chunks || args.chunks_stride != 0)) return Refusal::kParameter;
  return Refusal::kNone;
}

}  // namespace swai::operators
