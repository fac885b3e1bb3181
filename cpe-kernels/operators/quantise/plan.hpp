// SPDX-License-Identifier: Apache-2.0
// What quantise and dequantise take.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

// Rows lie in local memory as a whole; those that are dequantised take more room: kMaxRow.
inline constexpr uint32_t kMaxQuantisedRow = 6144;

constexpr uint32_t groups_of(uint32_t columns, uint32_t group) { return (columns + group - 1) / group; }

namespace detail {

template <typename Args>
constexpr Refusal check_groups(const Args& args, uint32_t most) {
  if (!is_shape(args.rows, args.columns) || args.columns > most) return Refusal::kShape;
  if (args.group == 0 || args.group > args.columns || (args.group != args.columns && args.group % 8 != 0))
    return Refusal::kShape;
  return Refusal::kNone;
}

}  // namespace detail

constexpr Refusal check(const QuantiseArgs& args) {
  const Refusal shape = detail::check_groups(args, kMaxQuantisedRow);
  if (shape != Refusal::kNone) return shape;
  if (!is_float(args.from_type)) return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns) || !is_read_stride(args.from_stride, args.rows) ||
      (args.from_stride == 0 && args.rows != 1) ||
      !is_stride(args.scales_stride, groups_of(args.columns, args.group), args.rows * 4)) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

constexpr Refusal check(const DequantiseArgs& args) {
  const Refusal shape = detail::check_groups(args, kMaxRow);
  if (shape != Refusal::kNone) return shape;
  if (!is_float(args.to_type) || (args.from_type != Number::kInt8 && args.from_type != Number::kInt32))
    return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      !is_stride(args.from_stride, args.rows, args.columns * bytes_of(args.from_type)) ||
      !is_stride(args.scales_stride, groups_of(args.columns, args.group), args.rows * 4)) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
