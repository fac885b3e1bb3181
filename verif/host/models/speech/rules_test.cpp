// SPDX-License-Identifier: Apache-2.0
// Which token may follow, against OpenAI's rules written down token by token.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "host/lib/elf.hpp"
#include "host/models/speech/special_tokens.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::transcribe;

namespace {

SpecialTokens special_of(uint32_t vocabulary) { return special_tokens("model", vocabulary); }

// As the reference decoder does it: begin with all, then take away.
std::vector<bool> permitted(const std::vector<Token>& chosen, const SpecialTokens& special) {
  std::vector<bool> may(special.vocabulary, true);
  const auto forbid = [&](Token first, Token end) {
    for (Token token = first; token < end; ++token) may[token] = false;
  };
  const size_t count = chosen.size();
  const bool last = count >= 1 && special.is_timestamp(chosen[count - 1]);
  const bool before = count < 2 || special.is_timestamp(chosen[count - 2]);
  if (last && before) forbid(special.first_timestamp, special.vocabulary);
  if (last && !before) forbid(0, special.end);
  Token newest = 0;
  for (const Token token : chosen)
    if (special.is_timestamp(token)) newest = token;
  if (newest != 0) forbid(special.first_timestamp, last && !before ? newest : newest + 1);
  if (count == 0) {
    forbid(0, special.first_timestamp);
    forbid(special.first_timestamp + 51, special.vocabulary);
  }
  return may;
}

// Tokens that the card's `mask` leaves, before suppressed tokens are removed.
std::vector<bool> left_by(const speech::Allowed& allowed, const SpecialTokens& special) {
  std::vector<bool> may(special.vocabulary, true);
  for (const auto& [begin, end] : speech::ruled_out(allowed, special.first_timestamp, special.vocabulary))
    for (Token token = begin; token < end; ++token) may.at(token) = false;
  return may;
}

}  // namespace

TEST_CASE("special tokens: their numbers in vocabularies of each size") {
  const SpecialTokens english = special_of(51'864);
  CHECK(!english.multilingual);
  CHECK(english.end == 50'256);
  CHECK(english.start == 50'257);
  CHECK(english.no_timestamps == 50'362);
  CHECK(english.first_timestamp == 50'363);
  CHECK(english.last_timestamp == english.vocabulary - 1);
  const SpecialTokens all = special_of(51'865);
  CHECK(all.multilingual);
  CHECK(all.end == 50'257);
  CHECK(all.first_language == 50'259);
  CHECK(all.translate == 50'358);
  CHECK(all.previous == 50'361);
  CHECK(all.no_speech == 50'362);
  CHECK(all.first_timestamp == 50'364);
  const SpecialTokens large3 = special_of(51'866);
  CHECK(large3.languages == 100);
  CHECK(large3.translate == 50'359);
  CHECK(large3.last_timestamp == large3.vocabulary - 1);
  for (const uint32_t wrong : {512U, 51'863U, 51'867U})
    CHECK_THROWS_WITH_AS(special_of(wrong), doctest::Contains("51864"), common::InputError);
}

TEST_CASE("languages: codes and numbers") {
  CHECK(language_number("en") == 0);
  CHECK(language_number("de") == 2);
  CHECK(language_number("yue") == 99);
  CHECK(language_code(1) == "zh");
  CHECK(!language_number("xx"));
}

TEST_CASE("languages: when one is detected, nothing else may follow") {
  for (const uint32_t vocabulary : {51'865U, 51'866U}) {
    const SpecialTokens special = special_of(vocabulary);
    std::vector<bool> languages(vocabulary);
    std::fill_n(languages.begin() + special.first_language, special.languages, true);
    CHECK(left_by(allowed_languages(special), special) == languages);
  }
}

TEST_CASE("timestamps: what may follow any text that the rules allow") {
  std::mt19937_64 random(test_seed());
  for (const uint32_t vocabulary : {51'864U, 51'865U}) {
    const SpecialTokens special = special_of(vocabulary);
    for (int round = 0; round < 30; ++round) {
      std::vector<Token> chosen;
      for (int i = 0; i < 24; ++i) {
        const std::vector<bool> may = permitted(chosen, special);
        REQUIRE(left_by(speech::allowed_after(chosen, special), special) == may);
        std::vector<Token> next;
        for (Token token = 0; token < vocabulary; ++token) {
          if (may[token] && (special.is_text(token) || special.is_timestamp(token))) next.push_back(token);
        }
        if (next.empty()) break;
        // Timestamps are few beside texts: half of the time one of them, where there is one.
        const bool late = random() % 2 == 0;
        const size_t at =
            late ? next.size() - 1 - random() % std::min<size_t>(next.size(), 40) : random() % next.size();
        chosen.push_back(next[at]);
      }
    }
  }
}

TEST_CASE("without timestamps there are none") {
  const SpecialTokens special = special_of(51'864);
  const std::vector<bool> may = left_by(speech::allowed_without_timestamps(special), special);
  for (Token token = 0; token < special.vocabulary; ++token)
    REQUIRE(may[token] == !special.is_timestamp(token));
}
