// SPDX-License-Identifier: Apache-2.0
// A graph as the card runs it: what its operators want, and people need not write.
#pragma once

#include "host/models/graph/graph.hpp"

namespace swai::graph {

// - Products of one short row with weights of i8 are linear_row, which has norm and quantise in it.
// - Products with weights of few bits get x quantised; all that multiply the same x share that.
// - Rows of a value are read where it has them, unless they are a result of the graph.
// - Rows for a state are written there by the node that makes them, if one node can.
// - Operators that need memory while they run have it as one more result.
//
// Values keep their numbers; new ones stand behind them. `stands_for`: the graph has the nodes of one whose
// rows are so many times as long. Throws GraphError.
Graph lowered(Graph graph, uint32_t stands_for = 1);

}  // namespace swai::graph
