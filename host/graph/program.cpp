// SPDX-License-Identifier: Apache-2.0
#include "host/graph/program.hpp"

#include "host/graph/lower.hpp"

namespace swai::graph {

Program program_of(const std::string& text, uint32_t stands_for) {
  const Graph graph = lowered(check(parse(text)), stands_for);
  const Plan planned = plan(graph);
  return {template_of(graph, planned), static_cast<size_t>(planned.bytes)};
}

}  // namespace swai::graph
