// SPDX-License-Identifier: Apache-2.0
// From a graph, or its text, to what the card is told: all steps at once.
#pragma once

#include <string>

#include "host/models/graph/list.hpp"

namespace swai::graph {

struct Program {
  Template pattern;
  size_t between_bytes = 0;  // of the block that nodes share
};

// `stands_for`: as of lowered (lower.hpp). Throws GraphError or SizeError when it is more than graphs or the
// card's operators take.
Program program_of(const Graph& graph, uint32_t stands_for = 1);
Program program_of(const std::string& text, uint32_t stands_for = 1);

}  // namespace swai::graph
