// SPDX-License-Identifier: Apache-2.0
// The options of a measurement: sizes, figures, and the module with the empty kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace swai::cli::bench {

struct Plan {
  std::vector<uint64_t> sizes;
  std::vector<unsigned> figures;  // none: all
  std::string module;             // with the empty kernel

  bool wants(unsigned figure) const {
    return figures.empty() || std::ranges::find(figures, figure) != figures.end();
  }
};

// Called with the number of the card's cycles that are over.
using Done = std::function<void(double)>;

}  // namespace swai::cli::bench
