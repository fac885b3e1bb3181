// SPDX-License-Identifier: Apache-2.0
// Graphs and weights of llama models: what the card is told to compute is what the model computes. In double
// precision, node by node, against a reference that knows neither graphs nor packed weights.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/decoder/graph.hpp"
#include "host/models/files/decoder/weights.hpp"
#include "host/models/files/make_tokenizer.hpp"
#include "host/models/graph/layout.hpp"
#include "verif/host/models/files/reference.hpp"
#include "verif/host/models/files/samples.hpp"
#include "verif/host/models/graph/named.hpp"
#include "verif/host/models/graph/text.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using models::Token;

namespace {

constexpr const char* kStories = "models/stories260K/stories260K.bin";
constexpr uint32_t kRoom = 24;

models::Model model_named(const std::string& name) {
  return name == kStories ? models::load(name) : models::load(models::sample(name));
}

// A text, as the graphs compute it.
class Evaluated {
 public:
  explicit Evaluated(const models::Model& model, bool penalises = false)
      : penalises_(penalises),
        card_(models::card_decoder(model, models::Precision::kFp32)),
        several_(models::decoder_graph(card_, {8, kRoom, false, penalises})),
        one_(models::decoder_graph(card_, {1, kRoom, false, penalises})) {
    models::pack_decoder(model, card_, [&](const std::string& name, std::span<const uint8_t> contents) {
      named_.put(name, contents);
    });
    const std::vector<float> rotary = models::rotary_table(card_.frequencies, card_.head_width, kRoom);
    named_.kept["rotary"].assign(rotary.begin(), rotary.end());
    if (!card_.local_frequencies.empty()) {
      const std::vector<float> local = models::rotary_table(card_.local_frequencies, card_.head_width, kRoom);
      named_.kept[models::kLocalRotary].assign(local.begin(), local.end());
    }
    named_.kept["settings"].resize(kSettingsWords);  // temperature 0, that is
    named_.kept[models::kText].assign(models::text_tokens(kRoom), -1);
  }

  // The logits behind the tokens, and the likeliest token.
  std::pair<std::vector<double>, Token> append(std::span<const Token> tokens) {
    std::map<std::string, int64_t> sizes = {{"past", length_}};
    if (tokens.size() > 1) sizes["rows"] = static_cast<int64_t>(tokens.size());
    // Several are some of a whole text; one is what was chosen last, which penalties want there, too.
    if (tokens.size() == 1 && !penalises_) {
      named_.kept["tokens"] = {static_cast<double>(tokens[0])};
    } else {
      std::ranges::copy(tokens, named_.kept[models::kText].begin() + length_);
    }
    const auto found = named_.run(tokens.size() == 1 ? one_ : several_, sizes);
    length_ += static_cast<int64_t>(tokens.size());
    return {named_.kept.at(models::kLogits), static_cast<Token>(found.at("token").at(0))};
  }

 private:
  static constexpr size_t kSettingsWords = sizeof(operators::SampleSettings) / sizeof(uint32_t);

