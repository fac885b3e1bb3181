// SPDX-License-Identifier: Apache-2.0
// From a graph to lists of nodes for the walker. A template is made once; a list for some place in memory is
// the template with addresses filled in; and what depends on symbols is in parameters, a block for every run.
#pragma once

#include <span>

#include "abi/node.hpp"
#include "host/models/graph/graph.hpp"
#include "host/models/graph/plan.hpp"

namespace swai::graph {

struct Template {
  // Memory that has an address of its own.
  struct Base {
    std::string name;
    ValueKind kind = ValueKind::kTemporary;
    Size bytes;
  };
  // Eight bytes of a node's arguments get the address of a base, and so many bytes more.
  struct Relocation {
    size_t node = 0;
    size_t offset = 0;
    size_t base = 0;
    int64_t addend = 0;
  };

  std::string name;
  std::map<std::string, Range> symbols;
  // The first: the block between (Plan); then all else, in the order of the graph's values.
  std::vector<Base> bases;
  std::vector<node::Node> nodes;
  std::vector<Relocation> relocations;
  std::vector<Size> parameters;  // that the nodes' patches name
  std::vector<size_t> origins;   // the graph's node that each came from
};

// Of a graph that has been lowered. Throws GraphError for what the card's operators cannot do.
Template template_of(const Graph& graph, const Plan& plan);

// `bases`: addresses, one for each of the template's.
std::vector<node::Node> list_of(const Template& pattern, std::span<const cpe::GlobalPtr<void>> bases);

// Throws SizeError if a symbol is missing or out of its bounds.
std::vector<uint64_t> parameters_of(const Template& pattern, const std::map<std::string, int64_t>& symbols);

}  // namespace swai::graph
