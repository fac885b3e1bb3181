// SPDX-License-Identifier: Apache-2.0
// A linear layer in double precision, of the quantised numbers.
#pragma once

#include <cstdint>
#include <span>

#include "cpe-kernels/operators/unary/reference.hpp"

namespace swai::operators::reference {

// One result; `scale(k)` is that of x[k] times that of the column.
template <typename Scale>
double linear(std::span<const int8_t> x, std::span<const int8_t> w, Scale scale, double bias,
              uint16_t function) {
  double sum = bias;
  for (uint32_t k = 0; k < x.size(); ++k) sum += double{scale(k)} * x[k] * w[k];
  return function == 0 ? sum : unary(static_cast<Operator>(function), sum);
}

}  // namespace swai::operators::reference
