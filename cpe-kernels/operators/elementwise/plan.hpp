// SPDX-License-Identifier: Apache-2.0
// What operators on pairs of elements take.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

constexpr Refusal check(const BinaryArgs& args) {
  if (!is_shape(args.rows, args.columns)) return Refusal::kShape;
  if (!is_number(args.to_type) || !is_number(args.a_type) || !is_number(args.b_type)) return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      !is_source_stride(args.a_stride, args.rows, args.columns * bytes_of(args.a_type)) ||
      !is_source_stride(args.b_stride, args.rows, args.columns * bytes_of(args.b_type))) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
