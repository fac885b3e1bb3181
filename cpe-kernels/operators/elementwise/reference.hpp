// SPDX-License-Identifier: Apache-2.0
// Operators on elements in double precision.
#pragma once

#include "operators.hpp"

namespace swai::operators::reference {

inline double binary(Operator operation, double a, double b) {
  return operation == Operator::kAdd ? a + b : a * b;
}

}  // namespace swai::operators::reference
