// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/onnx/random_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace swai::onnx {
namespace {

// Thrown by a step that does not fit the values there are. Nodes that it has added so far stay.
struct NotHere {};

constexpr double kMaxValue = 100;

}  // namespace

RandomGraph::RandomGraph(std::mt19937_64& random, size_t nodes) : random_(random) {
  add_input({2, 3, 8}, {-1, -2, 8});
  add_input({2, 3, 8}, {-1, -2, 8});
  add_input({3, 4}, {3, 4});
  add_input({1, 4, 6}, {1, 4, -3});
  while (build_.graph.nodes.size() < nodes) {
    try {
      step();
    } catch (const NotHere&) {
    } catch (const EvaluationError&) {
    }
  }
  for (size_t i = 0; i < 3; ++i) {
    // One of the last values, so that most of the graph is alive.
    const size_t back = below(std::min<size_t>(floats_.size(), 4));
    const ValueId id = floats_[floats_.size() - 1 - back];
    if (std::ranges::count(build_.graph.outputs, id) == 0 && std::ranges::count(build_.graph.inputs, id) == 0)
      build_.output(id);
  }
  if (build_.graph.outputs.empty()) build_.output(build_.graph.nodes.back().outputs[0]);
}

std::vector<double> RandomGraph::reals_in(size_t count, double low, double high) {
  std::vector<double> values(count);
  for (double& value : values) value = real(low, high);
  return values;
}

void RandomGraph::add_input(Shape shape, std::vector<int64_t> declared) {
  const ValueId id = build_.input("x" + std::to_string(inputs_.size()), std::move(declared));
  inputs_.push_back(reals(Element::kF32, shape, reals_in(static_cast<size_t>(*count_of(shape)), -2, 2)));
  values_.resize(build_.graph.values.size());
  values_[id] = inputs_.back();
  floats_.push_back(id);
}

ValueId RandomGraph::constant(Tensor tensor) {
  const ValueId id = build_.constant(std::move(tensor));
  values_.resize(build_.graph.values.size());
  values_[id] = build_.graph.values[id].constant;
  return id;
}

ValueId RandomGraph::weight(Shape shape, double low, double high) {
  const auto count = static_cast<size_t>(*count_of(shape));
  return constant(reals(Element::kF32, std::move(shape), reals_in(count, low, high)));
}

ValueId RandomGraph::scalar(double value) { return constant(reals(Element::kF32, {}, {{value}})); }

ValueId RandomGraph::list(std::vector<int64_t> values) { return constant(integers(values)); }

ValueId RandomGraph::bytes(Shape shape) {
  std::vector<int64_t> numbers(static_cast<size_t>(*count_of(shape)));
  for (int64_t& number : numbers) number = static_cast<int64_t>(below(256)) - 128;
  return constant(wholes(Element::kI8, std::move(shape), numbers));
}

std::vector<ValueId> RandomGraph::several(const std::string& operation, std::vector<ValueId> inputs,
                                          size_t outputs, std::map<std::string, Attribute> attributes) {
  std::vector<const Tensor*> operands;
  for (const ValueId id : inputs) operands.push_back(id == kNone ? nullptr : &tensor(id));
  const Node node{"", "", operation, inputs, std::vector<ValueId>(outputs), attributes};
  const auto results = evaluate(node, operands);
  if (!results) throw NotHere{};
  for (const Tensor& result : *results) {
    if (result.count() == 0 || result.count() > 4096) throw NotHere{};
    for (const double value : doubles(result))
      if (!(std::abs(value) <= kMaxValue) && is_float(result.element)) throw NotHere{};
  }
  const auto ids = build_.add_several(operation, inputs, outputs, attributes);
  values_.resize(build_.graph.values.size());
  for (size_t i = 0; i < outputs; ++i) {
    values_[ids[i]] = (*results)[i];
    if ((*results)[i].element == Element::kF32) floats_.push_back(ids[i]);
  }
  return ids;
}

