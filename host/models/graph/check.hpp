// SPDX-License-Identifier: Apache-2.0
// From graph text to a graph.
#pragma once

#include "host/models/graph/graph.hpp"
#include "host/models/graph/syntax.hpp"

namespace swai::graph {

// Names, sizes and loops are resolved here; the Builder checks types, shapes and lifetimes. Throws
// GraphError, whose message names the node.
Graph check(const GraphText& text);

}  // namespace swai::graph
