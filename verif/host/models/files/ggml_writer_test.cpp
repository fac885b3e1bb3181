// SPDX-License-Identifier: Apache-2.0
// Models in whisper.cpp's format, written and read again.
#include "host/models/files/ggml_writer.hpp"

#include <doctest/doctest.h>

#include "host/models/files/make_tokenizer.hpp"
#include "verif/host/models/files/samples.hpp"

using namespace swai;
using namespace swai::models;

namespace {

const std::vector<float> kFilters(size_t{8} * 201, 0.5F);

Bytes exported(const Model& model, GgmlWeights weights) {
  return written([&](const std::string& path) { write_ggml(model, kFilters, weights, path); });
}

Model read(Bytes bytes) { return load_file(FileBytes::hold("exported", std::move(bytes)), {}, nullptr); }

// One of the folders has no tokenizer.
Model with_tokens(const std::string& name) {
  Model model = load(sample(name));
  if (model.vocabulary.pieces.empty()) model.vocabulary = load(sample("tiny-whisper.ggml")).vocabulary;
  return model;
}

void check_same(const Model& model, const Model& again) {
  CHECK(again.format == "whisper.cpp");
  const WhisperShape &is = again.whisper(), &was = model.whisper();
  CHECK(is.mels == was.mels);
  CHECK(is.width == was.width);
  CHECK(is.inner == was.inner);
  CHECK(is.audio_context == was.audio_context);
  CHECK(is.audio_layers == was.audio_layers);
  CHECK(is.audio_heads == was.audio_heads);
  CHECK(is.text_context == was.text_context);
  CHECK(is.text_layers == was.text_layers);
  CHECK(is.text_heads == was.text_heads);
  CHECK(is.vocabulary == was.vocabulary);
  for (const Tensor& one : model.tensors) {
    CAPTURE(one.name);
    const Tensor* const found = again.find(one.name);
    if (one.name.ends_with(".key.bias")) {
      CHECK(found == nullptr);
    } else {
      REQUIRE(found != nullptr);
      CHECK(found->shape == one.shape);
      CHECK(floats(*found) == floats(one));
    }
  }
}

}  // namespace

TEST_CASE("export to whisper.cpp: the same weights and tokens") {
  for (const std::string name :
       {"tiny-whisper", "tiny-whisper.ggml", "tiny-whisper-ct2", "tiny-whisper-ct2-int8"}) {
    CAPTURE(name);
    const Model model = with_tokens(name);
    const Model again = read(exported(model, GgmlWeights::kF32));
    check_same(model, again);
    const auto before = make_tokenizer(model.path, model.vocabulary);
    const auto after = make_tokenizer(again.path, again.vocabulary);
    for (Token token = 0; token < model.whisper().vocabulary; ++token)
      CHECK(after->bytes_of(token) == before->bytes_of(token));
    CHECK(after->encode("AN APPLE") == before->encode("AN APPLE"));
  }
}

TEST_CASE("export to whisper.cpp: in fp16") {
  // The numbers of this one are such that fp16 holds them.
  const Model model = with_tokens("tiny-whisper");
  const Bytes bytes = exported(model, GgmlWeights::kF16);
  const Model again = read(bytes);
  check_same(model, again);
  CHECK(again.at("decoder.embedding").element == Element::kF16);
  CHECK(again.at("encoder.conv1").element == Element::kF16);
  CHECK(again.at("encoder.positions").element == Element::kF32);
  CHECK(again.at("encoder.conv1.bias").element == Element::kF32);
  // What was written is written again, byte by byte.
  CHECK(exported(again, GgmlWeights::kF16) == bytes);
}

TEST_CASE("export to whisper.cpp: what it cannot hold") {
  CHECK_THROWS_WITH(exported(load(sample("tiny-llama")), GgmlWeights::kF16),
                    doctest::Contains("is a language model"));
  CHECK_THROWS_WITH(exported(load(sample("tiny-whisper")), GgmlWeights::kF16),
                    doctest::Contains("has no tokens"));
  Model model = with_tokens("tiny-whisper");
  std::vector<float> numbers = floats(model.at("decoder.embedding"));
  numbers[100] = 1e6F;
  for (Tensor& one : model.tensors) {
    if (one.name != "decoder.embedding") continue;
    one.element = Element::kF32;
    one.data = {reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size() * sizeof(float)};
  }
  CHECK_THROWS_WITH(exported(model, GgmlWeights::kF16), doctest::Contains("that fp16 cannot hold"));
  check_same(model, read(exported(model, GgmlWeights::kF32)));
  std::get<WhisperShape>(model.shape).inner = 64;
  CHECK_THROWS_WITH(exported(model, GgmlWeights::kF32), doctest::Contains("4 times the model's width"));
}