ValueId RandomGraph::one(const std::string& operation, std::vector<ValueId> inputs,
                         std::map<std::string, Attribute> attributes) {
  return several(operation, std::move(inputs), 1, std::move(attributes))[0];
}

ValueId RandomGraph::either_order(const std::string& operation, ValueId a, ValueId b) {
  return below(2) == 0 ? one(operation, {a, b}) : one(operation, {b, a});
}

ValueId RandomGraph::any(size_t rank) {
  for (int i = 0; i < 20; ++i) {
    // Later values more often.
    const ValueId id = below(2) == 0 ? floats_.back() : floats_[below(floats_.size())];
    if (rank == 0 ? !shape(id).empty() : shape(id).size() == rank) return id;
  }
  throw NotHere{};
}

void RandomGraph::step() {
  using Step = void (RandomGraph::*)();
  static constexpr Step kSteps[] = {&RandomGraph::element_step,
                                    &RandomGraph::element_step,
                                    &RandomGraph::move_step,
                                    &RandomGraph::move_step,
                                    &RandomGraph::repeat,
                                    &RandomGraph::layer_norm,
                                    &RandomGraph::rms_norm,
                                    &RandomGraph::gelu,
                                    &RandomGraph::silu,
                                    &RandomGraph::slices,
                                    &RandomGraph::attention,
                                    &RandomGraph::rotary,
                                    &RandomGraph::integer_product,
                                    &RandomGraph::dequantized_product,
                                    &RandomGraph::convolution};
  (this->*kSteps[below(std::size(kSteps))])();
}

void RandomGraph::element_step() {
  const ValueId x = any();
  switch (below(10)) {
    case 0: {
      static constexpr const char* kUnary[] = {"Neg",  "Abs", "Tanh", "Sigmoid", "Erf",
                                               "Relu", "Sin", "Cos",  "Identity"};
      one(kUnary[below(std::size(kUnary))], {x});
      return;
    }
    case 1:
      one("Softmax", {x}, {{"axis", static_cast<int64_t>(below(shape(x).size()))}});
      return;
    case 2:
      one("ReduceMean", {x, list({static_cast<int64_t>(below(shape(x).size()))})},
          {{"keepdims", static_cast<int64_t>(below(2))}});
      return;
    case 3:
      one("MatMul", {x, weight({last(x), below(2) == 0 ? 4 : 8})});
      return;
    case 4:
      either_order("Mul", x, scalar(below(3) == 0 ? 1 : real(-1, 1)));
      return;
    case 5:
      either_order("Add", x, scalar(below(3) == 0 ? 0 : real(-1, 1)));
      return;
    case 6:
      one("Div", {x, one("Add", {one("Abs", {any()}), scalar(1)})});
      return;
    case 7:  // of constants alone
      one("Add", {x, one("Sqrt", {one("Mul", {scalar(real(0, 2)), scalar(2)})})});
      return;
    default: {
      static constexpr const char* kBinary[] = {"Add", "Sub", "Mul", "Max", "Min"};
      one(kBinary[below(std::size(kBinary))], {x, below(2) == 0 ? any() : weight({last(x)})});
    }
  }
}

