// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cpe-kernels/operators/linear_sparse/plan.hpp"
#include "host/models/graph/signatures.hpp"
#include "host/models/graph/tokens.hpp"
#include "host/models/graph/use.hpp"

namespace swai::graph {
namespace {

constexpr size_t kMaxNodes = 8192;
constexpr size_t kMaxValues = 65'536;
constexpr size_t kMaxDimensions = 4;
// Of a symbol: more than a model of today has of anything.
constexpr int64_t kMaxSymbol = int64_t{1} << 32;

void check_packing(const Type& type, Place place) {
  const Packing& packing = *type.packed;
  const bool four = type.element == Element::kI4;
  if ((!four && type.element != Element::kI8) || type.dimensions.size() != 2)
    throw GraphError(place, "packed weights are matrices of i8 or i4");
  constexpr std::array<int64_t, 3> kGroups = {32, 64, 128};
  if (four && std::ranges::find(kGroups, packing.group) == kGroups.end())
    throw GraphError(place, "packed i4 has groups of 32, 64 or 128 along its rows: packed 32");
  if (!four && packing.group != 0) throw GraphError(place, "packed i8 has no groups");
  if (packing.tiles != 0 && (four || packing.tiles < 0 || packing.tiles > operators::kSparseMostTiles))
    throw GraphError(place, "sparse weights are i8 of 1 to 64 tiles: packed sparse 64");
}

}  // namespace

bool is_name(const std::string& text) {
  try {
    std::vector<Token> tokens = tokens_of(text);
    const auto is = [&](size_t i, Token::Kind kind) { return i < tokens.size() && tokens[i].kind == kind; };
    const auto sign = [&](size_t i, const char* what) {
      return is(i, Token::Kind::kSign) && tokens[i].text == what && tokens[i].glued;
    };
    if (!is(0, Token::Kind::kWord) || is_keyword(tokens[0].text)) return false;
    size_t at = 1;
    while (true) {
      if (sign(at, ".") && is(at + 1, Token::Kind::kWord) && tokens[at + 1].glued) {
        at += 2;
      } else if (sign(at, "[") && is(at + 1, Token::Kind::kNumber) && sign(at + 2, "]")) {
        at += 3;
      } else {
        return is(at, Token::Kind::kLineEnd);
      }
    }
  } catch (const GraphError&) {
    return false;
  }
}

void fail_assigned_twice(const std::string& name, Place before, Place now) {
  throw GraphError(
      now, fmt::format("{} is there already ({}); every name is assigned once", name, to_text(before)));
}

Builder::Builder(std::string name) { graph_.name = std::move(name); }

Builder::Turn::Turn(Builder& builder, const std::string& counter, int64_t number)
    : builder_(builder), outer_(builder.context_) {
  builder_.context_ += fmt::format(" ({} {})", counter, number);
}

std::optional<Tensor> Builder::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(Tensor{found->second});
}

// ---------------------------------------------------------------------------------------------------------
// values

Size Builder::size(const std::string& name, Range bounds, Place place) {
  if (bounds.least < 0 || bounds.most < bounds.least || bounds.most > kMaxSymbol) {
    throw GraphError(
        place, fmt::format("size {} goes from {} to {}; bounds go up, from 0 or more to 2^32 or less", name,
                           bounds.least, bounds.most));
  }
  if (!graph_.symbols.emplace(name, bounds).second)
    throw GraphError(place, fmt::format("size {} is there already", name));
  return Size::symbol(name);
}

Tensor Builder::input(std::string name, const Type& type, Place place) {
  return declare(ValueKind::kInput, std::move(name), type, place);
}
Tensor Builder::weight(std::string name, const Type& type, Place place) {
  return declare(ValueKind::kWeight, std::move(name), type, place);
}
Tensor Builder::state(std::string name, const Type& type, Place place) {
  return declare(ValueKind::kState, std::move(name), type, place);
}
Tensor Builder::output(std::string name, const Type& type, Place place) {
  return declare(ValueKind::kOutput, std::move(name), type, place);
}
Tensor Builder::buffer(std::string name, const Type& type, Place place) {
  return declare(ValueKind::kBuffer, std::move(name), type, place);
}

Tensor Builder::declare(ValueKind kind, std::string name, const Type& type, Place place) {
  check_type(type, place);
  Value value;
  value.name = std::move(name);
  value.kind = kind;
  value.type = type;
  value.place = place;
  return store(std::move(value));
}

void Builder::check_type(const Type& type, Place place) const {
  if (type.dimensions.empty() || type.dimensions.size() > kMaxDimensions)
    throw GraphError(place, "a tensor has at most 4 dimensions");
  at(place, [&] {
    for (const Size& dimension : type.dimensions) {
      if (dimension.range(graph_.symbols).least < 1)
        throw GraphError(place, fmt::format("a dimension is 1 or more; {} may be less", dimension.text()));
    }
    if (type.packed) check_packing(type, place);
    if (type.split && (*type.split < 0 || *type.split >= static_cast<int>(type.dimensions.size()))) {
      throw GraphError(place, fmt::format("split {}: the tensor has dimensions 0 to {}", *type.split,
                                          type.dimensions.size() - 1));
    }
    // What could not be addressed is found here, not where it is planned.
    type.bytes().range(graph_.symbols);
  });
}

