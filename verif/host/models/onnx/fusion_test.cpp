// SPDX-License-Identifier: Apache-2.0
// Each fusion on the forms that exporters write, and on what only looks like them.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "host/models/onnx/passes.hpp"
#include "verif/host/models/onnx/builder.hpp"

using namespace swai::onnx;

namespace {

using Counts = std::map<std::string, size_t>;
using Axes = std::vector<int64_t>;

// What is left of a graph after shape inference, folding and one pass, which must change nothing again.
Counts after(const char* pass, Graph graph) {
  infer_shapes(graph);
  fold_constants(graph);
  const Pass& one = *find_pass(pass);
  one.run(graph);
  CHECK(one.run(graph) == 0);
  remove_dead(graph);
  return count_operations(graph);
}

ValueId mean(Builder& build, ValueId x, int64_t axis = -1) {
  return build.add("ReduceMean", {x, build.constant({axis})});
}

// x / sqrt(mean(x * x) + epsilon)
ValueId normal(Builder& build, ValueId x, int64_t axis = -1) {
  const ValueId square = build.add("Pow", {x, build.scalar(2)});
  const ValueId sum = build.add("Add", {mean(build, square, axis), build.scalar(1e-6)});
  return build.add("Div", {x, build.add("Sqrt", {sum})});
}

ValueId row(Builder& build, int64_t size) {
  return build.constant({size}, std::vector<double>(static_cast<size_t>(size), 0.5));
}

}  // namespace

TEST_CASE("reshape: a calculated shape with one size unknown becomes a constant with -1") {
  Builder build;
  const ValueId x = build.input("x", {1, -1, 2048});
  const ValueId shape = build.add("Shape", {x});
  const auto size = [&](int64_t axis) {
    const ValueId one = build.add("Gather", {shape, build.constant(integer(axis))});
    return build.add("Unsqueeze", {one, build.constant({0})});
  };
  const ValueId target =
      build.add("Concat", {size(0), size(1), build.constant({16, 2, 64})}, {{"axis", int64_t{0}}});
  Graph graph = build.output(build.add("Reshape", {x, target}));
  CHECK(after("reshape", graph) == Counts{{"Reshape", 1}});
  clean_up(graph, default_passes());
  CHECK(to_text(graph) ==
        "input %x: f32[1, n1, 2048]\n%v12: f32[1, n1, 16, 2, 64] = Reshape(%x, [1, -1, 16, 2, 64])\noutput "
        "v12 = %v12\n");
}

TEST_CASE("reshape: two sizes that are copied are 0, and two that are not stay calculated") {
  for (const bool is_swapped : {false, true}) {
    Builder build;
    const ValueId x = build.input("x", {-1, -2, 12});
    const ValueId y = build.input("y", {-2, -1, 12});
    const ValueId shape = build.add(
        "Slice", {build.add("Shape", {is_swapped ? y : x}), build.constant({0}), build.constant({2})});
    const ValueId target = build.add("Concat", {shape, build.constant({3, 4})}, {{"axis", int64_t{0}}});
    const Graph graph = build.output(build.add("Reshape", {x, target}));
    CHECK(after("reshape", graph)["Reshape"] == 1);
    CHECK(after("reshape", graph)["Shape"] == (is_swapped ? 1 : 0));
  }
}

TEST_CASE("slice: two along different axes become one, and two along one axis stay") {
  for (const int64_t axis : {0, 1, -1}) {
    Builder build;
    const ValueId x = build.input("x", {8, -1});
    const auto slice = [&](ValueId of, int64_t along) {
      return build.add("Slice", {of, build.constant({1}), build.constant({4}), build.constant({along})});
    };
    CHECK(after("slice", build.output(slice(slice(x, 0), axis)))["Slice"] == (axis == 0 ? 2 : 1));
  }
}

TEST_CASE("layernorm: with scale and bias, and without") {
  for (int parts = 0; parts < 3; ++parts) {
    Builder build;
    const ValueId x = build.input("x", {-1, 8});
    ValueId y = normal(build, build.add("Sub", {x, mean(build, x)}));
    if (parts > 0) y = build.add("Mul", {y, row(build, 8)});
    if (parts > 1) y = build.add("Add", {row(build, 8), y});
    CHECK(after("layernorm", build.output(y)) == Counts{{"LayerNormalization", 1}});
  }
}

TEST_CASE("layernorm: along another axis, or of another mean, it stays") {
  Builder build;
  const ValueId x = build.input("x", {8, 8});
  CHECK(after("layernorm", build.output(normal(build, build.add("Sub", {x, mean(build, x, 0)}), 0)))
            .contains("Div"));
  Builder other;
  const ValueId a = other.input("a", {8, 8}), b = other.input("b", {8, 8});
  CHECK(
      after("layernorm", other.output(normal(other, other.add("Sub", {a, mean(other, b)})))).contains("Div"));
}

