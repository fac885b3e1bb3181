// SPDX-License-Identifier: Apache-2.0
// A product of matrices in double precision.
#pragma once

#include <cstdint>
#include <span>

namespace swai::operators::reference {

// One result, of a row of a and a column of b.
inline double matmul(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace swai::operators::reference
