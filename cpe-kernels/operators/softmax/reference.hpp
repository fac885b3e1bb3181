// SPDX-License-Identifier: Apache-2.0
// The logarithm of softmax in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace swai::operators::reference {

inline std::vector<double> log_softmax(std::span<const double> x, double scale) {
  const double largest = scale * (scale < 0 ? *std::ranges::min_element(x) : *std::ranges::max_element(x));
  double sum = 0;
  for (const double value : x) sum += std::exp(scale * value - largest);
  std::vector<double> y;
  for (const double value : x) y.push_back(scale * value - largest - std::log(sum));
  return y;
}

}  // namespace swai::operators::reference