  bool penalises_;
  models::CardDecoder card_;
  graph::Graph several_, one_;
  graph::Named named_;
  int64_t length_ = 0;
};

// The graphs give the logits of the reference, in prompts and steps.
void check_against_reference(const models::Model& model) {
  models::LlamaReference reference(model);
  Evaluated evaluated(model);
  const uint32_t vocabulary = model.decoder().vocabulary;
  Token token = 1;
  for (const size_t count : {5, 1, 1, 3, 1}) {
    std::vector<Token> tokens;
    std::vector<double> right;
    for (size_t i = 0; i < count; ++i) {
      tokens.push_back(token);
      right = reference.step(token);
      token = (token * 7 + 5) % vocabulary;
    }
    const auto [logits, likeliest] = evaluated.append(tokens);
    REQUIRE(logits.size() == right.size());
    double largest = 0;
    for (size_t i = 0; i < right.size(); ++i) largest = std::max(largest, std::abs(logits[i] - right[i]));
    CHECK(std::isfinite(logits[0]));
    CHECK(largest < 1e-5);  // sines and cosines are rounded to fp32
    CHECK(likeliest == static_cast<Token>(std::ranges::max_element(right) - right.begin()));
  }
}

// Seven layers: Gemma 3's sixth is another one. Heads are not the width by their number, and share keys.
models::Model random_model(const models::Architecture& architecture, std::mt19937_64& random) {
  models::DecoderShape shape = architecture.decoder->standard;
  shape.width = 48;
  shape.inner = 96;
  shape.layers = 7;
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_width = 32;
  shape.vocabulary = 61;
  shape.context = 64;
  shape.rope_theta = 1e6;
  shape.rotation = architecture.decoder->gguf_rotation;
  models::Model model;
  model.path = "random " + architecture.name;
  model.architecture = &architecture;
  model.shape = shape;
  std::uniform_real_distribution<float> number(-0.3F, 0.3F);
  for (const models::Expected& one : models::expected_tensors(architecture, model.shape)) {
    if (one.name == "head" || one.name == "rotary.factors") continue;
    std::vector<float> numbers(*models::values_of(one.shape));
    for (float& value : numbers) value = number(random) + (one.name.ends_with("norm") ? 1 : 0);
    const auto bytes = models::bytes_of(numbers);
    model.files.push_back(models::FileBytes::hold(one.name, {bytes.begin(), bytes.end()}));
    model.tensors.push_back({one.name, models::Element::kF32, one.shape, model.files.back()->bytes(), {}});
  }
  return model;
}

}  // namespace

TEST_CASE(
    "architectures: with random weights graphs and weights are the model, in every precision accepted") {
  std::mt19937_64 random(test_seed());
  size_t decoders = 0;
  for (const models::Architecture* const architecture : models::architectures()) {
    if (!architecture->decoder) continue;
    CAPTURE(architecture->name);
    ++decoders;
    const models::Model model = random_model(*architecture, random);
    check_against_reference(model);
    for (const auto precision : {models::Precision::kW8A8, models::Precision::kW4A8}) {
      const models::CardDecoder card = models::card_decoder(model, precision);
      for (const uint32_t rows : {1U, 8U}) models::decoder_program(card, {rows, 32});
      models::decoder_program(card, {.rows = 8, .room = 128, .penalises = true, .own_texts = true});
      std::map<std::string, size_t> wanted, packed;
      const graph::Layout layout(models::decoder_program(card, {1, 1}).pattern, graph::ValueKind::kWeight);
      for (const auto& [name, extent] : layout.extents) wanted[name] = extent.bytes;
      models::pack_decoder(model, card, [&](const std::string& name, std::span<const uint8_t> contents) {
        CHECK(packed.emplace(name, contents.size()).second);
      });
      CHECK(packed == wanted);
    }
  }
  CHECK(decoders >= 4);
}

TEST_CASE("norms of heads need heads that are not filled up") {
  std::mt19937_64 random(test_seed());
  models::Model model = random_model(models::qwen3(), random);
  std::get<models::DecoderShape>(model.shape).head_width = 24;
  CHECK_THROWS_WITH(models::card_decoder(model, models::Precision::kFp32),
                    doctest::Contains("normalises heads of 24 channels"));
}

TEST_CASE("graphs and weights are the model") {
  for (const std::string name :
       {"tiny-llama", "tiny-llama.gguf", "tiny-llama-q.gguf", "tiny-llama.bin", kStories}) {
    CAPTURE(name);
    check_against_reference(model_named(name));
  }
}

