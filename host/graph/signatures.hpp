// What operators take and make: types and shapes. How they compute is the business of cpe-kernels/operators.
#pragma once

#include <span>

#include "host/graph/graph.hpp"

namespace swai::graph {

struct Parameter {
  enum class Kind { kTensor, kSize, kReal, kWord };
  std::string name;
  Kind kind = Kind::kTensor;
  bool needed = true;
  std::string standard;  // of what is not needed: what counts without it; for words and figures
  std::vector<std::string> words = {};  // that are allowed
};

class Use;

struct Signature {
  std::string name;
  std::string what;  // one line for people
  std::vector<Parameter> parameters;
  std::vector<Type> (*results)(const Use& use);
  // Its first result is its first operand, written in place.
  bool in_place = false;
  // Element by element: its result may take the place of an operand that nobody reads afterwards.
  bool elementwise = false;
};

// A call of an operator, as its rule sees it: every operand is there if it is needed, of some type.
class Use {
 public:
  Use(const Signature& what, const Graph& graph, const Node& node)
      : signature_(what), graph_(graph), node_(node) {}

  // Of an operand by its name. Throws GraphError unless it has so many dimensions and one of the elements.
  const Type& tensor(const std::string& name, size_t dimensions, std::span<const Element> elements) const;
  bool has(const std::string& name) const;
  Size size(const std::string& name) const;
  std::string word(const std::string& name) const;

  // Both must be equal for every value of the symbols.
  void same(const Size& a, const Size& b, const std::string& what) const;
  // a is b or less for every value of the symbols.
  void at_most(const Size& a, const Size& b, const std::string& what) const;
  // A setting that has to be 1 or more, known now.
  int64_t count(const std::string& name) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::optional<ValueId> operand(const std::string& name) const;

  const Signature& signature_;
  const Graph& graph_;
  const Node& node_;
};

std::span<const Signature> signatures();
// Null: there is none of this name.
const Signature* find_signature(const std::string& name);

}  // namespace swai::graph
