// SPDX-License-Identifier: Apache-2.0
// Graph text for tests.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "host/models/graph/check.hpp"
#include "host/models/graph/print.hpp"

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

// The graph is what its printed form says, but for places.
inline void check_reads_back(const Graph& graph) {
  const std::string text = print(graph);
  CAPTURE(text);
  const Graph read = graph_of(text);
  CHECK(print(read) == text);
  CHECK(read.name == graph.name);
  CHECK(read.symbols.size() == graph.symbols.size());
  for (const auto& [name, bounds] : graph.symbols) {
    CHECK(read.symbols.at(name).least == bounds.least);
    CHECK(read.symbols.at(name).most == bounds.most);
  }
  REQUIRE(read.values.size() == graph.values.size());
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const Value &a = read.values[i], &b = graph.values[i];
    CAPTURE(b.name);
    CHECK(a.name == b.name);
    CHECK(a.kind == b.kind);
    CHECK(a.type == b.type);
    CHECK(a.producer == b.producer);
    CHECK(a.last_use == b.last_use);
    CHECK(a.storage == b.storage);
    CHECK(a.first == b.first);
  }
  REQUIRE(read.nodes.size() == graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &a = read.nodes[i], &b = graph.nodes[i];
    CHECK(a.operation == b.operation);
    CHECK(a.operands == b.operands);
    CHECK(a.results == b.results);
    CHECK((a.settings == b.settings));
  }
}

}  // namespace swai::graph
