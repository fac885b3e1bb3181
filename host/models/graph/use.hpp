// SPDX-License-Identifier: Apache-2.0
// A use of an operator: its operands and settings by their names.
#pragma once

#include <span>

#include "host/models/graph/signature.hpp"

namespace swai::graph {

// Every operand that is needed is there, of some type; every setting has a value.
class Use {
 public:
  Use(const Signature& what, const Graph& graph, const Node& node)
      : signature_(what), graph_(graph), node_(node) {}

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }

  // None: it has not been given, or the operator takes none.
  std::optional<ValueId> operand(const std::string& name) const;
  bool has(const std::string& name) const { return operand(name).has_value(); }
  Size size(const std::string& name) const;
  double real(const std::string& name) const;
  std::string word(const std::string& name) const;
  // A size that has to be 1 or more, known now.
  int64_t count(const std::string& name) const;

  // Of an operand. Throws GraphError unless it has so many dimensions, one of the elements, and is not
  // packed.
  const Type& tensor(const std::string& name, size_t dimensions, std::span<const Element> elements) const;
  // The same for matrices that are packed when their elements are i8 or i4, and only then.
  const Type& packed_weight(const std::string& name, std::span<const Element> elements) const;

  // Both must be equal for every value of the symbols.
  void same(const Size& a, const Size& b, const std::string& what) const;
  // a is b or less for every value of the symbols.
  void at_most(const Size& a, const Size& b, const std::string& what) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  const Type& typed(const std::string& name, size_t dimensions, std::span<const Element> elements) const;

  const Signature& signature_;
  const Graph& graph_;
  const Node& node_;
};

}  // namespace swai::graph
