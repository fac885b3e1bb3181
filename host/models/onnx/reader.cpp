// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "host/models/onnx/onnx.pb.h"

namespace swai::onnx {
namespace {

constexpr int kMaxDepth = 8;  // of subgraphs
constexpr int kMaxNodes = 1 << 20;
constexpr int kMaxInputs = 1 << 16;  // of one node
constexpr const char* kFetchAgain = "the file is damaged; export it again";

// Names of values, within a graph and the graphs around it.
struct Scope {
  Graph& graph;
  Scope* outer = nullptr;
  Subgraph* in_outer = nullptr;
  int depth = 0;
  std::map<std::string, ValueId, std::less<>> names = {};
};

bool is_reduction(const Node& node) {
  return node.domain.empty() && node.operation.starts_with("Reduce") && node.operation != "ReduceScatter";
}

class GraphReader {
 public:
  GraphReader(const models::FileBytes& file, const std::string& folder)
      : path_(file.path()), folder_(folder), message_(std::make_shared<file::Model>()) {
    if (file.bytes().size() > std::numeric_limits<int>::max())
      fail("is larger than 2 GiB; export it with its weights as external data");
    if (!message_->ParseFromArray(file.bytes().data(), static_cast<int>(file.bytes().size())) ||
        !message_->has_graph())
      fail("is no ONNX file, or damaged; export it again");
  }

