// SPDX-License-Identifier: Apache-2.0
// A model of language or of speech, ready for the card.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "host/models/speech/whisper_model.hpp"
#include "host/models/text/card_model.hpp"

namespace swai::cli {

using AnyModel = std::variant<generate::CardModel, transcribe::WhisperModel>;

// A file or folder, packed or not. `tokens`: as models::load takes it. `precision`: of one that is not
// packed; none: fp32 of language, w8a8 of speech. `four_bits`: as transcribe::whisper_formats takes it; of
// speech alone. Throws InputError.
AnyModel open_any_model(const std::string& path, const std::string& tokens,
                        std::optional<models::Precision> precision,
                        std::span<const std::string> four_bits = {});

// Of a packed file.
AnyModel open_packed_model(const models::PackedFile& file);

// What is common to them.
const models::Vocabulary& vocabulary_of(const AnyModel& model);
models::Precision precision_of(const AnyModel& model);

// --four-bits of models of speech.
void add_four_bits(CLI::App& command, std::vector<std::string>& four_bits);

}  // namespace swai::cli
