// SPDX-License-Identifier: Apache-2.0
// The words of graph text.
#pragma once

#include <string_view>
#include <vector>

#include "host/models/graph/syntax.hpp"

namespace swai::graph {

struct Token {
  enum class Kind { kWord, kNumber, kSign, kLineEnd, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;
  Place place;
  bool glued = false;  // nothing lies between it and the token before
};

// A word of the language, which begins no name.
bool is_keyword(std::string_view word);

// The last one is the end. Lines end nothing inside of parentheses and brackets. Throws GraphError.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace swai::graph
