// SPDX-License-Identifier: Apache-2.0
// Types, shapes and lifetimes: what is right passes, and each mistake gets its words.
#include <algorithm>

#include "host/models/graph/signatures.hpp"
#include "verif/host/models/graph/text.hpp"

namespace swai::graph {
namespace {

// Line 1 to 8.
const std::string kStart = R"(graph g
size n in 1 .. 100
size d = 8
input x: f32[n, d]
input y: f32[n, d]
state s: f16[100, d]
weight w: f32[16, d]
buffer m: f32[n, d]
)";

std::string after_start(const std::string& text) { return complaint(kStart + text); }

const Value& value(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.values, name, &Value::name);
  REQUIRE(found != graph.values.end());
  return *found;
}

}  // namespace

TEST_CASE("the examples") {
  const Graph encoder = graph_of(example("encoder.graph"));
  CHECK(encoder.nodes.size() == 4 + 2 * 8 + 1);
  CHECK(value(encoder, "seen'1").type.text() == "f32[rows, 64]");
  CHECK(value(encoder, "layer[1].up").type.text() == "i8[256, 64] packed");
  CHECK(encoder.notes.empty());

  const Graph decoder = graph_of(example("decoder.graph"));
  CHECK(value(decoder, "keys'0").type.text() == "f16[1 + past, 32]");
  CHECK(decoder.values[value(decoder, "keys'0").storage].name == "layer[0].keys");
  CHECK(value(decoder, "logits").producer == decoder.nodes.size() - 1);
  CHECK(decoder.notes.empty());

  const Graph speech = graph_of(example("speech.graph"));
  CHECK(value(speech, "two").type.text() == "f32[1 + (-1 + frames) / 2, 64]");
  CHECK(speech.values[value(speech, "x").storage].name == "work");
}

TEST_CASE("every operator is there with a rule") {
  for (const Signature& one : signatures()) {
    CAPTURE(one.name);
    CHECK(find_signature(one.name) == &one);
    CHECK((one.results != nullptr));
    CHECK_FALSE(one.what.empty());
    CHECK(one.parameters.at(0).kind == Parameter::Kind::kTensor);
  }
}

TEST_CASE("names and types") {
  CHECK(after_start("z = gleu(x)").starts_with("9: no operator 'gleu'; there are embedding, linear,"));
  CHECK(after_start("z = gelu(q)") == "9: no value is named q");
  CHECK(after_start("x = gelu(y)") == "9: x is there already (line 4); every name is assigned once");
  CHECK(after_start("z: f32[n, 9] = gelu(x)") == "9: gelu: makes f32[n, 8], and z is declared as f32[n, 9]");
  CHECK(after_start("a, b = gelu(x)") == "9: gelu: makes 1 value, and 2 stand on the left");
  CHECK(after_start("input q: f64[3]") == "9: no element type 'f64'; there are i4, i8, i32, f16, f32");
  CHECK(after_start("input q: f32[n - 1]") == "9: a dimension is 1 or more; -1 + n may be less");
  CHECK(after_start("input q: f32[k]") == "9: no size is named 'k'; write size k = ... above");
  CHECK(after_start("input q: f32[2, 2] split 2") == "9: split 2: the tensor has dimensions 0 to 1");
  CHECK(after_start("size n = 3") == "9: size n is there already");
  CHECK(after_start("size k in 5 .. 2") ==
        "9: size k goes from 5 to 2; bounds go up, from 0 or more to 2^32 or less");
  CHECK(after_start("input q: f32[4294967296, 4294967296, 4294967296]")
            .starts_with("9: the size does not fit"));
}

