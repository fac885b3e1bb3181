// SPDX-License-Identifier: Apache-2.0
#include "host/generate/llama_graph.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/graph/builder.hpp"
#include "host/models/for_the_card.hpp"
#include "host/models/four_bits.hpp"

namespace swai::generate {
namespace {

using graph::Argument, graph::Builder, graph::Element, graph::Size, graph::Target, graph::Tensor, graph::Type;

// Where weights have few bits, activations have eight, with a scale for each 128 of a row.
constexpr int64_t kGroup = 128;
constexpr int64_t kSettingsWords = sizeof(operators::SampleSettings) / sizeof(uint32_t);

Type of(Element element, std::vector<Size> dimensions) {
  return {.element = element, .dimensions = std::move(dimensions)};
}
Type f32(std::vector<Size> dimensions) { return of(Element::kF32, std::move(dimensions)); }
Type i32(std::vector<Size> dimensions) { return of(Element::kI32, std::move(dimensions)); }

Type weight_type(Store store, uint32_t rows, uint32_t columns) {
  switch (store) {
    case Store::kFp32:
      break;
    case Store::kEight:
      return {.element = Element::kI8, .dimensions = {rows, columns}, .packed = graph::Packing{}};
    case Store::kFour:
    case Store::kFourMinima:
      return {.element = Element::kI4,
              .dimensions = {rows, columns},
              .packed = graph::Packing{models::kFourBitGroup, store == Store::kFourMinima}};
  }
  return f32({rows, columns});
}

class LlamaGraph {
 public:
  LlamaGraph(const CardLlama& model, const Step& step) : model_(model), step_(step) {
    const uint32_t most_past = step.room - (step.own_texts ? 1 : step.rows);
    if (step.rows == 1 || step.own_texts) {
      rows_ = step.rows;
    } else {
      rows_ = b_.size("rows", {1, step.rows});
    }
    past_ = b_.size("past", {0, most_past});
    declare_inputs();
    declare_results();
  }

  graph::Graph whole() {
    Tensor x = reads_text()
                   ? b_.add("embedded", "embedding", {text_, embedding_, {"first", past_}, {"rows", rows_}})
                   : b_.add("embedded", "embedding", {tokens_, embedding_});
    for (uint32_t layer = 0; layer < model_.shape.layers; ++layer) {
      const Builder::Turn turn(b_, "layer", layer);
      layer_ = fmt::format("layer[{}].", layer);
      x = feed_forward(attention(x));
    }
    layer_.clear();
    choose(x);
    return b_.finish();
  }

 private:
  // What linear layers take of x.
  struct Prepared {
    Tensor x;
    std::optional<Tensor> scales;  // of eight bits
  };
  struct Matrix {
    Tensor weight;
    std::optional<Tensor> scale;  // of few bits
  };

  // Else a step takes the token that the last one has chosen.
  bool reads_text() const { return !step_.own_texts && (step_.rows > 1 || step_.penalises); }
  bool few_bits() const { return model_.precision != Precision::kFp32; }
  // One text keeps the logits that follow its last token only, unless all are judged.
  bool all_rows() const { return step_.judge || step_.own_texts; }

  void declare_inputs() {
    const uint32_t width = model_.shape.width;
    if (reads_text()) {
      text_ = b_.state(kText, i32({text_tokens(step_.room)}));
    } else {
      tokens_ = b_.input("tokens", i32({rows_}));
    }
    if (step_.own_texts) {
      if (step_.penalises) text_ = b_.state(kText, i32({rows_, text_tokens(step_.room)}));
      positions_ = b_.input(kPositions, i32({rows_}));
      chunks_ = b_.input(kChunks, i32({rows_, step_.room / operators::kChunkRows}));
    }
    embedding_ = b_.weight("embedding",
                           of(few_bits() ? Element::kF16 : Element::kF32, {model_.shape.vocabulary, width}));
    rotary_ = b_.input(kRotary, f32({step_.room, model_.head_width}));
    norm_ = b_.weight("norm", f32({width}));
    head_ = model_.tied ? Matrix{embedding_, {}} : matrix("head", "head", model_.shape.vocabulary, width);
  }

  void declare_results() {
    const Size count = step_.own_texts ? rows_ : 1;
    if (step_.judge) {
      logits_ = b_.output(kLogits, f32({rows_, model_.shape.vocabulary}));
      return;
    }
    if (!step_.own_texts || step_.penalises)
      logits_ = b_.state(kLogits, f32({count, model_.shape.vocabulary}));
    settings_ = b_.input("settings", i32({count, kSettingsWords}));
    token_ = b_.output("token", i32({count}));
    log_probability_ = b_.output("log_probability", f32({count}));
  }

  // Within a layer names begin with it.
  std::string named(const std::string& name) const { return layer_ + name; }

  // `kind`: the matrix's name, without its layer.
  Matrix matrix(const std::string& name, const std::string& kind, uint32_t rows, uint32_t columns) {
    Matrix made = {b_.weight(name, weight_type(model_.stores.at(kind), rows, columns)), {}};
    if (few_bits()) made.scale = b_.weight(name + ".scale", f32({rows}));
    return made;
  }

  Prepared prepare(Tensor x) {
    if (!few_bits()) return {x, {}};
    const std::string name = b_.value(x).name;
    const std::vector<Tensor> both =
        b_.add_all({name + ".bytes", name + ".scales"}, "quantise", {x, {"group", kGroup}});
    return {both[0], both[1]};
  }