TEST_CASE("rmsnorm: all of it becomes one node, but no part of a layer norm does") {
  Builder build;
  const ValueId x = build.input("x", {-1, 8});
  CHECK(after("rmsnorm", build.output(build.add("Mul", {row(build, 8), normal(build, x)}))) ==
        Counts{{"RMSNormalization", 1}});
  Builder other;
  const ValueId a = other.input("a", {-1, 8});
  CHECK(!after("rmsnorm", other.output(normal(other, other.add("Sub", {a, mean(other, a)}))))
             .contains("RMSNormalization"));
}

TEST_CASE("activation: GELU by erf and tanh, SiLU by Sigmoid and Exp; other factors stay") {
  const double root = std::sqrt(2 / std::numbers::pi);
  const auto erf = [](double inner, double outer) {
    Builder build;
    const ValueId x = build.input("x", {-1, 8});
    const ValueId sum =
        build.add("Add", {build.add("Erf", {build.add("Mul", {x, build.scalar(inner)})}), build.scalar(1)});
    return after("activation",
                 build.output(build.add("Mul", {build.add("Mul", {x, sum}), build.scalar(outer)})));
  };
  CHECK(erf(std::numbers::sqrt2 / 2, 0.5) == Counts{{"Gelu", 1}});
  CHECK(!erf(0.71, 0.5).contains("Gelu"));
  CHECK(!erf(std::numbers::sqrt2 / 2, 0.51).contains("Gelu"));
  const auto tanh = [&](double cubic) {
    Builder build;
    const ValueId x = build.input("x", {-1, 8});
    const ValueId cube = build.add("Mul", {build.add("Mul", {x, x}), x});
    const ValueId inner = build.add("Add", {x, build.add("Mul", {build.scalar(cubic), cube})});
    const ValueId sum = build.add(
        "Add", {build.scalar(1), build.add("Tanh", {build.add("Mul", {build.scalar(root), inner})})});
    return after("activation",
                 build.output(build.add("Mul", {build.add("Mul", {build.scalar(0.5), x}), sum})));
  };
  CHECK(tanh(0.044715) == Counts{{"Gelu", 1}});
  CHECK(!tanh(0.05).contains("Gelu"));
  Builder build;
  const ValueId x = build.input("x", {-1, 8}), z = build.input("z", {-1, 8});
  build.output(build.add("Mul", {x, build.add("Sigmoid", {x})}));
  const ValueId below = build.add("Add", {build.scalar(1), build.add("Exp", {build.add("Neg", {x})})});
  build.output(build.add("Div", {x, below}));
  build.output(build.add("Mul", {z, build.add("Sigmoid", {x})}));
  CHECK(after("activation", build.graph) == Counts{{"Swish", 2}, {"Sigmoid", 1}, {"Mul", 1}});
}

TEST_CASE("attention: with the heads' moves, without them, and not where heads are repeated") {
  const auto count = [](bool has_heads, int64_t key_heads, const char* last) {
    Builder build;
    const ValueId x = build.input("x", {-1, -2, 8});
    const auto split = [&](int64_t heads, Axes order) {
      const ValueId apart = build.add(
          "Reshape",
          {build.add("MatMul",
                     {x, build.constant({8, heads * 4},
                                        std::vector<double>(static_cast<size_t>(heads * 32), 0.1))}),
           build.constant({0, 0, heads, 4})});
      return build.add("Transpose", {apart}, {{"perm", order}});
    };
    const ValueId scores = build.add(
        "Div",
        {build.add("MatMul", {split(2, {0, 2, 1, 3}), split(key_heads, {0, 2, 3, 1})}), build.scalar(2)});
    const ValueId mask = build.input("mask", {-1, 1, 1, -2});
    const ValueId weights = build.add(last, {build.add("Add", {scores, mask})}, {{"axis", int64_t{-1}}});
    ValueId y = build.add("MatMul", {weights, split(key_heads, {0, 2, 1, 3})});
    if (has_heads)
      y = build.add("Reshape",
                    {build.add("Transpose", {y}, {{"perm", Axes{0, 2, 1, 3}}}), build.constant({0, 0, 8})});
    return after("attention", build.output(y));
  };
  CHECK(count(true, 2, "Softmax") == Counts{{"Attention", 1}, {"MatMul", 3}});
  CHECK(count(false, 2, "Softmax") ==
        Counts{{"Attention", 1}, {"MatMul", 3}, {"Reshape", 3}, {"Transpose", 3}});
  CHECK(!count(true, 1, "Softmax").contains("Attention"));
  CHECK(!count(true, 2, "LogSoftmax").contains("Attention"));
}