TEST_CASE("operands and settings") {
  CHECK(after_start("z = add(x)") == "9: add: b is missing");
  CHECK(after_start("z = add(x, y, y)") ==
        "9: add: too many tensors; what is not a tensor is given by name, like heads: 8");
  CHECK(after_start("z = add(x, a: y)") == "9: add: a is given twice");
  CHECK(after_start("z = add(x, 3)") == "9: add: b is a tensor, not a number");
  CHECK(after_start("z = add(x, c: y)") == "9: add: 'c' is nothing that it takes; it takes a, b");
  CHECK(after_start("z = matmul(x, w, transposed: yes)") == "");
  CHECK(after_start("z = matmul(x, w)") == "9: matmul: the columns of a and the depth of b differ: 8 and 16");
  CHECK(after_start("z = matmul(x, w, products: 3, a_by: columns)") ==
        "9: matmul: the columns of a tensor, and those of its 3 matrices differ: 6 and 8");
  CHECK(after_start("z: f32[2 * n, 16] = matmul(x, w, products: 2, a_by: columns, b_by: columns, "
                    "transposed: yes)") == "");
  // What is smaller than the result may not be where that goes.
  CHECK(after_start("row in m = slice(x, first: 0, rows: 1)\nz in m = add(x, row)") ==
        "10: add: reads row from buffer m while it writes there: their lifetimes overlap");
  CHECK(after_start("h = cast(x)\nz: f16[n, d] = add(h, h)\nq: f32[n, d] = add(h, x)\n"
                    "c = gelu(h)\nr: f32[n, d] = cast(c, to: f32)") == "");
  CHECK(after_start("z = cast(tokens)") != "");
  CHECK(after_start("z = gelu(x, form: soft)") == "9: gelu: form is one of erf, tanh");
  CHECK(after_start("weight t: f32[200, 2]\nz = rotary(x, t, heads: n)") ==
        "10: rotary: heads is n; it has to be a number, 1 or more");
  CHECK(after_start("z = linear(x, w, activation: gelu)") == "");
  CHECK(after_start("weight v: i32[16, d]\nz = linear(x, v)") ==
        "10: linear: weight is i32[16, 8]; its elements should be i4 or i8 or f16 or f32");
  CHECK(after_start("weight v: i8[16, d]\nz = linear(x, v)") ==
        "10: linear: weight is i8[16, 8]; such weights lie packed: declare i8[16, 8] packed");
  CHECK(after_start("weight v: i8[16, d] packed\nz = transpose(v)") ==
        "10: transpose: x is i8[16, 8] packed; only weights of products are packed");
  CHECK(after_start("weight v: f32[16, d] packed") == "9: packed weights are matrices of i8 or i4");
  CHECK(after_start("weight v: i4[16, d] packed") ==
        "9: packed i4 has groups of 32, 64 or 128 along its rows: packed 32");
  CHECK(after_start("weight v: i4[16, d] packed 2 * d") ==
        "9: packed i4 has groups of 32, 64 or 128 along its rows: packed 32");
  CHECK(after_start(
            "weight v: i4[16, d] packed 4 * d minima\nweight v.scale: f32[16]\nz = linear(x, v, v.scale)") ==
        "");
  CHECK(after_start("weight v: i8[16, d] packed 32") == "9: packed i8 has no groups");
  for (const char* const tiles : {"0", "65"}) {
    CHECK(after_start(fmt::format("weight v: i8[16, d] packed sparse {}", tiles)) ==
          "9: sparse weights are i8 of 1 to 64 tiles: packed sparse 64");
  }
  CHECK(after_start("weight v: i4[16, d]\nz = linear(x, v)") ==
        "10: linear: weight is i4[16, 8]; such weights lie packed: declare i4[16, 8] packed 32");
  CHECK(after_start("input t: f32[n]\nz = gelu(t)") == "10: gelu: x is f32[n]; it should have 2 dimensions");
}

