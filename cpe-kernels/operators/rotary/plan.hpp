// SPDX-License-Identifier: Apache-2.0
// What rotary takes.
#pragma once

#include "cpe-kernels/operators/common/places.hpp"

namespace swai::operators {

constexpr Refusal check(const RotaryArgs& args) {
  if (args.heads == 0 || args.width == 0 || args.width % 16 != 0 || args.width > kMaxRow ||
      args.heads > kMaxRow || args.heads * args.width > kMaxRow ||
      !is_shape(args.rows, args.heads * args.width)) {
    return Refusal::kShape;
  }
  if (const Refusal positions = check_positions(args); positions != Refusal::kNone) return positions;
  if (!is_float(args.to_type) || !is_float(args.from_type)) return Refusal::kType;
  const uint32_t columns = args.heads * args.width;
  if (!is_stride(args.to_stride, args.rows, columns * bytes_of(args.to_type)) ||
      !is_stride(args.from_stride, args.rows, columns * bytes_of(args.from_type)) ||
      !is_source_stride(args.table_stride, places_of(args), args.width * 4)) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
