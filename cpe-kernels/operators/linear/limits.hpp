// What all linear layers take.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

// Results, bias, function, residual. Sizes have been checked.
template <typename Args>
constexpr Refusal check_ending(const Args& args) {
  if (!is_number(args.to_type) || args.to_type == Number::kInt32 || !is_float(args.residual_type))
    return Refusal::kType;
  if (!is_stride(args.to_stride, args.rows, args.columns * bytes_of(args.to_type)) ||
      (args.residual &&
       !is_source_stride(args.residual_stride, args.rows, args.columns * bytes_of(args.residual_type)))) {
    return Refusal::kStride;
  }
  const auto function = static_cast<Operator>(args.function);
  const bool known = args.function == 0 || function == Operator::kRelu || function == Operator::kSilu ||
                     function == Operator::kGeluErf || function == Operator::kGeluTanh;
  return known ? Refusal::kNone : Refusal::kParameter;
}

}  // namespace swai::operators