TEST_CASE("shapes") {
  CHECK(after_start("t = transpose(x)\nz = add(x, t)") == "10: add: the rows of a and b differ: n and 8");
  CHECK(after_start("t = transpose(w)\nz = linear(x, t)") ==
        "10: linear: the depth of x and weight differ: 8 and 16");
  CHECK(after_start("z = attention(x, x, x, heads: 3)") ==
        "9: attention: the width of q, and of its heads together differ: 6 and 8");
  CHECK(after_start("z = attention(x, x, x, heads: 4, kv_heads: 3)") ==
        "9: attention: 4 heads cannot share 3 kv_heads evenly");
  CHECK(after_start("z = attention(x, x, x, heads: 2, causal: yes, past: 1)") ==
        "9: attention: past and the rows of q together, and the rows of k differ: 1 + n and n");
  CHECK(after_start("a, b = quantise(x, group: 4)\nz = attention(x, a, a, b, b, heads: 2)") ==
        "10: attention: k and v are i8; they may be so with products: i8");
  CHECK(after_start("a, b = quantise(x, group: 4)\nz = attention(x, a, a, b, heads: 2, products: i8)") ==
        "10: attention: k and v have a v_scale when they are i8, and only then");
  CHECK(after_start("a, b = quantise(x)\nz = attention(x, a, a, b, b, heads: 2, products: i8)") ==
        "10: attention: k_scale is f32[n]; it should have 2 dimensions");
  CHECK(after_start("a, b = quantise(x, group: 8)\nz = attention(x, a, a, b, b, heads: 2, products: i8)") ==
        "10: attention: the rows of k_scale, and the groups of x differ: 1 and 2");
  CHECK(after_start("a, b = quantise(x, group: 4)\nz = attention(x, x, x, b, b, heads: 2, products: i8)") ==
        "10: attention: k and v have a k_scale when they are i8, and only then");
  CHECK(after_start("z = slice(x, first: 1, rows: n)") ==
        "9: slice: the last row must stay within bounds: 1 + n may be more than n");
  CHECK(after_start("a, b = top_k(x, count: 9)") ==
        "9: top_k: count must stay within bounds: 9 may be more than 8");
  CHECK(after_start("input r: i32[1, 2]\nz = mask(x, ranges: r)") ==
        "10: mask: x is no state; only a state is written in place");
  CHECK(after_start("state kept: f32[2, 40]\nz = mask(kept)") ==
        "10: mask: there are neither bits nor ranges");
  CHECK(after_start("state kept: f32[2, 40]\ninput b: i32[1, 1]\nz = mask(kept, bits: b)") ==
        "11: mask: the words of bits, and those that x has columns for differ: 1 and 2");
  CHECK(after_start("state kept: f32[2, 40]\ninput r: i32[2, 3]\nz = mask(kept, ranges: r)") ==
        "11: mask: two words a range and the width of ranges differ: 2 and 3");
  CHECK(after_start("state kept: f32[2, 40]\ninput o: f32[2, 41]\ninput r: i32[2, 2]\n"
                    "z = mask(kept, ranges: r, of: o)") == "12: mask: of, and x differ: 41 and 40");
  CHECK(after_start("state kept: f32[2, 40]\nz = prefer_group(kept, first: 40)") ==
        "10: prefer_group: first must stay within bounds: 41 may be more than 40");
  CHECK(after_start("weight k: f32[4, 5, 8]\nz = convolution(x, k)")
            .starts_with("10: convolution: the kernel's length"));
  CHECK(after_start("a, b = quantise(x)\nc = dequantise(a, b)\nz = linear(a, w)") ==
        "11: linear: x is i8; it may be so when weight is i8 or i4");
  CHECK(after_start("weight v: i8[16, d] packed\nweight v.scale: f32[16]\na, b = quantise(x)\n"
                    "z = linear(x, v, v.scale, x_scale: b)") ==
        "12: linear: x has an x_scale when it is i8, and only then");
  CHECK(after_start("a, b = quantise(x, group: 4)\nz = dequantise(a, b, group: 8)") ==
        "10: dequantise: the rows of scale, and the groups of x differ: 2 and 1");
  CHECK(after_start("weight t: f32[100, 4]\nz = rotary(x, t, heads: 2, at: 1)") ==
        "10: rotary: the last row of the table that is read must stay within bounds: 1 + n may be more than "
        "100");
  CHECK(after_start("weight g: f32[4]\nz = rms_norm(x, g, heads: 2)") == "");
  CHECK(after_start("weight g: f32[4]\nz = rms_norm(x, g)") ==
        "10: rms_norm: the length of weight differ: 4 and 8");
  CHECK(after_start("weight g: f32[2]\nz = rms_norm(x, g, heads: 3)") ==
        "10: rms_norm: the width of heads together, and of x differ: 6 and 8");
  CHECK(after_start("input t: i32[3]\nweight e: i8[9, 4]\nweight e.scale: f32[9]\n"
                    "z = embedding(t, e, e.scale, factor: 2.5)") ==
        "12: embedding: a table with scales has no factor");
  CHECK(after_start("weight t: f32[100, 4]\nz = rotary(x, t, heads: 3)") ==
        "10: rotary: the width of table times heads, and the width of x differ: 12 and 8");
}

