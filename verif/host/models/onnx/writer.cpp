// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/onnx/writer.hpp"

namespace swai::onnx {
namespace {

std::string text_of(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

void write(const Tensor& tensor, const std::string& name, file::Tensor& to) {
  to.set_name(name);
  to.set_data_type(static_cast<int>(tensor.element));
  for (const int64_t size : tensor.shape) to.add_dims(size);
  to.set_raw_data(text_of(tensor.bytes));
}

void write(const Value& value, file::ValueInfo& to) {
  to.set_name(value.name);
  auto* const type = to.mutable_type()->mutable_tensor_type();
  if (value.element) type->set_elem_type(static_cast<int>(*value.element));
  if (!value.shape) return;
  type->mutable_shape();
  for (const Size& size : *value.shape) {
    auto* const dimension = type->mutable_shape()->add_dim();
    if (const auto constant = size.constant())
      dimension->set_dim_value(*constant);
    else
      dimension->set_dim_param(size.text());
  }
}

void write(const Attribute& attribute, file::Attribute& to) {
  const auto fill = [&]<typename T>(const T& value) {
    if constexpr (std::is_same_v<T, float>) {
      to.set_type(1);
      to.set_f(value);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      to.set_type(2);
      to.set_i(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      to.set_type(3);
      to.set_s(value);
    } else if constexpr (std::is_same_v<T, Tensor>) {
      to.set_type(4);
      write(value, "", *to.mutable_t());
    } else if constexpr (std::is_same_v<T, std::vector<float>>) {
      to.set_type(6);
      to.mutable_floats()->Add(value.begin(), value.end());
    } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
      to.set_type(7);
      to.mutable_ints()->Add(value.begin(), value.end());
    } else {
      to.set_type(8);
      for (const std::string& one : value) to.add_strings(one);
    }
  };
  std::visit(fill, attribute);
}

void write(const Graph& graph, file::Graph& to) {
  to.set_name(graph.name.empty() ? "graph" : graph.name);
  const auto name_of = [&](ValueId id) { return id == kNone ? std::string() : graph.values[id].name; };
  const auto uses = uses_of(graph);
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].constant && uses[id] > 0)
      write(*graph.values[id].constant, graph.values[id].name, *to.add_initializer());
  for (const ValueId id : graph.inputs) write(graph.values[id], *to.add_input());
  for (const ValueId id : graph.outputs) write(graph.values[id], *to.add_output());
  for (const Node& node : graph.nodes) {
    file::Node& one = *to.add_node();
    one.set_name(node.name);
    one.set_domain(node.domain);
    one.set_op_type(node.operation);
    for (const ValueId id : node.inputs) one.add_input(name_of(id));
    for (const ValueId id : node.outputs) one.add_output(name_of(id));
    for (const auto& [name, attribute] : node.attributes) {
      file::Attribute& field = *one.add_attribute();
      field.set_name(name);
      write(attribute, field);
    }
    for (const Subgraph& inner : node.subgraphs) {
      file::Attribute& field = *one.add_attribute();
      field.set_name(inner.attribute);
      field.set_type(5);
      write(*inner.graph, *field.mutable_g());
    }
  }
}

}  // namespace

file::Model message_of(const Graph& graph, int64_t opset) {
  file::Model model;
  model.set_ir_version(8);
  model.set_producer_name("swai-test");
  auto& set = *model.add_opset_import();
  set.set_domain("");
  set.set_version(opset);
  write(graph, *model.mutable_graph());
  return model;
}

std::vector<uint8_t> bytes_of(const file::Model& message) {
  const std::string text = message.SerializeAsString();
  return {text.begin(), text.end()};
}

}  // namespace swai::onnx
