// SPDX-License-Identifier: Apache-2.0
// The reference against what PyTorch computed (verif/host/models/files/make_logits.py), from files of every
// format.
#include "verif/host/models/files/reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/models/files/make_tokenizer.hpp"
#include "verif/host/models/files/samples.hpp"

using namespace swai;
using namespace swai::models;

namespace {

double largest_difference(std::span<const double> ours, const nlohmann::json& theirs) {
  REQUIRE(ours.size() == theirs.size());
  double largest = 0;
  for (size_t i = 0; i < ours.size(); ++i)
    largest = std::max(largest, std::abs(ours[i] - theirs[i].get<double>()));
  return largest;
}

// Their numbers have 13 digits, and are of the order of 1.
constexpr double kSame = 1e-10;

double llama_difference(const std::string& name) {
  const nlohmann::json facts_of = facts("logits")["llama"];
  LlamaReference reference(load(sample(name)));
  double largest = 0;
  for (size_t i = 0; i < facts_of["tokens"].size(); ++i)
    largest =
        std::max(largest, largest_difference(reference.step(facts_of["tokens"][i]), facts_of["logits"][i]));
  return largest;
}

Matrix sample_mel() {
  Matrix mel(8, 24);
  for (size_t i = 0; i < mel.values.size(); ++i) mel.values[i] = static_cast<double>(i * 37 % 101) / 50 - 1;
  return mel;
}

}  // namespace

TEST_CASE("llama: logits of twelve tokens") {
  for (const char* const name : {"tiny-llama", "tiny-llama.gguf", "tiny-llama.bin"}) {
    CAPTURE(name);
    CHECK(llama_difference(name) < kSame);
  }
  // Rounded to eight bits it is nearly the same model.
  const double rounded = llama_difference("tiny-llama-int8.bin");
  CHECK(rounded > kSame);
  CHECK(rounded < 0.2);
}

TEST_CASE("Whisper: the sound, and logits of seven tokens") {
  const nlohmann::json facts_of = facts("logits")["whisper"];
  const std::vector<uint32_t> tokens = facts_of["tokens"];
  for (const char* const name :
       {"tiny-whisper", "tiny-whisper.ggml", "tiny-whisper-ct2", "tiny-whisper-ct2-int8"}) {
    CAPTURE(name);
    const WhisperReference reference(load(sample(name)));
    const Matrix sound = reference.encode(sample_mel());
    const Matrix logits = reference.decode(sound, tokens);
    double largest = 0;
    for (size_t i = 0; i < sound.rows; ++i)
      largest = std::max(largest, largest_difference(sound.row(i), facts_of["sound"][i]));
    for (size_t i = 0; i < logits.rows; ++i)
      largest = std::max(largest, largest_difference(logits.row(i), facts_of["logits"][i]));
    if (std::string(name).ends_with("int8")) {
      CHECK(largest > kSame);
      CHECK(largest < 0.2);
    } else {
      CHECK(largest < kSame);
    }
  }
}

TEST_CASE("a full context is an error") {
  const Model llama = load(sample("tiny-llama.gguf"));
  LlamaReference reference(llama);
  for (uint32_t i = 0; i < llama.decoder().context; ++i) reference.step(1);
  CHECK_THROWS_AS(reference.step(1), std::length_error);
  const WhisperReference whisper(load(sample("tiny-whisper")));
  const std::vector<uint32_t> tokens(17, 1);
  CHECK_THROWS_AS(whisper.decode(whisper.encode(sample_mel()), tokens), std::length_error);
  CHECK_THROWS_AS(whisper.encode(Matrix(8, 23)), std::length_error);
}

TEST_CASE("stories260K tells its story") {
  const Model model = models::load("models/stories260K/stories260K.bin");
  const auto tokenizer = make_tokenizer(model.path, model.vocabulary);
  LlamaReference reference(model);
  StreamingDecoder text(*tokenizer);
  std::string story;
  uint32_t token = *model.vocabulary.begin;
  for (int i = 0; i < 48; ++i) {
    const std::vector<double> logits = reference.step(token);
    token = static_cast<uint32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    story += text.add(token);
  }
  // One tensor or rotation in the wrong place, and there are no sentences.
  CHECK(story.starts_with(
      "Once upon a time, there was a little girl named Lily. She loved to play outside in the park."));
}
