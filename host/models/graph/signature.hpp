// SPDX-License-Identifier: Apache-2.0
// What is known of an operator: its parameters, the types of its results, and how the card computes it.
#pragma once

#include <string>
#include <vector>

#include "host/models/graph/graph.hpp"

namespace swai::graph {

class Emitter;
class Use;

struct Parameter {
  enum class Kind { kTensor, kSize, kReal, kWord };
  std::string name;
  Kind kind = Kind::kTensor;
  bool needed = true;
  std::string standard;  // of what is not needed: what counts without it; for words and figures
  std::vector<std::string> words = {};  // that are allowed
};

struct Signature {
  std::string name;
  std::string what;  // one line for people
  std::vector<Parameter> parameters;
  // Types of its results; throws GraphError for operands that it does not take (rules.hpp).
  std::vector<Type> (*results)(const Use& use) = nullptr;
  // How it becomes nodes of the card's list (writers.hpp). Null: the card has no such operator yet.
  void (*write)(Emitter& out) = nullptr;
  // What memory it needs while it runs, beside operands and results: one more result of the card's
  // node, unless it has 0 bytes.
  Size (*workspace)(const Use& use) = nullptr;
  // Its first result is its first operand, written in place.
  bool in_place = false;
  // Element by element: its result may take the place of an operand that nobody reads afterwards.
  bool elementwise = false;
  // One node writes its result, row by row: the rows may lie in other memory, and be f16.
  bool by_rows = false;
};

}  // namespace swai::graph
