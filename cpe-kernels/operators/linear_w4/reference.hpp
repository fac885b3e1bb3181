// SPDX-License-Identifier: Apache-2.0
// A linear layer with weights of four bits in double precision, of the quantised numbers.
#pragma once

#include <cstdint>
#include <span>

#include "cpe-kernels/operators/unary/reference.hpp"

namespace swai::operators::reference {

// One result; `weight(k)`: what the number stands for; `scale(k)`: of x[k].
template <typename Weight, typename Scale>
double linear_w4(std::span<const int8_t> x, Weight weight, Scale scale, double bias, uint16_t function) {
  double sum = bias;
  for (uint32_t k = 0; k < x.size(); ++k) sum += scale(k) * x[k] * weight(k);
  return function == 0 ? sum : unary(static_cast<Operator>(function), sum);
}

}  // namespace swai::operators::reference
