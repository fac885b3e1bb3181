// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "cpe-kernels/operators/linear_sparse/plan.hpp"
#include "host/graph/graph.hpp"
#include "host/graph/signatures.hpp"

namespace swai::graph {
namespace {

constexpr size_t kMaxNodes = 8192;
constexpr size_t kMaxValues = 65'536;
constexpr size_t kMaxDimensions = 4;
constexpr int64_t kMaxTurns = 4096;
// Of a symbol: what a model of today has of anything, with room.
constexpr int64_t kMaxSymbol = int64_t{1} << 32;

// Assigned somewhere below, for a message about a value that is used too early.
std::optional<Place> assignment_of(const std::vector<Statement>& statements, const std::string& name) {
  for (const Statement& statement : statements) {
    if (const auto* call = std::get_if<Call>(&statement.what)) {
      for (const Target& target : call->targets) {
        if (target.name.plain() && target.name.parts[0].word == name) return target.name.place;
      }
    } else if (const auto* loop = std::get_if<Repeat>(&statement.what)) {
      if (const auto found = assignment_of(loop->body, name)) return found;
    }
  }
  return std::nullopt;
}

class Checker {
 public:
  explicit Checker(const GraphText& text) : text_(text) { graph_.name = text.name; }

  Graph graph() {
    scopes_.emplace_back();
    run(text_.statements);
    for (const Value& value : graph_.values) {
      if (value.kind == ValueKind::kOutput && !value.producer) {
        throw GraphError(value.place, fmt::format("output {} is never assigned", value.name));
      }
      const bool useless = !value.last_use && value.kind != ValueKind::kOutput &&
                           value.kind != ValueKind::kBuffer &&
                           graph_.values[value.storage].kind != ValueKind::kState;
      if (useless)
        graph_.notes.push_back(fmt::format("line {}: nobody reads {}", value.place.line, value.name));
    }
    return std::move(graph_);
  }

 private:
  using Scope = std::map<std::string, ValueId>;

  // What a size cannot be is found where it is computed; where that stands is known here.
  template <typename Work>
  static auto at(Place place, const Work& work) {
    try {
      return work();
    } catch (const SizeError& error) {
      throw GraphError(place, error.what());
    }
  }

  void run(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      at(statement.place,
         [&] { std::visit([&](const auto& what) { take(what, statement.place); }, statement.what); });
    }
  }

  // ----------------------------------------------------------------------------------------------- sizes,
  // names

  Size size(const Expression& expression) const {
    switch (expression.kind) {
      case Expression::Kind::kInteger:
        return expression.integer;
      case Expression::Kind::kReal:
        throw GraphError(expression.place, "a size is a whole number");
      case Expression::Kind::kName:
        return known_size(expression);
      case Expression::Kind::kAdd:
        return size(expression.operands[0]) + size(expression.operands[1]);
      case Expression::Kind::kSubtract:
        return size(expression.operands[0]) - size(expression.operands[1]);
      case Expression::Kind::kMultiply:
        return size(expression.operands[0]) * size(expression.operands[1]);
      case Expression::Kind::kDivide:
        break;
    }
    return size(expression.operands[0]) / number(expression.operands[1]);
  }

  Size known_size(const Expression& expression) const {
    const auto found = sizes_.find(expression.name);
    if (found == sizes_.end()) {
      throw GraphError(expression.place,
                       fmt::format("no size is named '{0}'; write size {0} = ... above", expression.name));
    }
    return found->second;
  }

  int64_t number(const Expression& expression) const {
    const Size value = at(expression.place, [&] { return size(expression); });
    if (const auto known = value.constant()) return *known;
    throw GraphError(
        expression.place,
        fmt::format("{} is known only when the graph runs; here it has to be known now", value.text()));
  }

  std::string text_of(const Name& name) const {
    std::string text;
    for (const Name::Part& part : name.parts)
      text += part.index ? fmt::format("[{}]", number(*part.index)) : part.word;
    return text;
  }