void RandomGraph::move_step() {
  const ValueId x = any();
  const size_t rank = shape(x).size();
  switch (below(10)) {
    case 0: {
      std::vector<int64_t> order(rank);
      for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(i);
      if (below(4) != 0) std::ranges::shuffle(order, random_);
      one("Transpose", {x}, {{"perm", order}});
      return;
    }
    case 1: {
      std::vector<int64_t> target = shape(x);
      target[below(rank)] = -1;
      one("Reshape", {x, list(target)});
      return;
    }
    case 2: {  // the last dimension into two, with a calculated shape
      if (rank < 2 || last(x) % 2 != 0) throw NotHere{};
      const ValueId all = one("Shape", {x});
      const ValueId front = one("Slice", {all, list({0}), list({-1}), list({0})});
      one("Reshape", {x, one("Concat", {front, list({2}), list({last(x) / 2})}, {{"axis", int64_t{0}}})});
      return;
    }
    case 3: {
      const auto axis = static_cast<int64_t>(below(rank));
      one("Concat", {x, below(2) == 0 ? x : one("Neg", {x})}, {{"axis", axis}});
      return;
    }
    case 4: {
      const size_t axis = below(rank);
      if (shape(x)[axis] % 2 != 0) throw NotHere{};
      std::map<std::string, Attribute> attributes = {{"axis", static_cast<int64_t>(axis)}};
      const bool has_sizes = below(2) == 0;
      if (!has_sizes) attributes["num_outputs"] = int64_t{2};
      const ValueId sizes = has_sizes ? list({shape(x)[axis] / 2, shape(x)[axis] / 2}) : kNone;
      several("Split", {x, sizes}, 2, attributes);
      return;
    }
    case 5:
      one("Squeeze", {one("Unsqueeze", {x, list({0})}), list({0})});
      return;
    case 6:
      one("Gather", {x, list({0, -1, 0})}, {{"axis", static_cast<int64_t>(below(rank))}});
      return;
    case 7:
      one("Expand", {x, list(shape(x))});
      return;
    case 8: {  // a shape that is taken apart and put together again
      const ValueId all = one("Shape", {x});
      std::vector<ValueId> parts;
      for (size_t i = 0; i < rank; ++i) {
        const ValueId size = one("Gather", {all, constant(integer(static_cast<int64_t>(i)))});
        parts.push_back(one("Unsqueeze", {size, list({0})}));
      }
      one("Reshape", {x, one("Concat", parts, {{"axis", int64_t{0}}})});
      return;
    }
    default:
      one("Cast", {x}, {{"to", int64_t{1}}});
  }
}

// A node once more, with equal inputs.
void RandomGraph::repeat() {
  if (build_.graph.nodes.empty()) throw NotHere{};
  const Node node = build_.graph.nodes[below(build_.graph.nodes.size())];
  several(node.operation, node.inputs, node.outputs.size(), node.attributes);
}

void RandomGraph::slices() {
  ValueId x = any();
  for (size_t axis = 0; axis < shape(x).size(); ++axis) {
    if (shape(x)[axis] < 2 || below(3) == 0) continue;
    const bool is_backward = below(4) == 0;
    const auto named =
        static_cast<int64_t>(axis) - (below(2) == 0 ? static_cast<int64_t>(shape(x).size()) : 0);
    x = is_backward ? one("Slice", {x, list({-1}), list({INT64_MIN}), list({named}), list({-1})})
                    : one("Slice", {x, list({static_cast<int64_t>(below(2))}),
                                    list({below(2) == 0 ? INT64_MAX : shape(x)[axis]}), list({named})});
  }
}

void RandomGraph::layer_norm() {
  const ValueId x = any();
  if (last(x) < 3) throw NotHere{};
  const auto rank = static_cast<int64_t>(shape(x).size());
  const auto mean = [&](ValueId of) {
    return one("ReduceMean", {of, list({below(2) == 0 ? -1 : rank - 1})});
  };
  const auto centred = [&] { return one("Sub", {x, mean(x)}); };
  const ValueId difference = centred();
  const ValueId again = below(2) == 0 ? centred() : difference;
  const ValueId square = below(2) == 0 ? one("Pow", {again, scalar(2)}) : one("Mul", {again, difference});
  const ValueId root = one("Sqrt", {either_order("Add", mean(square), scalar(1e-3))});
  ValueId y = below(2) == 0 ? one("Div", {difference, root})
                            : either_order("Mul", difference, one("Reciprocal", {root}));
  if (below(4) != 0) y = either_order("Mul", y, weight({last(x)}));
  if (below(4) != 0) either_order("Add", y, weight({last(x)}));
}

