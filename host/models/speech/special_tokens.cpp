// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/special_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "host/models/files/file_bytes.hpp"

namespace swai::transcribe {
namespace {

constexpr uint32_t kEnglishText = 50'256;
constexpr uint32_t kEnglishLanguages = 99;
// Between the last language and the first timestamp: translate to no_timestamps.
constexpr uint32_t kDirections = 6;

// In the order of their tokens.
constexpr std::array<std::string_view, 100> kLanguages = {
    "en", "zh", "de", "es", "ru", "ko", "fr", "ja", "pt",  "tr", "pl", "ca", "nl", "ar", "sv", "it", "id",
    "hi", "fi", "vi", "he", "uk", "el", "ms", "cs", "ro",  "da", "hu", "ta", "no", "th", "ur", "hr", "bg",
    "lt", "la", "mi", "ml", "cy", "sk", "te", "fa", "lv",  "bn", "sr", "az", "sl", "kn", "et", "mk", "br",
    "eu", "is", "hy", "ne", "mn", "bs", "kk", "sq", "sw",  "gl", "mr", "pa", "si", "km", "sn", "yo", "so",
    "af", "oc", "ka", "be", "tg", "sd", "gu", "am", "yi",  "lo", "uz", "fo", "ht", "ps", "tk", "nn", "mt",
    "sa", "lb", "my", "bo", "tl", "mg", "as", "tt", "haw", "ln", "ha", "ba", "jw", "su", "yue"};

// Of one token each, or counted whatever tokens they have.
constexpr std::array<std::string_view, 52> kSigns = {
    "\"",  "#",   "(",  ")",   "*",   "+",  "/",   ":",   ";",  "<",  "=",   ">",  "@",
    "[",   "\\",  "]",  "^",   "_",   "`",  "{",   "|",   "}",  "~",  "「",  "」", "『",
    "』",  "<<",  ">>", "<<<", ">>>", "--", "---", "-(",  "-[", "('", "(\"", "((", "))",
    "(((", ")))", "[[", "]]",  "{{",  "}}", "♪♪",  "♪♪♪", "♩",  "♪",  "♫",   "♬",  "♭"};
constexpr std::array<std::string_view, 2> kMoreNotes = {"♮", "♯"};
constexpr std::array<std::string_view, 7> kNotes = {"♩", "♪", "♫", "♬", "♭", "♮", "♯"};

}  // namespace

SpecialTokens special_tokens(const std::string& path, uint32_t vocabulary) {
  SpecialTokens special;
  special.vocabulary = vocabulary;
  const uint32_t beside_languages = kEnglishText + 2 + kDirections + kTimestamps;
  special.multilingual = special.vocabulary > beside_languages + kEnglishLanguages;
  special.languages = special.multilingual ? special.vocabulary - beside_languages - 1 : kEnglishLanguages;
  if (special.vocabulary < beside_languages + kEnglishLanguages || special.languages > kLanguages.size() ||
      special.languages < kEnglishLanguages) {
    models::refuse(path, fmt::format("has {} tokens; Whisper's vocabularies have 51864, 51865 or 51866",
                                     special.vocabulary));
  }
  special.end = kEnglishText + (special.multilingual ? 1 : 0);
  special.start = special.end + 1;
  special.first_language = special.start + 1;
  special.translate = special.first_language + special.languages;
  special.transcribe = special.translate + 1;
  special.start_of_model = special.transcribe + 1;
  special.previous = special.start_of_model + 1;
  special.no_speech = special.previous + 1;
  special.no_timestamps = special.no_speech + 1;
  special.first_timestamp = special.no_timestamps + 1;
  special.last_timestamp = special.first_timestamp + kTimestamps - 1;
  return special;
}

std::optional<uint32_t> language_number(std::string_view code) {
  const auto found = std::ranges::find(kLanguages, code);
  if (found == kLanguages.end()) return std::nullopt;
  return static_cast<uint32_t>(found - kLanguages.begin());
}

std::string_view language_code(uint32_t number) { return kLanguages.at(number); }

speech::Allowed allowed_languages(const SpecialTokens& special) {
  return {special.first_language, special.first_timestamp, special.first_language + special.languages};
}

std::vector<Token> suppressed_tokens(const models::Tokenizer& tokenizer, const SpecialTokens& special) {
  std::set<Token> tokens = {tokenizer.encode(" -").at(0),
                            tokenizer.encode(" '").at(0),
                            special.transcribe,
                            special.translate,
                            special.start,
                            special.previous,
                            special.start_of_model,
                            special.no_speech,
                            special.no_timestamps};
  const auto suppress = [&](std::string_view sign) {
    const bool note = std::ranges::find(kNotes, sign) != kNotes.end();
    for (const std::string& text : {std::string(sign), " " + std::string(sign)}) {
      const std::vector<Token> pieces = tokenizer.encode(text);
      if (pieces.size() == 1 || note) tokens.insert(pieces.at(0));
    }
  };
  std::ranges::for_each(kSigns, suppress);
  std::ranges::for_each(kMoreNotes, suppress);
  return {tokens.begin(), tokens.end()};
}

std::vector<Token> blank_tokens(const models::Tokenizer& tokenizer, const SpecialTokens& special) {
  std::vector<Token> tokens = tokenizer.encode(" ");
  tokens.push_back(special.end);
  std::ranges::sort(tokens);
  return tokens;
}

}  // namespace swai::transcribe
