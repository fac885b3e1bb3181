// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/graph/random_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::graph {

std::string RandomText::text(size_t nodes) {
  text_ = fmt::format(R"(graph g
size n in 1 .. 9
size past in 0 .. 6
size d = {}
size h = 48
input x: f32[n, d]
input y: f32[n, h]
input tokens: i32[n]
input story: i32[15]
weight table: f32[20, h]
weight bytes: i8[20, d]
weight bytes.scale: f32[20]
weight places: f32[20, h]
weight turns: f32[40, 16]
weight d.gamma: f32[d]
weight d.beta: f32[d]
weight h.gamma: f32[h]
weight h.beta: f32[h]
weight head.gamma: f32[16]
weight plain: f32[d, h]
weight half: f16[h, d]
weight small: i8[h, d] packed
weight small.scale: f32[h]
weight four: i4[h, d] packed 32
weight few: i8[h, d] packed sparse 64
state d.kept: f32[20, d]
state h.kept: f16[20, h]
state said: i32[15]
state kept.keys: f16[20, 16]
state kept.values: f16[20, 16]
output last: f32[n, d]
output best: i32[n]
output chosen: i32[n]
output likely: f32[n]
output most: f32[n, 5]
output where: i32[n, 5]
output long: f32[1, 5000]
input wide: f32[1, 5000]
input greedy: i32[1, 12]
output product: f32[n, h]
output fourth: f32[n, h]
output fifth: f32[n, h]
output seen: f32[n, h]
output sixth: f32[1, h]
output seventh: f32[1, h]
)",
                      random_() % 2 == 0 ? 1 + random_() % 40 : 130 + random_() % 160);
  values_ = {{"x", "n", 'd'}, {"y", "n", 'h'}};
  states_ = {"d.kept", "h.kept"};
  for (size_t i = 0; i < nodes; ++i) add(fmt::format("v{}", i));
  return text_ + tail();
}

std::string RandomText::alike(const Value& value) {
  std::vector<std::string> fitting;
  for (const Value& one : values_) {
    if (one.rows == value.rows && one.width == value.width) fitting.push_back(one.name);
  }
  return fitting[random_() % fitting.size()];
}

void RandomText::add(const std::string& name) {
  const Value a = any();
  Value made = {name, a.rows, a.width};
  std::string call;
  switch (random_() % 19) {
    case 0:
      call = fmt::format("add({}, {})", a.name, alike(a));
      break;
    case 1:
      call = fmt::format("multiply({}, {}.{})", a.name, name, "half");
      text_ += fmt::format("{}.half = softmax({})\n", name, alike(a));
      break;
    case 2:
      call = fmt::format("relu({})", a.name);
      break;
    case 3:
      call = fmt::format("silu({})", a.name);
      break;
    case 4:
      call = fmt::format("gelu({}, form: {})", a.name, random_() % 2 ? "erf" : "tanh");
      break;
    case 5:
      call = fmt::format("layer_norm({0}, {1}.gamma, {1}.beta, epsilon: 1e-3)", a.name, a.width);
      break;
    case 6:
      if (a.width == 'h' && random_() % 2 == 0) {
        call = fmt::format("rms_norm({}, head.gamma, epsilon: 1e-3, heads: 3)", a.name);
      } else {
        call = fmt::format("rms_norm({}, {}.gamma, epsilon: 1e-3)", a.name, a.width);
      }
      break;
    case 7:
      call = fmt::format("softmax({}, scale: 0.5)", a.name);
      break;
    case 8:
      call = fmt::format("log_softmax({})", a.name);
      break;
    case 9:
      call = fmt::format("slice({}, first: {} - 1, rows: 1)", a.name, a.rows);
      made.rows = "1";
      break;
    case 10:
      call = fmt::format("concat({}, {})", of_n(a.width), of_n(a.width));
      made.rows = "2 * n";
      break;
    case 11:
      call = fmt::format("embedding(tokens, table{})", random_() % 2 ? ", positions: places, at: past" : "");
      made = {name, "n", 'h'};
      break;
    case 12:
      call = random_() % 2 ? "embedding(tokens, bytes, bytes.scale)"
                           : "embedding(story, bytes, bytes.scale, first: past, rows: n)";
      made = {name, "n", 'd'};
      break;
    case 13:
      if (a.width == 'h') {
        call = fmt::format("rotary({}, turns, heads: 3, at: past)", a.name);
        break;
      }
      [[fallthrough]];
    case 14:
      // There and back.
      text_ += fmt::format("{0}.t = transpose({1})\n{0}.s = softmax({0}.t)\n", name, a.name);
      call = fmt::format("transpose({}.s)", name);
      break;
    case 15:
      // Never larger than what goes in.
      text_ += fmt::format("{0}.small = softmax({1})\n", name, a.name);
      call = fmt::format("linear({}.small, plain, bias: d.beta, activation: gelu)", name);
      made.width = 'd';
      if (a.width == 'h') break;
      call = fmt::format("linear({}.small, half{})", name, a.rows == "n" ? ", residual: " + of_n('h') : "");
      made.width = 'h';
      break;
    case 16:
      call = fmt::format("copy({})", a.name);
      break;
    default:
      if (states_.empty()) return;
      const std::string state = states_.back();
      states_.pop_back();
      made = {name, "past + n", state[0]};
      const std::string rows = of_n(made.width);
      // Straight from the node that makes it, or from one that others read, too.
      if (made.width == 'h' || random_() % 2 == 0) {
        text_ += fmt::format("{}.rows = {}\n", name,
                             made.width == 'h' && random_() % 2
                                 ? fmt::format("rotary({}, turns, heads: 3, at: past)", rows)
                                 : fmt::format("relu({})", rows));
        text_ += fmt::format("{0} = extend({1}, {0}.rows, at: past)\n", name, state);
      } else {
        text_ += fmt::format("{} = extend({}, {}, at: past)\n", name, state, rows);
      }
      // Nobody takes rows of f16.
      if (made.width == 'd') values_.push_back(made);
      return;
  }
  text_ += fmt::format("{} = {}\n", name, call);
  values_.push_back(made);
}

std::string RandomText::tail() {
  const std::string group = random_() % 2 ? ", group: 128" : "";
  return fmt::format(R"(last = add({}, x)
best = argmax(x)
chosen, likely = sample(y, greedy, position: past)
all.said = extend(said, tokens, at: past)
most, where = top_k(y, count: 5)
long = log_softmax(wide)
x.bytes, x.scales = quantise(x{})
again = dequantise(x.bytes, x.scales{})
product = linear(again, small, small.scale, bias: h.beta, residual: {}, activation: relu)
fourth = linear(x, four, small.scale)
fifth = linear(x, few, small.scale, bias: h.beta, activation: gelu)
alone = slice(x, first: n - 1, rows: 1)
sixth = linear(alone, small, small.scale, bias: h.beta, activation: gelu)
seventh = linear_row(alone, small, small.scale, residual: sixth)
new.keys = embedding(tokens, turns)
new.values = embedding(tokens, turns, positions: turns, at: past)
keys = extend(kept.keys, new.keys, at: past)
values = extend(kept.values, new.values, at: past)
seen = attention({}, keys, values, heads: 3, kv_heads: 1, causal: yes, past: past)
)",
                     of_n('d'), group, group, of_n('h'), of_n('h'));
}

}  // namespace swai::graph
