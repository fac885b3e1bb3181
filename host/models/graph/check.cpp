// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/models/graph/builder.hpp"
#include "host/models/graph/signatures.hpp"

namespace swai::graph {
namespace {

constexpr int64_t kMaxTurns = 4096;

// Assigned somewhere below, for a message about a value that is used too early.
std::optional<Place> assignment_of(const std::vector<Statement>& statements, const std::string& name) {
  for (const Statement& statement : statements) {
    if (const auto* call = std::get_if<Call>(&statement.what)) {
      for (const TargetText& target : call->targets) {
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
  explicit Checker(const GraphText& text) : text_(text), builder_(text.name) {}

  Graph graph() {
    scopes_.emplace_back();
    run(text_.statements);
    return builder_.finish();
  }

 private:
  using Scope = std::map<std::string, Tensor>;

  void run(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      at(statement.place,
         [&] { std::visit([&](const auto& what) { take(what, statement.place); }, statement.what); });
    }
  }

  // ------------------------------------------------------------------------------------------------------
  // sizes and names

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

  double real(const Expression& expression) const {
    // -0.5 is 0 - 0.5.
    if (expression.kind == Expression::Kind::kSubtract)
      return real(expression.operands[0]) - real(expression.operands[1]);
    if (expression.kind == Expression::Kind::kReal) return expression.real;
    return static_cast<double>(number(expression));
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
    sizes_.emplace(statement.name,
                   statement.last ? builder_.size(statement.name,
                                                  {number(statement.first), number(*statement.last)}, place)
                                  : size(statement.first));
  }

  Type type(const TypeText& text) const {
    Type type;
    const std::optional<Element> element = element_of(text.element);
    if (!element)
      throw GraphError(text.place,
                       fmt::format("no element type '{}'; there are i4, i8, i32, f16, f32", text.element));
    type.element = *element;
    for (const Expression& dimension : text.dimensions)
      type.dimensions.push_back(at(dimension.place, [&] { return size(dimension); }));
    if (text.packed) {
      // 0 stands for what is not written; where it is written it is a number that no packing has.
      const auto written = [&](const std::optional<Expression>& what) -> int64_t {
        if (!what) return 0;
        const int64_t value = number(*what);
        return value == 0 ? -1 : value;
      };
      type.packed = Packing{written(text.group), text.minima, written(text.tiles)};
    }
    if (text.split) type.split = static_cast<int>(std::clamp<int64_t>(number(*text.split), -1, INT32_MAX));
    return type;
  }

  // ------------------------------------------------------------------------------------------------------
  // values

  std::optional<Tensor> find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    }
    return std::nullopt;
  }

  void require_new(const std::string& name, Place place) const {
    if (const auto before = find(name)) fail_assigned_twice(name, builder_.value(*before).place, place);
  }

  Tensor known_value(const Name& name) const {
    const std::string text = text_of(name);
    if (const auto tensor = find(text)) return *tensor;
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
    const std::string name = text_of(declaration.name);
    const Type type = this->type(declaration.type);
    require_new(name, place);
    // Also from within a loop: it is there before the graph runs.
    scopes_.front().emplace(name, builder_.declare(kKinds.at(declaration.kind), name, type, place));
  }

  // ------------------------------------------------------------------------------------------------------
  // nodes

  void take(const Call& call, Place place) {
    std::vector<Argument> arguments;
    if (const Signature* const what = find_signature(call.operation)) {
      for (const ArgumentText& argument : call.arguments)
        arguments.push_back(resolved(*what, argument, arguments.size()));
    }
    std::vector<Target> targets;
    for (const TargetText& target : call.targets) targets.push_back(resolved(target, call));
    const std::vector<Tensor> results = builder_.add_all(targets, call.operation, arguments, place);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string name = text_of(call.targets[i].name);
      if (call.targets[i].next) {
        carry(name, results[i], call, place);
      } else if (!targets[i].output) {
        scopes_.back().emplace(name, results[i]);
      }
    }
  }

