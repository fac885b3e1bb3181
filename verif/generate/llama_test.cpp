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

#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/decoder/graph.hpp"
#include "host/models/decoder/weights.hpp"
#include "host/models/tokenizer.hpp"
#include "verif/graph/named.hpp"
#include "verif/graph/text.hpp"
#include "verif/models/reference.hpp"
#include "verif/models/samples.hpp"

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

}  // namespace

TEST_CASE("graphs and weights are the model") {
  for (const std::string name :
       {"tiny-llama", "tiny-llama.gguf", "tiny-llama-q.gguf", "tiny-llama.bin", kStories}) {
    CAPTURE(name);
    const models::Model model = model_named(name);
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
  const nlohmann::json all = nlohmann::json::parse(std::ifstream("verif/generate/stories.json"));
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
