// SPDX-License-Identifier: Apache-2.0
// Graphs and weights of Whisper models: what the card is told to compute is what the model computes. In
// double precision, node by node, against a reference that knows neither graphs nor packed weights.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "bench/paper/eager_operators.hpp"
#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/files/tokenizer.hpp"
#include "host/models/graph/layout.hpp"
#include "host/models/speech/beam_chunks.hpp"
#include "host/models/speech/eager_graph.hpp"
#include "host/models/speech/whisper_graph.hpp"
#include "host/models/speech/whisper_weights.hpp"
#include "verif/host/models/files/reference.hpp"
#include "verif/host/models/files/samples.hpp"
#include "verif/host/models/graph/named.hpp"
#include "verif/host/models/graph/text.hpp"
#include "verif/host/models/speech/tiny_card.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using models::Token;

namespace {

double largest_difference(const std::vector<double>& a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    REQUIRE(std::isfinite(a[i]));
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

// Logarithms of the largest probabilities, where timestamps come first if all of them are likelier than any
// text.
std::vector<double> likeliest(std::span<const double> logits, size_t first_timestamp, size_t count) {
  const auto sum_of = [](std::span<const double> some) {
    double sum = 0;
    for (const double logit : some) sum += std::exp(logit);
    return std::log(sum);
  };
  const auto timestamps = logits.subspan(first_timestamp);
  const bool only_timestamps = sum_of(timestamps) > *std::ranges::max_element(logits.first(first_timestamp));
  const auto possible = only_timestamps ? timestamps : logits;
  std::vector<double> all;
  for (const double logit : possible) all.push_back(logit - sum_of(possible));
  std::ranges::sort(all, std::ranges::greater());
  all.resize(count);
  return all;
}

// A spectrogram, and between two rows of zeros what an encoder hears of it.
models::Matrix some_sound(const transcribe::CardWhisper& card, std::mt19937_64& random,
                          graph::Named& encoder) {
  models::Matrix mel(card.shape.mels, card.frames());
  for (double& number : mel.values) number = static_cast<double>(random() % 2001) / 1000 - 1;
  std::vector<double>& rows = encoder.kept["mel"];
  rows.resize(card.shape.mels);
  for (uint32_t frame = 0; frame < card.frames(); ++frame)
    for (uint32_t band = 0; band < card.shape.mels; ++band) rows.push_back(mel.row(band)[frame]);
  rows.resize(rows.size() + card.shape.mels);
  return mel;
}

void forbid_nothing(const transcribe::CardWhisper& card, graph::Named& decoder) {
  const size_t words = (card.shape.vocabulary + 31) / 32;
  decoder.kept["forbidden"].resize(2 * words);
  decoder.kept["ranges"].resize(2 * transcribe::kRanges);
  decoder.kept["settings"].resize(sizeof(operators::SampleSettings) / sizeof(uint32_t));
}

}  // namespace

TEST_CASE("whisper: graphs and weights are the model, files of every format") {
  std::mt19937_64 random(test_seed());
  for (const std::string name : {"tiny-whisper", "tiny-whisper.ggml", "tiny-whisper-ct2"}) {
    CAPTURE(name);
    const models::Model model = models::load(models::sample(name));
    const transcribe::CardWhisper card = transcribe::tiny_card(model);
    const models::WhisperReference reference(model);
    const auto into = [](graph::Named& named) {
      return
          [&](const std::string& weight, std::span<const uint8_t> contents) { named.put(weight, contents); };
    };
    graph::Named encoder, decoder;
    transcribe::pack_encoder(model, card, into(encoder));
    transcribe::pack_decoder(model, card, into(decoder));

    const models::Matrix mel = some_sound(card, random, encoder);
    const auto cross = encoder.run(transcribe::encoder_graph(card), {});
    for (const auto& [value, numbers] : cross) decoder.kept[value] = numbers;
    const models::Matrix sound = reference.encode(mel);

    forbid_nothing(card, decoder);
    const graph::Graph several = transcribe::decoder_graph(card, 8);
    const graph::Graph one = transcribe::decoder_graph(card, 1);
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

// Casts keep what they get in double precision.
TEST_CASE("whisper: the graphs of eager PyTorch are the model, and choose the likeliest token") {
  std::mt19937_64 random(test_seed());
  const models::Model model = models::load(models::sample("tiny-whisper"));
  transcribe::CardWhisper card = transcribe::tiny_card(model);
  card.eager_rows = 3;
  const models::WhisperReference reference(model);
  graph::Named encoder, decoder;
  const auto into = [](graph::Named& named) {
    return [&](const std::string& weight, std::span<const uint8_t> contents) {
      if (weight != "half_scale") named.put(weight, contents);
    };
  };
  transcribe::pack_encoder(model, card, into(encoder));
  transcribe::pack_decoder(model, card, into(decoder));
  const auto half_scale = [&](uint32_t heads) {
    return std::vector<double>(card.shape.width, std::pow(card.shape.width / heads, -0.25));
  };
  encoder.kept["half_scale"] = half_scale(card.shape.audio_heads);
  decoder.kept["half_scale"] = half_scale(card.shape.text_heads);
  const models::Matrix mel = some_sound(card, random, encoder);
  for (const auto& [value, numbers] : encoder.run(graph::graph_of(transcribe::eager_encoder_graph(card)), {}))
    decoder.kept[value] = numbers;
  const models::Matrix sound = reference.encode(mel);
  forbid_nothing(card, decoder);
  const std::vector<float> mask = transcribe::causal_mask(card.shape.text_heads, card.eager_rows);
  decoder.kept["causal"].assign(mask.begin(), mask.end());
  const graph::Graph first = graph::graph_of(transcribe::eager_decoder_graph(card, true));
  const graph::Graph one = graph::graph_of(transcribe::eager_decoder_graph(card, false));
  std::vector<Token> tokens;
  for (const size_t count : {3, 1, 1, 1}) {
    const auto past = static_cast<int64_t>(tokens.size());
    decoder.kept["unmasked"].resize(tokens.size() + 1);
    for (size_t i = 0; i < count; ++i) tokens.push_back(static_cast<Token>(random() % card.shape.vocabulary));
    decoder.kept["tokens"].assign(tokens.end() - static_cast<std::ptrdiff_t>(count), tokens.end());
    const auto found = decoder.run(past == 0 ? first : one, {{"past", past}, {"begun", 1}});
    const models::Matrix all = reference.decode(sound, tokens);
    const std::span<const double> right = all.row(all.rows - 1);
    const auto best = std::ranges::max_element(right);
    CHECK(found.at("token") == std::vector{static_cast<double>(best - right.begin())});
    double sum = 0;
    for (const double logit : right) sum += std::exp(logit - *best);
    CHECK(largest_difference(found.at("log_probability"), std::vector{-std::log(sum)}) < 1e-6);
    if (past != 0) CHECK(largest_difference(found.at("logits"), right) < 1e-6);
  }
}

// A map from PyTorch's names to the card's, in the order of the list.
TEST_CASE("whisper: the graphs of eager PyTorch have a node for each of its operators") {
  using operators::Operator;
  static const std::map<std::string_view, Operator> kOperators = {{"_to_copy", Operator::kCast},
                                                                  {"convolution", Operator::kLinearFp32},
                                                                  {"addmm", Operator::kLinearFp32},
                                                                  {"mm", Operator::kLinearFp32},
                                                                  {"bmm", Operator::kMatmul},
                                                                  {"gelu", Operator::kGeluErf},
                                                                  {"add", Operator::kAdd},
                                                                  {"add_", Operator::kAdd},
                                                                  {"mul", Operator::kMul},
                                                                  {"native_layer_norm", Operator::kLayerNorm},
                                                                  {"_softmax", Operator::kSoftmax},
                                                                  {"_log_softmax", Operator::kLogSoftmax},
                                                                  {"clone", Operator::kCopy},
                                                                  {"cat", Operator::kCopy},
                                                                  {"embedding", Operator::kEmbedding},
                                                                  {"argmax", Operator::kArgmax},
                                                                  {"index", Operator::kTopK},
                                                                  {"arange", Operator::kCopy},
                                                                  {"ne", Operator::kCopy},
                                                                  {"eq", Operator::kCopy},
                                                                  {"all", Operator::kCopy},
                                                                  {"index_put_", Operator::kCopy}};
  const models::Model model = models::load(models::sample("tiny-whisper"));
  transcribe::CardWhisper card = transcribe::tiny_card(model);
  card.eager_rows = 3;
  card.key_bias = false;
  const transcribe::WhisperPrograms programs = transcribe::whisper_programs(card);
  namespace eager = cli::bench::eager;
  const auto list_of = [](const auto& before, uint32_t layers, const std::vector<const char*>& layer,
                          const auto& after) {
    std::vector<Operator> all;
    const auto add = [&](const auto& names) {
      for (const std::string_view name : names) all.push_back(kOperators.at(name));
    };
    add(before);
    for (uint32_t i = 0; i < layers; ++i) add(layer);
    add(after);
    return all;
  };
  const auto nodes_of = [](const graph::Program& program) {
    std::vector<Operator> all;
    for (const node::Node& node : program.pattern.nodes) all.push_back(Operator{node.operation});
    return all;
  };
  const auto whole = [](const auto& layer) { return std::vector<const char*>(layer.begin(), layer.end()); };
  // Keys and values of the sound: the encoder's graph makes them, behind all else.
  const std::vector<const char*> cross = {"_to_copy", "mm", "_to_copy", "_to_copy", "addmm"};
  std::vector<const char*> encoder_after = whole(eager::kEncoderAfter);
  for (uint32_t i = 0; i < card.shape.text_layers; ++i)
    encoder_after.insert(encoder_after.end(), cross.begin(), cross.end());
  CHECK((nodes_of(programs.encoder) == list_of(eager::kEncoderBefore, card.shape.audio_layers,
                                               whole(eager::kEncoderLayer), encoder_after)));
  std::vector<const char*> first_layer = whole(eager::kFirstLayer);
  constexpr size_t kAsked = 29;  // operators of a layer up to the query of the sound
  const auto at = first_layer.begin() + kAsked;
  REQUIRE(std::equal(cross.begin(), cross.end(), at,
                     [](std::string_view a, std::string_view b) { return a == b; }));
  first_layer.erase(at, at + static_cast<std::ptrdiff_t>(cross.size()));
  // The first one rules tokens out: `mask`.
  const auto with_mask = [](std::vector<Operator> all, size_t after) {
    const auto first = all.end() - static_cast<std::ptrdiff_t>(after);
    *std::find(first, all.end(), Operator::kCopy) = Operator::kMask;
    return all;
  };
  CHECK((nodes_of(programs.several) ==
         with_mask(list_of(eager::kFirstBefore, card.shape.text_layers, first_layer, eager::kFirstAfter),
                   eager::kFirstAfter.size())));
  CHECK((nodes_of(programs.one) == with_mask(list_of(eager::kStepBefore, card.shape.text_layers,
                                                     whole(eager::kStepLayer), eager::kStepAfter),
                                             eager::kStepAfter.size())));
}

TEST_CASE("whisper: texts that go on in several ways are each what the model makes of it") {
  std::mt19937_64 random(test_seed());
  const models::Model model = models::load(models::sample("tiny-whisper"));
  const transcribe::CardWhisper card = transcribe::tiny_card(model);
  const models::WhisperReference reference(model);
  const models::ReferenceWeights weights(model);
  constexpr uint32_t kBeams = 3, kSteps = 6;
  graph::Named decoder;
  transcribe::pack_decoder(model, card, [&](const std::string& weight, std::span<const uint8_t> contents) {
    decoder.put(weight, contents);
  });
  models::Matrix sound(card.moments, card.shape.width);
  for (double& number : sound.values) number = static_cast<double>(random() % 2001) / 1000 - 1;
  for (uint32_t layer = 0; layer < card.shape.text_layers; ++layer)
    for (const char* const what : {"key", "value"})
      decoder.kept[fmt::format("layer[{}].cross.{}s", layer, what)] =
          weights.linear(sound, fmt::format("decoder.layer.{}.cross.{}", layer, what)).values;
  decoder.kept["forbidden"].resize(2 * size_t{(card.shape.vocabulary + 31) / 32});
  decoder.kept["ranges"].resize(size_t{kBeams} * 2 * transcribe::kRanges);
  const graph::Graph graph = transcribe::beams_graph(card, kBeams);

  transcribe::BeamChunks chunks(kBeams, card.shape.text_context);
  chunks.begin(0);
  std::vector<std::vector<Token>> texts(1);
  for (uint32_t step = 0; step < kSteps; ++step) {
    std::vector<size_t> parents(kBeams);
    std::vector<std::vector<Token>> next;
    for (size_t& parent : parents) {
      next.push_back(texts[parent = random() % texts.size()]);
      next.back().push_back(static_cast<Token>(random() % card.shape.vocabulary));
    }
    texts = std::move(next);
    for (const transcribe::BeamChunks::Copy& copy : chunks.grow(parents)) {
      for (auto& [name, rows] : decoder.kept) {
        if (!name.ends_with("].keys") && !name.ends_with("].values")) continue;
        const size_t chunk = size_t{operators::kChunkRows} * card.shape.width;
        std::copy_n(&rows.at(copy.from * chunk), copy.rows * card.shape.width, &rows.at(copy.to * chunk));
      }
    }
    decoder.kept["places"].assign(kBeams, step);
    decoder.kept["tokens"].clear();
    decoder.kept["chunks"].clear();
    for (size_t i = 0; i < kBeams; ++i) {
      decoder.kept["tokens"].push_back(texts[i].back());
      decoder.kept["chunks"].insert(decoder.kept["chunks"].end(), chunks.of(i).begin(), chunks.of(i).end());
      decoder.kept["chunks"].resize((i + 1) * chunks.of_each());
    }
    const auto found = decoder.run(graph, {{"past", step}, {"begun", 1}});
    for (size_t i = 0; i < kBeams; ++i) {
      const models::Matrix all = reference.decode(sound, texts[i]);
      const std::vector<double> right = likeliest(all.row(all.rows - 1), card.first_timestamp, kBeams + 1);
      const std::span likely = std::span(found.at("likeliest")).subspan(i * right.size(), right.size());
      CHECK(largest_difference(right, likely) < 1e-6);
    }
  }
}

TEST_CASE("whisper: graphs of all precisions are accepted, and take the weights that are packed") {
  const models::Model model = models::load(models::sample("tiny-whisper"));
  const auto check = [&](const transcribe::CardWhisper& card) {
    const transcribe::WhisperPrograms programs = transcribe::whisper_programs(card);
    for (const graph::Graph& graph : {transcribe::encoder_graph(card), transcribe::decoder_graph(card, 1),
                                      transcribe::decoder_graph(card, 8), transcribe::beams_graph(card, 5)}) {
      CHECK(graph.notes == std::vector<std::string>());
      graph::check_reads_back(graph);
    }
    for (const bool encoder : {true, false}) {
      const graph::Layout layout((encoder ? programs.encoder : programs.one).pattern,
                                 graph::ValueKind::kWeight);
      std::map<std::string, size_t> wanted, packed;
      for (const auto& [name, extent] : layout.extents) wanted[name] = extent.bytes;
      (encoder ? transcribe::pack_encoder : transcribe::pack_decoder)(
          model, card, [&](const std::string& name, std::span<const uint8_t> contents) {
            CHECK(packed.emplace(name, contents.size()).second);
          });
      CHECK(packed == wanted);
    }
  };
  for (const auto precision : {models::Precision::kFp32, models::Precision::kW8A8, models::Precision::kW4A8})
    check(transcribe::tiny_card(model, precision));
  // Any kind may have four bits.
  const transcribe::CardWhisper all = transcribe::tiny_card(
      model, models::Precision::kW4A8, std::vector<std::string>{"encoder", "decoder", "head"});
  CHECK(std::ranges::all_of(all.formats,
                            [](const auto& one) { return one.second == models::WeightFormat::kInt4; }));
  check(all);
}

TEST_CASE("whisper: which matrices have four bits") {
  using models::WeightFormat;
  const auto with_four = [](std::vector<std::string> names) {
    std::vector<std::string> found;
    for (const auto& [kind, store] : transcribe::whisper_formats(models::Precision::kW4A8, names)) {
      if (store == WeightFormat::kInt4) found.push_back(kind);
    }
    return found;
  };
  CHECK(with_four({"head"}) == std::vector<std::string>{"head"});
  CHECK(
      with_four({"decoder.cross.key", "encoder.feed_forward"}) ==
      std::vector<std::string>{"decoder.cross.key", "encoder.feed_forward.down", "encoder.feed_forward.up"});
  CHECK(with_four({"decoder"}).size() == 10);
  // What is sensitive keeps eight bits, unless it is named.
  const auto some = with_four({});
  CHECK(some.size() > 3);
  for (const std::string kind : {"head", "encoder.attention.key", "decoder.cross.value"})
    CHECK(std::ranges::find(some, kind) == some.end());
  CHECK(transcribe::kind_of("decoder.layer.11.cross.key") == "decoder.cross.key");
  CHECK_THROWS_WITH(with_four({"decod"}),
                    doctest::Contains("there is no such matrix; there are encoder.att"));
  CHECK_THROWS_WITH(transcribe::whisper_formats(models::Precision::kW8A8, std::vector<std::string>{"head"}),
                    doctest::Contains("only the precision w4a8"));
}

TEST_CASE("whisper: weights that are no numbers are refused") {
  models::Model model = models::load(models::sample("tiny-whisper"));
  std::vector<float> numbers = models::floats(model.at("decoder.layer.1.cross.query"));
  numbers.back() = std::numeric_limits<float>::quiet_NaN();
  for (models::Tensor& one : model.tensors) {
    if (one.name != "decoder.layer.1.cross.query") continue;
    one.element = models::Element::kF32;
    one.data = {reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size() * sizeof(float)};
  }
  CHECK_THROWS_WITH(transcribe::pack_decoder(model, transcribe::tiny_card(model, models::Precision::kW4A8),
                                             [](auto&&...) {}),
                    doctest::Contains("in decoder.layer.1.cross.query that are no numbers"));
}

TEST_CASE("whisper: what is none is refused") {
  CHECK_THROWS_WITH(
      transcribe::card_whisper(models::load(models::sample("tiny-llama")), models::Precision::kFp32),
      doctest::Contains("is a language model"));
  CHECK_THROWS_WITH(
      transcribe::card_whisper(models::load(models::sample("tiny-whisper")), models::Precision::kFp32),
      doctest::Contains("Whisper's vocabularies have"));
}
