// SPDX-License-Identifier: Apache-2.0
// swai graph run: one run of a graph on a card.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/models/graph/plan.hpp"
#include "host/tools/cli/cli.hpp"

namespace swai::cli {

struct GraphRun {
  std::vector<std::string> sizes;     // NAME=VALUE
  std::vector<std::string> contents;  // NAME=FILE, of inputs, weights and states
  std::vector<std::string> results;   // NAME=FILE, of outputs and states
  std::optional<uint64_t> seed;       // for contents that are not given
};

int run_graph(const Cli& cli, const graph::Graph& graph, const graph::Plan& plan, const GraphRun& wish);

}  // namespace swai::cli
