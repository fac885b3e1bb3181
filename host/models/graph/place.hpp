// SPDX-License-Identifier: Apache-2.0
// Where a graph says something: a line of graph text, or of the program that builds the graph.
#pragma once

#include <stdexcept>
#include <string>

#include "host/models/graph/size.hpp"

namespace swai::graph {

struct Place {
  int line = 1;
  int column = 1;
  const char* file = nullptr;  // null: graph text
};

// The caller's line. As a default argument: the line of the call that leaves it out.
inline Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {line, 1, file};
}

// "line 12", or "host/models/files/llama.cpp:12".
inline std::string to_text(const Place& place) {
  const std::string line = std::to_string(place.line);
  return place.file == nullptr ? "line " + line : place.file + (":" + line);
}

// A graph is wrong, at this place of it.
class GraphError : public std::runtime_error {
 public:
  GraphError(Place place, const std::string& message) : std::runtime_error(message), place_(place) {}
  Place place() const { return place_; }

 private:
  Place place_;
};

// Runs `work`. Sizes that cannot be computed are reported with the place.
template <typename Work>
auto at(Place place, const Work& work) {
  try {
    return work();
  } catch (const SizeError& error) {
    throw GraphError(place, error.what());
  }
}

}  // namespace swai::graph
