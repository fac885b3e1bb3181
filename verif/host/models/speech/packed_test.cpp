// SPDX-License-Identifier: Apache-2.0
// Whisper models in packed files: whole they are what was packed, damaged they are refused, or harmless.
#include "verif/host/models/files/packed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/speech/whisper_graph.hpp"
#include "host/models/speech/whisper_model.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using models::Bytes, models::Precision;

namespace {

// Of OpenAI's vocabulary, and as small as can be.
models::Model random_model(std::mt19937_64& random) {
  models::WhisperShape shape;
  shape.mels = 8;
  shape.width = 8;
  shape.inner = 32;
  shape.audio_context = 12;
  shape.audio_layers = shape.text_layers = 2;
  shape.audio_heads = shape.text_heads = 1;
  shape.text_context = 16;
  shape.vocabulary = 51'864;
  models::Model model;
  model.path = "random";
  model.architecture = &models::whisper();
  model.shape = shape;
  for (const models::Expected& one : models::expected_tensors(models::whisper(), shape)) {
    if (one.optional) continue;
    Bytes bytes(*models::bytes_of(models::Element::kF32, one.shape));
    for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      const float number = static_cast<float>(random() % 2001) / 1000 - 1;
      std::memcpy(&bytes[at], &number, sizeof number);
    }
    model.files.push_back(models::FileBytes::hold(one.name, std::move(bytes)));
    model.tensors.push_back({one.name, models::Element::kF32, one.shape, model.files.back()->bytes(), {}});
  }
  model.training = {"nothing", true};
  model.vocabulary.how = models::Pieces::kByteLevel;
  for (uint32_t i = 0; i < shape.vocabulary; ++i) {
    model.vocabulary.pieces.emplace_back(1, static_cast<char>(i));
    model.vocabulary.kinds.push_back(i < 256 ? models::PieceKind::kNormal : models::PieceKind::kControl);
  }
  return model;
}

transcribe::WhisperModel sample_model(Precision precision) {
  std::mt19937_64 random(test_seed());
  return transcribe::whisper_model(random_model(random), precision);
}

Bytes packed(const transcribe::WhisperModel& model) {
  return models::written([&](const std::string& path) { transcribe::write_packed(model, path); });
}

// As swai transcribe does, up to where a card is needed.
void open(const models::PackedFile& packed) {
  const transcribe::WhisperModel model = transcribe::open_packed(packed);
  models::weights_of(model.encoder);
  models::weights_of(model.decoder);
}

// Of the first `what` in the file.
Bytes changed(Bytes bytes, const std::string& what, const std::string& by) {
  REQUIRE(what.size() == by.size());
  const auto found = std::search(bytes.begin(), bytes.end(), what.begin(), what.end());
  REQUIRE(found != bytes.end());
  std::copy(by.begin(), by.end(), found);
  return bytes;
}

}  // namespace

TEST_CASE("packed whisper: what was packed comes back, in every precision") {
  for (const auto precision : {Precision::kFp32, Precision::kW8A8, Precision::kW4A8}) {
    const transcribe::WhisperModel model = sample_model(precision);
    const models::PackedFile file = models::opened(packed(model));
    CHECK(file.architecture() == "whisper");
    CHECK(transcribe::damaged_tensor(file) == std::nullopt);
    const transcribe::WhisperModel again = transcribe::open_packed(file);
    CHECK(models::weights_of(again.encoder) == models::weights_of(model.encoder));
    CHECK(models::weights_of(again.decoder) == models::weights_of(model.decoder));
    CHECK(again.card.precision == precision);
    CHECK(again.training.only == "nothing");
    CHECK(again.training.short_windows);
    CHECK(again.card.formats == model.card.formats);
    CHECK(again.card.first_timestamp == model.card.first_timestamp);
    CHECK(again.card.key_bias == model.card.key_bias);
    CHECK(again.vocabulary.pieces == model.vocabulary.pieces);
  }
}

TEST_CASE("packed whisper: cut off anywhere it is refused") {
  std::mt19937_64 random(test_seed());
  models::check_cut(packed(sample_model(Precision::kW4A8)), 30, random, open);
}

TEST_CASE("packed whisper: damaged it is refused, or harmless") {
  std::mt19937_64 random(test_seed());
  models::check_damaged(packed(sample_model(Precision::kW4A8)), 60, random, open);
}

TEST_CASE("packed whisper: what is wrong is said") {
  const Bytes whole = packed(sample_model(Precision::kW4A8));
  const auto complaint = [&](const std::string& what, const std::string& by) -> std::string {
    try {
      transcribe::open_packed(models::opened(changed(whole, what, by)));
      return "";
    } catch (const common::InputError& error) {
      return error.what();
    }
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(complaint("whisper", "whisper").empty());
  CHECK(has(complaint("whisper", "whimper"), "packed for the architecture 'whimper'"));
  CHECK(has(complaint("\"swai\":\"4\"", "\"swai\":\"5\""), "another version"));
  CHECK(has(complaint("w4a8", "w5a8"), "is packed as 'w5a8', which this swai does not know"));
  CHECK(has(complaint("w4a8", "w8a8"), "does not say how each kind of matrix is stored"));
  CHECK(has(complaint("encoder.attention.key", "encoder.attention.kex"), "does not say how each kind"));
  CHECK(has(complaint("text_layers\\\":2", "text_layers\\\":3"), "does not have encoder.cross[2]"));
  CHECK(has(complaint("51864", "51700"), "Whisper's vocabularies have"));
  CHECK(has(complaint("\"tokens\"", "\"tokems\""), "has no tokens"));
}

TEST_CASE("packed whisper: verified") {
  const transcribe::WhisperModel model = sample_model(Precision::kW8A8);
  Bytes whole = packed(model);
  const Bytes embedding = models::weights_of(model.decoder).at("embedding");
  const auto place = std::search(whole.begin(), whole.end(), embedding.begin(), embedding.end());
  REQUIRE(place != whole.end());
  place[static_cast<ptrdiff_t>(embedding.size() / 2)] ^= 1;
  CHECK(transcribe::damaged_tensor(models::opened(whole)) == "decoder.embedding");
}
