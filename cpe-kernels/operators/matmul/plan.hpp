// SPDX-License-Identifier: Apache-2.0
// What `matmul` takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/linear_fp32/plan.hpp"

namespace swai::operators {

// Results of different products must not overlap: they lie one below the other, or side by side.
constexpr bool is_results_step(const MatmulArgs& args) {
  if (args.products == 1) return true;
  const uint64_t row_bytes = uint64_t{args.columns} * bytes_of(args.to_type);
  const uint64_t below = uint64_t{args.rows - 1} * (args.rows == 1 ? 0 : args.to_stride) + row_bytes;
  const uint64_t beside = uint64_t{args.products - 1} * args.to_step + row_bytes;
  return args.to_step >= below || (args.to_step >= row_bytes && args.to_stride >= beside);
}

constexpr Refusal check(const MatmulArgs& args) {
  if (!is_shape(args.rows, args.columns) || !is_shape(args.rows, args.depth) ||
      !is_shape(args.columns, args.depth) || args.products == 0 || args.products > kMaxSize ||
      uint64_t{args.products} * args.rows * args.columns > uint64_t{1} << 31) {
    return Refusal::kShape;
  }
  if (!is_float(args.to_type) || !is_float(args.a_type) || !is_float(args.b_type)) return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      !is_read_stride(args.a_stride, args.rows) ||
      !is_read_stride(args.b_stride, args.transposed != 0 ? args.columns : args.depth) ||
      !is_results_step(args)) {
    return Refusal::kStride;
  }
  return args.transposed <= 1 ? Refusal::kNone : Refusal::kParameter;
}

}  // namespace swai::operators
