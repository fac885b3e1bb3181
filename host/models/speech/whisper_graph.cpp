// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/whisper_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/files/for_the_card.hpp"
#include "host/models/graph/builder.hpp"
#include "host/models/speech/beam_chunks.hpp"
#include "host/models/speech/eager_graph.hpp"

namespace swai::transcribe {
namespace {

using graph::Argument, graph::Builder, graph::Element, graph::Size, graph::Target, graph::Tensor, graph::Type;
using models::WeightFormat;

Type of(Element element, std::vector<Size> dimensions) {
  return {.element = element, .dimensions = std::move(dimensions)};
}
Type f32(std::vector<Size> dimensions) { return of(Element::kF32, std::move(dimensions)); }
Type i32(std::vector<Size> dimensions) { return of(Element::kI32, std::move(dimensions)); }

// What graphs of encoder and decoder share.
class WhisperGraph {
 protected:
  enum Bias : bool { kNoBias, kBias };
  using Arguments = std::vector<Argument>;

  // `part`: "encoder" or "decoder".
  WhisperGraph(const CardWhisper& model, const std::string& part)
      : model_(model), shape_(model.shape), part_(part), b_("whisper_" + part) {}

  Bias key_bias() const { return Bias{model_.key_bias}; }
  bool few_bits() const { return model_.precision != Precision::kFp32; }

  // Within a layer names begin with it.
  std::string named(const std::string& name) const { return layer_ + name; }

  Tensor vector(const std::string& name, uint32_t columns) { return b_.weight(name, f32({columns})); }

  Arguments matrix(const std::string& name, WeightFormat format, uint32_t rows, uint32_t columns) {
    Arguments weights = {{"weight", b_.weight(name, models::weight_type(format, rows, columns))}};
    if (few_bits()) weights.emplace_back("scale", vector(name + ".scale", rows));
    return weights;
  }

  Tensor linear(const Target& result, Tensor x, const std::string& weight, WeightFormat format, uint32_t rows,
                uint32_t columns, Bias biased, const Arguments& more = {}) {
    Arguments arguments = matrix(weight, format, rows, columns);
    if (biased) arguments.emplace_back("bias", vector(weight + ".bias", rows));
    arguments.emplace_back("x", x);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return b_.add(result, "linear", arguments);
  }
  Tensor projection(const std::string& result, Tensor x, const std::string& kind, Bias biased = kBias,
                    const Arguments& more = {}) {
    return linear(named(result), x, named(kind), format_of(kind), shape_.width, shape_.width, biased, more);
  }
  WeightFormat format_of(const std::string& kind) const { return model_.formats.at(part_ + "." + kind); }

  Tensor norm(const std::string& result, Tensor x, const std::string& kind) {
    const Tensor weight = vector(named(kind), shape_.width);
    const Tensor bias = vector(named(kind + ".bias"), shape_.width);
    return b_.add(named(result), "layer_norm", {x, weight, bias});
  }

  Tensor feed_forward(Tensor x) {
    const Tensor second = norm("second", x, "feed_forward.norm");
    const std::string up = "feed_forward.up", down = "feed_forward.down";
    const Tensor inside = linear(named("inside"), second, named(up), format_of(up), shape_.inner,
                                 shape_.width, kBias, {{"activation", "gelu"}});
    return linear(named("next"), inside, named(down), format_of(down), shape_.width, shape_.inner, kBias,
                  {{"residual", x}});
  }

  const CardWhisper& model_;
  const models::WhisperShape& shape_;
  std::string part_;
  Builder b_;
  std::string layer_;  // "layer[3]."
};

class Encoder : WhisperGraph {
 public:
  explicit Encoder(const CardWhisper& model) : WhisperGraph(model, "encoder") {}

  graph::Graph whole() {
    const Tensor mel = b_.input("mel", f32({model_.frames() + 2, shape_.mels}));
    // Rows of zeros at both ends stay what they are; the second convolution needs the first of them only.
    const Tensor padded = b_.state("padded", f32({model_.frames() + 1, shape_.width}));
    const Tensor first = convolution("first", mel, "conv1", shape_.mels);
    const Tensor between = b_.add("between", "extend", {padded, first, {"at", 1}});
    const Tensor positions = b_.weight("positions", f32({model_.moments, shape_.width}));
    Tensor x = convolution("sound", between, "conv2", shape_.width, {{"stride", 2}, {"residual", positions}});
    for (uint32_t i = 0; i < shape_.audio_layers; ++i) {
      const Builder::Turn turn(b_, "layer", i);
      layer_ = fmt::format("layer[{}].", i);
      x = feed_forward(attention(x));
    }
    layer_.clear();
    const Tensor heard = norm("heard", x, "norm");
    for (uint32_t i = 0; i < shape_.text_layers; ++i) {
      // Weights of the decoder, which this graph uses.
      for (const std::string what : {"key", "value"}) {
        const Tensor result =
            b_.output(fmt::format("layer[{}].cross.{}s", i, what), f32({model_.moments, shape_.width}));
        linear(result, heard, fmt::format("cross[{}].{}", i, what),
               model_.formats.at("decoder.cross." + what), shape_.width, shape_.width,
               what == "key" ? key_bias() : kBias);
      }
    }
    return b_.finish();
  }

