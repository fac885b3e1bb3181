// SPDX-License-Identifier: Apache-2.0
#include "host/transcribe/whisper_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/for_the_card.hpp"
#include "host/models/four_bits.hpp"
#include "host/transcribe/beam_chunks.hpp"

namespace swai::transcribe {
namespace {

class Writer {
 public:
  explicit Writer(const CardWhisper& model) : model_(model), shape_(model.shape) {}

  std::string encoder() {
    part_ = "encoder";
    line("graph whisper_encoder");
    line("input mel: f32[{}, {}]", model_.frames() + 2, shape_.mels);
    // Rows of zeros at both ends stay what they are; the second convolution needs the first of them only.
    line("state padded: f32[{}, {}]", model_.frames() + 1, shape_.width);
    convolution("first", "mel", "conv1", shape_.mels, "");
    line("between = extend(padded, first, at: 1)");
    line("weight positions: f32[{}, {}]", model_.moments, shape_.width);
    convolution("sound", "between", "conv2", shape_.width, ", stride: 2, residual: positions");
    line("repeat layer in 0 .. {} with x = sound {{", shape_.audio_layers);
    indent_ = "  ";
    norm("normal", "x", "layer[layer].attention.norm");
    projection("q", "normal", "layer[layer].attention.query");
    projection("k", "normal", "layer[layer].attention.key", key_bias());
    projection("v", "normal", "layer[layer].attention.value");
    line("seen = attention(q, k, v, heads: {}, products: {})", shape_.audio_heads, few_bits() ? "i8" : "f32");
    projection("mixed", "seen", "layer[layer].attention.output", kBias, ", residual: x");
    feed_forward("mixed", "next x");
    indent_.clear();
    line("}}");
    norm("heard", "x", "norm");
    for (uint32_t i = 0; i < shape_.text_layers; ++i) {
      // Weights of the decoder, which this graph uses.
      for (const char* const what : {"keys", "values"}) {
        const bool keys = what[0] == 'k';
        const std::string result = fmt::format("layer[{}].cross.{}", i, what);
        line("output {}: f32[{}, {}]", result, model_.moments, shape_.width);
        projection(result, "heard", fmt::format("cross[{}].{}", i, keys ? "key" : "value"),
                   keys ? key_bias() : kBias);
      }
    }
    return std::move(text_);
  }

  std::string beams(uint32_t count) {
    beams_ = count;
    return decoder(count);
  }

  std::string decoder(uint32_t rows) {
    part_ = "decoder";
    line("graph whisper_decoder");
    if (rows == 1 || beams_ != 0) {
      line("size rows = {}", rows);
    } else {
      line("size rows in 1 .. {}", rows);
    }
    line("size past in 0 .. {}", beams_ != 0 ? shape_.text_context - 1 : model_.room() - rows);
    line("input tokens: i32[rows]");
    line("weight embedding: {}[{}, {}]", few_bits() ? "f16" : "f32", shape_.vocabulary, shape_.width);
    line("weight positions: f32[{}, {}]", model_.room(), shape_.width);
    if (beams_ != 0) {
      line("input places: i32[rows]");
      line("input chunks: i32[rows, {}]", BeamChunks(beams_, shape_.text_context).of_each());
      line("words = embedding(tokens, embedding)");
      line("place_rows = embedding(places, positions)");
      line("embedded = add(words, place_rows)");
    } else {
      line("embedded = embedding(tokens, embedding, positions: positions, at: past)");
    }
    line("repeat layer in 0 .. {} with x = embedded {{", shape_.text_layers);
    indent_ = "  ";
    norm("normal", "x", "layer[layer].attention.norm");
    projection("q", "normal", "layer[layer].attention.query");
    projection("k", "normal", "layer[layer].attention.key", key_bias());
    projection("v", "normal", "layer[layer].attention.value");
    kept("keys", "k");
    kept("values", "v");
    line("seen = attention(q, keys, values, heads: {}, causal: yes, past: past{})", shape_.text_heads,
         beams_ != 0 ? ", positions: places, chunks: chunks" : "");
    projection("mixed", "seen", "layer[layer].attention.output", kBias, ", residual: x");
    norm("asking", "mixed", "layer[layer].cross.norm");
    projection("asked", "asking", "layer[layer].cross.query");
    for (const char* const what : {"keys", "values"})
      line("input layer[layer].cross.{}: f32[{}, {}]", what, model_.moments, shape_.width);
    line("heard = attention(asked, layer[layer].cross.keys, layer[layer].cross.values, heads: {})",
         shape_.text_heads);
    projection("both", "heard", "layer[layer].cross.output", kBias, ", residual: mixed");
    feed_forward("both", "next x");
    indent_.clear();
    line("}}");
    if (beams_ == 0) {
      line("last_row = slice(x, first: rows - 1, rows: 1)");
      line("output logits: f32[1, {}]", shape_.vocabulary);
    }
    norm("last", beams_ != 0 ? "x" : "last_row", "norm");
    if (few_bits()) {
      matrix("head", shape_.vocabulary, shape_.width);
      linear("logits", "last", "head", "");
    } else {
      linear("logits", "last", "embedding", "");
    }
    choice();
    return std::move(text_);
  }

 private:
  enum Bias : bool { kNoBias, kBias };

  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += indent_;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }

  Bias key_bias() const { return Bias{model_.key_bias}; }
  bool few_bits() const { return model_.precision != Precision::kFp32; }

