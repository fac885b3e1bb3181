// SPDX-License-Identifier: Apache-2.0
// What figures are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace swai::cli::bench {

struct Point {
  uint64_t bytes = 0;  // 0: the figure has no sizes
  double ns = 0;
};
struct Series {
  std::string name;
  bool baseline = false;  // the slow way, beside which the others stand
  std::vector<Point> points;
};

}  // namespace swai::cli::bench