 private:
  Tensor convolution(const std::string& result, Tensor x, const std::string& name, uint32_t channels,
                     const Arguments& more = {}) {
    const Tensor weight = b_.weight(name, f32({shape_.width, 3, channels}));
    Arguments arguments = {x, weight, vector(name + ".bias", shape_.width), {"activation", "gelu"}};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return b_.add(result, "convolution", arguments);
  }

  Tensor attention(Tensor x) {
    const Tensor normal = norm("normal", x, "attention.norm");
    const Tensor q = projection("q", normal, "attention.query");
    const Tensor k = projection("k", normal, "attention.key", key_bias());
    const Tensor v = projection("v", normal, "attention.value");
    const Tensor seen =
        b_.add(named("seen"), "attention",
               {q, k, v, {"heads", shape_.audio_heads}, {"products", few_bits() ? "i8" : "f32"}});
    return projection("mixed", seen, "attention.output", kBias, {{"residual", x}});
  }
};

class Decoder : WhisperGraph {
 public:
  // `beams`: 0 for one text; else each row is a text's.
  Decoder(const CardWhisper& model, uint32_t rows, uint32_t beams)
      : WhisperGraph(model, "decoder"), beams_(beams) {
    const bool fixed = rows == 1 || beams != 0;
    rows_ = fixed ? Size(rows) : b_.size("rows", {1, rows});
    past_ = b_.size("past", {0, beams != 0 ? shape_.text_context - 1 : model_.room() - rows});
  }

  graph::Graph whole() {
    Tensor x = embedded();
    for (uint32_t i = 0; i < shape_.text_layers; ++i) {
      const Builder::Turn turn(b_, "layer", i);
      layer_ = fmt::format("layer[{}].", i);
      x = feed_forward(cross_attention(attention(x)));
    }
    layer_.clear();
    choose(logits(x));
    return b_.finish();
  }

 private:
  Tensor embedded() {
    const Tensor tokens = b_.input("tokens", i32({rows_}));
    embedding_ = b_.weight("embedding",
                           of(few_bits() ? Element::kF16 : Element::kF32, {shape_.vocabulary, shape_.width}));
    const Tensor positions = b_.weight("positions", f32({model_.room(), shape_.width}));
    if (beams_ == 0)
      return b_.add("embedded", "embedding", {tokens, embedding_, {"positions", positions}, {"at", past_}});
    places_ = b_.input("places", i32({rows_}));
    chunks_ = b_.input("chunks", i32({rows_, BeamChunks(beams_, shape_.text_context).of_each()}));
    const Tensor words = b_.add("words", "embedding", {tokens, embedding_});
    const Tensor place_rows = b_.add("place_rows", "embedding", {places_, positions});
    return b_.add("embedded", "add", {words, place_rows});
  }

  Tensor kept(const std::string& name, Tensor rows) {
    const size_t room =
        beams_ == 0 ? model_.room() : BeamChunks(beams_, shape_.text_context).count() * operators::kChunkRows;
    const Tensor state = b_.state(named(name), f32({room, shape_.width}));
    if (beams_ != 0) return b_.add(named("all_" + name), "place", {state, rows, places_, chunks_});
    return b_.add(named("all_" + name), "extend", {state, rows, {"at", past_}});
  }

  Tensor attention(Tensor x) {
    const Tensor normal = norm("normal", x, "attention.norm");
    const Tensor q = projection("q", normal, "attention.query");
    const Tensor k = projection("k", normal, "attention.key", key_bias());
    const Tensor v = projection("v", normal, "attention.value");
    const Tensor keys = kept("keys", k);
    const Tensor values = kept("values", v);
    Arguments arguments = {q, keys, values, {"heads", shape_.text_heads}, {"causal", "yes"}, {"past", past_}};
    if (beams_ != 0) {
      arguments.emplace_back("positions", places_);
      arguments.emplace_back("chunks", chunks_);
    }
    const Tensor seen = b_.add(named("seen"), "attention", arguments);
    return projection("mixed", seen, "attention.output", kBias, {{"residual", x}});
  }

