// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/decoder/graph.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/files/for_the_card.hpp"

namespace swai::models {
namespace {

using graph::Argument, graph::Builder, graph::Size, graph::Target, graph::Type;

// Where weights have few bits, activations have eight, with a scale for each 128 of a row.
constexpr int64_t kGroup = 128;
constexpr int64_t kSettingsWords = sizeof(operators::SampleSettings) / sizeof(uint32_t);

Type of(graph::Element element, std::vector<Size> dimensions) {
  return {.element = element, .dimensions = std::move(dimensions)};
}
Type f32(std::vector<Size> dimensions) { return of(graph::Element::kF32, std::move(dimensions)); }
Type i32(std::vector<Size> dimensions) { return of(graph::Element::kI32, std::move(dimensions)); }

}  // namespace

DecoderGraph::DecoderGraph(const CardDecoder& model, const Step& step)
    : model_(model), step_(step), b_(model.architecture->name) {
  const uint32_t most_past = step.room - (step.own_texts ? 1 : step.rows);
  const bool fixed = step.rows == 1 || step.own_texts;
  rows_ = fixed ? Size(step.rows) : b_.size("rows", {1, step.rows});
  past_ = b_.size("past", {0, most_past});
  declare_inputs();
  declare_results();
}

graph::Graph DecoderGraph::whole() {
  graph::Tensor x = embedded();
  for (number_ = 0; number_ < model_.shape.layers; ++number_) {
    const Builder::Turn turn(b_, "layer", number_);
    layer_ = fmt::format("layer[{}].", number_);
    x = model_.architecture->decoder->layer(*this, x);
  }
  layer_.clear();
  choose(x);
  return b_.finish();
}

// Else a step takes the token that the last one has chosen.
bool DecoderGraph::reads_text() const { return !step_.own_texts && (step_.rows > 1 || step_.penalises); }

void DecoderGraph::declare_inputs() {
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
  embedding_ = b_.weight("embedding", of(few_bits() ? graph::Element::kF16 : graph::Element::kF32,
                                         {model_.shape.vocabulary, width}));
  rotary_ = b_.input(kRotary, f32({step_.room, model_.head_width}));
  if (model_.shape.global_every != 0)
    local_rotary_ = b_.input(kLocalRotary, f32({step_.room, model_.head_width}));
  norm_ = b_.weight("norm", f32({width}));
  head_ = model_.tied ? Matrix{embedding_, {}} : matrix("head", "head", model_.shape.vocabulary, width);
}

void DecoderGraph::declare_results() {
  const Size count = step_.own_texts ? rows_ : 1;
  if (step_.judge) {
    logits_ = b_.output(kLogits, f32({rows_, model_.shape.vocabulary}));
    return;
  }
  if (!step_.own_texts || step_.penalises) logits_ = b_.state(kLogits, f32({count, model_.shape.vocabulary}));
  settings_ = b_.input("settings", i32({count, kSettingsWords}));
  token_ = b_.output("token", i32({count}));
  log_probability_ = b_.output("log_probability", f32({count}));
}

graph::Tensor DecoderGraph::embedded() {
  Arguments arguments = {reads_text() ? text_ : tokens_, embedding_};
  if (reads_text()) {
    arguments.emplace_back("first", past_);
    arguments.emplace_back("rows", rows_);
  }
  if (model_.architecture->decoder->scales_embedding)
    arguments.emplace_back("factor", std::sqrt(double{1} * model_.shape.width));
  return b_.add("embedded", "embedding", arguments);
}

void DecoderGraph::choose(graph::Tensor x) {
  if (!all_rows()) x = b_.add("last_row", "slice", {x, {"first", rows_ - 1}, {"rows", 1}});
  const Prepared last = prepare(rms_norm("last", x, norm_));
  if (step_.judge) {
    linear(logits_, last, head_);
    return;
  }
  graph::Tensor logits = linear("found", last, head_);
  if (!step_.own_texts || step_.penalises) logits = b_.add("all", "extend", {logits_, logits, {"at", 0}});
  if (step_.penalises) logits = b_.add("less", "penalise", {logits, text_, settings_});
  const Argument position = step_.own_texts ? Argument("positions", positions_) : Argument("position", past_);
  b_.add_all({token_, log_probability_}, "sample", {logits, settings_, position});
}

// On the card, where heads are filled up.
uint32_t DecoderGraph::size_of(Axis axis) const {
  switch (axis) {
    case Axis::kInner:
      return model_.shape.inner;
    case Axis::kQueries:
    case Axis::kMixed:
      return model_.query_width();
    case Axis::kKeys:
    case Axis::kValues:
      return model_.key_width();
    case Axis::kHead:
      return model_.head_width;
    default:
      return model_.shape.width;
  }
}

DecoderGraph::Matrix DecoderGraph::matrix(const std::string& name, const std::string& kind, uint32_t rows,
                                          uint32_t columns) {
  Matrix made = {b_.weight(name, weight_type(model_.formats.at(kind), rows, columns)), {}};
  if (few_bits()) made.scale = b_.weight(name + ".scale", f32({rows}));
  return made;
}

DecoderGraph::Prepared DecoderGraph::prepare(graph::Tensor x) {
  if (!few_bits()) return {x, {}};
  const std::string name = b_.value(x).name;
  const std::vector<graph::Tensor> both =
      b_.add_all({name + ".bytes", name + ".scales"}, "quantise", {x, {"group", kGroup}});
  return {both[0], both[1]};
}

graph::Tensor DecoderGraph::linear(const Target& result, const Prepared& x, const Matrix& matrix,
                                   Arguments arguments) {
  arguments.insert(arguments.begin(), {x.x, matrix.weight});
  if (x.scales) {
    arguments.emplace_back("scale", *matrix.scale);
    arguments.emplace_back("x_scale", *x.scales);
    arguments.emplace_back("x_group", kGroup);
  }
  return b_.add(result, "linear", arguments);
}

graph::Tensor DecoderGraph::projection(const std::string& result, const Prepared& x, const std::string& kind,
                                       const std::optional<graph::Tensor>& residual, const char* activation) {
  const std::vector<Axis>& shape = row_of(*model_.architecture, "layer.0." + kind).shape;
  const std::string name = graph_name(fmt::format("layer.{}.{}", number_, kind));
  const Matrix weight = matrix(name, kind, size_of(shape[0]), size_of(shape[1]));
  Arguments arguments;
  if (model_.biased.contains(kind))
    arguments.emplace_back("bias", b_.weight(name + ".bias", f32({size_of(shape[0])})));
  if (activation != nullptr) arguments.emplace_back("activation", activation);
  if (residual) arguments.emplace_back("residual", *residual);
  return linear(named(result), x, weight, std::move(arguments));
}

graph::Tensor DecoderGraph::rms_norm(const std::string& result, graph::Tensor x, graph::Tensor weight,
                                     uint32_t heads) {
  return b_.add(result, "rms_norm", {x, weight, {"epsilon", model_.shape.epsilon}, {"heads", heads}});
}

graph::Tensor DecoderGraph::norm(const std::string& kind, graph::Tensor x) {
  const graph::Tensor weight = b_.weight(named(kind), f32({model_.shape.width}));
  return rms_norm(named(kind + ".result"), x, weight);
}

graph::Tensor DecoderGraph::head_norm(const std::string& kind, graph::Tensor x, uint32_t heads) {
  return rms_norm(named(kind + ".result"), x, b_.weight(named(kind), f32({model_.head_width})), heads);
}

graph::Tensor DecoderGraph::turned(const std::string& result, graph::Tensor rows, uint32_t heads) {
  Arguments arguments = {rows, model_.rotates_locally(number_) ? local_rotary_ : rotary_, {"heads", heads}};
  if (step_.own_texts) {
    arguments.emplace_back("positions", positions_);
  } else {
    arguments.emplace_back("at", past_);
  }
  return b_.add(named(result), "rotary", arguments);
}

graph::Tensor DecoderGraph::kept(const std::string& name, graph::Tensor rows) {
  const uint32_t room = step_.own_texts ? step_.rows * step_.room : step_.room;
  const graph::Tensor state = b_.state(
      named(name), of(few_bits() ? graph::Element::kF16 : graph::Element::kF32, {room, model_.key_width()}));
  const std::string all = named("all_" + name);
  if (step_.own_texts) return b_.add(all, "place", {state, rows, positions_, chunks_});
  return b_.add(all, "extend", {state, rows, {"at", past_}});
}

graph::Tensor DecoderGraph::attention(graph::Tensor x, const AttentionOptions& options) {
  const DecoderShape& shape = model_.shape;
  const Prepared normal = prepare(x);
  graph::Tensor q = projection("q", normal, "attention.query");
  graph::Tensor k = projection("k", normal, "attention.key");
  const graph::Tensor v = projection("v", normal, "attention.value");
  if (options.head_norms) {
    q = head_norm("attention.query_norm", q, shape.heads);
    k = head_norm("attention.key_norm", k, shape.kv_heads);
  }
  q = turned("turned_q", q, shape.heads);
  k = turned("turned_k", k, shape.kv_heads);
  const graph::Tensor keys = kept("keys", k);
  const graph::Tensor values = kept("values", v);
  Arguments arguments = {q,
                         keys,
                         values,
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
  return projection("mixed", seen, "attention.output", options.residual);
}

graph::Tensor DecoderGraph::gated(graph::Tensor x, const GatedOptions& options) {
  const Prepared prepared = prepare(x);
  const graph::Tensor gate = projection("gate", prepared, "feed_forward.gate", {}, options.activation);
  const graph::Tensor up = projection("up", prepared, "feed_forward.up");
  const Prepared inside = prepare(b_.add(named("inside"), "multiply", {gate, up}));
  return projection("down", inside, "feed_forward.down", options.residual);
}

graph::Tensor DecoderGraph::add(graph::Tensor a, graph::Tensor b) {
  return b_.add(named(fmt::format("sum_{}", b.id)), "add", {a, b});
}

graph::Graph decoder_graph(const CardDecoder& model, const Step& step) {
  return DecoderGraph(model, step).whole();
}

graph::Program decoder_program(const CardDecoder& model, const Step& step) {
  return program_for(model.path, [&] { return decoder_graph(model, step); });
}

}  // namespace swai::models