TEST_CASE("lifetimes: values come before their use, and what was overwritten is gone") {
  CHECK(after_start("z = gelu(later)\nlater = gelu(z)")
            .starts_with("9: later is assigned on line 10 only; a value can be used below"));
  CHECK(after_start("z = extend(s, x, at: 0)") == "");
  CHECK(after_start("z = extend(s, x, at: 1)") ==
        "9: extend: the last row that is written must stay within bounds: 1 + n may be more than 100");
  CHECK(after_start("z = extend(s, x, at: 0)\ny2 = copy(s)") ==
        "10: copy: s was overwritten on line 9; what that line assigns is there in its place");
  CHECK(after_start("t = copy(s)\nz = extend(t, x, at: 0)") ==
        "10: extend: t is no state; only a state is written in place");
  CHECK(after_start("a in m = gelu(x)\nb in m = gelu(y)\nc = add(a, b)") ==
        "11: add: a was overwritten on line 10; what that line assigns is there in its place");
  CHECK(after_start("a in m = gelu(x)\nb in m = gelu(a)\nc = add(b, b)") == "");
  CHECK(after_start("a in m = gelu(x)\nb in m = softmax(a)") ==
        "10: softmax: reads a from buffer m while it writes there: their lifetimes overlap");
  CHECK(after_start("a in w = gelu(x)") == "9: gelu: w is no buffer");
  const std::string bytes = "weight v: i8[16, d] packed\nweight v.scale: f32[16]\n";
  CHECK(after_start(bytes + "z = linear_row(x, v, v.scale)").find("the rows of x, and 1") !=
        std::string::npos);
  const std::string row = bytes + "weight g: f32[d]\nr = slice(x, first: 0, rows: 1)\n";
  CHECK(after_start(row + "z = linear_row(r, v, v.scale, norm_bias: g)")
            .find("norm_bias is there without norm") != std::string::npos);
  CHECK(after_start(row + "z = linear_row(r, v, v.scale, x_group: n)").find("x_group") != std::string::npos);
  CHECK(after_start(row + "z = linear(r, v, v.scale, x_group: n)").find("x_group") != std::string::npos);
  CHECK(after_start("a in m = linear(x, w)") ==
        "9: linear: the bytes of a in buffer m must stay within bounds: 64 * n may be more than 32 * n");
  CHECK(after_start("a = gelu(m)") == "9: gelu: m is a buffer; name the value that is in it");
}

