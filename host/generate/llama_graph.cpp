// SPDX-License-Identifier: Apache-2.0
#include "host/generate/llama_graph.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/for_the_card.hpp"
#include "host/models/four_bits.hpp"

namespace swai::generate {
namespace {

// Where weights have few bits, activations have eight, with a scale for each 128 of a row.
constexpr const char* kGroup = "128";

class Writer {
 public:
  Writer(const CardLlama& model, const Step& step) : model_(model), step_(step) {}

  std::string whole() {
    head();
    line("repeat layer in 0 .. {} with x = embedded {{", model_.shape.layers);
    indent_ = "  ";
    attention();
    feed_forward();
    indent_.clear();
    line("}}");
    tail();
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += indent_;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }

  // Else a step takes the token that the last one has chosen.
  bool reads_text() const { return !step_.own_texts && (step_.rows > 1 || step_.penalises); }
  bool few_bits() const { return model_.precision != Precision::kFp32; }

  void head() {
    line("graph llama");
    if (step_.rows == 1 || step_.own_texts) {
      line("size rows = {}", step_.rows);
    } else {
      line("size rows in 1 .. {}", step_.rows);
    }
    line("size past in 0 .. {}", step_.room - (step_.own_texts ? 1 : step_.rows));
    if (reads_text()) {
      line("state {}: i32[{}]", kText, text_tokens(step_.room));
    } else {
      line("input tokens: i32[rows]");
    }
    if (step_.own_texts) {
      if (step_.penalises) line("state {}: i32[rows, {}]", kText, text_tokens(step_.room));
      line("input {}: i32[rows]", kPositions);
      line("input {}: i32[rows, {}]", kChunks, step_.room / operators::kChunkRows);
    }
    line("weight embedding: {}[{}, {}]", few_bits() ? "f16" : "f32", model_.shape.vocabulary,
         model_.shape.width);
    line("input {}: f32[{}, {}]", kRotary, step_.room, model_.head_width);
    line("weight norm: f32[{}]", model_.shape.width);
    if (!model_.tied) matrix("head", "head", model_.shape.vocabulary, model_.shape.width);
    if (!step_.own_texts || step_.penalises) {
      line("{} {}: f32[{}, {}]", step_.judge ? "output" : "state", kLogits,
           step_.judge || step_.own_texts ? "rows" : "1", model_.shape.vocabulary);
    }
    if (!step_.judge) {
      const char* const count = step_.own_texts ? "rows" : "1";
      line("input settings: i32[{}, {}]", count, sizeof(operators::SampleSettings) / sizeof(uint32_t));
      line("output token: i32[{}]", count);
      line("output log_probability: f32[{}]", count);
    }
    if (reads_text()) {
      line("embedded = embedding({}, embedding, first: past, rows: rows)", kText);
    } else {
      line("embedded = embedding(tokens, embedding)");
    }
  }

  // `kind`: the matrix's name, without its layer.
  void matrix(const std::string& name, const std::string& kind, uint32_t rows, uint32_t columns) {
    const Store store = model_.stores.at(kind);
    const char* const element = store == Store::kFp32 ? "f32" : store == Store::kEight ? "i8" : "i4";
    line("weight {}: {}[{}, {}]{}", name, element, rows, columns, packing_of(store));
    if (few_bits()) line("weight {}.scale: f32[{}]", name, rows);
  }
  static std::string packing_of(Store store) {
    switch (store) {
      case Store::kFp32:
        return "";
      case Store::kEight:
        return " packed";
      case Store::kFour:
      case Store::kFourMinima:
        break;
    }
    return fmt::format(" packed {}{}", models::kFourBitGroup, store == Store::kFour ? "" : " minima");
  }

  // What linear layers take of x.
  void prepare(const std::string& x) {
    if (few_bits()) line("{0}.bytes, {0}.scales = quantise({0}, group: {1})", x, kGroup);
  }
  void linear(const std::string& result, const std::string& x, const std::string& weight,
              const std::string& more = "") {
    if (few_bits()) {
      line("{} = linear({}.bytes, {}, {}.scale, x_scale: {}.scales, x_group: {}{})", result, x, weight,
           weight, x, kGroup, more);
    } else {
      line("{} = linear({}, {}{})", result, x, weight, more);
    }
  }

