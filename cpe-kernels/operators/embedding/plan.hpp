// SPDX-License-Identifier: Apache-2.0
// What embedding takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

constexpr Refusal check(const EmbeddingArgs& args) {
  if (!is_shape(args.rows, args.columns) || args.columns > kMaxRow) return Refusal::kShape;
  if (args.vocabulary == 0 || args.vocabulary > kMaxSize) return Refusal::kShape;
  if (!is_float(args.to_type) || !is_number(args.table_type) || args.table_type == Number::kInt32)
    return Refusal::kType;
  if (args.table_type == Number::kInt8 && args.factor != 1) return Refusal::kParameter;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      !is_stride(args.table_stride, args.vocabulary, args.columns * bytes_of(args.table_type)) ||
      (args.positions && !is_source_stride(args.positions_stride, args.rows, args.columns * 4))) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
