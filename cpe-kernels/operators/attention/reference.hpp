// SPDX-License-Identifier: Apache-2.0
// Attention of one query in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace swai::operators::reference {

// `k(t, i)`, `v(t, i)`: number i of key and value t.
template <typename Keys, typename Values>
std::vector<double> attention(std::span<const double> q, uint32_t keys, double scale, Keys k, Values v) {
  std::vector<double> scores(keys);
  for (uint32_t t = 0; t < keys; ++t) {
    for (uint32_t i = 0; i < q.size(); ++i) scores[t] += scale * q[i] * k(t, i);
  }
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - most);
  std::vector<double> y(q.size());
  for (uint32_t t = 0; t < keys; ++t) {
    for (uint32_t i = 0; i < q.size(); ++i) y[i] += scores[t] / sum * v(t, i);
  }
  return y;
}

}  // namespace swai::operators::reference