  // A name may stand for a tensor, a size or a word: the parameter decides. What none of them fits is left to
  // the builder.
  Argument resolved(const Signature& what, const ArgumentText& argument, size_t position) const {
    const auto parameter = argument.key.empty()
                               ? what.parameters.begin() +
                                     static_cast<std::ptrdiff_t>(std::min(position, what.parameters.size()))
                               : std::ranges::find(what.parameters, argument.key, &Parameter::name);
    Argument one(argument.key, Size(0));
    one.place = argument.place;
    if (parameter == what.parameters.end()) return one;
    if (const auto* const name = std::get_if<Name>(&argument.value)) {
      if (argument.key.empty() || parameter->kind == Parameter::Kind::kTensor) {
        one.value = known_value(*name);
      } else if (parameter->kind == Parameter::Kind::kWord) {
        one.value = text_of(*name);
      } else {
        if (!name->plain()) {
          throw GraphError(argument.place, fmt::format("{}{}: {} is a number", what.name, builder_.context(),
                                                       parameter->name));
        }
        Expression expression;
        expression.kind = Expression::Kind::kName;
        expression.place = name->place;
        expression.name = name->parts[0].word;
        one.value = size(expression);
      }
      return one;
    }
    const auto& expression = std::get<Expression>(argument.value);
    if (parameter->kind == Parameter::Kind::kReal) {
      one.value = real(expression);
    } else if (parameter->kind == Parameter::Kind::kSize) {
      one.value = size(expression);
    }
    return one;
  }

  Target resolved(const TargetText& text, const Call& call) const {
    const std::string name = text_of(text.name);
    Target target(name);
    target.place = text.name.place;
    if (text.type) target.type = type(*text.type);
    if (text.buffer) target.buffer = known_value(*text.buffer);
    if (!text.next) {
      const auto known = find(name);
      if (known && builder_.value(*known).kind == ValueKind::kOutput) {
        target.output = known;
        return target;
      }
      require_new(name, text.name.place);
      for (const TargetText& other : call.targets) {
        if (&other == &text) break;
        if (text_of(other.name) == name) fail_assigned_twice(name, other.name.place, text.name.place);
      }
    }
    // Of each turn another value; the loops of a graph may have the same names.
    target.name = name + turn_;
    if (!turn_.empty())
      while (builder_.find(target.name)) target.name += "'";
    return target;
  }

  // ------------------------------------------------------------------------------------------------------
  // loops

  struct Loop {
    Scope next;
    std::set<std::string> carried;
  };

  void carry(const std::string& name, Tensor tensor, const Call& call, Place place) {
    const auto fail = [&](const std::string& message) {
      throw GraphError(place, fmt::format("{}{}: {}", call.operation, builder_.context(), message));
    };
    if (loops_.empty() || !loops_.back().carried.contains(name))
      fail(fmt::format("next {0}: no loop here carries {0}; write repeat ... with {0} = ...", name));
    if (!loops_.back().next.emplace(name, tensor).second)
      fail(fmt::format("next {} is assigned twice", name));
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
    const std::string outer_turn = turn_;
    for (int64_t turn = first; turn < end; ++turn) {
      const Builder::Turn in_messages(builder_, repeat.counter, turn);
      sizes_[repeat.counter] = turn;
      turn_ = outer_turn + fmt::format("'{}", turn);
      carried = one_turn(repeat, carried, place);
    }
    sizes_.erase(repeat.counter);
    turn_ = outer_turn;
    for (const auto& [name, tensor] : carried) {
      if (!scopes_.back().emplace(name, tensor).second)
        throw GraphError(place, fmt::format("{} is there already, outside of the loop", name));
    }
  }

  Scope one_turn(const Repeat& repeat, const Scope& carried, Place place) {
    Loop loop;
    for (const auto& [name, tensor] : carried) loop.carried.insert(name);
    loops_.push_back(std::move(loop));
    scopes_.push_back(carried);
    run(repeat.body);
    scopes_.pop_back();
    Scope next = std::move(loops_.back().next);
    loops_.pop_back();
    for (const auto& [name, tensor] : carried) {
      if (!next.contains(name))
        throw GraphError(place, fmt::format("the loop carries {0} and never says next {0} = ...", name));
      const Type &now = builder_.type(tensor), &then = builder_.type(next.at(name));
      if (!(now == then)) {
        throw GraphError(place, fmt::format("{} is {} at the beginning of a turn, and {} at its end", name,
                                            now.text(), then.text()));
      }
    }
    return next;
  }

  const GraphText& text_;
  Builder builder_;
  std::map<std::string, Size> sizes_;  // with counters of loops
  std::vector<Scope> scopes_;          // the first: of the graph
  std::vector<Loop> loops_;
  std::string turn_;  // for names of values: "'3"
};

}  // namespace

Graph check(const GraphText& text) { return Checker(text).graph(); }

}  // namespace swai::graph
