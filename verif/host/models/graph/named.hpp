// SPDX-License-Identifier: Apache-2.0
// A graph in double precision, with values by their names.
#pragma once

#include <span>

#include "verif/host/models/graph/evaluate.hpp"

namespace swai::graph {

class Named {
 public:
  // Weights and inputs that the next runs use; states, as the last run left them: zeros before the first.
  std::map<std::string, std::vector<double>> kept;

  // Takes them from where weights are packed for the card in fp32.
  void put(const std::string& name, std::span<const uint8_t> fp32);
  // Gives outputs.
  std::map<std::string, std::vector<double>> run(const Graph& graph,
                                                 const std::map<std::string, int64_t>& sizes);
};

}  // namespace swai::graph