  void take(const SizeStatement& statement, Place place) {
    if (sizes_.contains(statement.name))
      throw GraphError(place, fmt::format("size {} is there already", statement.name));
    if (!statement.last) {
      sizes_.emplace(statement.name, size(statement.first));
      return;
    }
    const Range bounds = {number(statement.first), number(*statement.last)};
    if (bounds.least < 0 || bounds.most < bounds.least || bounds.most > kMaxSymbol) {
      throw GraphError(place,
                       fmt::format("size {} goes from {} to {}; bounds go up, from 0 or more to 2^32 or less",
                                   statement.name, bounds.least, bounds.most));
    }
    sizes_.emplace(statement.name, Size::symbol(statement.name));
    graph_.symbols.emplace(statement.name, bounds);
  }

  Packing packing(const TypeText& text, const Type& type) const {
    Packing packing;
    packing.minima = text.minima;
    if (text.group) packing.group = number(*text.group);
    const bool four = type.element == Element::kI4;
    if ((!four && type.element != Element::kI8) || type.dimensions.size() != 2)
      throw GraphError(text.place, "packed weights are matrices of i8 or i4");
    const std::array<int64_t, 3> groups = {32, 64, 128};
    if (four && std::ranges::find(groups, packing.group) == groups.end())
      throw GraphError(text.place, "packed i4 has groups of 32, 64 or 128 along its rows: packed 32");
    if (!four && text.group) throw GraphError(text.place, "packed i8 has no groups");
    if (text.tiles) {
      packing.tiles = number(*text.tiles);
      if (packing.tiles < 1 || packing.tiles > operators::kSparseMostTiles)
        throw GraphError(text.place, "sparse weights are i8 of 1 to 64 tiles: packed sparse 64");
    }
    return packing;
  }

  Type type(const TypeText& text) const {
    Type type;
    const std::optional<Element> element = element_of(text.element);
    if (!element)
      throw GraphError(text.place,
                       fmt::format("no element type '{}'; there are i4, i8, i32, f16, f32", text.element));
    type.element = *element;
    if (text.dimensions.size() > kMaxDimensions)
      throw GraphError(text.place, "a tensor has at most 4 dimensions");
    for (const Expression& dimension : text.dimensions) {
      at(dimension.place, [&] {
        type.dimensions.push_back(size(dimension));
        if (type.dimensions.back().range(graph_.symbols).least < 1) {
          throw GraphError(dimension.place, fmt::format("a dimension is 1 or more; {} may be less",
                                                        type.dimensions.back().text()));
        }
      });
    }
    if (text.packed) type.packed = packing(text, type);
    if (text.split) {
      const int64_t along = number(*text.split);
      if (along < 0 || along >= static_cast<int64_t>(type.dimensions.size())) {
        throw GraphError(text.place, fmt::format("split {}: the tensor has dimensions 0 to {}", along,
                                                 type.dimensions.size() - 1));
      }
      type.split = static_cast<int>(along);
    }
    // What nobody could address is found here, not where it is planned.
    at(text.place, [&] { type.bytes().range(graph_.symbols); });
    return type;
  }

  // -----------------------------------------------------------------------------------------------------
  // values

  // Under the name as it is written.
  ValueId add_value(const std::string& name, Value value, Scope& scope) {
    if (graph_.values.size() == kMaxValues) throw GraphError(value.place, "the graph has too many values");
    if (const auto before = find(name)) {
      throw GraphError(value.place, fmt::format("{} is there already (line {}); every name is assigned once",
                                                name, graph_.values[*before].place.line));
    }
    const ValueId id = store(std::move(value));
    scope.emplace(name, id);
    return id;
  }

  ValueId store(Value value) {
    value.storage = graph_.values.size();
    graph_.values.push_back(std::move(value));
    return graph_.values.size() - 1;
  }