  Tensor linear(const Target& result, const Prepared& x, const Matrix& matrix,
                std::vector<Argument> arguments = {}) {
    arguments.insert(arguments.begin(), {x.x, matrix.weight});
    if (x.scales) {
      arguments.emplace_back("scale", *matrix.scale);
      arguments.emplace_back("x_scale", *x.scales);
      arguments.emplace_back("x_group", kGroup);
    }
    return b_.add(result, "linear", arguments);
  }

  Tensor projection(const std::string& result, const Prepared& x, const std::string& kind, uint32_t rows,
                    uint32_t columns, bool biased, std::vector<Argument> arguments = {}) {
    const Matrix weight = matrix(named(kind), kind, rows, columns);
    if (biased) arguments.emplace_back("bias", b_.weight(named(kind + ".bias"), f32({rows})));
    return linear(named(result), x, weight, std::move(arguments));
  }

  Tensor norm(const std::string& result, Tensor x, Tensor weight) {
    return b_.add(named(result), "rms_norm", {x, weight, {"epsilon", model_.shape.epsilon}});
  }

  Tensor kept(const std::string& name, Tensor rows) {
    const uint32_t room = step_.own_texts ? step_.rows * step_.room : step_.room;
    const Tensor state =
        b_.state(named(name), of(few_bits() ? Element::kF16 : Element::kF32, {room, model_.key_width()}));
    const std::string all = named("all_" + name);
    if (step_.own_texts) return b_.add(all, "place", {state, rows, positions_, chunks_});
    return b_.add(all, "extend", {state, rows, {"at", past_}});
  }

  Tensor turned(const std::string& name, Tensor rows, uint32_t heads) {
    std::vector<Argument> arguments = {rows, rotary_, {"heads", heads}};
    if (step_.own_texts) {
      arguments.emplace_back("positions", positions_);
    } else {
      arguments.emplace_back("at", past_);
    }
    return b_.add(named(name), "rotary", arguments);
  }

  Tensor attention(Tensor x) {
    const models::LlamaShape& shape = model_.shape;
    const uint32_t width = shape.width, queries = model_.query_width(), keys = model_.key_width();
    const Tensor weight = b_.weight(named("attention.norm"), f32({width}));
    const Prepared normal = prepare(norm("normal", x, weight));
    const Tensor q = projection("q", normal, "attention.query", queries, width, model_.biases.query);
    const Tensor k = projection("k", normal, "attention.key", keys, width, model_.biases.key);
    const Tensor v = projection("v", normal, "attention.value", keys, width, model_.biases.value);
    const Tensor turned_q = turned("turned_q", q, shape.heads);
    const Tensor turned_k = turned("turned_k", k, shape.kv_heads);
    const Tensor all_keys = kept("keys", turned_k);
    const Tensor all_values = kept("values", v);
    std::vector<Argument> arguments = {turned_q,
                                       all_keys,
                                       all_values,
                                       {"heads", shape.heads},
                                       {"kv_heads", shape.kv_heads},
                                       {"causal", "yes"},
                                       {"past", past_},
                                       // Of the file's channels, not of those that fill the card's heads up.
                                       {"scale", 1 / std::sqrt(double{1} * shape.head_width)}};
    if (step_.own_texts) {
      arguments.emplace_back("positions", positions_);
      arguments.emplace_back("chunks", chunks_);
    }
    const Prepared seen = prepare(b_.add(named("seen"), "attention", arguments));
    return projection("mixed", seen, "attention.mix", width, queries, model_.biases.output,
                      {{"residual", x}});
  }

  Tensor feed_forward(Tensor x) {
    const uint32_t width = model_.shape.width, inner = model_.shape.inner;
    const Tensor weight = b_.weight(named("feed_forward.norm"), f32({width}));
    const Prepared second = prepare(norm("second", x, weight));
    const Tensor gate =
        projection("gate", second, "feed_forward.gate", inner, width, false, {{"activation", "silu"}});
    const Tensor up = projection("up", second, "feed_forward.up", inner, width, false);
    const Prepared inside = prepare(b_.add(named("inside"), "multiply", {gate, up}));
    return projection("next", inside, "feed_forward.down", width, inner, false, {{"residual", x}});
  }

  void choose(Tensor x) {
    if (!all_rows()) x = b_.add("last_row", "slice", {x, {"first", rows_ - 1}, {"rows", 1}});
    const Prepared last = prepare(norm("last", x, norm_));
    if (step_.judge) {
      linear(logits_, last, head_);
      return;
    }
    Tensor logits = linear("found", last, head_);
    if (!step_.own_texts || step_.penalises) logits = b_.add("all", "extend", {logits_, logits, {"at", 0}});
    if (step_.penalises) logits = b_.add("less", "penalise", {logits, text_, settings_});
    const Argument position =
        step_.own_texts ? Argument("positions", positions_) : Argument("position", past_);
    b_.add_all({token_, log_probability_}, "sample", {logits, settings_, position});
  }

  const CardLlama& model_;
  const Step& step_;
  Builder b_{"llama"};
  std::string layer_;  // "layer[3]."
  Size rows_, past_;
  Tensor text_, tokens_, positions_, chunks_, embedding_, rotary_, norm_, logits_, settings_, token_,
      log_probability_;  // those that the step has
  Matrix head_;
};

}  // namespace

graph::Graph llama_graph(const CardLlama& model, const Step& step) { return LlamaGraph(model, step).whole(); }

graph::Program llama_program(const CardLlama& model, const Step& step) {
  return models::program_for(model.path, [&] { return llama_graph(model, step); });
}

}  // namespace swai::generate
