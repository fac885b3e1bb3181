// SPDX-License-Identifier: Apache-2.0
// GELU and SiLU in whatever form they were exported: a tree of operators is taken as a polynomial of x and of
// one transcendental function of a polynomial of x, and these are compared.
#include <array>
#include <cmath>
#include <numbers>

#include "host/models/onnx/fusions.hpp"

namespace swai::onnx {
namespace {

// Coefficients by the powers of x and of t.
using Polynomial = std::map<std::pair<int, int>, double>;
constexpr int kMaxDegree = 4;

Polynomial times(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (const auto& [left, factor] : a)
    for (const auto& [right, other] : b)
      result[{left.first + right.first, left.second + right.second}] += factor * other;
  return result;
}

Polynomial plus(Polynomial a, const Polynomial& b, double factor) {
  for (const auto& [powers, other] : b) a[powers] += factor * other;
  return a;
}

std::optional<double> constant_of(const Polynomial& a) {
  if (a.size() != 1 || a.begin()->first != std::pair(0, 0)) return std::nullopt;
  return a.begin()->second;
}

bool is_close(const Polynomial& a, const Polynomial& b, double tolerance) {
  Polynomial difference = plus(a, b, -1);
  for (const auto& [powers, value] : difference) {
    const auto expected = b.find(powers);
    if (!(std::abs(value) <= tolerance * (expected == b.end() ? 1 : std::abs(expected->second))))
      return false;
  }
  return true;
}

// One over 1 + Exp(argument): the value is that sum.
enum class Kind { kErf, kTanh, kSigmoid, kOneOver };

struct Atom {
  Kind kind = Kind::kErf;
  ValueId value = kNone, argument = kNone;
};

class Tree {
 public:
  Tree(const Matcher& matcher, ValueId x, const Atom* atom) : matcher_(matcher), x_(x), atom_(atom) {}

  std::optional<Polynomial> of(ValueId value) {
    if (value == kNone || ++steps_ > kMaxSteps) return std::nullopt;
    if (value == x_) return Polynomial{{{1, 0}, 1}};
    if (atom_ != nullptr && atom_->kind != Kind::kOneOver && value == atom_->value)
      return Polynomial{{{0, 1}, 1}};
    if (const auto number = scalar_of(matcher_.graph(), value)) return Polynomial{{{0, 0}, *number}};
    const Node* const node = matcher_.producer(value);
    if (node == nullptr || !node->domain.empty()) return std::nullopt;
    auto result = of(*node);
    if (result)
      for (const auto& [powers, factor] : *result)
        if (powers.first + powers.second > kMaxDegree || !std::isfinite(factor)) return std::nullopt;
    return result;
  }

 private:
  static constexpr int kMaxSteps = 64;

  std::optional<Polynomial> of(const Node& node) {
    const std::string& is = node.operation;
    const bool is_two = is == "Add" || is == "Sub" || is == "Mul" || is == "Div" || is == "Pow";
    if (!is_two && is != "Neg") return std::nullopt;
    const auto a = of(node.input(0));
    if (!a) return std::nullopt;
    if (is == "Neg") return times(*a, {{{0, 0}, -1}});
    if (is == "Div" && atom_ != nullptr && atom_->kind == Kind::kOneOver && node.input(1) == atom_->value)
      return times(*a, {{{0, 1}, 1}});
    const auto b = of(node.input(1));
    if (!b) return std::nullopt;
    if (is == "Add") return plus(*a, *b, 1);
    if (is == "Sub") return plus(*a, *b, -1);
    if (is == "Mul") return times(*a, *b);
    const auto number = constant_of(*b);
    if (!number) return std::nullopt;
    if (is == "Div") return *number == 0 ? std::nullopt : std::optional(times(*a, {{{0, 0}, 1 / *number}}));
    if (*number == 2) return times(*a, *a);
    return *number == 3 ? std::optional(times(*a, times(*a, *a))) : std::nullopt;
  }

