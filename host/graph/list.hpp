// From a graph to lists of nodes for the walker: a template once, then a list for every run, in which only
// what depends on addresses and symbols is filled in.
#pragma once

#include <functional>

#include "abi/node.hpp"
#include "host/graph/graph.hpp"
#include "host/graph/plan.hpp"

namespace swai::graph {

// Bytes of a node that are known only when it runs.
struct Patch {
  size_t node = 0;
  size_t offset = 0;            // of the node's arguments
  std::optional<ValueId> base;  // eight bytes: the address of this value's memory, and so many bytes more
  bool in_block = false;        // likewise, of the block between (Plan)
  Size formula;                 // else four bytes: this size
};

struct Template {
  std::vector<node::Node> nodes;
  std::vector<Patch> patches;
  std::vector<size_t> origins;  // the graph's node that each came from
};

// Throws GraphError for what the card's operators cannot do.
Template template_of(const Graph& graph, const Plan& plan);

// Where things are in a run.
struct Addresses {
  std::function<cpe::GlobalPtr<void>(ValueId)> of;  // of inputs, weights, states, outputs
  cpe::GlobalPtr<void> block;
};
// Throws SizeError if a symbol is missing or out of its bounds.
std::vector<node::Node> list_of(const Template& pattern, const Graph& graph, const Addresses& addresses,
                                const std::map<std::string, int64_t>& symbols);

}  // namespace swai::graph
