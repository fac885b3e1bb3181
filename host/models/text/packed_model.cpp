// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/packed_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/decoder/graph.hpp"

namespace swai::generate {
namespace {

using models::CardDecoder, models::JsonFile, models::PackedFile;
using nlohmann::json;

constexpr const char* kFrequencies = "frequencies";
constexpr const char* kLocalFrequencies = "local_frequencies";

// Weights do not depend on how long texts may be.
models::PackedLayout layout_of(const CardDecoder& card) {
  models::PackedLayout layout;
  layout.add(models::decoder_program(card, {1, 1}).pattern);
  return layout;
}

json numbers_of(const CardDecoder& card) {
  const models::DecoderShape& is = card.shape;
  return {{"precision", to_text(card.precision)},
          {models::kWeightFormats, models::json_of(card.formats)},
          {"width", is.width},
          {"inner", is.inner},
          {"layers", is.layers},
          {"heads", is.heads},
          {"kv_heads", is.kv_heads},
          {"head_width", is.head_width},
          {"vocabulary", is.vocabulary},
          {"context", is.context},
          {"epsilon", is.epsilon},
          {"global_every", is.global_every},
          {"tied", card.tied},
          {"biased", card.biased},
          {kFrequencies, card.frequencies},
          {kLocalFrequencies, card.local_frequencies}};
}

std::vector<double> frequencies_of(const JsonFile& numbers, const char* key, size_t count) {
  std::vector<double> all;
  const auto found = numbers.root().find(key);
  if (found != numbers.root().end() && found->is_array()) {
    for (const json& one : *found)
      if (one.is_number() && std::abs(one.get<double>()) <= 1e6) all.push_back(one.get<double>());
  }
  if (all.size() != count)
    models::refuse(numbers.path(),
                   fmt::format("does not have {} rotary frequencies; the file is damaged", count));
  return all;
}

// Those of the architecture's matrices that the file names.
std::set<std::string, std::less<>> biased_of(const JsonFile& numbers,
                                             std::span<const models::MatrixKind> kinds) {
  std::set<std::string, std::less<>> biased;
  const auto found = numbers.root().find("biased");
  if (found == numbers.root().end() || !found->is_array()) return biased;
  for (const models::MatrixKind& kind : kinds)
    if (std::ranges::find(*found, json(kind.name)) != found->end()) biased.insert(kind.name);
  return biased;
}

CardDecoder card_of(const PackedFile& file, const models::Architecture& architecture) {
  const JsonFile& numbers = file.numbers();
  models::DecoderFacts facts = {.architecture = &architecture, .shape = architecture.decoder->standard};
  models::DecoderShape& shape = facts.shape;
  shape.width = numbers.count("width", 1, models::kMostWidth);
  shape.inner = numbers.count("inner", 1, models::kMostInner);
  shape.layers = numbers.count("layers", 1, models::kMostLayers);
  shape.heads = numbers.count("heads", 1, models::kMostHeads);
  shape.kv_heads = numbers.count("kv_heads", 1, models::kMostHeads);
  shape.head_width = numbers.count("head_width", 1, models::kMostWidth);
  shape.vocabulary = numbers.count("vocabulary", 1, models::kMostVocabulary);
  shape.context = numbers.count("context", 1, models::kMostContext);
  shape.epsilon = numbers.number_or("epsilon", 0, 1, 1e-5);
  shape.global_every = numbers.count_or("global_every", 0, models::kMostLayers, 0);
  models::check_shape(numbers.path(), shape);
  const std::vector<models::MatrixKind> kinds = matrix_kinds(architecture);
  facts.precision = file.precision();
  facts.formats = models::weight_formats_in(numbers, kinds, facts.precision);
  facts.tied = numbers.flag_or("tied", false);
  facts.biased = biased_of(numbers, kinds);
  const size_t pairs = shape.head_width / 2;
  facts.frequencies = frequencies_of(numbers, kFrequencies, pairs);
  facts.local_frequencies = frequencies_of(numbers, kLocalFrequencies, shape.global_every == 0 ? 0 : pairs);
  return models::card_decoder(numbers.path(), std::move(facts));
}

}  // namespace

CardModel open_packed(const PackedFile& file, std::optional<Precision> wanted) {
  const models::Architecture* const architecture = models::architecture_named(file.architecture());
  if (architecture == nullptr || !architecture->decoder) {
    models::refuse(file.path(), fmt::format("is packed for the architecture '{}', which writes no text",
                                            file.architecture()));
  }
  const CardDecoder card = card_of(file, *architecture);
  models::require_precision(file.path(), card.precision, wanted);
  const models::PackedLayout layout = layout_of(card);
  return {card, file.identity(layout), file.vocabulary(card.shape.vocabulary), file.weights(layout)};
}

std::optional<std::string> damaged_tensor(const PackedFile& file) {
  return file.damaged(layout_of(open_packed(file).card));
}

void write_packed(const CardModel& model, const std::string& path) {
  models::write_packed({model.card.architecture->name, numbers_of(model.card), model.vocabulary,
                        layout_of(model.card), model.weights},
                       path);
}

}  // namespace swai::generate
