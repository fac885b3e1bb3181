// SPDX-License-Identifier: Apache-2.0
// Graphs as lists of nodes: what is in them, and what the functional model of a core group makes of them.
#include "host/models/graph/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "host/models/graph/lower.hpp"
#include "operators.hpp"
#include "verif/host/models/graph/random_text.hpp"
#include "verif/host/models/graph/text.hpp"
#include "verif/host/models/graph/walked.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::graph {
namespace {

using operators::Operator;

Template pattern_of(const std::string& text) {
  const Graph graph = lowered(graph_of("graph g\n" + text));
  return template_of(graph, plan(graph));
}

std::vector<Operator> operators_of(const Template& pattern) {
  std::vector<Operator> all;
  for (const node::Node& node : pattern.nodes) all.push_back(Operator{node.operation});
  return all;
}

std::string refusal(const std::string& text) {
  try {
    pattern_of(text);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("random graphs on the card's model, one list for all symbols, against double precision") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 25; ++round) {
    const std::string text = RandomText(random).text(2 + random() % 14);
    CAPTURE(text);
    const Graph graph = graph_of(text);
    Walked walked(graph, random());
    for (int run = 0; run < 3; ++run) walked.run({{"n", 1 + random() % 9}, {"past", random() % 7}});
  }
}

TEST_CASE("convolutions over rows, as many as come, and into a state with rows of zeros around them") {
  std::mt19937_64 random(test_seed());
  const Graph graph = graph_of(
      "graph g\nsize n in 8 .. 40\ninput mel: f32[n + 2, 24]\nweight a: f32[40, 3, 24]\nweight a.bias: "
      "f32[40]\n"
      "weight b: f32[16, 3, 40]\nweight c: f32[8, 4, 16]\nstate padded: f32[42, 40]\n"
      "input positions: f32[(n - 2) / 2 + 1, 16]\noutput y: f32[(n - 2) / 2 + 1, 16]\n"
      "output z: f32[((n - 2) / 2 - 3) / 1 + 1, 8]\n"
      "one = convolution(mel, a, a.bias, activation: gelu)\nrows = extend(padded, one, at: 1)\n"
      "y = convolution(rows, b, stride: 2, residual: positions, activation: gelu_tanh)\n"
      "z = convolution(y, c)\n");
  CHECK(operators_of(template_of(lowered(graph), plan(lowered(graph)))).size() == 3);
  Walked walked(graph, random());
  for (int run = 0; run < 4; ++run) walked.run({{"n", 8 + random() % 33}});
}

// One token after many others, and many at once: with and without memory between.
TEST_CASE("attention over keys that grow, by parameters alone") {
  std::mt19937_64 random(test_seed() + 1);
  const std::string text =
      "graph g\nsize n in 1 .. 40\nsize past in 0 .. 150\ninput q: f32[n, 64]\ninput k: f32[n, 32]\n"
      "input v: f32[n, 32]\nstate ks: f32[200, 32]\nstate vs: f32[200, 32]\noutput y: f32[n, 64]\n"
      "output z: f32[n, 64]\nkeys = extend(ks, k, at: past)\nvalues = extend(vs, v, at: past)\n"
      "y = attention(q, keys, values, heads: 4, kv_heads: 2, causal: yes, past: past)\n"
      "z = attention(q, keys, values, heads: 4, kv_heads: 2, scale: 0.125)\n";
  const Graph graph = graph_of(text);
  Walked walked(graph, random());
  walked.run({{"n", 40}, {"past", 0}});
  walked.run({{"n", 1}, {"past", 40}});
  walked.run({{"n", 1}, {"past", 150}});
  walked.run({{"n", 1 + random() % 40}, {"past", random() % 151}});
}

TEST_CASE("rows of several texts, each at its position, in chunks of its own or in order") {
  std::mt19937_64 random(test_seed() + 3);
  const Graph graph = graph_of(
      "graph g\nsize past in 99 .. 120\ninput q: f32[3, 64]\ninput k: f32[3, 32]\ninput v: f32[3, 32]\n"
      "input positions: i32[3]\ninput chunks: i32[3, 2]\nweight turns: f32[128, 16]\n"
      "state ks: f32[384, 32]\nstate vs: f32[384, 32]\nstate plain: f32[128, 32]\noutput y: f32[3, 64]\n"
      "output z: f32[3, 64]\ninput greedy: i32[1, 12]\noutput token: i32[3]\noutput likely: f32[3]\n"
      "turned = rotary(k, turns, positions: positions, heads: 2)\n"
      "keys = place(ks, turned, positions, chunks)\nvalues = place(vs, v, positions, chunks)\n"
      "y = attention(q, keys, values, positions: positions, chunks: chunks, heads: 4, kv_heads: 2, "
      "causal: yes, past: past)\n"
      "in_order = place(plain, v, positions)\n"
      "z = attention(q, in_order, in_order, positions: positions, heads: 4, kv_heads: 2, causal: yes, "
      "past: past)\n"
      "token, likely = sample(y, greedy, positions: positions)\n");
  Walked walked(graph, random());
  for (int run = 0; run < 4; ++run) walked.run({{"past", 99 + random() % 22}});
}

// Scores are so far apart that of each row one weight is left: 7 bits say it exactly.
TEST_CASE("attention with products of int8, over keys that grow") {
  std::mt19937_64 random(test_seed() + 2);
  const Graph graph = graph_of(
      "graph g\nsize n in 1 .. 40\nsize past in 0 .. 150\ninput q: f32[n, 512]\ninput k: f32[n, 256]\n"
      "input v: f32[n, 256]\nstate ks: f32[200, 256]\nstate vs: f32[200, 256]\noutput y: f32[n, 512]\n"
      "output z: f32[n, 512]\nkeys = extend(ks, k, at: past)\nvalues = extend(vs, v, at: past)\n"
      "y = attention(q, keys, values, heads: 4, kv_heads: 2, causal: yes, past: past, scale: 1e5, products: "
      "i8)\n"
      "k.bytes, k.scale = quantise(keys, group: 128)\nv.bytes, v.scale = quantise(values, group: 128)\n"
      "z = attention(q, k.bytes, v.bytes, k.scale, v.scale, heads: 4, kv_heads: 2, scale: 1e5, products: "
      "i8)\n");
  Walked walked(graph, random());
  const std::vector<Operator> own = {Operator::kQuantise, Operator::kQuantise, Operator::kAttentionInt8};
  std::vector<Operator> all = operators_of(walked.pattern());
  all.erase(all.begin(), std::ranges::find(all, Operator::kQuantise));
  CHECK(all.size() == 6);
  CHECK(std::equal(own.begin(), own.end(), all.begin()));
  walked.run({{"n", 40}, {"past", 0}});
  walked.run({{"n", 1}, {"past", 40}});
  walked.run({{"n", 1 + random() % 40}, {"past", random() % 151}});
}

TEST_CASE("the examples are lists, too") {
  for (const char* const name : {"encoder.graph", "decoder.graph"}) {
    CAPTURE(name);
    const Graph graph = lowered(graph_of(example(name)));
    CHECK_NOTHROW(template_of(graph, plan(graph)));
  }
}

// What functions find there that are called next.
[[gnu::noinline]] void fill_stack(uint8_t value) {
  volatile uint8_t bytes[64 << 10];
  for (size_t at = 0; at < sizeof bytes; ++at) bytes[at] = value;
}

TEST_CASE("nothing of the host's memory is in a list: not between the arguments, nor behind them") {
  for (const char* name : {"encoder.graph", "decoder.graph"}) {
    INFO(name);
    const Graph graph = lowered(graph_of(example(name)));
    const Plan planned = plan(graph);
    const auto list_after = [&](uint8_t value) {
      fill_stack(value);
      return template_of(graph, planned).nodes;
    };
    const auto one = list_after(0);
    const auto other = list_after(0xff);
    REQUIRE(one.size() == other.size());
    for (size_t i = 0; i < one.size(); ++i) CHECK(one[i].arguments == other[i].arguments);
  }
}

TEST_CASE("logits in a state are changed where they are, before a token is chosen") {
  std::mt19937_64 random(test_seed());
  const Graph graph = graph_of(
      "graph g\nsize n in 0 .. 1\ninput x: f32[2, 64]\nweight w: f32[80, 64]\nstate logits: f32[2, 80]\n"
      "input bits: i32[2, 3]\ninput ranges: i32[2, 6]\ninput tokens: i32[1, 9]\ninput greedy: i32[1, 12]\n"
      "output raw: f32[2, 80]\noutput token: i32[2]\noutput likely: f32[2]\n"
      "raw = linear(x, w)\nrows = extend(logits, raw, at: 0)\nfewer = penalise(rows, tokens, greedy)\n"
      "some.bits = slice(bits, first: n, rows: 1)\nhidden = mask(fewer, some.bits, ranges)\n"
      "left = prefer_group(hidden, first: 60)\ntoken, likely = sample(left, greedy, position: n)\n");
  Walked walked(graph, random());
  for (int run = 0; run < 8; ++run) walked.run({{"n", random() % 2}});
}

TEST_CASE("logits that are wanted as they were made are masked on their way into a state") {
  std::mt19937_64 random(test_seed());
  const Graph graph = graph_of(
      "graph g\ninput x: f32[2, 64]\nweight w: f32[80, 64]\nstate kept: f32[2, 80]\n"
      "input bits: i32[2, 3]\noutput raw: f32[2, 80]\noutput sum: f32[2, 80]\n"
      "raw = linear(x, w)\nhidden = mask(kept, bits, of: raw)\nsum = softmax(hidden)\n");
  Walked walked(graph, random());
  for (int run = 0; run < 8; ++run) walked.run({});
}

TEST_CASE("barriers stand where somebody's data are met, and nowhere else") {
  const Graph graph = graph_of(
      "graph g\ninput x: f32[4, 8]\ninput y: f32[4, 8]\noutput p: f32[4, 8]\noutput q: f32[4, 8]\noutput r: "
      "f32[4, 8]\n"
      "p = relu(x)\nq = silu(y)\nr = add(p, q)\n");
  const Template pattern = template_of(graph, plan(graph));
  REQUIRE(pattern.nodes.size() == 3);
  CHECK((pattern.nodes[0].barrier == node::Barrier::kNone));
  CHECK((pattern.nodes[1].barrier == node::Barrier::kNone));
  CHECK((pattern.nodes[2].barrier == node::Barrier::kAll));
}

TEST_CASE("a barrier, too, where a value begins in the middle of one that is still read") {
  const Graph graph = graph_of(
      "graph g\ninput x: f32[4, 16]\ninput y: f32[4, 16]\noutput e: f32[4, 16]\noutput t: f32[4, 16]\n"
      "output m: f32[4, 16]\noutput l: f32[8, 16]\n"
      "a = softmax(x)\nb = softmax(y)\ne = copy(a)\nt = relu(e)\nm = copy(b)\nc = concat(x, y)\nl = "
      "copy(c)\n");
  const Plan planned = plan(graph);
  REQUIRE(planned.bytes == 512);  // c takes the place of a and b
  const Template pattern = template_of(graph, planned);
  CHECK((pattern.nodes[4].barrier == node::Barrier::kNone));
  CHECK((pattern.nodes[5].barrier == node::Barrier::kAll));
}

TEST_CASE("sizes that depend on symbols are parameters, and nodes share them") {
  CHECK(pattern_of("input x: f32[4, 8]\noutput y: f32[4, 8]\ny = gelu(x)\n").parameters.empty());
  const Template pattern = pattern_of(
      "size n in 1 .. 4\nsize past in 0 .. 6\ninput x: f32[n, 8]\nstate s: f32[10, 8]\noutput y: f32[past + "
      "n, 8]\n"
      "a = gelu(x)\nb = softmax(a)\nc = extend(s, x, at: past)\ny = silu(c)\n");
  REQUIRE(pattern.parameters.size() == 3);
  CHECK(pattern.parameters[0].text() == "n");
  CHECK(pattern.parameters[1].text() == "32 * past");
  CHECK(pattern.parameters[2].text() == "n + past");
  CHECK(parameters_of(pattern, {{"n", 3}, {"past", 5}}) == std::vector<uint64_t>{3, 160, 8});
}

TEST_CASE("what is known of a size stays in the node") {
  const Template pattern = pattern_of(
      "size n in 1 .. 4\ninput x: f32[n, 8]\noutput y: f32[1, 8]\ny = slice(x, first: n - 1, rows: 1)\n");
  REQUIRE(pattern.relocations.size() == 2);
  CHECK(pattern.relocations[1].addend == -32);
  CHECK(parameters_of(pattern, {{"n", 2}}) == std::vector<uint64_t>{64});
}

TEST_CASE("symbols have values within their bounds") {
  const Template pattern =
      pattern_of("size n in 2 .. 4\ninput x: f32[n, 8]\noutput y: f32[n, 8]\ny = gelu(x)\n");
  CHECK_NOTHROW(parameters_of(pattern, {{"n", 4}}));
  CHECK_THROWS_WITH_AS(parameters_of(pattern, {{"n", 5}}), "size n is 5; it goes from 2 to 4", SizeError);
  CHECK_THROWS_WITH_AS(parameters_of(pattern, {}), "size n has no value", SizeError);
}

TEST_CASE("products of the same x share its bytes") {
  const std::string weights =
      "weight a: i8[64, 256] packed\nweight a.scale: f32[64]\nweight b: i8[32, 256] packed\n"
      "weight b.scale: f32[32]\ninput x: f32[4, 256]\noutput y: f32[4, 64]\noutput z: f32[4, 32]\n";
  const std::vector<Operator> shared = {Operator::kQuantise, Operator::kLinear, Operator::kLinear};
  CHECK((operators_of(pattern_of(weights + "y = linear(x, a, a.scale)\nz = linear(x, b, b.scale)\n")) ==
         shared));
  CHECK((operators_of(pattern_of(weights +
                                 "q, s = quantise(x, group: 128)\ny = linear(q, a, a.scale, x_scale: s)\n"
                                 "z = linear(x, b, b.scale)\n")) == shared));
  const Template fours = pattern_of(weights +
                                    "weight c: i4[64, 256] packed 64 minima\ny = linear(x, c, a.scale)\n"
                                    "z = linear(x, b, b.scale)\n");
  CHECK((operators_of(fours) == std::vector{Operator::kQuantise, Operator::kLinearW4, Operator::kLinear}));
  operators::LinearW4Args args;
  std::memcpy(&args, fours.nodes[1].arguments.data(), sizeof args);
  CHECK(args.w_group == 64);
  CHECK(args.minima == 1);
  // Sparse weights take one scale for each row of x, so bytes of their own.
  const Template few = pattern_of(weights +
                                  "weight c: i8[64, 256] packed sparse 9\ny = linear(x, c, a.scale)\n"
                                  "z = linear(x, b, b.scale)\n");
  CHECK((operators_of(few) ==
         std::vector{Operator::kQuantise, Operator::kLinearSparse, Operator::kQuantise, Operator::kLinear}));
  operators::LinearSparseArgs sparse;
  std::memcpy(&sparse, few.nodes[1].arguments.data(), sizeof sparse);
  CHECK(sparse.tiles == 9);
  // Other groups are other bytes.
  CHECK(operators_of(pattern_of(weights + "q, s = quantise(x)\ny = linear(q, a, a.scale, x_scale: s)\n"
                                          "z = linear(x, b, b.scale)\n"))
            .size() == 4);
}

TEST_CASE("products of one short row are a node each, with their norm") {
  const auto text = [](const char* x, const char* more, const char* weight = "i8[64, 128] packed") {
    return fmt::format(
        "weight a: {}\nweight a.scale: f32[64]\nweight b: i8[64, 128] packed\nweight g: f32[128]\n"
        "input x: {}\noutput y: f32[1, 64]\noutput z: f32[1, 64]\n{}",
        weight, x, more);
  };
  const std::string both = "y = linear(s, a, a.scale)\nz = linear(s, b, a.scale, residual: y)\n";
  const auto of = [&](const std::string& made, const char* weight = "i8[64, 128] packed") {
    return operators_of(pattern_of(text("f32[1, 128]", (made + both).c_str(), weight)));
  };
  using enum Operator;
  const Template pattern =
      pattern_of(text("f32[1, 128]", ("s = layer_norm(x, g, g, epsilon: 0.25)\n" + both).c_str()));
  CHECK((operators_of(pattern) == std::vector{kLinearRow, kLinearRow}));
  operators::LinearRowArgs args;
  std::memcpy(&args, pattern.nodes[1].arguments.data(), sizeof args);
  CHECK(args.group == 128);
  CHECK(args.epsilon == 0.25F);
  CHECK(pattern.nodes[1].barrier == node::Barrier::kAll);
  // Others want what the norm makes, or change what it reads; rows of more than one; bytes for one are bytes
  // for all.
  CHECK((of("s = rms_norm(x, g)\n") == std::vector{kLinearRow, kLinearRow}));
  CHECK((of("s = rms_norm(x, g)\noutput o: f32[1, 128]\no = gelu(s)\n") ==
         std::vector{kRmsNorm, kGeluErf, kLinearRow, kLinearRow}));
  CHECK((of("state k: f32[1, 128]\nt = extend(k, x, at: 0)\ns = rms_norm(t, g)\nu = extend(t, x, at: 0)\n") ==
         std::vector{kCopy, kRmsNorm, kCopy, kLinearRow, kLinearRow}));
  CHECK((of("buffer m: f32[128]\ninput t: f32[128, 64]\nscratch, f in m = quantise(t)\ns = rms_norm(x, f)\n"
            "scrap, h in m = quantise(t)\n") ==
         std::vector{kQuantise, kRmsNorm, kQuantise, kLinearRow, kLinearRow}));
  CHECK((of("s = rms_norm(x, g)\n", "i4[64, 128] packed 32") ==
         std::vector{kRmsNorm, kQuantise, kLinearW4, kLinear}));
  CHECK((of("s = gelu(x)\n") == std::vector{kGeluErf, kLinearRow, kLinearRow}));
  // A row as long as they may be, also for a norm, and what is longer, or has more weights.
  const auto of_size = [&](int depth, int columns, const char* norm) {
    return operators_of(
        pattern_of(fmt::format("weight a: i8[{1}, {0}] packed\nweight a.scale: f32[{1}]\nweight g: f32[{0}]\n"
                               "input x: f32[1, {0}]\noutput y: f32[1, {1}]\n{2}",
                               depth, columns, norm)));
  };
  const char* const plain = "y = linear(x, a, a.scale)\n";
  const char* const normal = "n = rms_norm(x, g)\ny = linear(n, a, a.scale)\n";
  CHECK((of_size(2048, 512, plain) == std::vector{kLinearRow}));
  CHECK((of_size(2048, 520, plain) == std::vector{kQuantise, kLinear}));
  CHECK((of_size(2056, 8, plain) == std::vector{kQuantise, kLinear}));
  CHECK((of_size(256, 8192, plain) == std::vector{kLinearRow}));
  CHECK((of_size(264, 8192, plain) == std::vector{kQuantise, kLinear}));
  CHECK((of_size(1024, 8, normal) == std::vector{kLinearRow}));
  CHECK((of_size(1032, 8, normal) == std::vector{kRmsNorm, kLinearRow}));
  CHECK((operators_of(pattern_of("weight a: i8[8, 128] packed\nweight a.scale: f32[8]\ninput x: f32[2, 128]\n"
                                 "output y: f32[2, 8]\ny = linear(x, a, a.scale)\n")) ==
         std::vector{kQuantise, kLinear}));
}

TEST_CASE("rows are read where they are, unless they are a result or may change") {
  const std::string start =
      "size n in 1 .. 4\nsize past in 0 .. 9\ninput x: f32[4, 32]\nstate s: f32[11, 32]\n";
  const auto pattern = [&](const std::string& text) { return pattern_of(start + text); };
  const Template read = pattern("output y: f32[1, 32]\nr = slice(x, first: n - 1, rows: 1)\ny = relu(r)\n");
  CHECK((operators_of(read) == std::vector{Operator::kRelu}));
  CHECK(read.relocations[1].addend == -128);
  CHECK(parameters_of(read, {{"n", 3}, {"past", 0}}) == std::vector<uint64_t>{384});
  // The rows' barrier, and their place until the last one has read them.
  const Template made = pattern(
      "output y: f32[1, 32]\na = silu(x)\nr = slice(a, first: 2, rows: 1)\nb = relu(r)\nc = gelu(b)\ny = "
      "add(c, r)\n");
  REQUIRE(made.nodes.size() == 4);
  CHECK((made.nodes[1].barrier == node::Barrier::kAll));
  for (const Template::Relocation& one : made.relocations) {
    // Neither b nor c lies where a does.
    if (one.node == 1 && one.offset == offsetof(operators::UnaryArgs, to)) CHECK(one.addend >= 512);
  }
  const auto count = [&](const std::string& text) { return pattern(text).nodes.size(); };
  CHECK(count("output y: f32[1, 32]\ny = slice(x, first: 0, rows: 1)\n") == 1);
  CHECK(count("output y: f32[1, 32]\nr = slice(s, first: 0, rows: 1)\ny = relu(r)\n") == 2);
  // Rows, table, and place would change: one more than a node has patches.
  const std::string turns =
      "weight t: f32[20, 16]\ninput long: f32[13, 32]\noutput y: f32[n, 32]\n"
      "r = slice(long, first: past, rows: n)\n";
  CHECK(count(turns + "y = rotary(r, t, heads: 2)\n") == 1);
  CHECK(count(turns + "y = rotary(r, t, heads: 2, at: past)\n") == 2);
}

TEST_CASE("rows for a state are written there by the node that makes them") {
  const std::string start =
      "size past in 0 .. 9\nsize n in 1 .. 2\ninput x: f32[1, 32]\ninput xs: f32[n, 32]\nweight t: f32[20, "
      "16]\n"
      "state s: f32[11, 32]\nstate small: f16[11, 32]\noutput y: f32[1, 32]\n";
  const auto count = [&](const std::string& text) { return pattern_of(start + text).nodes.size(); };
  CHECK(count("k = rotary(x, t, heads: 2, at: past)\nks = extend(s, k, at: past)\ny = relu(x)\n") == 2);
  CHECK(count("k = rotary(x, t, heads: 2, at: past)\nks = extend(small, k, at: past)\ny = relu(x)\n") == 2);
  CHECK(count("k = relu(xs)\nks = extend(small, k, at: past)\ny = relu(x)\n") == 2);
  // Rows, table, and place would change: one more than a node has patches.
  CHECK(count("k = rotary(xs, t, heads: 2, at: past)\nks = extend(small, k, at: past)\ny = relu(x)\n") == 3);
  // Somebody else wants the rows, too, or what was in the state.
  CHECK(count("k = silu(x)\nks = extend(s, k, at: past)\ny = relu(k)\n") == 3);
  CHECK(count("k = silu(x)\ny = slice(s, first: 0, rows: 1)\nks = extend(s, k, at: past)\n") == 3);
  CHECK(count("k = silu(x)\nks = extend(s, k, at: past)\ny = slice(ks, first: 0, rows: 1)\n") == 2);
}

TEST_CASE("rows for a state are copied there where the graph asks for it") {
  const std::string start =
      "size past in 0 .. 9\ninput x: f32[1, 32]\nstate s: f32[11, 32]\noutput y: f32[1, 32]\nk = silu(x)\n";
  const auto of = [&](const std::string& more) {
    return operators_of(pattern_of(start + "ks = extend(s, k, at: past" + more + ")\ny = relu(x)\n"));
  };
  CHECK((of("") == std::vector{Operator::kSilu, Operator::kRelu}));
  CHECK((of(", copied: yes") == std::vector{Operator::kSilu, Operator::kCopy, Operator::kRelu}));
}

TEST_CASE("heads of an attention by products of matrices, over keys that grow") {
  std::mt19937_64 random(test_seed() + 4);
  for (const int64_t rows : {1, 5}) {
    CAPTURE(rows);
    const Graph graph = graph_of(fmt::format(
        "graph g\nsize past in 0 .. 90\ninput q: f32[{0}, 48]\ninput k: f32[{0}, 48]\ninput v: f32[{0}, 48]\n"
        "input hidden: f32[1, past + {0}]\nweight scale: f32[1, 48]\nstate ks: f32[95, 48]\n"
        "state vs: f32[95, 48]\noutput y: f32[{0}, 48]\noutput z: f32[{0}, 7]\nweight one: f32[7, 48]\n"
        "weight bias: f32[1, 7]\n"
        "keys = extend(ks, k, at: past, copied: yes)\nvalues = extend(vs, v, at: past)\n"
        "scaled = multiply(q, scale)\n"
        "scores = matmul(scaled, keys, products: 3, a_by: columns, b_by: columns, transposed: yes)\n"
        "seen = add(scores, hidden)\nshares = softmax(seen)\n"
        "y = matmul(shares, values, products: 3, b_by: columns, to_by: columns)\n"
        "turned = transpose(one)\nz.of = matmul(y, turned)\nz = add(z.of, bias)\n",
        rows));
    Walked walked(graph, random());
    walked.run({{"past", 0}});
    walked.run({{"past", 90}});
    walked.run({{"past", random() % 91}});
  }
}

// Inputs are the same in 16 bits.
TEST_CASE("casts, and products whose results and residuals have 16 bits") {
  std::mt19937_64 random(test_seed() + 5);
  const Graph graph = graph_of(
      "graph g\nsize n in 1 .. 9\ninput x: f32[n, 32]\nweight w: f16[8, 32]\nweight bias: f16[1, 8]\n"
      "output y: f16[n, 8]\noutput z: f32[n, 8]\noutput twice: f16[n, 32]\n"
      "half = cast(x)\nz = linear(half, w, residual: bias)\n"
      "wide = cast(half, to: f32)\ny = linear(wide, w, residual: bias, to: f16)\n"
      "twice = add(half, half)\n");
  Walked walked(graph, random());
  for (int run = 0; run < 3; ++run) walked.run({{"n", 1 + random() % 9}});
}

TEST_CASE("rows to be placed are made as the state stores them") {
  const std::string start =
      "input x: f32[2, 32]\ninput at: i32[2]\nweight t: f32[20, 16]\nstate s: f16[64, 32]\noutput y: f32[2, "
      "32]\n"
      "k = rotary(x, t, positions: at, heads: 2)\n";
  const Template pattern = pattern_of(start + "ks = place(s, k, at)\ny = relu(x)\n");
  CHECK((operators_of(pattern) == std::vector{Operator::kRotary, Operator::kCopy, Operator::kRelu}));
  CHECK((pattern.nodes[1].barrier == node::Barrier::kAll));
  operators::CopyArgs args;
  std::memcpy(&args, pattern.nodes[1].arguments.data(), sizeof args);
  CHECK(args.row_bytes == 64);
  CHECK(args.to_stride == 64);
  CHECK(refusal(start + "ks = place(s, k, at)\ny = relu(k)\n") ==
        "place: k would have to be converted to f16 first, by an operator of its own");
}

TEST_CASE("what the card cannot do is refused, with its reason") {
  CHECK(refusal("input x: f32[4, 80]\noutput y: f32[4, 65]\noutput i: i32[4, 65]\ny, i = top_k(x, count: "
                "65)\n") ==
        "top_k: the card's operator top_k does not take these sizes; docs/reference/operators.md tells what "
        "it takes");
  CHECK(refusal("input x: f32[4, 2000000]\noutput y: f32[4, 2000000]\ny = softmax(x)\n") ==
        "softmax: the card's operator softmax does not take these sizes; docs/reference/operators.md tells "
        "what it "
        "takes");
  CHECK(refusal(
            "input x: f32[4, 24]\nweight t: f32[4, 8]\noutput y: f32[4, 24]\ny = rotary(x, t, heads: 3)\n") ==
        "rotary: the card's operator rotary does not take these sizes; docs/reference/operators.md tells "
        "what it takes");
  CHECK(
      refusal("size n in 1 .. 9\nsize m in 1 .. 9\ninput x: f32[n, m]\noutput y: f32[n, m]\ny = relu(x)\n") ==
      "relu: more than 2 of its sizes and places depend on symbols; 4 * m is one more");
  CHECK(refusal("input x: f32[4, 8]\nweight k: f32[8, 3, 8]\noutput y: f32[4, 8]\n"
                "y = convolution(x, k, padding: 1)\n") ==
        "convolution: the card has no rows beside x: put rows of zeros there (extend writes into a state) "
        "instead "
        "of padding");
  CHECK(refusal("input x: f32[4, 8]\nweight k: i8[8, 3, 8]\noutput y: f32[2, 8]\ny = convolution(x, k)\n") ==
        "convolution: the card has no convolutions with weights of i8 or i4 yet");
  CHECK(refusal("input x: f32[4, 8]\nstate s: i8[4, 8]\nz = extend(s, x, at: 0)\n") ==
        "extend: x would have to be converted to i8 first, by an operator of its own");
  std::string many = "size n in 1 .. 9\ninput x: f32[350, 1]\n";
  for (int i = 2; i < 36; ++i)
    many += fmt::format("output y{0}: f32[{0} * n, 1]\ny{0} = slice(x, first: 0, rows: {0} * n)\n", i);
  CHECK(refusal(many) ==
        "slice: the list would need more than 32 parameters, sizes that depend on symbols in different ways");
}

}  // namespace swai::graph