Tensor Builder::store(Value value) {
  if (graph_.values.size() == kMaxValues) throw GraphError(value.place, "the graph has too many values");
  if (!is_name(value.name))
    throw GraphError(value.place, fmt::format("'{}' is no name that graph text has", value.name));
  const ValueId id = graph_.values.size();
  if (const auto [before, is_new] = names_.emplace(value.name, id); !is_new)
    fail_assigned_twice(value.name, graph_.values[before->second].place, value.place);
  value.storage = id;
  graph_.values.push_back(std::move(value));
  return {id};
}

// ---------------------------------------------------------------------------------------------------------
// nodes

Tensor Builder::add(const Target& target, const std::string& operation,
                    const std::vector<Argument>& arguments, Place place) {
  return add_all({target}, operation, arguments, place).front();
}

std::vector<Tensor> Builder::add_all(const std::vector<Target>& targets, const std::string& operation,
                                     const std::vector<Argument>& arguments, Place place) {
  const Signature* const what = find_signature(operation);
  if (what == nullptr) {
    std::vector<std::string> names;
    for (const Signature& one : signatures()) names.push_back(one.name);
    throw GraphError(place, fmt::format("no operator '{}'; there are {}", operation, fmt::join(names, ", ")));
  }
  if (graph_.nodes.size() == kMaxNodes)
    throw GraphError(place, fmt::format("the graph has more than {} nodes", kMaxNodes));
  return at(place, [&] {
    Node node;
    node.operation = operation;
    node.context = context_;
    node.place = place;
    node.operands.resize(what->parameters.size());
    settle(*what, arguments, node);
    const Use use(*what, graph_, node);
    const std::vector<Type> types = what->results(use);
    if (types.size() != targets.size()) {
      use.fail(fmt::format("makes {} value{}, and {} stand on the left", types.size(),
                           types.size() == 1 ? "" : "s", targets.size()));
    }
    const size_t number = graph_.nodes.size();
    note_uses(*what, node, use, number);
    std::vector<Tensor> results;
    for (size_t i = 0; i < types.size(); ++i) {
      results.push_back(assign(targets[i], types[i], *what, node, use, number));
      node.results.push_back(results.back().id);
    }
    graph_.nodes.push_back(std::move(node));
    return results;
  });
}

void Builder::fail(const Signature& what, Place place, const std::string& message) const {
  throw GraphError(place, fmt::format("{}{}: {}", what.name, context_, message));
}

void Builder::settle(const Signature& what, const std::vector<Argument>& arguments, Node& node) const {
  size_t next = 0;
  std::set<std::string> given;
  for (const Argument& argument : arguments) {
    const Place place = argument.place.value_or(node.place);
    size_t index = next;
    if (argument.key.empty()) {
      if (index >= what.parameters.size() || what.parameters[index].kind != Parameter::Kind::kTensor)
        fail(what, place, "too many tensors; what is not a tensor is given by name, like heads: 8");
      ++next;
    } else {
      const auto found = std::ranges::find(what.parameters, argument.key, &Parameter::name);
      if (found == what.parameters.end()) {
        std::vector<std::string> names;
        for (const Parameter& one : what.parameters) names.push_back(one.name);
        fail(what, place,
             fmt::format("'{}' is nothing that it takes; it takes {}", argument.key, fmt::join(names, ", ")));
      }
      index = static_cast<size_t>(found - what.parameters.begin());
    }
    const Parameter& parameter = what.parameters[index];
    if (!given.insert(parameter.name).second)
      fail(what, place, fmt::format("{} is given twice", parameter.name));
    if (parameter.kind == Parameter::Kind::kTensor) {
      const auto* const tensor = std::get_if<Tensor>(&argument.value);
      if (tensor == nullptr) fail(what, place, fmt::format("{} is a tensor, not a number", parameter.name));
      node.operands[index] = tensor->id;
    } else {
      node.settings[parameter.name] = setting(what, parameter, argument, place);
    }
  }
  for (const Parameter& parameter : what.parameters) {
    if (given.contains(parameter.name)) continue;
    if (parameter.needed) fail(what, node.place, fmt::format("{} is missing", parameter.name));
    if (parameter.kind != Parameter::Kind::kTensor) node.settings[parameter.name] = standard_of(parameter);
  }
}

