// SPDX-License-Identifier: Apache-2.0
// What a linear layer of one row takes.
#pragma once

#include "cpe-kernels/operators/linear/plan.hpp"

namespace swai::operators {

constexpr Refusal check(const LinearRowArgs& args) {
  if (args.depth == 0 || args.depth > kMaxRow || !is_shape(1, args.columns)) return Refusal::kShape;
  if (!is_scale_group(args)) return Refusal::kShape;
  if (!is_results_type(args)) return Refusal::kType;
  return is_known_function(args) && (args.gamma || !args.beta) ? Refusal::kNone : Refusal::kParameter;
}

}  // namespace swai::operators
