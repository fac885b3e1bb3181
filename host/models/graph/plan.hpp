// SPDX-License-Identifier: Apache-2.0
// Where the values that nodes make lie: one block of memory, in which places are used again.
#pragma once

#include "host/models/graph/graph.hpp"

namespace swai::graph {

struct Slot {
  std::vector<ValueId> values;  // one after the other, each in place of the one before
  size_t first = 0;             // nodes during which it is needed
  size_t last = 0;
  int64_t bytes = 0;  // where symbols have their upper bounds
  int64_t offset = 0;
};

struct Plan {
  std::vector<Slot> slots;
  int64_t bytes = 0;          // of the block
  int64_t bytes_alone = 0;    // if each had a place of its own
  int64_t bytes_at_once = 0;  // that are needed at the same time: no plan takes less
};

// Throws SizeError if the block is larger than any memory.
Plan plan(const Graph& graph);

}  // namespace swai::graph
