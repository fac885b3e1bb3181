// SPDX-License-Identifier: Apache-2.0
// Each pass on small graphs: what it changes, and what it leaves alone.
#include <doctest/doctest.h>

#include "host/lib/elf.hpp"
#include "host/models/onnx/evaluate.hpp"
#include "host/models/onnx/passes.hpp"
#include "verif/host/models/onnx/builder.hpp"

using namespace swai;
using namespace swai::onnx;

namespace {

#define CHECK_HAS(text, part) CHECK_MESSAGE((text).find(part) != std::string::npos, text)

std::string complaint(Graph graph) {
  try {
    infer_shapes(graph);
    fold_constants(graph);
    return "";
  } catch (const common::InputError& error) {
    return error.what();
  }
}

std::string output_type(const Graph& graph) { return type_text(graph.values[graph.outputs.at(0)]); }

using Counts = std::map<std::string, size_t>;

}  // namespace

TEST_CASE("shape: sizes with symbols go through matrices, heads and slices") {
  Builder build;
  const ValueId x = build.input("x", {-1, -2, 384});
  const ValueId heads = build.add("Reshape", {x, build.constant({0, 0, 12, -1})});
  const ValueId turned = build.add("Transpose", {heads}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  Graph& graph = build.output(turned);
  CHECK(infer_shapes(graph) > 0);
  CHECK(output_type(graph) == "f32[n1, 12, 32, n2]");
  CHECK(infer_shapes(graph) == 0);
}

TEST_CASE("shape: arithmetic on shapes is followed") {
  Builder build;
  const ValueId x = build.input("x", {-1, -2, 384});
  const ValueId shape = build.add("Shape", {x});
  const auto size = [&](int64_t index) {
    const ValueId one =
        build.add("Gather", {shape, build.constant(std::vector<int64_t>{index})}, {{"axis", int64_t{0}}});
    return one;
  };
  const ValueId product = build.add("Mul", {size(0), size(1)});
  const ValueId target =
      build.add("Concat", {product, build.constant({12}), build.constant({-1})}, {{"axis", int64_t{0}}});
  Graph& graph = build.output(build.add("Reshape", {x, target}));
  infer_shapes(graph);
  CHECK(output_type(graph) == "f32[n1 * n2, 12, 32]");
}

TEST_CASE("shape: inputs that do not fit name the node and the cause") {
  Builder build;
  const ValueId x = build.input("x", {-1, 4});
  Builder other = build;
  CHECK_HAS(complaint(other.output(other.add("Add", {x, other.constant({3}, {1, 2, 3})}))),
            "node 'n2' (Add): sizes 4 and 3");
  other = build;
  CHECK_HAS(complaint(other.output(other.add("MatMul", {x, other.input("w", {5, 2})}))),
            "node 'n2' (MatMul): 4 columns are multiplied by 5 rows");
  other = build;
  CHECK_HAS(complaint(other.output(other.add("Add", {x, other.input("w", {4}, Element::kI64)}))),
            "the inputs are f32 and i64");
  other = build;
  CHECK_HAS(complaint(other.output(other.add("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 0}}}))),
            "is no order of 2 axes");
  other = build;
  CHECK_HAS(complaint(other.output(other.add("Softmax", {other.input("i", {4}, Element::kI64)}))),
            "not floating point");
}

TEST_CASE("shape: a declared type that is not the one that follows is refused") {
  Builder build;
  Graph graph = build.output(build.add("Relu", {build.input("x", {-1, 4})}));
  Graph lying = graph;
  lying.values[1].element = Element::kI64;
  CHECK_HAS(complaint(lying), "result 'v1' is declared as i64, and is f32");
  lying = graph;
  lying.values[1].shape = Shape{Size(2), Size(5)};
  CHECK_HAS(complaint(lying), "dimension 1 of result 'v1' is declared as 5, and is 4");
  lying.values[1].shape = Shape{Size(2)};
  CHECK_HAS(complaint(lying), "is declared with 1 dimensions, and has 2");
}

TEST_CASE("fold: constants are calculated until none is left") {
  Builder build;
  const ValueId x = build.input("x", {4});
  const ValueId sum = build.add("Add", {build.scalar(1), build.scalar(2)});
  Graph& graph = build.output(build.add("Mul", {x, build.add("Sqrt", {build.add("Mul", {sum, sum})})}));
  CHECK(fold_constants(graph) == 3);
  CHECK(to_text(graph) == "input %x: f32[4]\n%v6: ?[...] = Mul(%x, 3)\noutput v6 = %v6\n");
  CHECK(fold_constants(graph) == 0);
}

TEST_CASE("fold: shapes that inference found become constants") {
  Builder build;
  const ValueId x = build.input("x", {-1, 4, 8});
  const ValueId size =
      build.add("Gather", {build.add("Shape", {x}), build.constant({2})}, {{"axis", int64_t{0}}});
  Graph& graph = build.output(size);
  infer_shapes(graph);
  CHECK(fold_constants(graph) == 1);
  remove_dead(graph);
  CHECK(count_nodes(graph) == 0);
  CHECK(int64s(*graph.constant(graph.outputs[0])) == std::vector<int64_t>{8});
}

TEST_CASE("fold: a few numbers do not become megabytes, and weights of eight bits stay as they are") {
  Builder build;
  const ValueId large = build.add("Expand", {build.scalar(1), build.constant({1 << 20})});
  const ValueId weights =
      build.constant(wholes(Element::kI8, {300, 300}, std::vector<int64_t>(300 * 300, 7)));
  const ValueId cast = build.add("Cast", {weights}, {{"to", int64_t{1}}});
  build.output(large);
  Graph& graph = build.output(cast);
  CHECK(fold_constants(graph) == 0);
}

TEST_CASE("fold: what cannot be calculated names the node") {
  Builder build;
  CHECK_HAS(complaint(build.output(build.add("Div", {build.constant({1}), build.constant({0})}))),
            "node 'n2' (Div): divides by 0");
}

TEST_CASE("same: equal means of one input become one, up to the division") {
  Builder build;
  const ValueId x = build.input("x", {-1, 8});
  const auto centred = [&] {
    const ValueId mean = build.add("ReduceMean", {x, build.constant({-1})});
    return build.add("Sub", {x, mean});
  };
  const ValueId first = centred(), second = centred();
  const ValueId square = build.add("Pow", {first, build.scalar(2)});
  Graph& graph = build.output(build.add(
      "Div", {second, build.add("Sqrt", {build.add("ReduceMean", {square, build.constant({-1})})})}));
  CHECK(merge_common(graph) == 4);  // two nodes, and two of three constants
  CHECK(count_operations(graph) ==
        Counts{{"Div", 1}, {"Pow", 1}, {"ReduceMean", 2}, {"Sqrt", 1}, {"Sub", 1}});
  CHECK(merge_common(graph) == 0);
}

TEST_CASE("same: what differs in an attribute, an input or by chance stays") {
  Builder build;
  const ValueId x = build.input("x", {4, 4});
  build.output(build.add("Softmax", {x}, {{"axis", int64_t{0}}}));
  build.output(build.add("Softmax", {x}, {{"axis", int64_t{1}}}));
  build.output(build.add("Shape", {x}, {{"start", int64_t{1}}}));
  build.output(build.add("Shape", {x}, {{"end", int64_t{1}}}));
  build.output(build.add("RandomNormalLike", {x}));
  Graph& graph = build.output(build.add("RandomNormalLike", {x}));
  CHECK(merge_common(graph) == 0);
}

TEST_CASE("noop: nodes that hand their input on go, and others stay") {
  Builder build;
  const ValueId x = build.input("x", {-1, 4});
  ValueId at = build.add("Identity", {x});
  at = build.add("Cast", {at}, {{"to", int64_t{1}}});
  at = build.add("Transpose", {at}, {{"perm", std::vector<int64_t>{0, 1}}});
  at = build.add("Mul", {at, build.scalar(1)});
  at = build.add("Add", {build.scalar(0), at});
  at = build.add("Slice", {at, build.constant({0}), build.constant({INT64_MAX}), build.constant({0})});
  at = build.add("Slice", {at, build.constant({-1}), build.constant({INT64_MIN}), build.constant({1}),
                           build.constant({-1})});
  at = build.add("Mul", {at, build.constant({1, 1, 1}, {1})});
  Graph& graph = build.output(at);
  infer_shapes(graph);
  CHECK(remove_noops(graph) == 6);
  CHECK(count_operations(graph) == Counts{{"Mul", 1}, {"Slice", 1}});
  CHECK(remove_noops(graph) == 0);
}

TEST_CASE("dead: only what outputs need stays") {
  Builder build;
  const ValueId x = build.input("x", {4});
  build.add("Neg", {build.add("Exp", {x})});
  const auto parts = build.add_several("Split", {x}, 2);
  Graph& graph = build.output(parts[0]);
  CHECK(remove_dead(graph) == 2);
  CHECK(count_operations(graph) == Counts{{"Split", 1}});
  CHECK(graph.nodes[0].outputs.size() == 2);
  CHECK(remove_dead(graph) == 0);
}