  // Of a weight of this graph: "layer[layer].attention.query", "cross[2].key", "head".
  Store store_of(const std::string& weight) const {
    const size_t point = weight.find('.');
    if (point == std::string::npos) return model_.storing.at(weight);
    const std::string part = weight.starts_with("cross[") ? "decoder.cross" : part_;
    return model_.storing.at(part + weight.substr(point));
  }

  void matrix(const std::string& name, uint32_t rows, uint32_t columns) {
    switch (store_of(name)) {
      case Store::kFp32:
        return line("weight {}: f32[{}, {}]", name, rows, columns);
      case Store::kEight:
        line("weight {}: i8[{}, {}] packed", name, rows, columns);
        break;
      case Store::kFour:
        line("weight {}: i4[{}, {}] packed {}", name, rows, columns, models::kFourBitGroup);
        break;
    }
    line("weight {}.scale: f32[{}]", name, rows);
  }

  void vector(const std::string& name, uint32_t columns) { line("weight {}: f32[{}]", name, columns); }

  void linear(const std::string& result, const std::string& x, const std::string& weight,
              const std::string& more) {
    line("{} = linear({}, {}{}{})", result, x, weight, few_bits() ? ", " + weight + ".scale" : "", more);
  }

  void projection(const std::string& result, const std::string& x, const std::string& weight,
                  Bias biased = kBias, const std::string& more = "") {
    layer(result, x, weight, shape_.width, shape_.width, biased, more);
  }
  void layer(const std::string& result, const std::string& x, const std::string& weight, uint32_t rows,
             uint32_t columns, Bias biased, const std::string& more) {
    matrix(weight, rows, columns);
    if (biased) vector(weight + ".bias", rows);
    linear(result, x, weight, (biased ? fmt::format(", bias: {}.bias", weight) : "") + more);
  }

  void convolution(const std::string& result, const std::string& x, const std::string& weight,
                   uint32_t channels, const std::string& more) {
    line("weight {}: f32[{}, 3, {}]", weight, shape_.width, channels);
    vector(weight + ".bias", shape_.width);
    line("{} = convolution({}, {}, {}.bias, activation: gelu{})", result, x, weight, weight, more);
  }

  void norm(const std::string& result, const std::string& x, const std::string& weight) {
    vector(weight, shape_.width);
    vector(weight + ".bias", shape_.width);
    line("{} = layer_norm({}, {}, {}.bias)", result, x, weight, weight);
  }

  void kept(const std::string& name, const std::string& rows) {
    if (beams_ != 0) {
      line("state layer[layer].{}: f32[{}, {}]", name,
           BeamChunks(beams_, shape_.text_context).count() * operators::kChunkRows, shape_.width);
      line("{0} = place(layer[layer].{0}, {1}, places, chunks)", name, rows);
    } else {
      line("state layer[layer].{}: f32[{}, {}]", name, model_.room(), shape_.width);
      line("{0} = extend(layer[layer].{0}, {1}, at: past)", name, rows);
    }
  }

  // By the rules of the moment: what is forbidden (of two lists of bits one), what is allowed now (ranges).
  void choice() {
    const uint32_t rows = std::max(beams_, 1U);
    line("state left: f32[{}, {}]", rows, shape_.vocabulary);
    line("size begun in 0 .. 1");
    line("input forbidden: i32[2, {}]", (shape_.vocabulary + 31) / 32);
    line("input ranges: i32[{}, {}]", rows, 2 * kRanges);
    line("bits = slice(forbidden, first: begun, rows: 1)");
    if (beams_ != 0) {
      line("all = extend(left, logits, at: 0)");
      line("possible = mask(all, bits, ranges)");
    } else {
      line("possible = mask(left, bits, ranges, of: logits)");
    }
    line("preferred = prefer_group(possible, first: {})", model_.first_timestamp);
    if (beams_ != 0) {
      line("output likeliest: f32[rows, {}]", beams_ + 1);
      line("output followers: i32[rows, {}]", beams_ + 1);
      line("probable = log_softmax(preferred)");
      line("likeliest, followers = top_k(probable, count: {})", beams_ + 1);
      return;
    }
    line("input settings: i32[1, {}]", sizeof(operators::SampleSettings) / sizeof(uint32_t));
    line("output token: i32[1]");
    line("output log_probability: f32[1]");
    line("token, log_probability = sample(preferred, settings, position: past + rows)");
  }

  void feed_forward(const std::string& x, const std::string& result) {
    const std::string part = "layer[layer].feed_forward.";
    norm("second", x, part + "norm");
    layer("inside", "second", part + "up", shape_.inner, shape_.width, kBias, ", activation: gelu");
    layer(result, "inside", part + "down", shape_.width, shape_.inner, kBias, ", residual: " + x);
  }

  const CardWhisper& model_;
  const models::WhisperShape& shape_;
  uint32_t beams_ = 0;  // 0: it writes one text
  std::string part_;    // that it writes
  std::string text_;
  std::string indent_;
};

}  // namespace

std::string encoder_graph(const CardWhisper& model) { return Writer(model).encoder(); }
std::string decoder_graph(const CardWhisper& model, uint32_t rows) { return Writer(model).decoder(rows); }
std::string beams_graph(const CardWhisper& model, uint32_t beams) { return Writer(model).beams(beams); }

WhisperPrograms whisper_programs(const CardWhisper& model, uint32_t stands_for) {
  return {models::program_for(model.path, encoder_graph(model), stands_for),
          models::program_for(model.path, decoder_graph(model, kChunk), stands_for),
          models::program_for(model.path, decoder_graph(model, 1), stands_for)};
}

graph::Program beams_program(const CardWhisper& model, uint32_t beams) {
  return models::program_for(model.path, beams_graph(model, beams));
}

}  // namespace swai::transcribe