TEST_CASE("rotary: halves that turn become one node, and halves in the other order stay") {
  for (const bool is_swapped : {false, true}) {
    Builder build;
    const ValueId x = build.input("x", {-1, 4, -2, 8}), angles = build.input("angles", {-1, -2, 4});
    const ValueId both = build.add("Concat", {angles, angles}, {{"axis", int64_t{-1}}});
    const auto wave = [&](const char* of) {
      return build.add("Unsqueeze", {build.add(of, {both}), build.constant({1})});
    };
    const auto halves = build.add_several("Split", {x, build.constant({4, 4})}, 2, {{"axis", int64_t{-1}}});
    const ValueId negative = build.add("Neg", {halves[is_swapped ? 0 : 1]});
    const ValueId turned =
        build.add("Concat", {negative, halves[is_swapped ? 1 : 0]}, {{"axis", int64_t{-1}}});
    const ValueId y =
        build.add("Add", {build.add("Mul", {x, wave("Cos")}), build.add("Mul", {turned, wave("Sin")})});
    const Counts counts = after("rotary", build.output(y));
    CHECK(counts.contains("RotaryEmbedding") == !is_swapped);
    if (!is_swapped) CHECK(counts == Counts{{"Cos", 1}, {"Sin", 1}, {"RotaryEmbedding", 1}});
  }
}

TEST_CASE("quantized: integer products, dequantised products, and values that were quantised twice") {
  const std::string fused = std::string(kContribDomain) + ".MatMulIntegerToFloat";
  Builder build;
  const ValueId x = build.input("x", {-1, 4});
  const auto parts = build.add_several("DynamicQuantizeLinear", {x}, 3);
  const ValueId w = build.constant(wholes(Element::kI8, {4, 2}, {{1, 2, 3, 4, 5, 6, 7, 8}}));
  const ValueId sums =
      build.add("Cast", {build.add("MatMulInteger", {parts[0], w, parts[2]})}, {{"to", int64_t{1}}});
  const ValueId y = build.add("Mul", {sums, build.add("Mul", {parts[1], build.scalar(0.1)})});
  build.output(build.add("Add", {y, row(build, 2)}));
  CHECK(after("quantized", build.graph) == Counts{{"DynamicQuantizeLinear", 1}, {fused, 1}});
  Builder static_one;
  const ValueId scale = static_one.scalar(0.1), zero = static_one.constant(wholes(Element::kU8, {}, {{128}}));
  const ValueId q = static_one.add("QuantizeLinear", {static_one.input("x", {-1, 4}), scale, zero});
  const ValueId again =
      static_one.add("QuantizeLinear", {static_one.add("DequantizeLinear", {q, scale, zero}), scale, zero});
  const ValueId b = static_one.constant(wholes(Element::kI8, {4, 2}, {{1, 2, 3, 4, 5, 6, 7, 8}}));
  const ValueId product = static_one.add(
      "MatMul", {static_one.add("DequantizeLinear", {again, scale, zero}),
                 static_one.add("DequantizeLinear", {b, row(static_one, 2)}, {{"axis", int64_t{1}}})});
  CHECK(after("quantized", static_one.output(product)) ==
        Counts{{"Identity", 1}, {"QuantizeLinear", 1}, {fused, 1}});
}

TEST_CASE("quantized: values that are quantised again with another scale stay") {
  Builder build;
  const ValueId one = build.scalar(0.1), other = build.scalar(0.2);
  const ValueId zero = build.constant(wholes(Element::kU8, {}, {{128}}));
  const ValueId q = build.add("QuantizeLinear", {build.input("x", {-1, 4}), one, zero});
  const ValueId x = build.add("DequantizeLinear", {q, one, zero});
  CHECK(after("quantized", build.output(build.add("QuantizeLinear", {x, other, zero})))["QuantizeLinear"] ==
        2);
}

TEST_CASE("bias: one for each channel joins the convolution, one for each place does not") {
  for (const bool is_for_channels : {true, false}) {
    Builder build;
    const ValueId x = build.input("x", {-1, 3, 6});
    const ValueId y = build.add("Conv", {x, build.constant({4, 3, 3}, std::vector<double>(36, 0.1))});
    const auto shape = is_for_channels ? Axes{4, 1} : Axes{1, 4};
    const ValueId bias = build.constant(shape, std::vector<double>{1, 2, 3, 4});
    CHECK(after("bias", build.output(build.add("Add", {y, bias})))["Add"] == (is_for_channels ? 0 : 1));
  }
}
