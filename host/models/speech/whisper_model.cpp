// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/whisper_model.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "host/models/files/load.hpp"
#include "host/models/speech/special_tokens.hpp"
#include "host/models/speech/whisper_graph.hpp"
#include "host/models/speech/whisper_weights.hpp"

namespace swai::transcribe {
namespace {

using models::JsonFile, models::PackedFile;

// Both graphs have weights of the same names.
constexpr const char* kEncoder = "encoder.";
constexpr const char* kDecoder = "decoder.";

models::PackedLayout layout_of(const WhisperPrograms& programs) {
  models::PackedLayout layout;
  layout.add(programs.encoder.pattern, kEncoder);
  layout.add(programs.one.pattern, kDecoder);
  return layout;
}

nlohmann::json numbers_of(const WhisperModel& model) {
  const CardWhisper& card = model.card;
  const models::WhisperShape& is = card.shape;
  return {{"precision", to_text(card.precision)},
          {models::kWeightFormats, models::json_of(card.formats)},
          {"mels", is.mels},
          {"width", is.width},
          {"inner", is.inner},
          {"audio_context", is.audio_context},
          {"audio_layers", is.audio_layers},
          {"audio_heads", is.audio_heads},
          {"text_context", is.text_context},
          {"text_layers", is.text_layers},
          {"text_heads", is.text_heads},
          {"vocabulary", is.vocabulary},
          {"key_bias", card.key_bias},
          {"trained_for", model.training.only},
          {"short_windows", model.training.short_windows}};
}

models::Training training_in(const JsonFile& numbers) {
  return {numbers.text_or("trained_for", ""), numbers.flag_or("short_windows", false)};
}

CardWhisper card_of(const PackedFile& file) {
  const JsonFile& numbers = file.numbers();
  const Precision precision = file.precision();
  models::WhisperShape shape;
  shape.mels = numbers.count("mels", 1, models::kMostMels);
  shape.width = numbers.count("width", 1, models::kMostWidth);
  shape.inner = numbers.count("inner", 1, models::kMostInner);
  shape.audio_context = numbers.count("audio_context", 1, models::kMostContext);
  shape.audio_layers = numbers.count("audio_layers", 1, models::kMostLayers);
  shape.audio_heads = numbers.count("audio_heads", 1, models::kMostHeads);
  shape.text_context = numbers.count("text_context", 1, models::kMostContext);
  shape.text_layers = numbers.count("text_layers", 1, models::kMostLayers);
  shape.text_heads = numbers.count("text_heads", 1, models::kMostHeads);
  shape.vocabulary = numbers.count("vocabulary", 1, models::kMostVocabulary);
  models::check_shape(numbers.path(), shape);
  return make_card_whisper(numbers.path(), shape, precision,
                           models::weight_formats_in(numbers, whisper_matrices(), precision),
                           numbers.flag_or("key_bias", false));
}

WhisperModel whisper_model_of(models::Model model, const CardWhisper& card) {
  const auto shared = std::make_shared<const models::Model>(std::move(model));
  return {card,
          whisper_programs(card),
          shared->vocabulary,
          shared->training,
          [shared, card](const models::Put& put) { pack_encoder(*shared, card, put); },
          [shared, card](const models::Put& put) { pack_decoder(*shared, card, put); }};
}

}  // namespace

WhisperModel whisper_model(models::Model model, Precision precision, std::span<const std::string> four_bits) {
  const CardWhisper card = card_whisper(model, precision, four_bits);
  return whisper_model_of(std::move(model), card);
}

WhisperModel open_eager_whisper(const std::string& path) {
  if (PackedFile::open(path))
    models::refuse(path, "is packed; eager PyTorch's operators take the model itself");
  models::Model model = models::load(path);
  CardWhisper card = card_whisper(model, Precision::kFp32);
  // Start, and no timestamps; language and task between them.
  card.eager_rows = special_tokens(path, card.shape.vocabulary).multilingual ? 4 : 2;
  return whisper_model_of(std::move(model), card);
}

WhisperModel open_packed(const PackedFile& file, std::optional<Precision> wanted,
                         std::span<const std::string> four_bits) {
  if (file.architecture() != kArchitecture) {
    models::refuse(file.path(), fmt::format("is packed for the architecture '{}', which hears nothing",
                                            file.architecture()));
  }
  if (!four_bits.empty())
    models::refuse(file.path(), "is packed, and says itself what has four bits; pack the model again");
  const CardWhisper card = card_of(file);
  models::require_precision(file.path(), card.precision, wanted);
  WhisperPrograms programs = whisper_programs(card);
  const models::PackedLayout layout = layout_of(programs);
  return {card,
          std::move(programs),
          file.vocabulary(card.shape.vocabulary),
          training_in(file.numbers()),
          file.weights(layout, kEncoder),
          file.weights(layout, kDecoder)};
}

WhisperModel open_whisper(const std::string& path, std::optional<Precision> precision,
                          std::span<const std::string> four_bits) {
  if (const auto packed = PackedFile::open(path)) return open_packed(*packed, precision, four_bits);
  return whisper_model(models::load(path), precision.value_or(Precision::kW8A8), four_bits);
}

std::optional<std::string> damaged_tensor(const PackedFile& file) {
  return file.damaged(layout_of(open_packed(file).programs));
}

void write_packed(const WhisperModel& model, const std::string& path) {
  const auto weights = [&](const models::Put& put) {
    const auto under = [&](const char* prefix) {
      return [&put, prefix](const std::string& name, std::span<const uint8_t> contents) {
        put(prefix + name, contents);
      };
    };
    model.encoder(under(kEncoder));
    model.decoder(under(kDecoder));
  };
  models::write_packed(
      {kArchitecture, numbers_of(model), model.vocabulary, layout_of(model.programs), weights}, path);
}

}  // namespace swai::transcribe
