// SPDX-License-Identifier: Apache-2.0
// A linear layer in double precision.
#pragma once

#include <cstdint>
#include <span>

#include "cpe-kernels/operators/unary/reference.hpp"

namespace swai::operators::reference {

// One result.
inline double linear_fp32(std::span<const double> x, std::span<const double> w, double bias,
                          uint16_t function) {
  double sum = bias;
  for (size_t k = 0; k < x.size(); ++k) sum += x[k] * w[k];
  return function == 0 ? sum : unary(static_cast<Operator>(function), sum);
}

}  // namespace swai::operators::reference
