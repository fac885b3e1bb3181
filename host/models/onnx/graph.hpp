// SPDX-License-Identifier: Apache-2.0
// A typed ONNX graph: values with symbolic shapes of any rank, and nodes in an order in which they can run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/models/graph/size.hpp"
#include "host/models/onnx/tensor.hpp"

namespace swai::onnx {

using graph::Size;
using Shape = std::vector<Size>;

using ValueId = uint32_t;
// The domain of operators that ONNX Runtime adds.
inline constexpr const char* kContribDomain = "com.microsoft";
inline constexpr ValueId kNone = ~ValueId{0};  // an optional input or output that is absent

struct Value {
  std::string name;
  std::optional<Element> element;
  std::optional<Shape> shape;
  // Elements of a scalar or of one dimension of integers, as far as shape inference follows them.
  std::optional<std::vector<Size>> contents = {};
  std::optional<Tensor> constant = {};
};

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                               std::vector<std::string>, Tensor>;

struct Graph;

// A graph within a node (If, Loop, Scan). Values of the graph around it that it uses are its first inputs.
struct Subgraph {
  std::string attribute;
  std::shared_ptr<Graph> graph;
  std::vector<ValueId> captured;  // outside; within they are graph->captured
};

struct Node {
  std::string name;
  std::string domain;  // empty: the standard operators
  std::string operation;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::map<std::string, Attribute> attributes = {};
  std::vector<Subgraph> subgraphs = {};

  bool is(std::string_view standard_operation) const {
    return domain.empty() && operation == standard_operation;
  }
  // Whether the operation means what it does in the standard, or is the one of ONNX Runtime that passes make.
  bool has_known_domain() const {
    return domain.empty() || (domain == kContribDomain && operation == "MatMulIntegerToFloat");
  }
  ValueId input(size_t index) const { return index < inputs.size() ? inputs[index] : kNone; }
  // An attribute of this type, or the default.
  int64_t number(const char* attribute, int64_t otherwise) const;
  double real(const char* attribute, double otherwise) const;
  std::string text(const char* attribute, const std::string& otherwise) const;
  std::vector<int64_t> numbers(const char* attribute) const;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> captured;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  // Symbols that stand for the smaller of a size and a number above 1.
  std::map<std::string, Size> minima;
  std::vector<std::string> output_names;  // for users; the values may have other ones after passes

  ValueId add(Value value);
  // A constant with this name; its type is that of the tensor.
  ValueId add_constant(std::string name, Tensor tensor);
  void set_constant(ValueId value, Tensor tensor);
  const Tensor* constant(ValueId value) const;
  std::string name_of(const Node& node) const;
};

// How often nodes, subgraphs and outputs of the graph use each value.
std::vector<uint32_t> uses_of(const Graph& graph);
// The node that makes each value, or kNone.
std::vector<uint32_t> producers_of(const Graph& graph);
// All nodes, those of subgraphs included.
size_t count_nodes(const Graph& graph);
// The number of nodes of each operation.
std::map<std::string, size_t> count_operations(const Graph& graph);

// The symbol of a dimension that has no other name; symbols from files do not begin like it.
inline constexpr char kOwnSymbol = '?';
Size own_symbol(const std::string& value, size_t dimension);

std::string type_text(const Value& value);
// One line for each node.
std::string to_text(const Graph& graph);

// Throws InputError: "node 'name' (operation): what".
[[noreturn]] void refuse(const Graph& graph, const Node& node, const std::string& what);

}  // namespace swai::onnx
