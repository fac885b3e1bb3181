// SPDX-License-Identifier: Apache-2.0
// Graphs that are built by calls: the same checks as text, with the caller's place; what is printed reads
// back.
#include "host/models/graph/builder.hpp"

#include <doctest/doctest.h>

#include "verif/host/models/graph/random_text.hpp"
#include "verif/host/models/graph/text.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::graph {
namespace {

Type f32(std::vector<Size> dimensions) {
  return {.element = Element::kF32, .dimensions = std::move(dimensions)};
}

// "LINE: message" of a call in this file, counted from `first`.
template <typename Work>
std::string complaint_of(int first, const Work& work) {
  try {
    work();
  } catch (const GraphError& error) {
    CHECK(std::string(error.place().file).ends_with("builder_test.cpp"));
    return std::to_string(error.place().line - first) + ": " + error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a graph that is built is the graph that its text says") {
  Builder b("g");
  const Size n = b.size("n", {1, 100});
  const Tensor x = b.input("x", f32({n, 8})), w = b.weight("layer[0].w", f32({8, 8}));
  const Tensor kept = b.state("kept", f32({100, 8})), memory = b.buffer("memory", f32({100, 8}));
  const Tensor out = b.output("out", f32({n, 8}));
  Target in_memory("y");
  in_memory.buffer = memory;
  const Tensor y = b.add(in_memory, "linear", {x, w, {"residual", x}, {"activation", "silu"}});
  const Tensor all = b.add("all", "extend", {kept, y, {"at", 0}});
  b.add_all({"bytes", "scales"}, "quantise", {all, {"group", 4}});
  b.add(out, "softmax", {all, {"scale", 0.1}});
  const Graph graph = b.finish();
  CHECK(print(graph) ==
        "graph g\nsize n in 1 .. 100\ninput x: f32[n, 8]\nweight layer[0].w: f32[8, 8]\n"
        "state kept: f32[100, 8]\nbuffer memory: f32[100, 8]\noutput out: f32[n, 8]\n"
        "y in memory = linear(x, layer[0].w, residual: x, activation: silu)\nall = extend(kept, y, at: 0)\n"
        "bytes, scales = quantise(all, group: 4)\nout = softmax(all, scale: 0.1)\n");
  check_reads_back(graph);
}

TEST_CASE("what is wrong is reported with the place of the call") {
  Builder b("g");
  const Size n = b.size("n", {1, 100});
  const Tensor x = b.input("x", f32({n, 8})), state = b.state("s", f32({100, 8}));
  int line = __LINE__;
  const std::string missing = complaint_of(line, [&] { b.add("z", "add", {x}); });
  CHECK(missing == "1: add: b is missing");
  line = __LINE__;
  const std::string in_turn = complaint_of(line, [&] {
    const Builder::Turn turn(b, "layer", 3);
    b.add("z", "rotary", {x, x, {"heads", n}});
  });
  CHECK(in_turn == "3: rotary (layer 3): heads is n; it has to be a number, 1 or more");
  const auto complaint_here = [&](const auto& work) {
    const std::string text = complaint_of(0, work);
    return text.substr(text.find(": ") + 2);
  };
  CHECK(complaint_here([&] { b.input("q", f32({n - 1})); }) ==
        "a dimension is 1 or more; -1 + n may be less");
  CHECK(complaint_here([&] { b.input("next", f32({n})); }) == "'next' is no name that graph text has");
  CHECK(complaint_here([&] { b.input("a[n]", f32({n})); }) == "'a[n]' is no name that graph text has");
  CHECK(complaint_here([&] { b.size("n", {1, 2}); }) == "size n is there already");
  CHECK(complaint_here([&] { b.add(x, "gelu", {x}); }) == "gelu: x is no output");
  CHECK(complaint_here([&] {
          b.add("z", "gelu", {x, {"form", "soft"}});
        }) == "gelu: form is one of erf, tanh");
  CHECK(complaint_here([&] { b.add("z", "softmax", {x, {"scale", n}}); }) == "softmax: scale is a number");
  CHECK(complaint_here([&] {
          b.add("z", "slice", {x, {"first", 0.5}, {"rows", 1}});
        }) == "slice: first is a size, a whole number");
  line = __LINE__ + 1;
  b.add("z", "extend", {state, x, {"at", 0}});
  CHECK(complaint_here([&] { b.add("c", "copy", {state}); })
            .starts_with("copy: s was overwritten on verif/host/models/graph/builder_test.cpp:" +
                         std::to_string(line)));
}

TEST_CASE("examples and random graphs read back as they were printed") {
  for (const char* const name : {"encoder.graph", "decoder.graph", "speech.graph"})
    check_reads_back(graph_of(example(name)));
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 200; ++i) {
    const std::string text = RandomText(random).text(1 + random() % 12);
    CAPTURE(text);
    check_reads_back(graph_of(text));
  }
}

TEST_CASE("values of loops keep their names when they are printed") {
  const Graph graph = graph_of(
      "graph g\nsize n in 1 .. 9\ninput x: f32[n, 8]\nrepeat i in 0 .. 2 with h = x {\n  t = gelu(h)\n"
      "  next h = add(t, h)\n}\nrepeat i in 0 .. 2 with g = h {\n  t = softmax(g, scale: -0.5)\n"
      "  next g = slice(t, first: 2 * ((n - 1) / 3) - 2 * ((n - 1) / 3), rows: n)\n}\n");
  check_reads_back(graph);
  CHECK(print(graph).find("t'0' = softmax(h'1, scale: -0.5)") != std::string::npos);
}

}  // namespace swai::graph
