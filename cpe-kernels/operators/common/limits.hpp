// SPDX-License-Identifier: Apache-2.0
// Bounds on what nodes may ask for, for whoever builds a list and for the card itself.
#pragma once

#include "abi/node.hpp"
#include "operators.hpp"

namespace swai::operators {

using node::Refusal;

inline constexpr uint32_t kMaxSize = 1u << 24;
// The DMA engine's strides have a sign.
inline constexpr uint32_t kMaxStride = 0x7fff'ffff;

// Both from 1 to kMaxSize, and no more than 2^31 elements, so that tiles can be counted.
constexpr bool is_shape(uint32_t rows, uint32_t columns) {
  return rows != 0 && rows <= kMaxSize && columns != 0 && columns <= kMaxSize &&
         uint64_t{rows} * columns <= uint64_t{1} << 31;
}
constexpr bool is_number(Number number) { return number <= Number::kInt8; }
constexpr uint32_t bytes_of(Number number) {
  return number == Number::kInt8 ? 1 : number == Number::kFp16 ? 2 : 4;
}

// What one-row-at-a-time operators compute from and to, and how long their rows may be: they lie in local
// memory as a whole.
constexpr bool is_float(Number number) { return number == Number::kFp32 || number == Number::kFp16; }
inline constexpr uint32_t kMaxRow = 4096;

// Rows that are written must not overlap; one row has no stride.
constexpr bool is_stride(uint32_t stride, uint32_t rows, uint32_t row_bytes) {
  return rows == 1 || (stride >= row_bytes && stride <= kMaxStride);
}
constexpr bool is_source_stride(uint32_t stride, uint32_t rows, uint32_t row_bytes) {
  return stride == 0 || is_stride(stride, rows, row_bytes);
}
// Rows that are only read may overlap.
constexpr bool is_read_stride(uint32_t stride, uint32_t rows) { return rows == 1 || stride <= kMaxStride; }

// What has to, from, rows, columns, strides and types among its arguments.
template <typename Args>
constexpr Refusal check_rows(const Args& args, uint32_t most_columns = kMaxRow) {
  if (!is_shape(args.rows, args.columns) || args.columns > most_columns) return Refusal::kShape;
  if (!is_float(args.to_type) || !is_float(args.from_type)) return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      !is_stride(args.from_stride, args.rows, args.columns * bytes_of(args.from_type))) {
    return Refusal::kStride;
  }
  return Refusal::kNone;
}

}  // namespace swai::operators