  const Matcher& matcher_;
  ValueId x_;
  const Atom* atom_;
  int steps_ = 0;
};

std::optional<Atom> atom_of(const Matcher& matcher, ValueId value) {
  const Node* const node = matcher.producer(value);
  if (node == nullptr || !node->domain.empty()) return std::nullopt;
  if (node->operation == "Erf") return Atom{Kind::kErf, value, node->input(0)};
  if (node->operation == "Tanh") return Atom{Kind::kTanh, value, node->input(0)};
  if (node->operation == "Sigmoid") return Atom{Kind::kSigmoid, value, node->input(0)};
  if (node->operation != "Add") return std::nullopt;
  const auto parts =
      matcher.either(*node, [&](ValueId id) { return matcher.producer(id, "Exp") != nullptr; });
  if (!parts || matcher.scalar_or(parts->second, 0) != 1) return std::nullopt;
  return Atom{Kind::kOneOver, value, matcher.producer(parts->first, "Exp")->input(0)};
}

// Values that a value is made of by the operators of a tree, itself included; few of them.
std::vector<ValueId> made_of(const Matcher& matcher, ValueId value) {
  constexpr size_t kMaxValues = 24;
  std::vector<ValueId> found = {value};
  for (size_t i = 0; i < found.size() && found.size() < kMaxValues; ++i) {
    const Node* const node = matcher.producer(found[i]);
    if (node == nullptr || !node->domain.empty()) continue;
    const std::string& is = node->operation;
    if (is != "Add" && is != "Sub" && is != "Mul" && is != "Div" && is != "Pow" && is != "Neg") continue;
    for (const ValueId id : node->inputs)
      if (id != kNone && !scalar_of(matcher.graph(), id)) found.push_back(id);
  }
  return found;
}

// What the whole is, if the argument of the atom and the whole are these polynomials.
std::optional<std::map<std::string, Attribute>> named(Kind kind, const Polynomial& argument,
                                                      const Polynomial& whole, double tolerance,
                                                      std::string& operation) {
  const Polynomial x_times_t = {{{1, 1}, 1}}, half = {{{1, 0}, 0.5}, {{1, 1}, 0.5}};
  const double root = std::sqrt(2 / std::numbers::pi);
  const Polynomial cubic = {{{1, 0}, root}, {{3, 0}, root * 0.044715}};
  const bool is_product = is_close(whole, x_times_t, tolerance), is_half = is_close(whole, half, tolerance);
  const auto is_sigmoid = kind == Kind::kSigmoid || kind == Kind::kOneOver;
  if (kind == Kind::kErf && is_half && is_close(argument, {{{1, 0}, std::numbers::sqrt2 / 2}}, tolerance)) {
    operation = "Gelu";
    return std::map<std::string, Attribute>{{"approximate", std::string("none")}};
  }
  // sigmoid(2 y) is (1 + tanh(y)) / 2.
  const double sign = kind == Kind::kOneOver ? -1 : 1, scale = is_sigmoid ? 2 : 1;
  if (!(is_sigmoid && is_product) && !(kind == Kind::kTanh && is_half)) return std::nullopt;
  if (is_close(argument, times(cubic, {{{0, 0}, sign * scale}}), tolerance)) {
    operation = "Gelu";
    return std::map<std::string, Attribute>{{"approximate", std::string("tanh")}};
  }
  if (argument.size() != 1 || argument.begin()->first != std::pair(1, 0)) return std::nullopt;
  operation = "Swish";
  return std::map<std::string, Attribute>{
      {"alpha", static_cast<float>(argument.begin()->second * sign * 2 / scale)}};
}

}  // namespace

Match match_activation(Matcher& matcher, const Node& node) {
  if (!node.is("Mul") && !node.is("Div")) return std::nullopt;
  const Value& output = matcher.graph().values[node.outputs[0]];
  if (!output.element || !is_float(*output.element)) return std::nullopt;
  const double tolerance = *output.element == Element::kF32 || *output.element == Element::kF64 ? 2e-6 : 1e-3;
  for (const ValueId value : made_of(matcher, node.outputs[0])) {
    const auto atom = atom_of(matcher, value);
    if (!atom) continue;
    for (const ValueId x : made_of(matcher, atom->argument)) {
      const Value& input = matcher.graph().values[x];
      if (input.element != output.element || !has_shape(matcher.graph(), x, output.shape)) continue;
      const auto argument = Tree(matcher, x, nullptr).of(atom->argument);
      const auto whole = Tree(matcher, x, &*atom).of(node.outputs[0]);
      if (!argument || !whole) continue;
      std::string operation;
      if (const auto attributes = named(atom->kind, *argument, *whole, tolerance, operation))
        return Node{"", "", operation, {x}, {node.outputs[0]}, *attributes};
    }
  }
  return std::nullopt;
}

}  // namespace swai::onnx