Setting Builder::setting(const Signature& what, const Parameter& parameter, const Argument& argument,
                         Place place) const {
  const auto* const size = std::get_if<Size>(&argument.value);
  if (parameter.kind == Parameter::Kind::kWord) {
    const auto* const word = std::get_if<std::string>(&argument.value);
    if (word == nullptr || std::ranges::find(parameter.words, *word) == parameter.words.end())
      fail(what, place, fmt::format("{} is one of {}", parameter.name, fmt::join(parameter.words, ", ")));
    return *word;
  }
  if (parameter.kind == Parameter::Kind::kReal) {
    const auto* const real = std::get_if<double>(&argument.value);
    const std::optional<int64_t> whole = size == nullptr ? std::nullopt : size->constant();
    if (real == nullptr && !whole) fail(what, place, fmt::format("{} is a number", parameter.name));
    const double number = real == nullptr ? static_cast<double>(*whole) : *real;
    if (!std::isfinite(number)) fail(what, place, fmt::format("{} is not finite", parameter.name));
    return number;
  }
  if (size == nullptr) fail(what, place, fmt::format("{} is a size, a whole number", parameter.name));
  return *size;
}

void Builder::note_uses(const Signature& what, const Node& node, const Use& use, size_t number) {
  for (const std::optional<ValueId>& operand : node.operands) {
    if (!operand) continue;
    Value& value = graph_.values[*operand];
    if (value.kind == ValueKind::kBuffer)
      use.fail(fmt::format("{} is a buffer; name the value that is in it", value.name));
    if (value.kind == ValueKind::kOutput && !value.producer)
      use.fail(fmt::format("{} has not been assigned yet", value.name));
    if (const auto gone = overwritten_.find(*operand); gone != overwritten_.end()) {
      use.fail(fmt::format("{} was overwritten on {}; what that line assigns is there in its place",
                           value.name, to_text(gone->second)));
    }
    value.last_use = number;
  }
  if (what.in_place && graph_.values[graph_.values[*node.operands[0]].storage].kind != ValueKind::kState) {
    use.fail(fmt::format("{} is no state; only a state is written in place",
                         graph_.values[*node.operands[0]].name));
  }
}

Tensor Builder::assign(const Target& target, const Type& type, const Signature& what, const Node& node,
                       const Use& use, size_t number) {
  if (target.type && !(*target.type == type)) {
    use.fail(fmt::format("makes {}, and {} is declared as {}", type.text(),
                         target.output ? value(*target.output).name : target.name, target.type->text()));
  }
  if (target.output) return assign_output(target, type, use, number);
  Value value;
  value.name = target.name;
  value.type = type;
  value.place = target.place.value_or(node.place);
  value.producer = number;
  const Tensor made = store(std::move(value));
  if (what.in_place) {
    overwritten_[*node.operands[0]] = node.place;
    graph_.values[made.id].storage = graph_.values[*node.operands[0]].storage;
  }
  if (target.buffer) put(made.id, target.buffer->id, what, node, use);
  return made;
}

Tensor Builder::assign_output(const Target& target, const Type& type, const Use& use, size_t number) {
  Value& output = graph_.values[target.output->id];
  if (output.kind != ValueKind::kOutput) use.fail(fmt::format("{} is no output", output.name));
  if (output.producer) use.fail(fmt::format("output {} is assigned twice", output.name));
  if (!(output.type == type))
    use.fail(fmt::format("makes {}, and output {} is {}", type.text(), output.name, output.type.text()));
  if (target.buffer) use.fail(fmt::format("output {} has memory of its own; leave 'in' out", output.name));
  output.producer = number;
  return *target.output;
}

void Builder::put(ValueId id, ValueId buffer, const Signature& what, const Node& node, const Use& use) {
  Value& value = graph_.values[id];
  const Value& memory = graph_.values[buffer];
  if (memory.kind != ValueKind::kBuffer) use.fail(fmt::format("{} is no buffer", memory.name));
  if (what.in_place) use.fail(fmt::format("{} stays in the state's memory; leave 'in' out", value.name));
  use.at_most(value.type.bytes(), memory.type.bytes(),
              fmt::format("the bytes of {} in buffer {}", value.name, memory.name));
  if (const auto before = occupants_.find(buffer); before != occupants_.end()) {
    const bool read_here =
        std::ranges::find(node.operands, std::optional(before->second)) != node.operands.end();
    if (read_here && !(what.elementwise && graph_.values[before->second].type == value.type)) {
      use.fail(fmt::format("reads {} from buffer {} while it writes there: their lifetimes overlap",
                           graph_.values[before->second].name, memory.name));
    }
    overwritten_[before->second] = node.place;
  }
  occupants_[buffer] = id;
  value.storage = buffer;
}

Graph Builder::finish() {
  for (const Value& value : graph_.values) {
    if (value.kind == ValueKind::kOutput && !value.producer)
      throw GraphError(value.place, fmt::format("output {} is never assigned", value.name));
    const bool useless = !value.last_use && value.kind != ValueKind::kOutput &&
                         value.kind != ValueKind::kBuffer &&
                         graph_.values[value.storage].kind != ValueKind::kState;
    if (useless) graph_.notes.push_back(fmt::format("{}: nobody reads {}", to_text(value.place), value.name));
  }
  return std::move(graph_);
}

}  // namespace swai::graph
