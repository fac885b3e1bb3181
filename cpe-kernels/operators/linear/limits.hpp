// SPDX-License-Identifier: Apache-2.0
// What all linear layers take.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

template <typename Args>
constexpr bool is_results_type(const Args& args) {
  return is_number(args.to_type) && args.to_type != Number::kInt32 && is_float(args.residual_type);
}
template <typename Args>
constexpr bool is_known_function(const Args& args) {
  const auto function = static_cast<Operator>(args.function);
  return args.function == 0 || function == Operator::kRelu || function == Operator::kSilu ||
         function == Operator::kGeluErf || function == Operator::kGeluTanh;
}

// Results, bias, function, residual. Sizes have been checked.
template <typename Args>
constexpr Refusal check_ending(const Args& args) {
  if (!is_results_type(args)) return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      (args.residual &&
       !is_source_stride(args.residual_stride, args.rows, args.columns * bytes_of(args.residual_type)))) {
    return Refusal::kStride;
  }
  return is_known_function(args) ? Refusal::kNone : Refusal::kParameter;
}

}  // namespace swai::operators
