// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/random_speech.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/tensor.hpp"

namespace swai::cli::bench {
namespace {

using models::WhisperShape;

constexpr uint32_t kHeadWidth = 64;
constexpr uint32_t kVocabulary = 51'865;
constexpr uint32_t kTexts = 50'257;  // the first tokens

struct Named {
  const char* name;
  uint32_t width;
  uint32_t layers;  // of the encoder, and of the decoder
};
constexpr std::array<Named, 5> kShapes = {
    {{"tiny", 384, 4}, {"base", 512, 6}, {"small", 768, 12}, {"medium", 1024, 24}, {"large", 1280, 32}}};

// All bytes, and words.
models::Vocabulary vocabulary() {
  models::Vocabulary vocabulary;
  vocabulary.how = models::Pieces::kByteLevel;
  for (unsigned byte = 0; byte < 256; ++byte) vocabulary.pieces.emplace_back(1, static_cast<char>(byte));
  while (vocabulary.pieces.size() < kTexts)
    vocabulary.pieces.push_back(fmt::format(" w{}", vocabulary.pieces.size()));
  vocabulary.kinds.assign(kTexts, models::PieceKind::kNormal);
  return vocabulary;
}

models::SharedBytes numbers(const std::string& name, uint64_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> draw(0, 0.05F);
  std::vector<float> values(count);
  for (float& value : values) value = draw(random);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(values.data());
  return models::FileBytes::hold(name, {bytes, bytes + count * sizeof(float)});
}

}  // namespace

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const Named& one : kShapes) names.emplace_back(one.name);
  return names;
}

WhisperShape shape_named(const std::string& name) {
  const auto found = std::ranges::find(kShapes, name, &Named::name);
  if (found == kShapes.end()) throw std::invalid_argument("no such shape");
  return {.mels = 80,
          .width = found->width,
          .inner = 4 * found->width,
          .audio_context = 1500,
          .audio_layers = found->layers,
          .audio_heads = found->width / kHeadWidth,
          .text_context = 448,
          .text_layers = found->layers,
          .text_heads = found->width / kHeadWidth,
          .vocabulary = kVocabulary};
}

WhisperShape narrowed(WhisperShape shape, uint32_t width) {
  shape.width = width;
  shape.inner = 4 * width;
  shape.audio_heads = shape.text_heads = width / kHeadWidth;
  return shape;
}

models::Model random_speech(const std::string& name, const WhisperShape& shape) {
  models::Model model;
  model.path = name;
  model.format = "random";
  model.architecture = &models::whisper();
  model.shape = shape;
  model.vocabulary = vocabulary();
  uint64_t most = 0;
  const std::vector<models::Expected> expected = models::expected_tensors(models::whisper(), shape);
  for (const models::Expected& one : expected) most = std::max(most, *models::values_of(one.shape));
  // All look at the same numbers, from the first on: so gigabytes of weights need not be drawn.
  model.files = {numbers(name, most)};
  for (const models::Expected& one : expected) {
    if (one.optional) continue;
    const uint64_t bytes = *models::values_of(one.shape) * sizeof(float);
    model.tensors.push_back(
        {one.name, models::Element::kF32, one.shape, model.files.front()->bytes().first(bytes), {}});
  }
  return model;
}

}  // namespace swai::cli::bench
