// SPDX-License-Identifier: Apache-2.0
// Whisper's tokens that are no text. Their numbers follow from the size of the vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/speech_rules.hpp"
#include "host/models/files/tokenizer.hpp"

namespace swai::transcribe {

using models::Token;

struct SpecialTokens : speech::Marks {
  Token start = 0;
  Token first_language = 0;
  uint32_t languages = 0;
  bool multilingual = false;
  Token translate = 0;
  Token transcribe = 0;
  Token start_of_model = 0;
  Token previous = 0;  // what follows was said before this window
  Token no_speech = 0;
  Token no_timestamps = 0;
  uint32_t vocabulary = 0;
};

inline constexpr uint32_t kTimestamps = 1501;

// Of a model with so many tokens. Throws models' InputError, with the model's path, when that is no
// vocabulary of OpenAI's.
SpecialTokens special_tokens(const std::string& path, uint32_t vocabulary);

// The number of a language among SpecialTokens' languages, by its code ("en"); of no known one: none.
std::optional<uint32_t> language_number(std::string_view code);
std::string_view language_code(uint32_t number);

// Rules for detecting the language: only language tokens may follow.
speech::Allowed allowed_languages(const SpecialTokens& special);

// Never chosen: signs for sounds that nobody says, and all that begins or directs a text. Sorted.
std::vector<Token> suppressed_tokens(const models::Tokenizer& tokenizer, const SpecialTokens& special);
// Not chosen first, because the text would be empty. Sorted.
std::vector<Token> blank_tokens(const models::Tokenizer& tokenizer, const SpecialTokens& special);

}  // namespace swai::transcribe
