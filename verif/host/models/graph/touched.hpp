// SPDX-License-Identifier: Apache-2.0
// What a node of a list touches, as its arguments say it to the card.
#pragma once

#include <vector>

#include "abi/node.hpp"

namespace swai::graph {

struct Touched {
  cpe::GlobalPtr<const void> at;
  uint64_t bytes = 0;
  bool written = false;
};

// Without weights, which nobody writes.
std::vector<Touched> touched(const node::Node& node);

// Two nodes that touch the same bytes, one of them writing, and no barrier between them.
bool is_unordered(const std::vector<node::Node>& list);

}  // namespace swai::graph