  std::optional<ValueId> find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    }
    return std::nullopt;
  }

  ValueId known_value(const Name& name) const {
    const std::string text = text_of(name);
    if (const auto id = find(text)) return *id;
    if (const auto place = assignment_of(text_.statements, text); place && place->line >= name.place.line) {
      throw GraphError(
          name.place,
          fmt::format("{} is assigned on line {} only; a value can be used below its assignment, so values "
                      "never wait for each other in a circle",
                      text, place->line));
    }
    throw GraphError(name.place, fmt::format("no value is named {}", text));
  }

  void take(const Declaration& declaration, Place place) {
    static const std::map<std::string, ValueKind> kKinds = {{"input", ValueKind::kInput},
                                                            {"weight", ValueKind::kWeight},
                                                            {"state", ValueKind::kState},
                                                            {"output", ValueKind::kOutput},
                                                            {"buffer", ValueKind::kBuffer}};
    Value value;
    value.name = text_of(declaration.name);
    value.kind = kKinds.at(declaration.kind);
    value.type = type(declaration.type);
    value.place = place;
    // Also from within a loop: it is there before the graph runs.
    const std::string name = value.name;
    add_value(name, std::move(value), scopes_.front());
  }

  // ------------------------------------------------------------------------------------------------------
  // nodes

  void take(const Call& call, Place place) {
    const Signature* const what = find_signature(call.operation);
    if (!what) {
      std::vector<std::string> names;
      for (const Signature& one : signatures()) names.push_back(one.name);
      throw GraphError(place,
                       fmt::format("no operator '{}'; there are {}", call.operation, fmt::join(names, ", ")));
    }
    if (graph_.nodes.size() == kMaxNodes)
      throw GraphError(place, fmt::format("the graph has more than {} nodes", kMaxNodes));
    Node node;
    node.operation = call.operation;
    node.context = context_;
    node.place = place;
    node.operands.resize(what->parameters.size());
    settle(*what, call, node);
    const Use use(*what, graph_, node);
    const std::vector<Type> types = what->results(use);
    if (types.size() != call.targets.size()) {
      use.fail(fmt::format("makes {} value{}, and {} stand on the left", types.size(),
                           types.size() == 1 ? "" : "s", call.targets.size()));
    }
    const size_t number = graph_.nodes.size();
    note_uses(*what, node, use, number);
    for (size_t i = 0; i < types.size(); ++i)
      node.results.push_back(assign(call.targets[i], types[i], *what, node, use, number));
    graph_.nodes.push_back(std::move(node));
  }

  [[noreturn]] void fail(const Signature& what, const Argument& argument, const std::string& message) const {
    throw GraphError(argument.place, fmt::format("{}{}: {}", what.name, context_, message));
  }

  // Arguments to parameters: tensors by position or name, all else by name.
  void settle(const Signature& what, const Call& call, Node& node) const {
    size_t next = 0;
    std::set<std::string> given;
    for (const Argument& argument : call.arguments) {
      size_t index = next;
      if (argument.key.empty()) {
        if (index >= what.parameters.size() || what.parameters[index].kind != Parameter::Kind::kTensor) {
          fail(what, argument, "too many tensors; what is not a tensor is given by name, like heads: 8");
        }
        ++next;
      } else {
        const auto found = std::ranges::find(what.parameters, argument.key, &Parameter::name);
        if (found == what.parameters.end()) {
          std::vector<std::string> names;
          for (const Parameter& one : what.parameters) names.push_back(one.name);
          fail(what, argument,
               fmt::format("'{}' is nothing that it takes; it takes {}", argument.key,
                           fmt::join(names, ", ")));
        }
        index = static_cast<size_t>(found - what.parameters.begin());
      }
      const Parameter& parameter = what.parameters[index];
      if (!given.insert(parameter.name).second)
        fail(what, argument, fmt::format("{} is given twice", parameter.name));
      if (parameter.kind == Parameter::Kind::kTensor) {
        const auto* const name = std::get_if<Name>(&argument.value);
        if (!name) fail(what, argument, fmt::format("{} is a tensor, not a number", parameter.name));
        node.operands[index] = known_value(*name);
      } else {
        node.settings[parameter.name] = setting(what, parameter, argument);
      }
    }
    for (const Parameter& parameter : what.parameters) {
      if (given.contains(parameter.name)) continue;
      if (parameter.needed) {
        throw GraphError(node.place, fmt::format("{}{}: {} is missing", what.name, context_, parameter.name));
      }
      if (parameter.kind == Parameter::Kind::kSize)
        node.settings[parameter.name] = Size(std::stoll(parameter.standard));
      if (parameter.kind == Parameter::Kind::kReal)
        node.settings[parameter.name] = std::stod(parameter.standard);
      if (parameter.kind == Parameter::Kind::kWord) node.settings[parameter.name] = parameter.standard;
    }
  }

  Setting setting(const Signature& what, const Parameter& parameter, const Argument& argument) const {
    const auto* const name = std::get_if<Name>(&argument.value);
    if (parameter.kind == Parameter::Kind::kWord) {
      const std::string word = name ? text_of(*name) : "";
      if (std::ranges::find(parameter.words, word) == parameter.words.end()) {
        fail(what, argument,
             fmt::format("{} is one of {}", parameter.name, fmt::join(parameter.words, ", ")));
      }
      return word;
    }
    Expression expression;
    if (name) {
      if (!name->plain()) fail(what, argument, fmt::format("{} is a number", parameter.name));
      expression.kind = Expression::Kind::kName;
      expression.place = name->place;
      expression.name = name->parts[0].word;
    } else {
      expression = std::get<Expression>(argument.value);
    }
    if (parameter.kind == Parameter::Kind::kReal) {
      return expression.kind == Expression::Kind::kReal ? expression.real
                                                        : static_cast<double>(number(expression));
    }
    return size(expression);
  }

  void note_uses(const Signature& what, const Node& node, const Use& use, size_t number) {
    for (const std::optional<ValueId>& operand : node.operands) {
      if (!operand) continue;
      Value& value = graph_.values[*operand];
      if (value.kind == ValueKind::kBuffer)
        use.fail(fmt::format("{} is a buffer; name the value that is in it", value.name));
      if (value.kind == ValueKind::kOutput && !value.producer)
        use.fail(fmt::format("{} has not been assigned yet", value.name));
      if (const auto gone = overwritten_.find(*operand); gone != overwritten_.end()) {
        use.fail(fmt::format("{} was overwritten on line {}; what that line assigns is there in its place",
                             value.name, gone->second.line));
      }
      value.last_use = number;
    }
    if (what.in_place && graph_.values[graph_.values[*node.operands[0]].storage].kind != ValueKind::kState) {
      use.fail(fmt::format("{} is no state; only a state is written in place",
                           graph_.values[*node.operands[0]].name));
    }
  }

  ValueId assign(const Target& target, const Type& type, const Signature& what, const Node& node,
                 const Use& use, size_t number) {
    if (target.type) {
      const Type meant = this->type(*target.type);
      if (!(meant == type))
        use.fail(fmt::format("makes {}, and {} is declared as {}", type.text(), text_of(target.name),
                             meant.text()));
    }
    const std::string name = text_of(target.name);
    if (const auto known = find(name);
        known && !target.next && graph_.values[*known].kind == ValueKind::kOutput) {
      return assign_output(*known, target, type, use, number);
    }
    Value value;
    value.name = name + turn_;
    value.type = type;
    value.place = target.name.place;
    value.producer = number;
    ValueId id = 0;
    if (target.next) {
      id = store(std::move(value));
      carry(name, id, use);
    } else {
      id = add_value(name, std::move(value), scopes_.back());
    }
    if (what.in_place) {
      overwritten_[*node.operands[0]] = node.place;
      graph_.values[id].storage = graph_.values[*node.operands[0]].storage;
    }
    if (target.buffer) put(id, *target.buffer, what, node, use);
    return id;
  }

  ValueId assign_output(ValueId id, const Target& target, const Type& type, const Use& use, size_t number) {
    Value& output = graph_.values[id];
    if (output.producer) use.fail(fmt::format("output {} is assigned twice", output.name));
    if (!(output.type == type))
      use.fail(fmt::format("makes {}, and output {} is {}", type.text(), output.name, output.type.text()));
    if (target.buffer) use.fail(fmt::format("output {} has memory of its own; leave 'in' out", output.name));
    output.producer = number;
    return id;
  }

  void put(ValueId id, const Name& where, const Signature& what, const Node& node, const Use& use) {
    const ValueId buffer = known_value(where);
    Value& value = graph_.values[id];
    const Value& memory = graph_.values[buffer];
    if (memory.kind != ValueKind::kBuffer) use.fail(fmt::format("{} is no buffer", memory.name));
    if (what.in_place) use.fail(fmt::format("{} stays in the state's memory; leave 'in' out", value.name));
    use.at_most(value.type.bytes(), memory.type.bytes(),
                fmt::format("the bytes of {} in buffer {}", value.name, memory.name));
    if (const auto before = occupants_.find(buffer); before != occupants_.end()) {
      const bool read_here =
          std::ranges::find(node.operands, std::optional(before->second)) != node.operands.end();
      if (read_here && !what.elementwise) {
        use.fail(fmt::format("reads {} from buffer {} while it writes there: their lifetimes overlap",
                             graph_.values[before->second].name, memory.name));
      }
      overwritten_[before->second] = node.place;
    }
    occupants_[buffer] = id;
    value.storage = buffer;
  }

  // ------------------------------------------------------------------------------------------------------
  // loops

  struct Loop {
    Scope next;
    std::set<std::string> carried;
  };

  void carry(const std::string& name, ValueId id, const Use& use) {
    if (loops_.empty() || !loops_.back().carried.contains(name)) {
      use.fail(fmt::format("next {0}: no loop here carries {0}; write repeat ... with {0} = ...", name));
    }
    if (!loops_.back().next.emplace(name, id).second)
      use.fail(fmt::format("next {} is assigned twice", name));
  }

  void take(const Repeat& repeat, Place place) {
    const int64_t first = number(repeat.first), end = number(repeat.end);
    if (first < 0 || end < first || end - first > kMaxTurns) {
      throw GraphError(place,
                       fmt::format("repeat from {} to {}: at most {} turns, upwards", first, end, kMaxTurns));
    }
    if (sizes_.contains(repeat.counter))
      throw GraphError(place, fmt::format("{} is a size already", repeat.counter));
    Scope carried;
    for (const Repeat::Carried& one : repeat.carried) {
      const std::string name = text_of(one.name);
      if (!carried.emplace(name, known_value(one.start)).second)
        throw GraphError(one.name.place, fmt::format("{} is carried twice", name));
    }
    const std::string outer_context = context_, outer_turn = turn_;
    for (int64_t turn = first; turn < end; ++turn) {
      sizes_[repeat.counter] = turn;
      context_ = outer_context + fmt::format(" ({} {})", repeat.counter, turn);
      turn_ = outer_turn + fmt::format("'{}", turn);
      carried = one_turn(repeat, carried, place);
    }
    sizes_.erase(repeat.counter);
    context_ = outer_context;
    turn_ = outer_turn;
    for (const auto& [name, id] : carried) {
      if (!scopes_.back().emplace(name, id).second)
        throw GraphError(place, fmt::format("{} is there already, outside of the loop", name));
    }
  }

  Scope one_turn(const Repeat& repeat, const Scope& carried, Place place) {
    Loop loop;
    for (const auto& [name, id] : carried) loop.carried.insert(name);
    loops_.push_back(std::move(loop));
    scopes_.push_back(carried);
    run(repeat.body);
    scopes_.pop_back();
    Scope next = std::move(loops_.back().next);
    loops_.pop_back();
    for (const auto& [name, id] : carried) {
      if (!next.contains(name))
        throw GraphError(place, fmt::format("the loop carries {0} and never says next {0} = ...", name));
      const Type &now = graph_.values[id].type, &then = graph_.values[next.at(name)].type;
      if (!(now == then)) {
        throw GraphError(place, fmt::format("{} is {} at the beginning of a turn, and {} at its end", name,
                                            now.text(), then.text()));
      }
    }
    return next;
  }

  const GraphText& text_;
  Graph graph_;
  std::map<std::string, Size> sizes_;  // with counters of loops
  std::vector<Scope> scopes_;          // the first: of the graph
  std::vector<Loop> loops_;
  std::string context_;  // for messages
  std::string turn_;     // for names of values: "'3"
  std::map<ValueId, Place> overwritten_;
  std::map<ValueId, ValueId> occupants_;  // of buffers
};

}  // namespace

Graph check(const GraphText& text) { return Checker(text).graph(); }

}  // namespace swai::graph