void RandomGraph::rms_norm() {
  const ValueId x = any();
  const ValueId square = below(2) == 0 ? one("Pow", {x, scalar(2)}) : one("Mul", {x, x});
  const ValueId sum = either_order("Add", one("ReduceMean", {square, list({-1})}), scalar(1e-3));
  ValueId y = 0;
  switch (below(4)) {
    case 0:
      y = one("Div", {x, one("Sqrt", {sum})});
      break;
    case 1:
      y = either_order("Mul", x, one("Reciprocal", {one("Sqrt", {sum})}));
      break;
    case 2:
      y = either_order("Mul", x, one("Div", {scalar(1), one("Sqrt", {sum})}));
      break;
    default:
      y = either_order("Mul", x, one("Pow", {sum, scalar(-0.5)}));
      break;
  }
  if (below(4) != 0) either_order("Mul", weight({last(x)}), y);
}

void RandomGraph::gelu() {
  const ValueId x = any();
  ValueId inner = 0;
  const double root = std::sqrt(2 / std::numbers::pi);
  switch (below(5)) {
    case 0:
      inner = one("Erf", {one("Div", {x, scalar(std::numbers::sqrt2)})});
      break;
    case 1:
      inner = one("Erf", {either_order("Mul", x, scalar(1 / std::numbers::sqrt2))});
      break;
    case 2: {
      const ValueId cube = one("Pow", {x, scalar(3)});
      inner =
          one("Tanh", {either_order("Mul", scalar(root),
                                    either_order("Add", x, either_order("Mul", cube, scalar(0.044715))))});
      break;
    }
    case 3: {
      const ValueId square = one("Mul", {x, x});
      const ValueId factor = either_order("Add", scalar(1), either_order("Mul", square, scalar(0.044715)));
      inner = one("Tanh", {one("Mul", {one("Mul", {x, scalar(root)}), factor})});
      break;
    }
    default:
      inner = one("Tanh", {one("Mul", {x, scalar(real(0.5, 1))})});
      break;  // a sigmoid
  }
  const ValueId sum = either_order("Add", inner, scalar(1));
  switch (below(4)) {
    case 0:
      either_order("Mul", either_order("Mul", x, sum), scalar(0.5));
      break;
    case 1:
      either_order("Mul", x, either_order("Mul", scalar(0.5), sum));
      break;
    case 2:
      either_order("Mul", one("Div", {x, scalar(2)}), sum);
      break;
    default:
      either_order("Mul", either_order("Mul", x, scalar(0.5)), sum);
      break;
  }
}

void RandomGraph::silu() {
  const ValueId x = any();
  const ValueId scaled = below(2) == 0 ? x : one("Mul", {x, scalar(1.702)});
  switch (below(3)) {
    case 0:
      either_order("Mul", x, one("Sigmoid", {scaled}));
      break;
    case 1:
      one("Div", {x, either_order("Add", scalar(1), one("Exp", {one("Neg", {scaled})}))});
      break;
    default:
      either_order(
          "Mul", one("Div", {scalar(1), either_order("Add", one("Exp", {one("Neg", {scaled})}), scalar(1))}),
          x);
  }
}

