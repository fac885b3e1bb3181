// SPDX-License-Identifier: Apache-2.0
#include "host/generate/packed_llama.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/generate/llama_graph.hpp"

namespace swai::generate {
namespace {

using models::JsonFile, models::PackedFile;
using nlohmann::json;

constexpr const char* kArchitecture = "llama";

// Weights do not depend on how long texts may be.
models::PackedLayout layout_of(const CardLlama& card) {
  models::PackedLayout layout;
  layout.add(llama_program(card, {1, 1}).pattern);
  return layout;
}

json numbers_of(const CardLlama& card) {
  const models::LlamaShape& is = card.shape;
  json stores;
  for (const auto& [name, store] : card.stores) stores[name] = to_text(store);
  return {{"precision", to_text(card.precision)},
          {"stores", stores},
          {"width", is.width},
          {"inner", is.inner},
          {"layers", is.layers},
          {"heads", is.heads},
          {"kv_heads", is.kv_heads},
          {"head_width", is.head_width},
          {"vocabulary", is.vocabulary},
          {"context", is.context},
          {"epsilon", is.epsilon},
          {"tied", card.tied},
          {"query_bias", card.biases.query},
          {"key_bias", card.biases.key},
          {"value_bias", card.biases.value},
          {"output_bias", card.biases.output},
          {"frequencies", card.frequencies}};
}

std::vector<double> frequencies_of(const JsonFile& numbers, size_t count) {
  std::vector<double> all;
  const auto found = numbers.root().find("frequencies");
  if (found != numbers.root().end() && found->is_array()) {
    for (const json& one : *found)
      if (one.is_number() && std::abs(one.get<double>()) <= 1e6) all.push_back(one.get<double>());
  }
  if (all.size() != count)
    models::refuse(numbers.path(),
                   fmt::format("does not have {} rotary frequencies; the file is damaged", count));
  return all;
}

CardLlama card_of(const PackedFile& file) {
  const JsonFile& numbers = file.numbers();
  const Precision precision = file.precision();
  models::LlamaShape shape;
  shape.width = numbers.count("width", 1, models::kMostWidth);
  shape.inner = numbers.count("inner", 1, models::kMostInner);
  shape.layers = numbers.count("layers", 1, models::kMostLayers);
  shape.heads = numbers.count("heads", 1, models::kMostHeads);
  shape.kv_heads = numbers.count("kv_heads", 1, models::kMostHeads);
  shape.head_width = numbers.count("head_width", 1, models::kMostWidth);
  shape.vocabulary = numbers.count("vocabulary", 1, models::kMostVocabulary);
  shape.context = numbers.count("context", 1, models::kMostContext);
  shape.epsilon = numbers.number_or("epsilon", 0, 1, 1e-5);
  models::check_shape(numbers.path(), shape);
  const Biases biases = {numbers.flag_or("query_bias", false), numbers.flag_or("key_bias", false),
                         numbers.flag_or("value_bias", false), numbers.flag_or("output_bias", false)};
  const Stores stores = models::stores_in<Store>(
      numbers, "stores", store_named, [&](const Stores& all) { return are_stores(all, precision); });
  return make_card_llama(numbers.path(), shape, precision, stores, numbers.flag_or("tied", false), biases,
                         frequencies_of(numbers, shape.head_width / 2));
}

}  // namespace

CardModel open_packed(const PackedFile& file, std::optional<Precision> wanted) {
  if (file.architecture() != kArchitecture) {
    models::refuse(file.path(), fmt::format("is packed for the architecture '{}', which writes no text",
                                            file.architecture()));
  }
  const CardLlama card = card_of(file);
  models::require_precision(file.path(), card.precision, wanted);
  const models::PackedLayout layout = layout_of(card);
  return {card, file.identity(layout), file.vocabulary(card.shape.vocabulary), file.weights(layout)};
}

std::optional<std::string> damaged_tensor(const PackedFile& file) {
  return file.damaged(layout_of(open_packed(file).card));
}

void write_packed(const CardModel& model, const std::string& path) {
  models::write_packed(
      {kArchitecture, numbers_of(model.card), model.vocabulary, layout_of(model.card), model.weights}, path);
}

}  // namespace swai::generate
