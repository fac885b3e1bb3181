// SPDX-License-Identifier: Apache-2.0
// What softmax takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/common/pieces.hpp"

namespace swai::operators {

inline constexpr uint32_t kSoftmaxColumns = 1 << 20;

// Bytes; only rows of more than kMaxRow columns need it.
constexpr uint64_t softmax_workspace(uint32_t rows, uint32_t columns) {
  return columns <= kMaxRow ? 0 : uint64_t{2} * rows * pieces_of(columns) * 4;
}

constexpr Refusal check(const SoftmaxArgs& args) {
  const bool is_long = args.columns > kMaxRow;
  if (is_long && !args.workspace) return Refusal::kParameter;
  return check_rows(args, is_long ? kSoftmaxColumns : kMaxRow);
}

}  // namespace swai::operators
