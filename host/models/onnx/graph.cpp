// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/lib/elf.hpp"
#include "host/lib/printable.hpp"

namespace swai::onnx {
namespace {

template <typename T>
T attribute_or(const Node& node, const char* name, T otherwise) {
  const auto found = node.attributes.find(name);
  const T* const value = found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  return value == nullptr ? otherwise : *value;
}

// Prints few elements; more as type and shape.
std::string constant_text(const Tensor& tensor) {
  constexpr int64_t kMaxShown = 8;
  if (bits_of(tensor.element) < 8 || tensor.count() > kMaxShown)
    return fmt::format("{}{}", to_text(tensor.element), shape_text(tensor.shape));
  const std::string values = is_float(tensor.element)
                                 ? fmt::format("{:.6g}", fmt::join(doubles(tensor), ", "))
                                 : fmt::format("{}", fmt::join(int64s(tensor), ", "));
  return tensor.shape.empty() ? values : "[" + values + "]";
}

std::string value_text(const Graph& graph, ValueId id) {
  if (id == kNone) return "_";
  const Value& value = graph.values[id];
  return value.constant && value.constant->count() <= 8 ? constant_text(*value.constant) : "%" + value.name;
}

std::string attribute_text(const Attribute& attribute) {
  return std::visit(
      []<typename T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, Tensor>) {
          return constant_text(value);
        } else if constexpr (requires { value.push_back(value[0]); } && !std::is_same_v<T, std::string>) {
          return fmt::format("[{}]", fmt::join(value, ", "));
        } else {
          return fmt::format("{}", value);
        }
      },
      attribute);
}

void write(const Graph& graph, const std::string& indent, std::string& text) {
  for (const ValueId input : graph.inputs)
    text +=
        fmt::format("{}input %{}: {}\n", indent, graph.values[input].name, type_text(graph.values[input]));
  for (const Node& node : graph.nodes) {
    text += indent;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      const Value& value = graph.values[node.outputs[i]];
      text += fmt::format("{}%{}: {}", i == 0 ? "" : ", ", value.name, type_text(value));
    }
    text += fmt::format(" = {}{}(", node.domain.empty() ? "" : node.domain + ".", node.operation);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      text += (i == 0 ? "" : ", ") + value_text(graph, node.inputs[i]);
    text += ")";
    for (const auto& [name, attribute] : node.attributes)
      text += fmt::format(" {}={}", name, attribute_text(attribute));
    text += "\n";
    for (const Subgraph& inner : node.subgraphs) {
      text += fmt::format("{}  {}:\n", indent, inner.attribute);
      write(*inner.graph, indent + "    ", text);
    }
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    text +=
        fmt::format("{}output {} = {}\n", indent, graph.output_names[i], value_text(graph, graph.outputs[i]));
}

void count(const Graph& graph, std::map<std::string, size_t>& counts) {
  for (const Node& node : graph.nodes) {
    ++counts[node.domain.empty() ? node.operation : node.domain + "." + node.operation];
    for (const Subgraph& inner : node.subgraphs) count(*inner.graph, counts);
  }
}

}  // namespace

int64_t Node::number(const char* attribute, int64_t otherwise) const {
  return attribute_or<int64_t>(*this, attribute, otherwise);
}
double Node::real(const char* attribute, double otherwise) const {
  return attribute_or<float>(*this, attribute, static_cast<float>(otherwise));
}
std::string Node::text(const char* attribute, const std::string& otherwise) const {
  return attribute_or<std::string>(*this, attribute, otherwise);
}
std::vector<int64_t> Node::numbers(const char* attribute) const {
  return attribute_or<std::vector<int64_t>>(*this, attribute, {});
}

ValueId Graph::add(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_constant(std::string constant_name, Tensor tensor) {
  const ValueId id = add({std::move(constant_name), {}, {}});
  set_constant(id, std::move(tensor));
  return id;
}

void Graph::set_constant(ValueId id, Tensor tensor) {
  Value& value = values[id];
  value.element = tensor.element;
  value.shape = Shape(tensor.shape.begin(), tensor.shape.end());
  value.contents.reset();
  value.constant = std::move(tensor);
}

const Tensor* Graph::constant(ValueId id) const {
  return id == kNone || !values[id].constant ? nullptr : &*values[id].constant;
}

std::string Graph::name_of(const Node& node) const {
  if (!node.name.empty()) return node.name;
  const auto output = std::ranges::find_if(node.outputs, [](ValueId id) { return id != kNone; });
  return output == node.outputs.end() ? "" : values[*output].name;
}

std::vector<uint32_t> uses_of(const Graph& graph) {
  std::vector<uint32_t> uses(graph.values.size());
  const auto use = [&](const std::vector<ValueId>& ids) {
    for (const ValueId id : ids)
      if (id != kNone) ++uses[id];
  };
  for (const Node& node : graph.nodes) {
    use(node.inputs);
    for (const Subgraph& inner : node.subgraphs) use(inner.captured);
  }
  use(graph.outputs);
  return uses;
}

std::vector<uint32_t> producers_of(const Graph& graph) {
  std::vector<uint32_t> producers(graph.values.size(), kNone);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const ValueId output : graph.nodes[i].outputs)
      if (output != kNone) producers[output] = static_cast<uint32_t>(i);
  return producers;
}

size_t count_nodes(const Graph& graph) {
  size_t total = 0;
  for (const auto& [operation, number] : count_operations(graph)) total += number;
  return total;
}

std::map<std::string, size_t> count_operations(const Graph& graph) {
  std::map<std::string, size_t> counts;
  count(graph, counts);
  return counts;
}

Size own_symbol(const std::string& value, size_t dimension) {
  return Size::symbol(fmt::format("{}{}.{}", kOwnSymbol, value, dimension));
}

std::string type_text(const Value& value) {
  std::string text = value.element ? to_text(*value.element) : "?";
  if (!value.shape) return text + "[...]";
  text += "[";
  for (size_t i = 0; i < value.shape->size(); ++i) text += (i == 0 ? "" : ", ") + (*value.shape)[i].text();
  return text + "]";
}

std::string to_text(const Graph& graph) {
  std::string text;
  write(graph, "", text);
  return text;
}

void refuse(const Graph& graph, const Node& node, const std::string& what) {
  constexpr size_t kMaxBytes = 400;
  const std::string text = fmt::format("node '{}' ({}): {}", graph.name_of(node).substr(0, 100),
                                       node.operation.substr(0, 60), what);
  throw common::InputError(common::printable(std::string_view(text).substr(0, kMaxBytes)));
}

}  // namespace swai::onnx
