// SPDX-License-Identifier: Apache-2.0
// Graphs in double precision, node by node, on tensors of their own: no plan, no list, no card.
#pragma once

#include <map>
#include <vector>

#include "host/models/graph/graph.hpp"

namespace swai::graph {

struct Matrix {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<double> numbers;

  double& at(size_t row, size_t column) { return numbers[row * columns + column]; }
  double at(size_t row, size_t column) const { return numbers[row * columns + column]; }
};

// `values` holds inputs, weights and states, and gets all others; a state is what it is at the end.
void evaluate(const Graph& graph, const std::map<std::string, int64_t>& symbols,
              std::map<ValueId, Matrix>& values);

}  // namespace swai::graph
