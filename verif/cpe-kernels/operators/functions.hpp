// SPDX-License-Identifier: Apache-2.0
// Functions of elements as operators compute them, to the bit.
#pragma once

#include "cpe-kernels/operators/common/constants.hpp"
#include "operators.hpp"
#include "verif/cpe-kernels/operators/arithmetic.hpp"

namespace swai::operators::test {

inline Real model_function(Operator operation, Real x) {
  switch (operation) {
    case Operator::kRelu:
      return max(x, 0.0f);
    case Operator::kSilu:
      return x * reciprocal(fma(exp2(x * -kLog2E), 1.0f, 1.0f));
    case Operator::kGeluErf: {
      const Real t = reciprocal(fma(abs(x), kErfP, 1.0f));
      const Real e = exp2((x * x) * (-kLog2E / 2));
      const Real polynomial = fma(fma(fma(fma(t, kErf5, kErf4), t, kErf3), t, kErf2), t, kErf1) * t;
      return fma(-abs(x), polynomial * e, max(x, 0.0f));
    }
    case Operator::kCast:
      return x;
    default:
      return x * reciprocal(fma(exp2(x * fma(x * x, kTanh3, kTanh1)), 1.0f, 1.0f));
  }
}

}  // namespace swai::operators::test