TEST_CASE("rows of several texts") {
  const std::string start =
      "input p: i32[n]\ninput q: i32[3]\ninput c: i32[n, 4]\ninput c3: i32[3, 4]\ninput one: i32[1, 4]\n"
      "state keys: f32[512, d]\n";
  const auto after = [&](const std::string& text) { return after_start(start + text); };
  CHECK(
      after(
          "k = place(keys, x, p, c)\nz = attention(y, k, k, positions: p, chunks: c, heads: 2, causal: yes, "
          "past: 255)") == "");
  CHECK(
      after("k = place(keys, x, p)\nz = attention(y, k, k, positions: p, chunks: one, heads: 2, causal: yes, "
            "past: 256)") ==
      "16: attention: the last key that a row sees must stay within bounds: 257 may be more than 256");
  CHECK(after("z = attention(y, keys, keys, positions: p, heads: 2, causal: yes, past: 512)") ==
        "15: attention: the last key that a row sees must stay within bounds: 513 may be more than 512");
  CHECK(after("z = attention(y, keys, keys, positions: p, heads: 2)") ==
        "15: attention: rows have positions with causal: yes and products: f32 only");
  CHECK(after("z = attention(y, keys, keys, chunks: c, heads: 2)") ==
        "15: attention: chunks come with positions");
  CHECK(after("k = place(keys, x, q)") == "15: place: the length of positions, and the rows differ: 3 and n");
  CHECK(after("k = place(keys, x, p, c3)") == "15: place: the rows of chunks and x differ: 3 and n");
  CHECK(after("k = place(x, y, p)") == "15: place: x is no state; only a state is written in place");
  CHECK(after("k = place(keys, x, p)\nz = copy(keys)") ==
        "16: copy: keys was overwritten on line 15; what that line assigns is there in its place");
  CHECK(after("weight t: f32[9, 4]\nz = rotary(x, t, p, heads: 2)") == "");
  CHECK(after("weight t: f32[9, 4]\nz = rotary(x, t, p, heads: 2, at: 1)") ==
        "16: rotary: at beside positions, and 0 differ: 1 and 0");
  const std::string sampled = "input how: i32[1, 12]\na, b = sample(x, how";
  CHECK(after(sampled + ", positions: p)") == "");
  CHECK(after(sampled + ", positions: p, position: 2)") ==
        "16: sample: takes position or positions, one of both");
  CHECK(after(sampled + ")") == "16: sample: takes position or positions, one of both");
}

TEST_CASE("outputs") {
  CHECK(after_start("output o: f32[n, d]") == "9: output o is never assigned");
  CHECK(after_start("output o: f32[n, d]\no = gelu(x)\no = gelu(y)") ==
        "11: gelu: output o is assigned twice");
  CHECK(after_start("output o: f32[n, 9]\no = gelu(x)") ==
        "10: gelu: makes f32[n, 8], and output o is f32[n, 9]");
  CHECK(after_start("output o: f32[n, d]\nz = gelu(o)\no = gelu(x)") ==
        "10: gelu: o has not been assigned yet");
  CHECK(after_start("output o: f32[n, d]\no = gelu(x)\nz = gelu(o)") == "");
}

TEST_CASE("loops") {
  CHECK(after_start("repeat i in 0 .. 3 with h = x {\n  next h = gelu(h)\n}\nz = add(h, y)") == "");
  CHECK(after_start("repeat i in 0 .. 3 with h = x {\n  z = gelu(h)\n}") ==
        "9: the loop carries h and never says next h = ...");
  CHECK(after_start("repeat i in 0 .. 3 {\n  next h = gelu(x)\n}") ==
        "10: gelu (i 0): next h: no loop here carries h; write repeat ... with h = ...");
  CHECK(after_start("repeat i in 0 .. 2 with h = x {\n  next h = linear(h, w)\n}") ==
        "9: h is f32[n, 8] at the beginning of a turn, and f32[n, 16] at its end");
  CHECK(after_start("repeat i in 0 .. n {\n}").starts_with("9: n is known only when the graph runs"));
  CHECK(after_start("repeat i in 0 .. 3 {\n  weight v: f32[1]\n}") ==
        "10: v is there already (line 10); every name is assigned once");
  CHECK(after_start("repeat i in 0 .. 3 {\n  z = gelu(x)\n}\nq = gelu(z)") == "12: no value is named z");
  CHECK(after_start("weight t: f32[103, 4]\nrepeat i in 1 .. 3 {\n  z = rotary(x, t, heads: 2, at: i)\n}") ==
        "");
  CHECK(after_start("weight t: f32[100, 4]\nrepeat i in 0 .. 3 {\n  z = rotary(x, t, heads: i)\n}") ==
        "11: rotary (i 0): heads is 0; it has to be a number, 1 or more");
}

TEST_CASE("what is hardly meant is noted") {
  const Graph graph = graph_of("graph g\ninput x: f32[1, 2]\nunused = gelu(x)\n");
  CHECK(graph.notes == std::vector<std::string>{"line 3: nobody reads unused"});
}

}  // namespace swai::graph
