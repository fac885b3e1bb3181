// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/eager_graph.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <tuple>

#include "abi/speech_rules.hpp"

namespace swai::transcribe {
namespace {

class Writer {
 public:
  explicit Writer(const CardWhisper& model) : model_(model), shape_(model.shape) {}

  std::string encoder() {
    line("graph eager_whisper_encoder");
    line("input mel: f32[{}, {}]", model_.frames() + 2, shape_.mels);
    // Rows of zeros at both ends stay what they are; the second convolution needs the first of them only.
    line("state padded: f16[{}, {}]", model_.frames() + 1, shape_.width);
    line("weight positions: f32[{}, {}]", model_.moments, shape_.width);
    line("weight half_scale: f16[1, {}]", shape_.width);
    convolution("early", "mel", "conv1", shape_.mels, "");
    line("between = extend(padded, early, at: 1)");
    convolution("late", "between", "conv2", shape_.width, ", stride: 2");
    line("placed = add(late, positions)");
    line("sound = cast(placed)");
    repeat(shape_.audio_layers, "sound");
    norm("normal", "x", "layer[layer].attention.norm");
    projection("q", "normal", "layer[layer].attention.query");
    projection("k", "normal", "layer[layer].attention.key", key_bias());
    projection("v", "normal", "layer[layer].attention.value");
    attention("seen", {"q", "k", "v"}, shape_.audio_heads, "");
    line("joined = copy(seen)");
    projection("mixed", "joined", "layer[layer].attention.output");
    line("both = add(x, mixed)");
    feed_forward("both");
    end();
    norm("heard", "x", "norm");
    for (uint32_t i = 0; i < shape_.text_layers; ++i) {
      for (const char* const what : {"key", "value"}) {
        const std::string result = fmt::format("layer[{}].cross.{}s", i, what);
        line("output {}: f16[{}, {}]", result, model_.moments, shape_.width);
        projection(result, "heard", fmt::format("cross[{}].{}", i, what),
                   what[0] == 'k' ? key_bias() : kBias);
      }
    }
    return std::move(text_);
  }

  std::string decoder(bool first) {
    first_ = first;
    const uint32_t rows = first ? model_.eager_rows : 1;
    line("graph eager_whisper_decoder");
    line("size rows = {}", rows);
    if (first) {
      line("size past = 0");
      line("input causal: f32[{} * rows, rows]", shape_.text_heads);
    } else {
      line("size past in 0 .. {}", model_.room() - rows);
      line("input unmasked: f32[1, past + 1]");
    }
    line("input tokens: i32[rows]");
    line("weight embedding: f32[{}, {}]", shape_.vocabulary, shape_.width);
    line("weight positions: f32[{}, {}]", model_.room(), shape_.width);
    line("weight half_scale: f16[1, {}]", shape_.width);
    line("weight zero: f32[1, 1]");
    line("words = embedding(tokens, embedding)");
    line("places = slice(positions, first: past, rows: rows)");
    line("placed = add(words, places)");
    line("text = cast(placed)");
    repeat(shape_.text_layers, "text");
    norm("normal", "x", "layer[layer].attention.norm");
    projection("q", "normal", "layer[layer].attention.query");
    projection("k", "normal", "layer[layer].attention.key", key_bias());
    kept("keys", "k");
    projection("v", "normal", "layer[layer].attention.value");
    kept("values", "v");
    attention("seen", {"q", "keys", "values"}, shape_.text_heads, first ? "causal" : "unmasked");
    projection("mixed", joined("seen"), "layer[layer].attention.output");
    line("own = add(x, mixed)");
    norm("asking", "own", "layer[layer].cross.norm");
    projection("asked", "asking", "layer[layer].cross.query");
    for (const char* const what : {"keys", "values"})
      line("input layer[layer].cross.{}: f16[{}, {}]", what, model_.moments, shape_.width);
    attention("heard", {"asked", "layer[layer].cross.keys", "layer[layer].cross.values"}, shape_.text_heads,
              "");
    projection("told", joined("heard"), "layer[layer].cross.output");
    line("both = add(own, told)");
    feed_forward("both");
    end();
    norm("last", "x", "norm");
    line("head = cast(embedding)");
    line("scored = linear(last, head, to: f16)");
    if (!first) line("output logits: f32[1, {}]", shape_.vocabulary);
    line("{} = cast(scored, to: f32)", first ? "all_logits" : "logits");
    if (first) line("logits = slice(all_logits, first: rows - 1, rows: 1)");
    choice();
    return std::move(text_);
  }

 private:
  enum Bias : bool { kNoBias, kBias };
  struct Operands {
    std::string q, k, v;
  };

  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += indent_;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }
  void repeat(uint32_t layers, const char* first) {
    line("repeat layer in 0 .. {} with x = {} {{", layers, first);
    indent_ = "  ";
  }
  void end() {
    indent_.clear();
    line("}}");
  }

  Bias key_bias() const { return Bias{model_.key_bias}; }

