// SPDX-License-Identifier: Apache-2.0
// Graph text for tests.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "host/graph/graph.hpp"

namespace swai::graph {

inline Graph graph_of(const std::string& text) { return check(parse(text)); }

inline std::string example(const std::string& name) {
  std::ifstream file("examples/graphs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  REQUIRE(file);
  return text.str();
}

// "LINE: message", or nothing.
inline std::string complaint(const std::string& text) {
  try {
    graph_of(text);
  } catch (const GraphError& error) {
    return std::to_string(error.place().line) + ": " + error.what();
  }
  return "";
}

}  // namespace swai::graph
