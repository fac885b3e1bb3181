// SPDX-License-Identifier: Apache-2.0
// Functions of elements in double precision.
#pragma once

#include <algorithm>
#include <cmath>

#include "operators.hpp"

namespace swai::operators::reference {

inline double unary(Operator operation, double x) {
  switch (operation) {
    case Operator::kRelu:
      return std::max(x, 0.0);
    case Operator::kSilu:
      return x / (1 + std::exp(-x));
    case Operator::kGeluErf:
      return x * std::erfc(-x / std::sqrt(2.0)) / 2;
    case Operator::kCast:
      return x;
    default:
      return x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))) / 2;
  }
}

}  // namespace swai::operators::reference