  // A weight with its bias, in 16 bits: the name of what has them.
  void parameters(const std::string& weight, const std::string& type, uint32_t rows, Bias biased) {
    line("weight {}: {}", weight, type);
    line("{0}.half = cast({0})", weight);
    if (!biased) return;
    line("weight {}.bias: f32[1, {}]", weight, rows);
    line("{0}.bias.half = cast({0}.bias)", weight);
  }
  static std::string added(const std::string& weight, Bias biased) {
    return biased ? fmt::format(", residual: {}.bias.half", weight) : "";
  }

  void layer(const std::string& result, const std::string& x, const std::string& weight, uint32_t rows,
             uint32_t columns, Bias biased) {
    parameters(weight, fmt::format("f32[{}, {}]", rows, columns), rows, biased);
    line("{} = linear({}, {}.half{}, to: f16)", result, x, weight, added(weight, biased));
  }
  void projection(const std::string& result, const std::string& x, const std::string& weight,
                  Bias biased = kBias) {
    layer(result, x, weight, shape_.width, shape_.width, biased);
  }

  void convolution(const std::string& result, const std::string& x, const std::string& weight,
                   uint32_t channels, const std::string& more) {
    parameters(weight, fmt::format("f32[{}, 3, {}]", shape_.width, channels), shape_.width, kBias);
    line("{}.sum = convolution({}, {}.half{}{}, to: f16)", result, x, weight, added(weight, kBias), more);
    line("{0} = gelu({0}.sum)", result);
  }

  void norm(const std::string& result, const std::string& x, const std::string& weight) {
    line("weight {}: f32[{}]", weight, shape_.width);
    line("weight {}.bias: f32[{}]", weight, shape_.width);
    line("{}.wide = cast({}, to: f32)", result, x);
    line("{0}.normal = layer_norm({0}.wide, {1}, {1}.bias)", result, weight);
    line("{0} = cast({0}.normal)", result);
  }

  // Queries and keys each carry half of the scale. `mask`: what is added to scores, or empty.
  void attention(const std::string& result, const Operands& of, uint32_t heads, const std::string& mask) {
    line("{}.q = multiply({}, half_scale)", result, of.q);
    line("{}.k = multiply({}, half_scale)", result, of.k);
    line(
        "{0}.products = matmul({0}.q, {0}.k, products: {1}, a_by: columns, b_by: columns, transposed: yes, "
        "to: "
        "f16)",
        result, heads);
    if (mask.empty()) {
      line("{0}.scores = cast({0}.products, to: f32)", result);
    } else {
      line("{0}.scores = add({0}.products, {1})", result, mask);
    }
    line("{0}.wide = softmax({0}.scores)", result);
    line("{0}.shares = cast({0}.wide)", result);
    line("{0} = matmul({0}.shares, {1}, products: {2}, b_by: columns, to_by: columns, to: f16)", result, of.v,
         heads);
  }
  // Of several rows PyTorch brings heads together by a copy.
  std::string joined(const std::string& seen) {
    if (!first_) return seen;
    line("{0}.joined = copy({0})", seen);
    return seen + ".joined";
  }

  void kept(const std::string& name, const std::string& rows) {
    line("state layer[layer].{}: f16[{}, {}]", name, model_.room(), shape_.width);
    line("{0} = extend(layer[layer].{0}, {1}, at: past{2})", name, rows, first_ ? "" : ", copied: yes");
  }

  void feed_forward(const std::string& x) {
    const std::string part = "layer[layer].feed_forward.";
    norm("second", x, part + "norm");
    layer("up", "second", part + "up", shape_.inner, shape_.width, kBias);
    line("inside = gelu(up)");
    layer("down", "inside", part + "down", shape_.width, shape_.inner, kBias);
    line("next x = add({}, down)", x);
  }

  void choice() {
    line("state left: f32[1, {}]", shape_.vocabulary);
    line("size begun in 0 .. 1");
    line("input forbidden: i32[2, {}]", (shape_.vocabulary + 31) / 32);
    line("input ranges: i32[1, {}]", 2 * std::tuple_size_v<speech::RuledOut>);
    line("bits = slice(forbidden, first: begun, rows: 1)");
    line("possible = mask(left, bits, ranges, of: logits)");
    line("output token: i32[1]");
    line("token = argmax(possible)");
    line("log_shares = log_softmax(possible)");
    line("output log_probability: f32[1, 1]");
    line("arange = copy(zero)");
    line("gain, best = top_k(log_shares, count: 1)");
    line("unequal = copy(zero)");
    line("no_gain = multiply(gain, zero)");
    line("log_probability = add(gain, no_gain)");
    for (const char* const name : {"equal", "put", "cat", "ended", "all"}) line("{} = copy(zero)", name);
  }

  const CardWhisper& model_;
  const models::WhisperShape& shape_;
  bool first_ = false;
  std::string text_;
  std::string indent_;
};

}  // namespace

std::string eager_encoder_graph(const CardWhisper& model) { return Writer(model).encoder(); }
std::string eager_decoder_graph(const CardWhisper& model, bool first) { return Writer(model).decoder(first); }

std::vector<float> causal_mask(uint32_t heads, uint32_t rows) {
  std::vector<float> mask;
  for (uint32_t row = 0; row < heads * rows; ++row)
    for (uint32_t key = 0; key < rows; ++key)
      mask.push_back(key > row % rows ? -std::numeric_limits<float>::infinity() : 0);
  return mask;
}

}  // namespace swai::transcribe