  Tensor cross_attention(Tensor x) {
    const Tensor asking = norm("asking", x, "cross.norm");
    const Tensor asked = projection("asked", asking, "cross.query");
    const Type type = f32({model_.moments, shape_.width});
    const Tensor keys = b_.input(named("cross.keys"), type), values = b_.input(named("cross.values"), type);
    const Tensor heard =
        b_.add(named("heard"), "attention", {asked, keys, values, {"heads", shape_.text_heads}});
    return projection("both", heard, "cross.output", kBias, {{"residual", x}});
  }

  Tensor logits(Tensor x) {
    Target result("logits");
    if (beams_ == 0) {
      x = b_.add("last_row", "slice", {x, {"first", rows_ - 1}, {"rows", 1}});
      result = b_.output("logits", f32({1, shape_.vocabulary}));
    }
    const Tensor last = norm("last", x, "norm");
    if (!few_bits()) return b_.add(result, "linear", {last, embedding_});
    return linear(result, last, "head", model_.formats.at("head"), shape_.vocabulary, shape_.width, kNoBias);
  }

  // By the rules of the moment: what is forbidden (of two lists of bits one), what is allowed now (ranges).
  void choose(Tensor logits) {
    const uint32_t rows = std::max(beams_, 1U);
    const Tensor left = b_.state("left", f32({rows, shape_.vocabulary}));
    const Size begun = b_.size("begun", {0, 1});
    const Tensor forbidden = b_.input("forbidden", i32({2, (shape_.vocabulary + 31) / 32}));
    const Tensor ranges = b_.input("ranges", i32({rows, 2 * kRanges}));
    const Tensor bits = b_.add("bits", "slice", {forbidden, {"first", begun}, {"rows", 1}});
    Arguments masked = {left, bits, ranges};
    if (beams_ != 0) {
      masked[0] = b_.add("all", "extend", {left, logits, {"at", 0}});
    } else {
      masked.emplace_back("of", logits);
    }
    const Tensor possible = b_.add("possible", "mask", masked);
    const Tensor preferred =
        b_.add("preferred", "prefer_group", {possible, {"first", model_.first_timestamp}});
    if (beams_ != 0) {
      const Tensor likeliest = b_.output("likeliest", f32({rows_, beams_ + 1}));
      const Tensor followers = b_.output("followers", i32({rows_, beams_ + 1}));
      const Tensor probable = b_.add("probable", "log_softmax", {preferred});
      b_.add_all({likeliest, followers}, "top_k", {probable, {"count", beams_ + 1}});
      return;
    }
    const int64_t words = sizeof(operators::SampleSettings) / sizeof(uint32_t);
    const Tensor settings = b_.input("settings", i32({1, words}));
    const Tensor token = b_.output("token", i32({1}));
    const Tensor log_probability = b_.output("log_probability", f32({1}));
    b_.add_all({token, log_probability}, "sample", {preferred, settings, {"position", past_ + rows_}});
  }

  uint32_t beams_;
  Size rows_, past_;
  Tensor embedding_, places_, chunks_;
};

}  // namespace

graph::Graph encoder_graph(const CardWhisper& model) { return Encoder(model).whole(); }
graph::Graph decoder_graph(const CardWhisper& model, uint32_t rows) {
  return Decoder(model, rows, 0).whole();
}
graph::Graph beams_graph(const CardWhisper& model, uint32_t beams) {
  return Decoder(model, beams, beams).whole();
}

WhisperPrograms whisper_programs(const CardWhisper& model, uint32_t stands_for) {
  const auto program = [&](const auto& build) { return models::program_for(model.path, build, stands_for); };
  if (model.eager_rows != 0) {
    return {program([&] { return eager_encoder_graph(model); }),
            program([&] { return eager_decoder_graph(model, true); }),
            program([&] { return eager_decoder_graph(model, false); })};
  }
  return {program([&] { return encoder_graph(model); }),
          program([&] { return decoder_graph(model, kChunk); }),
          program([&] { return decoder_graph(model, 1); })};
}

graph::Program beams_program(const CardWhisper& model, uint32_t beams) {
  return models::program_for(model.path, [&] { return beams_graph(model, beams); });
}

}  // namespace swai::transcribe
