// Graphs and weights of Whisper models: what the card is told to compute is what the model computes. In
// double precision, node by node, against a reference that knows neither graphs nor packed weights.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/tokenizer.hpp"
#include "host/transcribe/whisper_graph.hpp"
#include "host/transcribe/whisper_weights.hpp"
#include "verif/common/doctest_main.hpp"
#include "verif/graph/named.hpp"
#include "verif/graph/text.hpp"
#include "verif/models/reference.hpp"
#include "verif/models/samples.hpp"

using namespace swai;
using models::Token;

namespace {

// Its vocabulary is none of OpenAI's: the last tokens are said to be timestamps.
transcribe::CardWhisper card_of(const models::Model& model) {
  transcribe::CardWhisper card;
  card.path = model.path;
  card.shape = model.whisper();
  card.moments = card.shape.audio_context;
  card.first_timestamp = card.shape.vocabulary - 6;
  card.key_bias = model.find("encoder.layer.0.attention.key.bias") != nullptr;
  return card;
}

double largest_difference(const std::vector<double>& a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    REQUIRE(std::isfinite(a[i]));
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE("whisper: graphs and weights are the model, files of every format") {
  std::mt19937_64 random(test_seed());
  for (const std::string name : {"tiny-whisper", "tiny-whisper.ggml", "tiny-whisper-ct2"}) {
    CAPTURE(name);
    const models::Model model = models::load(models::sample(name));
    const transcribe::CardWhisper card = card_of(model);
    const models::WhisperReference reference(model);
    const auto into = [](graph::Named& named) {
      return
          [&](const std::string& weight, std::span<const uint8_t> contents) { named.put(weight, contents); };
    };
    graph::Named encoder, decoder;
    transcribe::pack_encoder(model, card, into(encoder));
    transcribe::pack_decoder(model, card, into(decoder));

    models::Matrix mel(card.shape.mels, card.frames());
    for (double& number : mel.values) number = static_cast<double>(random() % 2001) / 1000 - 1;
    std::vector<double>& rows = encoder.kept["mel"];
    rows.resize(card.shape.mels);
    for (uint32_t frame = 0; frame < card.frames(); ++frame)
      for (uint32_t band = 0; band < card.shape.mels; ++band) rows.push_back(mel.row(band)[frame]);
    rows.resize(rows.size() + card.shape.mels);
    const auto cross = encoder.run(graph::graph_of(transcribe::encoder_graph(card)), {});
    for (const auto& [value, numbers] : cross) decoder.kept[value] = numbers;
    const models::Matrix sound = reference.encode(mel);

    const size_t words = (card.shape.vocabulary + 31) / 32;
    decoder.kept["forbidden"].resize(2 * words);
    decoder.kept["ranges"].resize(2 * transcribe::kRanges);
    decoder.kept["settings"].resize(sizeof(operators::SampleSettings) / sizeof(uint32_t));
    const graph::Graph several = graph::graph_of(transcribe::decoder_graph(card, 8));
    const graph::Graph one = graph::graph_of(transcribe::decoder_graph(card, 1));
    std::vector<Token> tokens;
    for (const size_t count : {3, 1, 2, 1}) {
      std::map<std::string, int64_t> sizes = {{"past", static_cast<int64_t>(tokens.size())}, {"begun", 1}};
      if (count > 1) sizes["rows"] = static_cast<int64_t>(count);
      for (size_t i = 0; i < count; ++i)
        tokens.push_back(static_cast<Token>(random() % card.shape.vocabulary));
      decoder.kept["tokens"].assign(tokens.end() - static_cast<std::ptrdiff_t>(count), tokens.end());
      const auto found = decoder.run(count == 1 ? one : several, sizes);
      const models::Matrix right = reference.decode(sound, tokens);
      CHECK(largest_difference(found.at("logits"), right.row(right.rows - 1)) < 1e-6);
    }
  }
}

TEST_CASE("whisper: graphs of both precisions are accepted") {
  const models::Model model = models::load(models::sample("tiny-whisper"));
  for (const auto precision : {transcribe::Precision::kFp32, transcribe::Precision::kW8A8}) {
    transcribe::CardWhisper card = card_of(model);
    card.precision = precision;
    CHECK_NOTHROW(transcribe::whisper_programs(card));
    for (const std::string& text : {transcribe::encoder_graph(card), transcribe::decoder_graph(card, 1)}) {
      CAPTURE(text);
      CHECK(graph::graph_of(text).notes.empty());
    }
  }
}

TEST_CASE("whisper: what is none is refused") {
  CHECK_THROWS_WITH(
      transcribe::card_whisper(models::load(models::sample("tiny-llama")), transcribe::Precision::kFp32),
      doctest::Contains("is a language model"));
  CHECK_THROWS_WITH(
      transcribe::card_whisper(models::load(models::sample("tiny-whisper")), transcribe::Precision::kFp32),
      doctest::Contains("Whisper's vocabularies have"));
}