  Model read() {
    Model model{path_, message_->producer_name() + " " + message_->producer_version(), opset(), {}};
    opset_ = model.opset;
    if (message_->functions_size() > 0) fail("defines functions; export it with functions inlined");
    Scope scope{model.graph};
    fill(message_->graph(), scope);
    return model;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { models::refuse(path_, what); }
  [[noreturn]] void fail(const Node& node, const std::string& what) const {
    fail(fmt::format("node '{}' ({}): {}", node.name.substr(0, 100), node.operation.substr(0, 60), what));
  }

  int64_t opset() const {
    for (const file::OperatorSet& set : message_->opset_import()) {
      if (!is_standard(set.domain())) continue;
      if (set.version() < kMinOpset || set.version() > kMaxOpset)
        fail(fmt::format("has operators of opset {}; {} to {} are supported", set.version(), kMinOpset,
                         kMaxOpset));
      return set.version();
    }
    fail(fmt::format("names no version of the standard operators; {}", kFetchAgain));
  }

  static bool is_standard(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

  ValueId define(Scope& scope, const std::string& name, const std::string& where) {
    if (name.empty()) fail(fmt::format("{} has no name; {}", where, kFetchAgain));
    const auto [entry, is_new] =
        scope.names.try_emplace(name, static_cast<ValueId>(scope.graph.values.size()));
    if (!is_new) fail(fmt::format("value '{}' is defined twice; {}", name, kFetchAgain));
    return scope.graph.add({name, {}, {}});
  }

  // Finds a value by name. One of a graph outside becomes an input of the subgraph, or a constant of it.
  std::optional<ValueId> find(Scope& scope, const std::string& name) {
    if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
    if (scope.outer == nullptr) return std::nullopt;
    const std::optional<ValueId> outside = find(*scope.outer, name);
    if (!outside) return std::nullopt;
    const ValueId inside = scope.graph.add(scope.outer->graph.values[*outside]);
    scope.names.emplace(name, inside);
    if (scope.graph.constant(inside) == nullptr) {
      scope.graph.captured.push_back(inside);
      scope.in_outer->captured.push_back(*outside);
    }
    return inside;
  }

  void set_type(const file::ValueInfo& info, Value& value) {
    if (!info.type().has_tensor_type()) return;
    const file::Type::OfTensor& type = info.type().tensor_type();
    if (type.elem_type() != 0) {
      value.element = element_of(type.elem_type());
      if (!value.element)
        fail(fmt::format("value '{}' has the element type {}, which is not supported", info.name(),
                         type.elem_type()));
    }
    if (!type.has_shape()) return;
    if (static_cast<size_t>(type.shape().dim_size()) > kMaxRank)
      fail(fmt::format("value '{}' has {} dimensions; at most {} are supported", info.name(),
                       type.shape().dim_size(), kMaxRank));
    Shape shape;
    for (const file::Dimension& size : type.shape().dim()) {
      if (!size.has_dim_value()) {
        const bool is_named = !size.dim_param().empty() && size.dim_param()[0] != kOwnSymbol;
        shape.push_back(is_named ? Size::symbol(size.dim_param()) : own_symbol(info.name(), shape.size()));
        continue;
      }
      check_size(size.dim_value(), "value", info.name(), shape.size());
      shape.emplace_back(size.dim_value());
    }
    value.shape = std::move(shape);
  }

  void check_size(int64_t size, const char* what, const std::string& name, size_t dimension) const {
    if (size < 0 || size > kMaxSize)
      fail(fmt::format("dimension {} of {} '{}' is {}, which is not from 0 to {}", dimension, what, name,
                       size, kMaxSize));
  }

  void fill(const file::Graph& source, Scope& scope) {
    Graph& graph = scope.graph;
    graph.name = source.name();
    nodes_ += source.node_size();
    if (nodes_ > kMaxNodes) fail(fmt::format("has more than {} nodes", kMaxNodes));
    if (source.sparse_initializer_size() > 0) fail("has sparse initializers, which are not supported");
    for (const file::ValueInfo& input : source.input())
      set_type(input, graph.values[define(scope, input.name(), "an input")]);
    for (const file::Tensor& tensor : source.initializer()) {
      // Old files list initializers among the inputs, too.
      const auto known = scope.names.find(tensor.name());
      const ValueId id =
          known == scope.names.end() ? define(scope, tensor.name(), "an initializer") : known->second;
      if (graph.constant(id) != nullptr)
        fail(fmt::format("value '{}' is defined twice; {}", tensor.name(), kFetchAgain));
      Tensor value = tensor_of(tensor);
      check_declared(graph.values[id], value);
      graph.set_constant(id, std::move(value));
    }
    for (const file::ValueInfo& input : source.input()) {
      const ValueId id = scope.names.at(input.name());
      if (graph.constant(id) == nullptr) graph.inputs.push_back(id);
    }
    for (const file::Node& node : source.node())
      for (const std::string& output : node.output())
        if (!output.empty()) define(scope, output, "a result of a node");
    for (const file::ValueInfo& info : source.value_info())
      if (const auto found = scope.names.find(info.name());
          found != scope.names.end() && graph.constant(found->second) == nullptr)
        set_type(info, graph.values[found->second]);
    for (const file::Node& node : source.node()) graph.nodes.push_back(node_of(node, scope));
    for (const file::ValueInfo& output : source.output()) {
      const std::optional<ValueId> id = find(scope, output.name());
      if (!id) fail(fmt::format("output '{}' is made by no node; {}", output.name(), kFetchAgain));
      if (graph.constant(*id) == nullptr && !graph.values[*id].shape) set_type(output, graph.values[*id]);
      graph.outputs.push_back(*id);
      graph.output_names.push_back(output.name());
    }
    sort(graph);
  }

  void check_declared(const Value& declared, const Tensor& is) const {
    const bool same_shape =
        !declared.shape || std::ranges::equal(*declared.shape, is.shape, [](const Size& said, int64_t size) {
          return said.constant().value_or(size) == size;
        });
    if ((declared.element && *declared.element != is.element) || !same_shape)
      fail(fmt::format("input '{}' is declared as {} and its initializer is {}{}; {}", declared.name,
                       type_text(declared), to_text(is.element), shape_text(is.shape), kFetchAgain));
  }

  Node node_of(const file::Node& source, Scope& scope) {
    Node node{source.name(), is_standard(source.domain()) ? "" : source.domain(), source.op_type(), {}, {}};
    if (node.name.empty() && source.output_size() > 0) node.name = source.output(0);
    if (node.operation.empty()) fail(node, fmt::format("has no operation; {}", kFetchAgain));
    if (source.input_size() > kMaxInputs || source.output_size() > kMaxInputs)
      fail(node, fmt::format("has more than {} inputs or outputs", kMaxInputs));
    for (const std::string& name : source.input()) {
      const std::optional<ValueId> id = name.empty() ? kNone : find(scope, name);
      if (!id) fail(node, fmt::format("input '{}' is not defined; {}", name, kFetchAgain));
      node.inputs.push_back(*id);
    }
    for (const std::string& name : source.output())
      node.outputs.push_back(name.empty() ? kNone : scope.names.at(name));
    if (std::ranges::all_of(node.outputs, [](ValueId id) { return id == kNone; }))
      fail(node, "has no outputs");
    for (const file::Attribute& attribute : source.attribute()) read_attribute(attribute, node, scope);
    if (node.domain.empty()) upgrade(node, scope.graph);
    return node;
  }

  void read_attribute(const file::Attribute& source, Node& node, Scope& scope) {
    enum { kFloat = 1, kInt, kString, kTensor, kGraph, kFloats, kInts, kStrings };
    const std::string& name = source.name();
    if (!source.ref_attr_name().empty())
      fail(node, fmt::format("attribute '{}' refers to a function's; {}", name, kFetchAgain));
    const auto set = [&](Attribute value) {
      if (!node.attributes.emplace(name, std::move(value)).second)
        fail(node, fmt::format("attribute '{}' is given twice; {}", name, kFetchAgain));
    };
    switch (source.type()) {
      case kFloat:
        return set(source.f());
      case kInt:
        return set(source.i());
      case kString:
        return set(source.s());
      case kFloats:
        return set(std::vector<float>(source.floats().begin(), source.floats().end()));
      case kInts:
        return set(std::vector<int64_t>(source.ints().begin(), source.ints().end()));
      case kStrings:
        return set(std::vector<std::string>(source.strings().begin(), source.strings().end()));
      case kTensor:
        if (!source.has_t()) fail(node, fmt::format("attribute '{}' has no tensor; {}", name, kFetchAgain));
        return set(tensor_of(source.t()));
      case kGraph: {
        if (!source.has_g()) fail(node, fmt::format("attribute '{}' has no graph; {}", name, kFetchAgain));
        if (scope.depth + 1 > kMaxDepth)
          fail(node, fmt::format("has graphs nested more than {} deep", kMaxDepth));
        Subgraph inner{name, std::make_shared<Graph>(), {}};
        Scope within{*inner.graph, &scope, &inner, scope.depth + 1};
        fill(source.g(), within);
        node.subgraphs.push_back(std::move(inner));
        return;
      }
      default:
        fail(node,
             fmt::format("attribute '{}' has the type {}, which is not supported", name, source.type()));
    }
  }

  // Writes a node as the newest opset does: what were attributes are inputs.
  void upgrade(Node& node, Graph& graph) {
    const auto to_input = [&](const char* attribute, const char* what) {
      const auto found = node.attributes.find(attribute);
      if (found == node.attributes.end() || node.inputs.size() != 1) return;
      const auto* const values = std::get_if<std::vector<int64_t>>(&found->second);
      if (values == nullptr) fail(node, fmt::format("attribute '{}' is no list of integers", attribute));
      node.inputs.push_back(graph.add_constant(fmt::format("{}.{}", node.name, what), integers(*values)));
      node.attributes.erase(found);
    };
    if (is_reduction(node) || node.operation == "Squeeze" || node.operation == "Unsqueeze")
      to_input("axes", "axes");
    if (node.operation == "Split") to_input("split", "sizes");
    const bool is_softmax = node.operation == "Softmax" || node.operation == "LogSoftmax";
    if (is_softmax && opset_ < 13) {
      // Before opset 13 these normalise over all dimensions from the axis on. Only the last axis means the
      // same.
      const int64_t axis = node.number("axis", 1);
      node.attributes["axis"] = axis;
      if (axis != -1) node.operation += "-11";
    }
  }

  Tensor tensor_of(const file::Tensor& source) {
    const std::string& name = source.name();
    const auto element = element_of(source.data_type());
    if (!element)
      fail(fmt::format("tensor '{}' has the element type {}, which is not supported", name,
                       source.data_type()));
    if (static_cast<size_t>(source.dims_size()) > kMaxRank)
      fail(fmt::format("tensor '{}' has {} dimensions; at most {} are supported", name, source.dims_size(),
                       kMaxRank));
    std::vector<int64_t> shape(source.dims().begin(), source.dims().end());
    for (size_t i = 0; i < shape.size(); ++i) check_size(shape[i], "tensor", name, i);
    const auto count = count_of(shape);
    if (!count)
      fail(fmt::format("tensor '{}' has the shape {}, which is too large", name, shape_text(shape)));
    const int64_t bytes = bytes_of(*element, *count);
    constexpr int kExternal = 1;
    if (source.data_location() == kExternal) return external(source, *element, std::move(shape), bytes);
    if (source.has_raw_data()) {
      check_bytes(name, *element, shape, bytes, source.raw_data().size());
      const auto* const data = reinterpret_cast<const uint8_t*>(source.raw_data().data());
      return {*element, std::move(shape), {data, source.raw_data().size()}, message_};
    }
    return from_fields(source, *element, std::move(shape), *count);
  }

  void check_bytes(const std::string& name, Element element, const std::vector<int64_t>& shape,
                   int64_t expected, uint64_t bytes) const {
    if (bytes != static_cast<uint64_t>(expected))
      fail(fmt::format("tensor '{}' has {} bytes, and {}{} takes {}; {}", name, bytes, to_text(element),
                       shape_text(shape), expected, kFetchAgain));
  }

  Tensor from_fields(const file::Tensor& source, Element element, std::vector<int64_t> shape,
                     int64_t count) const {
    const auto check = [&](int fields, int64_t expected) {
      if (fields != expected)
        fail(fmt::format("tensor '{}' has {} elements, and {}{} has {}; {}", source.name(), fields,
                         to_text(element), shape_text(shape), expected, kFetchAgain));
    };
    const auto whole = [&](const auto& values) {
      check(values.size(), count);
      return wholes(element, std::move(shape), std::vector<int64_t>(values.begin(), values.end()));
    };
    switch (element) {
      case Element::kF32: {
        check(source.float_data_size(), count);
        return reals(element, std::move(shape),
                     std::vector<double>(source.float_data().begin(), source.float_data().end()));
      }
      case Element::kF64: {
        check(source.double_data_size(), count);
        return reals(element, std::move(shape),
                     std::vector<double>(source.double_data().begin(), source.double_data().end()));
      }
      case Element::kI64:
        return whole(source.int64_data());
      case Element::kU32:
      case Element::kU64:
        return whole(source.uint64_data());
      case Element::kF16:
      case Element::kBf16: {  // as their bits
        Tensor bits = wholes(Element::kU16, {source.int32_data_size()},
                             std::vector<int64_t>(source.int32_data().begin(), source.int32_data().end()));
        check(source.int32_data_size(), count);
        bits.element = element;
        bits.shape = std::move(shape);
        return bits;
      }
      case Element::kU4:
      case Element::kI4:
        check(source.int32_data_size(), bytes_of(element, count));
        return make_tensor(element, std::move(shape),
                           {source.int32_data().begin(), source.int32_data().end()});
      default:
        return whole(source.int32_data());
    }
  }

  Tensor external(const file::Tensor& source, Element element, std::vector<int64_t> shape, int64_t bytes) {
    const std::string& name = source.name();
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
    const auto number = [&](const file::Entry& entry) {
      uint64_t value = 0;
      const std::string& text = entry.value();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc{} || end != text.data() + text.size())
        fail(fmt::format("tensor '{}': {} of its external data is '{}', which is no number; {}", name,
                         entry.key(), text, kFetchAgain));
      return value;
    };
    for (const file::Entry& entry : source.external_data()) {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = number(entry);
      if (entry.key() == "length") length = number(entry);
    }
    if (folder_.empty()) fail(fmt::format("tensor '{}' is in another file, '{}'", name, location));
    models::SharedBytes& file = external_[location];
    try {
      if (!file) file = models::FileBytes::map_below(folder_, location);
    } catch (const std::exception& error) {
      fail(fmt::format("tensor '{}' is external data: {}", name, error.what()));
    }
    if (length) check_bytes(name, element, shape, bytes, *length);
    const auto all = file->bytes();
    if (offset > all.size() || static_cast<uint64_t>(bytes) > all.size() - offset)
      fail(fmt::format("tensor '{}' is {} bytes at {} of '{}', which has {}; fetch that file again", name,
                       bytes, offset, location, all.size()));
    return {element, std::move(shape), all.subspan(offset, static_cast<size_t>(bytes)), file};
  }

  // Puts nodes into an order in which they can run: that of the file, unless a node needs a later one.
  void sort(Graph& graph) const {
    const std::vector<uint32_t> producers = producers_of(graph);
    const size_t count = graph.nodes.size();
    std::vector<std::vector<uint32_t>> users(count);
    std::vector<uint32_t> missing(count);
    for (uint32_t i = 0; i < count; ++i) {
      const auto need = [&](const std::vector<ValueId>& ids) {
        for (const ValueId id : ids) {
          if (id == kNone || producers[id] == kNone) continue;
          users[producers[id]].push_back(i);
          ++missing[i];
        }
      };
      need(graph.nodes[i].inputs);
      for (const Subgraph& inner : graph.nodes[i].subgraphs) need(inner.captured);
    }
    std::vector<uint32_t> ready;  // a heap, the first of the file on top
    for (uint32_t i = 0; i < count; ++i)
      if (missing[i] == 0) ready.push_back(i);
    std::ranges::make_heap(ready, std::greater{});
    std::vector<Node> sorted;
    while (!ready.empty()) {
      std::ranges::pop_heap(ready, std::greater{});
      const uint32_t next = ready.back();
      ready.pop_back();
      sorted.push_back(graph.nodes[next]);
      for (const uint32_t user : users[next]) {
        if (--missing[user] > 0) continue;
        ready.push_back(user);
        std::ranges::push_heap(ready, std::greater{});
      }
    }
    if (sorted.size() != count) {
      const auto stuck = std::ranges::find_if(missing, [](uint32_t number) { return number > 0; });
      fail(graph.nodes[static_cast<size_t>(stuck - missing.begin())],
           fmt::format("needs a result that depends on its own; {}", kFetchAgain));
    }
    graph.nodes = std::move(sorted);
  }

  std::string path_;
  std::string folder_;
  std::shared_ptr<file::Model> message_;  // owns the bytes of constants
  int64_t opset_ = 0;
  int nodes_ = 0;
  std::map<std::string, models::SharedBytes> external_;
};

}  // namespace

Model read(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return read(*models::FileBytes::map(path), folder.empty() ? "." : folder.string());
}

Model read(const models::FileBytes& file, const std::string& folder) {
  return GraphReader(file, folder).read();
}

}  // namespace swai::onnx
