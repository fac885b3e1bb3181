// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/any_model.hpp"

#include "host/models/files/load.hpp"
#include "host/models/text/packed_model.hpp"

namespace swai::cli {

using models::Precision;

AnyModel open_packed_model(const models::PackedFile& file) {
  if (file.architecture() == transcribe::kArchitecture) return transcribe::open_packed(file);
  return generate::open_packed(file);
}

AnyModel open_any_model(const std::string& path, const std::string& tokens,
                        std::optional<Precision> precision, std::span<const std::string> four_bits) {
  const auto language = [&](auto&& open) {
    if (!four_bits.empty())
      models::refuse(path, "is a language model; what has four bits is chosen of speech alone");
    return open();
  };
  if (const auto packed = models::PackedFile::open(path)) {
    if (packed->architecture() == transcribe::kArchitecture)
      return transcribe::open_packed(*packed, precision, four_bits);
    return language([&] { return generate::open_packed(*packed, precision); });
  }
  models::Model loaded = models::load(path, tokens);
  if (!loaded.is_decoder())
    return transcribe::whisper_model(std::move(loaded), precision.value_or(Precision::kW8A8), four_bits);
  return language(
      [&] { return generate::card_model(std::move(loaded), precision.value_or(Precision::kFp32)); });
}

const models::Vocabulary& vocabulary_of(const AnyModel& model) {
  return std::visit([](const auto& one) -> const models::Vocabulary& { return one.vocabulary; }, model);
}

Precision precision_of(const AnyModel& model) {
  return std::visit([](const auto& one) { return one.card.precision; }, model);
}

void add_four_bits(CLI::App& command, std::vector<std::string>& four_bits) {
  command
      .add_option(
          "--four-bits", four_bits,
          "with w4a8, of speech: what has four bits instead, such as decoder.feed_forward.up, decoder.cross "
          "or encoder; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

}  // namespace swai::cli
