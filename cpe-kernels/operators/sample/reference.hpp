// SPDX-License-Identifier: Apache-2.0
// What sample chooses from, in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace swai::operators::reference {

// The probability of each column that is kept, 0 of the others. A number of ties stay together.
inline std::vector<double> sampled(std::span<const double> logits, double temperature, size_t top_k,
                                   double top_p) {
  const double most = *std::ranges::max_element(logits);
  std::vector<double> p;
  for (const double x : logits)
    p.push_back(temperature == 0 ? x == most : std::exp((x - most) / temperature));
  const auto keep_from = [&](double least) {
    for (double& x : p) x = x >= least ? x : 0;
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
  };
  const auto sorted = [&] {
    std::vector<double> all = p;
    std::ranges::sort(all, std::greater<>());
    return all;
  };
  if (top_k != 0 && top_k < p.size()) keep_from(sorted()[top_k - 1]);
  keep_from(0);
  double sum = 0;
  for (const double x : sorted()) {
    sum += x;
    if (sum < top_p) continue;
    keep_from(x);
    break;
  }
  return p;
}

}  // namespace swai::operators::reference
