// SPDX-License-Identifier: Apache-2.0
// Builds small graphs by hand.
#pragma once

#include <string>
#include <vector>

#include "host/models/onnx/graph.hpp"

namespace swai::onnx {

struct Builder {
  Graph graph;

  // Sizes below 0 are symbols: -1 is n1, -2 is n2.
  ValueId input(const std::string& name, std::vector<int64_t> sizes, Element element = Element::kF32) {
    Shape shape;
    for (const int64_t size : sizes)
      shape.push_back(size < 0 ? Size::symbol("n" + std::to_string(-size)) : Size(size));
    const ValueId id = graph.add({name, element, shape});
    graph.inputs.push_back(id);
    return id;
  }
  ValueId constant(Tensor tensor) { return graph.add_constant(next("c"), std::move(tensor)); }
  ValueId constant(std::vector<int64_t> values) { return constant(integers(values)); }
  ValueId constant(std::vector<int64_t> shape, std::vector<double> values) {
    return constant(reals(Element::kF32, std::move(shape), values));
  }
  ValueId scalar(double value) { return constant({}, std::vector<double>{value}); }

  ValueId add(const std::string& operation, std::vector<ValueId> inputs,
              std::map<std::string, Attribute> attributes = {}) {
    return add_several(operation, std::move(inputs), 1, std::move(attributes))[0];
  }
  std::vector<ValueId> add_several(const std::string& operation, std::vector<ValueId> inputs, size_t outputs,
                                   std::map<std::string, Attribute> attributes = {}) {
    Node node{next("n"), "", operation, std::move(inputs), {}, std::move(attributes)};
    for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(graph.add({next("v"), {}, {}}));
    graph.nodes.push_back(node);
    return node.outputs;
  }
  Graph& output(ValueId value) {
    graph.outputs.push_back(value);
    graph.output_names.push_back(graph.values[value].name);
    return graph;
  }

 private:
  std::string next(const std::string& prefix) { return prefix + std::to_string(graph.values.size()); }
};

}  // namespace swai::onnx