TEST_CASE("penalties for what the text has") {
  const models::Model model = model_named("tiny-llama");
  Evaluated evaluated(model, true);
  models::LlamaReference reference(model);
  std::vector<Token> text = {3, 9, 3, 20, 7};
  std::vector<double> right;
  for (const Token token : text) right = reference.step(token);
  Token chosen = evaluated.append(text).second;
  for (int i = 0; i < 8; ++i) {
    // As graph::evaluate penalises.
    std::map<Token, int> counts;
    for (const Token token : text) ++counts[token];
    for (const auto& [token, count] : counts)
      right[token] = (right[token] < 0 ? right[token] * 1.5 : right[token] / 1.5) - count * 0.25 - 0.125;
    CHECK(chosen == static_cast<Token>(std::ranges::max_element(right) - right.begin()));
    text.push_back(chosen);
    right = reference.step(chosen);
    chosen = evaluated.append({&text.back(), 1}).second;
  }
}

TEST_CASE("graphs of every precision and step are accepted, and read back as they are printed") {
  for (const std::string name : {"tiny-llama", "tiny-llama-q.gguf", kStories}) {
    for (const auto precision :
         {models::Precision::kFp32, models::Precision::kW8A8, models::Precision::kW4A8}) {
      for (const uint32_t rows : {1U, 64U}) {
        const models::CardDecoder card = models::card_decoder(model_named(name), precision);
        const graph::Graph graph = models::decoder_graph(card, {rows, 100});
        CHECK(graph.notes == std::vector<std::string>());
        graph::check_reads_back(graph);
      }
      const models::CardDecoder card = models::card_decoder(model_named(name), precision);
      for (const bool penalises : {false, true}) {
        const models::Step step = {.rows = 8, .room = 128, .penalises = penalises, .own_texts = true};
        const graph::Graph graph = models::decoder_graph(card, step);
        CHECK(graph.notes == std::vector<std::string>());
        graph::check_reads_back(graph);
      }
    }
  }
}

TEST_CASE("four bits: what the file has in four, and what takes it best") {
  using models::WeightFormat;
  const auto formats = [](const std::string& name) {
    return models::card_decoder(model_named(name), models::Precision::kW4A8).formats;
  };
  const models::WeightFormats stories = formats(kStories);
  CHECK(stories.at("attention.query") == WeightFormat::kInt4);
  CHECK(stories.at("feed_forward.down") == WeightFormat::kInt8);
  CHECK(stories.at("head") == WeightFormat::kInt8);
  bool minima = false;
  for (const auto& [kind, format] : formats("tiny-llama-q.gguf"))
    minima |= format == WeightFormat::kInt4Minima;
  CHECK(minima);
}

TEST_CASE("models of speech are refused") {
  CHECK_THROWS_WITH(
      models::card_decoder(models::load(models::sample("tiny-whisper")), models::Precision::kFp32),
      doctest::Contains("is a model of speech"));
}

// The reference is not the card, but whoever changes the loaders or the file finds out here.
TEST_CASE("stories260K tells the stories of an evaluation in single precision") {
  const nlohmann::json all = nlohmann::json::parse(std::ifstream("verif/host/models/text/stories.json"));
  const models::Model model = models::load(kStories);
  const auto tokenizer = models::make_tokenizer(model.path, model.vocabulary);
  for (const nlohmann::json& story : all["stories"]) {
    const std::string prompt = story["prompt"];
    CAPTURE(prompt);
    models::LlamaReference reference(model);
    models::StreamingDecoder decoder(*tokenizer);
    std::vector<Token> tokens = tokenizer->encode(prompt);
    tokens.insert(tokens.begin(), *model.vocabulary.begin);
    const size_t end = tokens.size() + story["tokens"].get<size_t>();
    std::string text;
    for (size_t i = 0; i < tokens.size(); ++i) {
      text += decoder.add(tokens[i]);
      if (tokens.size() == end) continue;
      const std::vector<double> logits = reference.step(tokens[i]);
      if (i + 1 == tokens.size())
        tokens.push_back(static_cast<Token>(std::ranges::max_element(logits) - logits.begin()));
    }
    CHECK(text == story["text"]);
  }
}
