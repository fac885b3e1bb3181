// SPDX-License-Identifier: Apache-2.0
// Operators of the evaluator that work element by element, or along axes. Floating point is calculated in
// double precision and rounded to the type once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "host/models/onnx/operators.hpp"

namespace swai::onnx {
namespace {

using Results = std::vector<Tensor>;

template <double (*kFunction)(const Node&, double)>
Results unary(const Call& call) {
  const Tensor& x = call.in(0);
  if (!is_float(x.element)) throw TooLarge{};
  std::vector<double> values = doubles(x);
  for (double& value : values) value = kFunction(call.node, value);
  return {reals(x.element, x.shape, values)};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double reciprocal(double x) { return 1 / x; }

double swish(const Node& node, double x) { return x * sigmoid(node.real("alpha", 1) * x); }

double gelu(const Node& node, double x) {
  if (node.text("approximate", "none") == "tanh")
    return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
}

// Halfway cases go to the even neighbour, as in the default rounding mode.
double round_even(const Node&, double x) { return std::nearbyint(x); }

template <double (*kFunction)(double)>
double plain(const Node&, double x) {
  return kFunction(x);
}

int64_t wrapped(uint64_t value) { return static_cast<int64_t>(value); }

// Operators that work on integers, too.
template <double (*kReal)(double), int64_t (*kWhole)(int64_t)>
Results signed_unary(const Call& call) {
  const Tensor& x = call.in(0);
  if (is_float(x.element)) {
    std::vector<double> values = doubles(x);
    for (double& value : values) value = kReal(value);
    return {reals(x.element, x.shape, values)};
  }
  Sizes values = int64s(x);
  for (int64_t& value : values) value = kWhole(value);
  return {wholes(x.element, x.shape, values)};
}

double negative(double x) { return -x; }
int64_t negative(int64_t x) { return wrapped(0 - static_cast<uint64_t>(x)); }
double absolute(double x) { return std::abs(x); }
int64_t absolute(int64_t x) { return x < 0 ? negative(x) : x; }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
int64_t sign(int64_t x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double relu(double x) { return x < 0 ? 0 : x; }
int64_t relu(int64_t x) { return std::max<int64_t>(x, 0); }

// Applies a function of two numbers to broadcast inputs of one type.
template <typename T, typename Function>
std::vector<T> paired(const Call& call, const Sizes& shape, const std::vector<T>& a, const std::vector<T>& b,
                      Function function) {
  std::vector<T> result;
  result.reserve(static_cast<size_t>(call.count(shape)));
  walk<2>(shape, {broadcast_strides(call.in(0).shape, shape), broadcast_strides(call.in(1).shape, shape)},
          [&](const auto& at) {
            result.push_back(function(a[static_cast<size_t>(at[0])], b[static_cast<size_t>(at[1])]));
          });
  return result;
}

Sizes shape_of_two(const Call& call) {
  if (call.in(0).element != call.in(1).element)
    throw EvaluationError(
        fmt::format("the inputs are {} and {}", to_text(call.in(0).element), to_text(call.in(1).element)));
  Sizes shape = broadcast(call.in(0).shape, call.in(1).shape);
  call.count(shape);
  return shape;
}

template <auto kReal, auto kWhole>
Results arithmetic(const Call& call) {
  const Sizes shape = shape_of_two(call);
  const Element element = call.in(0).element;
  if (element == Element::kBool || element == Element::kU64) throw TooLarge{};
  if (is_float(element))
    return {reals(element, shape, paired(call, shape, doubles(call.in(0)), doubles(call.in(1)), kReal))};
  return {wholes(element, shape, paired(call, shape, int64s(call.in(0)), int64s(call.in(1)), kWhole))};
}

// Min, Max and the like of one or more inputs.
template <Results (*kTwo)(const Call&)>
Results many(const Call& call) {
  Tensor total = call.in(0);
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    const Tensor* const two[] = {&total, &call.in(i)};
    total = kTwo({call.node, two, call.limits})[0];
  }
  return {total};
}

constexpr auto kAdd = [](double a, double b) { return a + b; };
constexpr auto kSubtract = [](double a, double b) { return a - b; };
constexpr auto kMultiply = [](double a, double b) { return a * b; };
constexpr auto kDivide = [](double a, double b) { return a / b; };
constexpr auto kMinimum = [](double a, double b) { return std::isnan(a) || a < b ? a : b; };
constexpr auto kMaximum = [](double a, double b) { return std::isnan(a) || a > b ? a : b; };
constexpr auto kPower = [](double a, double b) { return std::pow(a, b); };
// Numbers of 64 bits wrap.
constexpr auto kAddWhole = [](int64_t a, int64_t b) {
  return wrapped(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
};
constexpr auto kSubtractWhole = [](int64_t a, int64_t b) {
  return wrapped(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
};
constexpr auto kMultiplyWhole = [](int64_t a, int64_t b) {
  return wrapped(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
};
void check_divisor(int64_t b) {
  if (b == 0) throw EvaluationError("divides by 0");
}
constexpr auto kDivideWhole = [](int64_t a, int64_t b) {
  check_divisor(b);
  return b == -1 ? negative(a) : a / b;
};
constexpr auto kMinimumWhole = [](int64_t a, int64_t b) { return std::min(a, b); };
constexpr auto kMaximumWhole = [](int64_t a, int64_t b) { return std::max(a, b); };
constexpr auto kPowerWhole = [](int64_t a, int64_t b) {
  int64_t result = 1;
  if (b < 0) return a == 1 ? int64_t{1} : int64_t{0};
  for (uint64_t left = static_cast<uint64_t>(b); left > 0; left /= 2) {
    if (left % 2 != 0) result = kMultiplyWhole(result, a);
    a = kMultiplyWhole(a, a);
  }
  return result;
};

// With fmod = 0 the result has the divisor's sign, and floating point is not allowed.
Results modulo(const Call& call) {
  constexpr auto kReal = [](double a, double b) { return std::fmod(a, b); };
  constexpr auto kSigned = [](int64_t a, int64_t b) {
    check_divisor(b);
    const int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  };
  constexpr auto kTruncated = [](int64_t a, int64_t b) {
    check_divisor(b);
    return b == -1 ? 0 : a % b;
  };
  const bool truncates = call.node.number("fmod", 0) != 0;
  if (!truncates && is_float(call.in(0).element)) throw EvaluationError("floating point needs fmod = 1");
  return truncates ? arithmetic<kReal, kTruncated>(call) : arithmetic<kReal, kSigned>(call);
}

// The exponent may have a type of its own.
Results power(const Call& call) {
  const Tensor& base = call.in(0);
  const Tensor& exponent = call.in(1);
  if (base.element == exponent.element) return arithmetic<kPower, kPowerWhole>(call);
  if (!is_float(base.element)) throw TooLarge{};
  const Sizes shape = broadcast(base.shape, exponent.shape);
  call.count(shape);
  return {reals(base.element, shape, paired(call, shape, doubles(base), doubles(exponent), kPower))};
}

template <auto kIs>
Results comparison(const Call& call) {
  const Sizes shape = shape_of_two(call);
  const Tensor& a = call.in(0);
  if (a.element == Element::kU64) throw TooLarge{};
  if (is_float(a.element)) {
    const auto is = paired(call, shape, doubles(a), doubles(call.in(1)),
                           [](double x, double y) { return kIs(x, y) ? 1.0 : 0.0; });
    return {wholes(Element::kBool, shape, Sizes(is.begin(), is.end()))};
  }
  return {wholes(Element::kBool, shape,
                 paired(call, shape, int64s(a), int64s(call.in(1)),
                        [](int64_t x, int64_t y) { return static_cast<int64_t>(kIs(x, y)); }))};
}

template <auto kIs>
Results logic(const Call& call) {
  const Sizes shape = shape_of_two(call);
  if (call.in(0).element != Element::kBool) throw EvaluationError("the inputs are not bool");
  return {wholes(Element::kBool, shape, paired(call, shape, int64s(call.in(0)), int64s(call.in(1)), kIs))};
}

constexpr auto kEqual = [](auto a, auto b) { return a == b; };
constexpr auto kLess = [](auto a, auto b) { return a < b; };
constexpr auto kLessOrEqual = [](auto a, auto b) { return a <= b; };
constexpr auto kGreater = [](auto a, auto b) { return a > b; };
constexpr auto kGreaterOrEqual = [](auto a, auto b) { return a >= b; };
constexpr auto kAnd = [](int64_t a, int64_t b) { return a & b; };
constexpr auto kOr = [](int64_t a, int64_t b) { return a | b; };
constexpr auto kXor = [](int64_t a, int64_t b) { return a ^ b; };

Results is_not(const Call& call) {
  const Tensor& x = call.in(0);
  if (x.element != Element::kBool) throw EvaluationError("the input is not bool");
  Sizes values = int64s(x);
  for (int64_t& value : values) value = value == 0;
  return {wholes(Element::kBool, x.shape, values)};
}

Results is_nan(const Call& call) {
  const Tensor& x = call.in(0);
  Sizes is;
  for (const double value : doubles(x)) is.push_back(std::isnan(value));
  return {wholes(Element::kBool, x.shape, is)};
}

Results cast(const Call& call) {
  const Tensor& x = call.in(0);
  const auto element = element_of(call.node.number("to", 0));
  if (!element || bits_of(*element) < 8 || x.element == Element::kU64) throw TooLarge{};
  if (*element == x.element) return {x};
  if (is_float(*element)) return {reals(*element, x.shape, doubles(x))};
  if (*element == Element::kBool && is_float(x.element)) {
    Sizes is;
    for (const double value : doubles(x)) is.push_back(value != 0);
    return {wholes(*element, x.shape, is)};
  }
  return {wholes(*element, x.shape, int64s(x))};
}

Results clip(const Call& call) {
  Tensor x = call.in(0);
  for (const size_t bound : {1, 2}) {
    if (call.maybe(bound) == nullptr) continue;
    const Tensor* const two[] = {&x, call.maybe(bound)};
    const Call limited{call.node, two, call.limits};
    x = (bound == 1 ? arithmetic<kMaximum, kMaximumWhole> : arithmetic<kMinimum, kMinimumWhole>)(limited)[0];
  }
  return {x};
}

Results range(const Call& call) {
  const Tensor &start = call.in(0), &limit = call.in(1), &step = call.in(2);
  if (start.count() != 1 || limit.count() != 1 || step.count() != 1)
    throw EvaluationError("an input is no scalar");
  const double first = doubles(start)[0], last = doubles(limit)[0], by = doubles(step)[0];
  if (!(std::abs(by) > 0)) throw EvaluationError("the step is 0");
  const double count = std::max(0.0, std::ceil((last - first) / by));
  if (!(count <= static_cast<double>(call.limits.max_elements))) throw TooLarge{};
  std::vector<double> values;
  for (double i = 0; i < count; ++i) values.push_back(first + i * by);
  const Sizes shape = {static_cast<int64_t>(values.size())};
  if (is_float(start.element)) return {reals(start.element, shape, values)};
  return {wholes(start.element, shape, Sizes(values.begin(), values.end()))};
}

// Groups of elements that are reduced together: their common first offset, and the offsets within.
struct Groups {
  Sizes shape;       // of the result, with the reduced dimensions as 1
  Sizes kept_shape;  // and without them
  std::vector<int64_t> firsts, within;
};

Groups groups_of(const Call& call, const Tensor& x, const Sizes& axes) {
  std::vector<bool> is_reduced(x.shape.size());
  for (const int64_t axis : axes) is_reduced[axis_of(axis, x.shape.size())] = true;
  Groups groups{x.shape, {}, {}, {}};
  Sizes inner = x.shape;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    (is_reduced[i] ? groups.shape : inner)[i] = 1;
    if (!is_reduced[i]) groups.kept_shape.push_back(x.shape[i]);
  }
  call.count(groups.shape);
  const Sizes strides = strides_of(x.shape);
  walk<1>(groups.shape, {strides}, [&](const auto& at) { groups.firsts.push_back(at[0]); });
  walk<1>(inner, {strides}, [&](const auto& at) { groups.within.push_back(at[0]); });
  return groups;
}

template <auto kReal, auto kWhole, bool kMean = false>
Results reduction(const Call& call) {
  const Tensor& x = call.in(0);
  Sizes axes;
  if (const Tensor* const given = call.maybe(1)) axes = int64s(*given);
  if (axes.empty() && call.node.number("noop_with_empty_axes", 0) != 0) return {x};
  if (axes.empty())
    for (size_t i = 0; i < x.shape.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  const Groups groups = groups_of(call, x, axes);
  const Sizes& shape = call.node.number("keepdims", 1) != 0 ? groups.shape : groups.kept_shape;
  if (groups.within.empty()) throw TooLarge{};  // the format leaves some of these open
  const auto reduced = [&](const auto& from, auto function) {
    std::remove_cvref_t<decltype(from)> result;
    for (const int64_t first : groups.firsts) {
      const auto element = [&](int64_t at) { return from[static_cast<size_t>(first + at)]; };
      auto total = element(groups.within[0]);
      for (size_t i = 1; i < groups.within.size(); ++i) total = function(total, element(groups.within[i]));
      result.push_back(total);
    }
    return result;
  };
  if (!is_float(x.element)) {
    if (kMean || x.element == Element::kBool || x.element == Element::kU64) throw TooLarge{};
    return {wholes(x.element, shape, reduced(int64s(x), kWhole))};
  }
  std::vector<double> values = reduced(doubles(x), kReal);
  if (kMean)
    for (double& value : values) value /= static_cast<double>(groups.within.size());
  return {reals(x.element, shape, values)};
}

Results arg_max(const Call& call) {
  const Tensor& x = call.in(0);
  if (call.node.number("select_last_index", 0) != 0) throw TooLarge{};
  const Groups groups = groups_of(call, x, {call.node.number("axis", 0)});
  if (groups.within.empty()) throw EvaluationError("the axis is empty");
  const std::vector<double> values = doubles(x);
  Sizes result;
  for (const int64_t first : groups.firsts) {
    const auto most = std::ranges::max_element(
        groups.within, {}, [&](int64_t at) { return values[static_cast<size_t>(first + at)]; });
    result.push_back(most - groups.within.begin());
  }
  return {
      wholes(Element::kI64, call.node.number("keepdims", 1) != 0 ? groups.shape : groups.kept_shape, result)};
}

// Replaces each group along the axes by what `act` makes of it.
template <typename Act>
Tensor each_group(const Call& call, const Tensor& x, const Sizes& axes, Act act) {
  if (!is_float(x.element)) throw TooLarge{};
  const Groups groups = groups_of(call, x, axes);
  std::vector<double> values = doubles(x), some(groups.within.size());
  for (const int64_t first : groups.firsts) {
    for (size_t i = 0; i < some.size(); ++i) some[i] = values[static_cast<size_t>(first + groups.within[i])];
    act(some);
    for (size_t i = 0; i < some.size(); ++i) values[static_cast<size_t>(first + groups.within[i])] = some[i];
  }
  return reals(x.element, x.shape, values);
}

template <bool kLogarithm>
Results softmax(const Call& call) {
  return {each_group(call, call.in(0), {call.node.number("axis", -1)}, [](std::vector<double>& row) {
    const double most = *std::ranges::max_element(row);
    double sum = 0;
    for (double& value : row) sum += std::exp(value - most);
    for (double& value : row)
      value = kLogarithm ? value - most - std::log(sum) : std::exp(value - most) / sum;
  })};
}

// The last axes, from the attribute on.
Sizes last_axes(const Call& call, const Tensor& x) {
  Sizes axes;
  for (size_t i = axis_of(call.node.number("axis", -1), x.shape.size()); i < x.shape.size(); ++i)
    axes.push_back(static_cast<int64_t>(i));
  return axes;
}

Tensor scaled(const Call& call, const Tensor& x, const Tensor* scale, const Tensor* bias) {
  Tensor result = x;
  for (const auto& [factor, function] : {std::pair{scale, &arithmetic<kMultiply, kMultiplyWhole>},
                                         std::pair{bias, &arithmetic<kAdd, kAddWhole>}}) {
    if (factor == nullptr) continue;
    const Tensor* const two[] = {&result, factor};
    result = function({call.node, two, call.limits})[0];
  }
  return result;
}

Results layer_normalization(const Call& call) {
  const double epsilon = call.node.real("epsilon", 1e-5);
  const Tensor& x = call.in(0);
  const Tensor normal = each_group(call, x, last_axes(call, x), [&](std::vector<double>& row) {
    double mean = 0, square = 0;
    for (const double value : row) mean += value / static_cast<double>(row.size());
    for (const double value : row)
      square += (value - mean) * (value - mean) / static_cast<double>(row.size());
    for (double& value : row) value = (value - mean) / std::sqrt(square + epsilon);
  });
  return {scaled(call, normal, &call.in(1), call.maybe(2))};
}

Results rms_normalization(const Call& call) {
  const double epsilon = call.node.real("epsilon", 1e-5);
  const Tensor& x = call.in(0);
  const Tensor normal = each_group(call, x, last_axes(call, x), [&](std::vector<double>& row) {
    double square = 0;
    for (const double value : row) square += value * value / static_cast<double>(row.size());
    for (double& value : row) value /= std::sqrt(square + epsilon);
  });
  return {scaled(call, normal, &call.in(1), nullptr)};
}

}  // namespace

const Operators& element_operators() {
  static const Operators all = {
      {"Sqrt", unary<plain<std::sqrt>>},
      {"Exp", unary<plain<std::exp>>},
      {"Log", unary<plain<std::log>>},
      {"Erf", unary<plain<std::erf>>},
      {"Tanh", unary<plain<std::tanh>>},
      {"Sin", unary<plain<std::sin>>},
      {"Cos", unary<plain<std::cos>>},
      {"Floor", unary<plain<std::floor>>},
      {"Ceil", unary<plain<std::ceil>>},
      {"Round", unary<round_even>},
      {"Sigmoid", unary<plain<sigmoid>>},
      {"Reciprocal", unary<plain<reciprocal>>},
      {"Gelu", unary<gelu>},
      {"Swish", unary<swish>},
      {"Neg", signed_unary<negative, negative>},
      {"Abs", signed_unary<absolute, absolute>},
      {"Sign", signed_unary<sign, sign>},
      {"Relu", signed_unary<relu, relu>},
      {"Add", arithmetic<kAdd, kAddWhole>},
      {"Sub", arithmetic<kSubtract, kSubtractWhole>},
      {"Mul", arithmetic<kMultiply, kMultiplyWhole>},
      {"Div", arithmetic<kDivide, kDivideWhole>},
      {"Min", many<arithmetic<kMinimum, kMinimumWhole>>},
      {"Max", many<arithmetic<kMaximum, kMaximumWhole>>},
      {"Pow", power},
      {"Mod", modulo},
      {"Equal", comparison<kEqual>},
      {"Less", comparison<kLess>},
      {"LessOrEqual", comparison<kLessOrEqual>},
      {"Greater", comparison<kGreater>},
      {"GreaterOrEqual", comparison<kGreaterOrEqual>},
      {"And", logic<kAnd>},
      {"Or", logic<kOr>},
      {"Xor", logic<kXor>},
      {"Not", is_not},
      {"IsNaN", is_nan},
      {"Cast", cast},
      {"Clip", clip},
      {"Range", range},
      {"ReduceSum", reduction<kAdd, kAddWhole>},
      {"ReduceMean", reduction<kAdd, kAddWhole, true>},
      {"ReduceMax", reduction<kMaximum, kMaximumWhole>},
      {"ReduceMin", reduction<kMinimum, kMinimumWhole>},
      {"ReduceProd", reduction<kMultiply, kMultiplyWhole>},
      {"ArgMax", arg_max},
      {"Softmax", softmax<false>},
      {"LogSoftmax", softmax<true>},
      {"LayerNormalization", layer_normalization},
      {"RMSNormalization", rms_normalization},
  };
  return all;
}

}  // namespace swai::onnx
