// SPDX-License-Identifier: Apache-2.0
// Norms in double precision.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace swai::operators::reference {

// Without its mean for layer norm.
inline std::vector<double> norm(std::span<const double> x, bool layer, double epsilon) {
  double mean = 0;
  for (const double value : x) mean += layer ? value / static_cast<double>(x.size()) : 0;
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
  std::vector<double> y;
  for (const double value : x) y.push_back((value - mean) / std::sqrt(variance + epsilon));
  return y;
}

}  // namespace swai::operators::reference
