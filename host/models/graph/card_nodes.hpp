// SPDX-License-Identifier: Apache-2.0
// A node of a graph as nodes of the card's list.
#pragma once

#include "host/models/graph/emitter.hpp"

namespace swai::graph {

// All nodes that a node of the graph becomes. Throws GraphError for what the card's operators cannot do.
std::vector<CardNode> card_nodes(const Graph& graph, const Node& node);

}  // namespace swai::graph