void RandomGraph::attention() {
  const ValueId x = any(3);
  const int64_t heads = 2, width = 4;
  const auto split = [&](std::vector<int64_t> order) {
    const ValueId product = one("MatMul", {x, weight({last(x), heads * width})});
    const ValueId apart = one("Reshape", {product, list({0, 0, heads, width})});
    return one("Transpose", {apart}, {{"perm", order}});
  };
  ValueId q = split({0, 2, 1, 3}), v = split({0, 2, 1, 3});
  ValueId k = below(2) == 0
                  ? split({0, 2, 3, 1})
                  : one("Transpose", {split({0, 2, 1, 3})}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  if (below(2) == 0) {
    q = one("Mul", {q, scalar(0.7)});
    k = one("Mul", {k, scalar(0.7)});
  }
  ValueId scores = one("MatMul", {q, k});
  if (below(2) == 0) scores = one("Div", {scores, scalar(2)});
  if (below(2) == 0) scores = either_order("Add", scores, weight({1, 1, 1, shape(x)[1]}, -3, 0));
  const ValueId y =
      one("MatMul", {one("Softmax", {scores}, {{"axis", below(2) == 0 ? int64_t{-1} : int64_t{3}}}), v});
  if (below(4) == 0) return;
  const ValueId turned = one("Transpose", {y}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  one("Reshape", {turned, list({0, 0, heads * width})});
}

void RandomGraph::rotary() {
  const ValueId rows = any(3);
  const int64_t heads = 2, half = 2;
  const ValueId product = one("MatMul", {rows, weight({last(rows), heads * 2 * half})});
  const ValueId x = one("Transpose", {one("Reshape", {product, list({0, 0, heads, 2 * half})})},
                        {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  const ValueId angles = one("MatMul", {rows, weight({last(rows), half})});
  const ValueId both = one("Concat", {angles, angles}, {{"axis", int64_t{-1}}});
  const ValueId cos = one("Unsqueeze", {one("Cos", {both}), list({1})}),
                sin = one("Unsqueeze", {one("Sin", {both}), list({1})});
  const ValueId first = one("Slice", {x, list({0}), list({half}), list({3})});
  const ValueId second = one("Slice", {x, list({half}), list({INT64_MAX}), list({3})});
  const ValueId turned = one("Concat", {one("Neg", {second}), first}, {{"axis", int64_t{-1}}});
  either_order("Add", either_order("Mul", x, cos), either_order("Mul", turned, sin));
}

// Of inputs only: what is quantised later would differ by a step where something before differs by a
// rounding.
void RandomGraph::integer_product() {
  const ValueId x = build_.graph.inputs[below(2)];
  const auto parts = several("DynamicQuantizeLinear", {x}, 3);
  const ValueId weights = bytes({8, 4});
  const ValueId zero = constant(wholes(Element::kI8, {}, {{static_cast<int64_t>(below(3))}}));
  const ValueId sums = one("MatMulInteger", {parts[0], weights, parts[2], zero});
  const ValueId scale = below(2) == 0 ? scalar(0.01) : weight({4}, 0.005, 0.02);
  // The sums themselves may be larger than other values.
  Tensor as_floats = reals(Element::kF32, shape(sums), doubles(tensor(sums)));
  const ValueId cast = build_.add("Cast", {sums}, {{"to", int64_t{1}}});
  values_.resize(build_.graph.values.size());
  values_[cast] = as_floats;
  const ValueId y = below(2) == 0 ? either_order("Mul", cast, either_order("Mul", parts[1], scale))
                                  : either_order("Mul", either_order("Mul", cast, parts[1]), scale);
  if (below(2) == 0) either_order("Add", y, weight({4}));
}

void RandomGraph::dequantized_product() {
  const ValueId x = build_.graph.inputs[below(2)];
  const ValueId scale = scalar(0.02), zero = constant(wholes(Element::kU8, {}, {{128}}));
  ValueId quantized = one("QuantizeLinear", {x, scale, zero});
  if (below(2) == 0)
    quantized = one("QuantizeLinear", {one("DequantizeLinear", {quantized, scale, zero}), scale, zero});
  const ValueId weights = bytes({8, 4});
  const bool is_by_column = below(2) == 0;
  const ValueId b =
      below(3) == 0
          ? one("Mul", {one("Cast", {weights}, {{"to", int64_t{1}}}), weight({4}, 0.005, 0.02)})
          : one("DequantizeLinear", {weights, is_by_column ? weight({4}, 0.005, 0.02) : scalar(0.01)},
                {{"axis", int64_t{1}}});
  const ValueId y = one("MatMul", {one("DequantizeLinear", {quantized, scale, zero}), b});
  if (below(2) == 0) either_order("Add", y, weight({4}));
}

void RandomGraph::convolution() {
  const ValueId x = any(3);
  const int64_t outputs = 4;
  const ValueId y = one("Conv", {x, weight({outputs, shape(x)[1], 3})},
                        {{"pads", std::vector<int64_t>{1, 1}},
                         {"strides", std::vector<int64_t>{1 + static_cast<int64_t>(below(2))}}});
  either_order("Add", y, below(2) == 0 ? weight({outputs, 1}) : weight({1, outputs, 1}));
}

}  // namespace swai::onnx
