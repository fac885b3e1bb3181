// SPDX-License-Identifier: Apache-2.0
// Narrow layers of the same rows, between which no barriers are, as queries, keys and values: side by side
// their columns are those of one product. By itself each would have work for a part of the CPEs, and no unit
// has any while they ask for their first operands, and while they drain and store results.
#pragma once

#include <array>

#include "cpe-kernels/operators/linear/plan.hpp"

namespace swai::operators {

template <typename Args>
struct Joined {
  static constexpr uint32_t kMost = 8;

  const Args& of(uint32_t number) const { return *nodes[number]; }
  uint32_t columns() const { return count * nodes[0]->columns; }

  std::array<const Args*, kMost> nodes;  // that which runs, and those behind it
  uint32_t count;
};

// The node that runs, and those behind it that are joined to it.
Joined<LinearArgs> join(const LinearArgs& args);

}  // namespace swai::operators
