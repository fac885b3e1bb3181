// SPDX-License-Identifier: Apache-2.0
#include "bench/llm/gains.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "bench/llm/timed_programs.hpp"

namespace swai::cli::bench {
namespace {

double scale_of(const models::DecoderShape& shape) { return 1 / std::sqrt(double{1} * shape.head_width); }

class Text {
 public:
  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// x times a matrix of the blocks; `weight`: how it comes to be fp32 in the order that products read.
std::string product(const models::DecoderShape& shape, uint32_t rows, const std::string& weight) {
  return fmt::format(
      "graph product\nsize n = {}\ninput x: f32[{}, n]\noutput y: f32[{}, n]\n{}\ny = linear(x, w)\n",
      shape.width, rows, rows, weight);
}

using Write = std::string (*)(const models::DecoderShape&, GainStage);

std::string ready(const models::DecoderShape& shape, GainStage stage) {
  return product(shape, stage.rows, "weight w: f32[n, n]");
}
std::string converted_each_time(const models::DecoderShape& shape, GainStage stage) {
  return product(shape, stage.rows,
                 "weight bytes: i8[n, n]\nweight scale: f32[1, n]\nw = dequantise(bytes, scale, group: n)");
}
std::string transposed_each_time(const models::DecoderShape& shape, GainStage stage) {
  return product(shape, stage.rows, "weight columns: f32[n, n]\nw = transpose(columns)");
}

struct Kind {
  Gain gain;
  Write with, without;
};

std::vector<Kind> kinds() {
  return {
      {{"attention, fused", "keys and values in place", "joined to those before", published::kFusedAttention},
       fused_attention,
       joined_attention},
      {{"weights, converted before loading", "in fp32", "in int8, converted at each step",
        published::kConverted},
       ready,
       converted_each_time},
      {{"weights, transposed before loading", "as products read them", "transposed at each step",
        published::kTransposed},
       ready,
       transposed_each_time}};
}

// The second run counts, which has its code in the caches.
double nanoseconds(walk::Walker& walker, const std::string& text) {
  const std::array programs = {graph::program_of(text)};
  TimedPrograms timed(walker, programs);
  timed.nanoseconds(0, {});
  return static_cast<double>(timed.nanoseconds(0, {}));
}

}  // namespace

std::string fused_attention(const models::DecoderShape& shape, GainStage stage) {
  Text text;
  const uint32_t queries = shape.heads * shape.head_width, keys = shape.kv_heads * shape.head_width;
  text.line("graph fused\nsize rows = {}\nsize past = {}", stage.rows, stage.past);
  text.line("input q: f32[rows, {}]\ninput k: f32[rows, {}]\ninput v: f32[rows, {}]", queries, keys, keys);
  text.line("state keys: f32[past + rows, {}]\nstate values: f32[past + rows, {}]", keys, keys);
  text.line("output seen: f32[rows, {}]", queries);
  text.line("all_keys = extend(keys, k, at: past)\nall_values = extend(values, v, at: past)");
  text.line("seen = attention(q, all_keys, all_values, heads: {}, kv_heads: {}, causal: yes, past: past)",
            shape.heads, shape.kv_heads);
  return text.take();
}

std::string joined_attention(const models::DecoderShape& shape, GainStage stage) {
  Text text;
  const uint32_t width = shape.head_width, queries = shape.heads * width, keys = shape.kv_heads * width;
  text.line("graph joined\nsize rows = {}\nsize past = {}\nsize all = past + rows", stage.rows, stage.past);
  text.line("input q: f32[rows, {}]\ninput mask: f32[rows, all]", queries);
  text.line("output seen: f32[rows, {}]", queries);
  for (const char* const kept : {"keys", "values"}) {
    text.line("input {}.new: f32[rows, {}]\nstate {}.next: f32[all, {}]", kept, keys, kept, keys);
    if (stage.past != 0) {
      text.line("input {0}.before: f32[past, {1}]\n{0}.all = concat({0}.before, {0}.new)", kept, keys);
    } else {
      text.line("{0}.all = copy({0}.new)", kept);
    }
    // Where the next step finds them.
    text.line("{0}.kept = extend({0}.next, {0}.all, at: 0)\n{0}.turned = transpose({0}.all)", kept);
  }
  text.line("q.turned = transpose(q)");
  std::vector<std::string> parts;
  for (uint32_t head = 0; head < shape.heads; ++head) {
    const uint32_t shared = head / (shape.heads / shape.kv_heads) * width;
    text.line("q{0}.columns = slice(q.turned, first: {1}, rows: {2})\nq{0} = transpose(q{0}.columns)", head,
              head * width, width);
    text.line("k{0}.columns = slice(keys.turned, first: {1}, rows: {2})\nk{0} = transpose(k{0}.columns)",
              head, shared, width);
    text.line("v{0} = slice(values.turned, first: {1}, rows: {2})", head, shared, width);
    text.line("s{0} = linear(q{0}, k{0})\nm{0} = add(s{0}, mask)\np{0} = softmax(m{0}, scale: {1:.9g})", head,
              scale_of(shape));
    text.line("o{0} = linear(p{0}, v{0})\no{0}.turned = transpose(o{0})", head);
    parts.push_back(fmt::format("o{}.turned", head));
  }
  while (parts.size() > 1) {
    std::vector<std::string> joined;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      joined.push_back(fmt::format("{}.and", parts[i]));
      text.line("{} = concat({}, {})", joined.back(), parts[i], parts[i + 1]);
    }
    if (parts.size() % 2 != 0) joined.push_back(parts.back());
    parts = std::move(joined);
  }
  text.line("seen = transpose({})", parts.front());
  return text.take();
}

std::vector<Gain> measure_gains(walk::Walker& walker, const models::DecoderShape& shape, GainStage prefill,
                                GainStage decode, const std::function<void(double)>& done) {
  std::vector<Gain> gains;
  double over = 0;
  const std::vector<Kind> all = kinds();
  for (const Kind& kind : all) {
    Gain gain = kind.gain;
    const auto both = [&](Write write) {
      return published::Stages{nanoseconds(walker, write(shape, prefill)),
                               nanoseconds(walker, write(shape, decode))};
    };
    gain.ns_with = both(kind.with);
    gain.ns_without = both(kind.without);
    gains.push_back(gain);
    done(++over / static_cast<double>(all.size()));
  }
  return gains;
}

}  // namespace swai::cli::bench
