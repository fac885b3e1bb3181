// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/program.hpp"

#include "host/models/graph/check.hpp"
#include "host/models/graph/lower.hpp"

namespace swai::graph {

Program program_of(const Graph& graph, uint32_t stands_for) {
  const Graph made = lowered(graph, stands_for);
  const Plan planned = plan(made);
  return {template_of(made, planned), static_cast<size_t>(planned.bytes)};
}

Program program_of(const std::string& text, uint32_t stands_for) {
  return program_of(check(parse(text)), stands_for);
}

}  // namespace swai::graph
