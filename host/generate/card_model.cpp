#include "host/generate/card_model.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/generate/packed_file.hpp"
#include "host/models/load.hpp"

namespace swai::generate {

CardModel card_model(models::Model model, Precision precision) {
  const auto shared = std::make_shared<const models::Model>(std::move(model));
  const CardLlama card = card_llama(*shared, precision);
  return {card, shared->vocabulary, [shared, card](const Put& put) { pack_llama(*shared, card, put); }};
}

bool is_packed_file(const std::string& path) {
  return !std::filesystem::is_directory(path) && is_packed(*models::FileBytes::map(path));
}

CardModel open_card_model(const std::string& path, const std::string& tokens,
                          std::optional<Precision> precision) {
  if (is_packed_file(path)) {
    CardModel model = open_packed(models::FileBytes::map(path));
    if (precision && *precision != model.card.precision) {
      models::refuse(path, fmt::format("is packed as {}; pack the model again for {}",
                                       to_text(model.card.precision), to_text(*precision)));
    }
    return model;
  }
  return card_model(models::load(path, tokens), precision.value_or(Precision::kFp32));
}

}  // namespace swai::generate
