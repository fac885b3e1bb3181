// SPDX-License-Identifier: Apache-2.0
// Graph text as it is written: what the parser understands of it, before anything is checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/models/graph/place.hpp"

namespace swai::graph {

// 3, 0.5, past, 2 * (frames + 1)
struct Expression {
  enum class Kind { kInteger, kReal, kName, kAdd, kSubtract, kMultiply, kDivide };
  Kind kind = Kind::kInteger;
  Place place;
  int64_t integer = 0;
  double real = 0;
  std::string name;
  std::vector<Expression> operands;
};

// blocks[layer].norm: words, and numbers in brackets.
struct Name {
  struct Part {
    std::string word;                 // with its dot
    std::optional<Expression> index;  // in place of the word
  };
  Place place;
  std::vector<Part> parts;

  bool plain() const { return parts.size() == 1 && !parts[0].index; }
};

struct TypeText {
  Place place;
  std::string element;
  std::vector<Expression> dimensions;
  bool packed = false;              // as the card's products want weights
  std::optional<Expression> group;  // of packed weights that share a scale
  bool minima = false;              // and a minimum
  std::optional<Expression> tiles;  // of packed sparse weights
  std::optional<Expression> split;  // over cards, along this dimension
};

// size past in 0 .. 448; size width = 64
struct SizeStatement {
  std::string name;
  Expression first;  // or the value
  std::optional<Expression> last;
};

// input tokens: i32[1]
struct Declaration {
  std::string kind;
  Name name;
  TypeText type;
};

struct ArgumentText {
  Place place;
  std::string key;  // empty: by position
  std::variant<Name, Expression> value;
};

// y: f32[1, width] in scratch = add(a, b)
struct TargetText {
  Name name;
  std::optional<TypeText> type;
  std::optional<Name> buffer;
  bool next = false;  // next x = ...: what the loop carries
};

struct Call {
  std::vector<TargetText> targets;
  std::string operation;
  std::vector<ArgumentText> arguments;
};

struct Statement;

// repeat layer in 0 .. 6 with x = embedded { ... }
struct Repeat {
  std::string counter;
  Expression first;
  Expression end;  // the first number that does not come
  struct Carried {
    Name name;
    Name start;
  };
  std::vector<Carried> carried;
  std::vector<Statement> body;
};

struct Statement {
  Place place;
  std::variant<SizeStatement, Declaration, Call, Repeat> what;
};

struct GraphText {
  std::string name;
  std::vector<Statement> statements;
};

// Throws GraphError.
GraphText parse(std::string_view text);

}  // namespace swai::graph
