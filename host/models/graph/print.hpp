// SPDX-License-Identifier: Apache-2.0
// A graph as graph text.
#pragma once

#include <string>

#include "host/models/graph/graph.hpp"

namespace swai::graph {

// Of a graph that has not been lowered. Loops are unrolled, and formulas of known sizes are numbers; reading
// the text gives the same values, with the same numbers, and the same nodes.
std::string print(const Graph& graph);

}  // namespace swai::graph