  void projection(const std::string& result, const std::string& x, const std::string& name, uint32_t rows,
                  uint32_t columns, bool biased, std::string more = "") {
    const std::string weight = "layer[layer]." + name;
    matrix(weight, name, rows, columns);
    if (biased) {
      line("weight {}.bias: f32[{}]", weight, rows);
      more += fmt::format(", bias: {}.bias", weight);
    }
    linear(result, x, weight, more);
  }

  void norm(const std::string& result, const std::string& x, const std::string& weight) {
    line("{} = rms_norm({}, {}, epsilon: {:.9g})", result, x, weight, model_.shape.epsilon);
  }

  void kept(const std::string& name, const std::string& rows) {
    line("state layer[layer].{}: {}[{}, {}]", name, few_bits() ? "f16" : "f32",
         step_.own_texts ? step_.rows * step_.room : step_.room, model_.key_width());
    if (step_.own_texts) {
      line("{0} = place(layer[layer].{0}, {1}, {2}, {3})", name, rows, kPositions, kChunks);
    } else {
      line("{0} = extend(layer[layer].{0}, {1}, at: past)", name, rows);
    }
  }

  void turned(const std::string& rows, uint32_t heads) {
    line("turned_{0} = rotary({0}, {1}, heads: {2}, {3})", rows, kRotary, heads,
         step_.own_texts ? fmt::format("positions: {}", kPositions) : "at: past");
  }

  void attention() {
    const uint32_t width = model_.shape.width, queries = model_.query_width(), keys = model_.key_width();
    line("weight layer[layer].attention.norm: f32[{}]", width);
    norm("normal", "x", "layer[layer].attention.norm");
    prepare("normal");
    projection("q", "normal", "attention.query", queries, width, model_.biases.query);
    projection("k", "normal", "attention.key", keys, width, model_.biases.key);
    projection("v", "normal", "attention.value", keys, width, model_.biases.value);
    turned("q", model_.shape.heads);
    turned("k", model_.shape.kv_heads);
    kept("keys", "turned_k");
    kept("values", "v");
    // Of the file's channels, not of those that fill the card's heads up.
    line(
        "seen = attention(turned_q, keys, values, heads: {}, kv_heads: {}, causal: yes, past: past, "
        "scale: {:.9g}{})",
        model_.shape.heads, model_.shape.kv_heads, 1 / std::sqrt(double{1} * model_.shape.head_width),
        step_.own_texts ? fmt::format(", positions: {}, chunks: {}", kPositions, kChunks) : "");
    prepare("seen");
    projection("mixed", "seen", "attention.mix", width, queries, model_.biases.output, ", residual: x");
  }

  void feed_forward() {
    const uint32_t width = model_.shape.width, inner = model_.shape.inner;
    line("weight layer[layer].feed_forward.norm: f32[{}]", width);
    norm("second", "mixed", "layer[layer].feed_forward.norm");
    prepare("second");
    projection("gate", "second", "feed_forward.gate", inner, width, false, ", activation: silu");
    projection("up", "second", "feed_forward.up", inner, width, false);
    line("inside = multiply(gate, up)");
    prepare("inside");
    projection("next x", "inside", "feed_forward.down", width, inner, false, ", residual: mixed");
  }

  // Of one text only what follows the last token is asked for, unless all are judged.
  void tail() {
    const bool all_rows = step_.judge || step_.own_texts;
    if (!all_rows) line("last_row = slice(x, first: rows - 1, rows: 1)");
    norm("last", all_rows ? "x" : "last_row", "norm");
    prepare("last");
    const std::string head = model_.tied ? "embedding" : "head";
    if (step_.judge) return linear(kLogits, "last", head);
    linear("found", "last", head);
    const char* logits = "found";
    if (!step_.own_texts || step_.penalises) {
      line("all = extend({}, found, at: 0)", kLogits);
      logits = "all";
    }
    if (step_.penalises) {
      line("less = penalise(all, {}, settings)", kText);
      logits = "less";
    }
    line("token, log_probability = sample({}, settings, {})", logits,
         step_.own_texts ? kPositions : "position: past");
  }

  const CardLlama& model_;
  const Step& step_;
  std::string text_;
  std::string indent_;
};

}  // namespace

std::string llama_graph(const CardLlama& model, const Step& step) { return Writer(model, step).whole(); }

graph::Program llama_program(const CardLlama& model, const Step& step) {
  return models::program_for(model.path, llama_graph(model, step));
}

}  // namespace swai::generate
