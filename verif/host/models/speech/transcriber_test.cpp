// SPDX-License-Identifier: Apache-2.0
// The way through a sound, window by window, with a decoder that says what the test tells it.
#include "host/models/speech/transcriber.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "host/lib/elf.hpp"
#include "host/models/files/make_tokenizer.hpp"

using namespace swai;
using namespace swai::transcribe;

namespace {

constexpr uint32_t kWindow = 3000;
constexpr uint32_t kContext = 448;

SpecialTokens special_of(uint32_t vocabulary) { return special_tokens("model", vocabulary); }

// Bytes alone: 'a' is token 97.
std::unique_ptr<models::Tokenizer> bytes() {
  models::Vocabulary words;
  words.how = models::Pieces::kByteLevel;
  for (int byte = 0; byte < 256; ++byte) words.pieces.emplace_back(1, static_cast<char>(byte));
  words.kinds.assign(words.pieces.size(), models::PieceKind::kNormal);
  return models::make_tokenizer("bytes", words);
}

// An attempt at a window: what is said, and how sure the model is.
struct Attempt {
  std::vector<Token> tokens;  // the end comes by itself
  double log_probability = -0.1;
  double no_speech = 0;
};

class Told : public Speech {
 public:
  explicit Told(const SpecialTokens& special) : special_(special) {}

  std::deque<Attempt> attempts;
  uint32_t language = 0;
  // What it was told.
  unsigned sounds = 0;
  uint32_t window = 0;
  std::vector<float> first_samples;
  std::vector<std::vector<Token>> prompts;
  std::vector<double> temperatures;
  unsigned splits = 0;

  void begin_sound(uint32_t frames) override {
    ++sounds;
    window = frames;
  }
  void hear(std::span<const float> mel) override { first_samples.push_back(mel[0]); }
  void begin() override { given_.clear(); }
  Choice append(std::span<const Token> tokens, const Rules& rules) override {
    given_.insert(given_.end(), tokens.begin(), tokens.end());
    if (rules.allowed == allowed_languages(special_)) return {special_.first_language + language, -0.1};
    if (rules.first) {
      said_ = 0;
      if (prompts.empty() || began_) {
        prompts.emplace_back();
        temperatures.push_back(rules.temperature);
        now_ = attempts.front();
        attempts.pop_front();
      }
      prompts.back() = given_;
      began_ = false;
    } else {
      began_ = true;
      ++said_;
    }
    const Token token = said_ < now_.tokens.size() ? now_.tokens[said_] : special_.end;
    if (token == special_.end) began_ = true;
    return {token, now_.log_probability};
  }
  double probability_of(Token token) override { return token == special_.no_speech ? now_.no_speech : 0; }
  // There is one way.
  std::vector<Choice> split(const Rules& rules) override {
    CHECK(rules.first);
    ++splits;
    return followers();
  }
  std::vector<std::vector<Choice>> go_on(std::span<const Branch> branches) override {
    for (const Branch& branch : branches) CHECK_FALSE(branch.rules.first);
    ++said_;
    return std::vector(branches.size(), followers());
  }

 private:
  std::vector<Choice> followers() {
    began_ = true;
    const Token token = said_ < now_.tokens.size() ? now_.tokens[said_] : special_.end;
    return {Choice{token, now_.log_probability}};
  }

  const SpecialTokens special_;
  std::vector<Token> given_;
  Attempt now_;
  size_t said_ = 0;
  bool began_ = false;
};

// Says windows until its listener has enough, or the sound is over.
class ToldListener : public Listener {
 public:
  explicit ToldListener(const SpecialTokens& special) : special_(special) {}

  std::deque<Attempt> windows;
  uint64_t frames = 0;
  size_t rows = 0;
  std::vector<uint64_t> begins;
  std::vector<std::vector<Token>> before, directions;

  void take(std::span<const float> mel, uint64_t count) override {
    frames = count;
    rows = mel.size() / 2;
  }
  void listen(const Wish& wish, const std::function<bool(const Heard&)>& heard) override {
    begins.push_back(wish.frame);
    before.emplace_back(wish.before.begin(), wish.before.end());
    directions.push_back(wish.directions);
    for (uint64_t at = wish.frame; at < frames;) {
      REQUIRE_FALSE(windows.empty());
      const Attempt window = windows.front();
      windows.pop_front();
      Heard said;
      for (const Token token : window.tokens) said.choices.push_back({token, window.log_probability});
      said.choices.push_back({special_.end, window.log_probability});
      said.no_speech = window.no_speech;
      if (!heard(said)) return;
      at = speech::end_of(window.tokens, at, std::min<uint64_t>(kWindow, frames - at), special_).next;
    }
  }

 private:
  const SpecialTokens special_;
};

struct Rig {
  explicit Rig(uint32_t vocabulary = 51'864)
      : special(special_of(vocabulary)), told(special), tokenizer(bytes()) {}

  Token at(uint32_t hundredths) const {
    return special.first_timestamp + hundredths / speech::kTimestampStep;
  }
  std::vector<Token> says(uint32_t begin, const std::string& text, uint32_t end) const {
    std::vector<Token> tokens = {at(begin)};
    for (const char byte : text) tokens.push_back(static_cast<uint8_t>(byte));
    tokens.push_back(at(end));
    return tokens;
  }
  std::vector<Said> run(uint64_t frames, Options options = {}) {
    audio::Mel mel{2, frames + kWindow, {}};
    for (uint64_t i = 0; i < 2 * mel.frames; ++i) mel.values.push_back(static_cast<float>(i));
    Transcriber transcriber(told, listener, *tokenizer, special, kWindow, kContext, std::move(options));
    std::vector<Said> all;
    transcriber.run(mel, frames, [&](const Said& said) { all.push_back(said); });
    language = transcriber.language();
    return all;
  }

  SpecialTokens special;
  Told told;
  Listener* listener = nullptr;
  std::unique_ptr<models::Tokenizer> tokenizer;
  std::string language;
};

}  // namespace

TEST_CASE("transcriber: one window, one segment") {
  Rig rig;
  rig.told.attempts = {{rig.says(0, " one two", 240)}};
  const std::vector<Said> all = rig.run(1100);
  REQUIRE(all.size() == 1);
  CHECK(all[0].text == " one two");
  CHECK(all[0].segment.begin == 0);
  CHECK(all[0].segment.end == 240);
  CHECK(all[0].mean_log_probability == doctest::Approx(-0.1));
  CHECK(rig.told.prompts[0] == std::vector<Token>{rig.special.start});
  CHECK(rig.told.sounds == 1);
}

TEST_CASE("transcriber: words are judged apart from times, and a short text by more than its own") {
  Rig rig;
  rig.told.attempts = {{rig.says(0, "ab", 240)}};
  const std::vector<Said> all = rig.run(1100);
  REQUIRE(all.size() == 1);
  // Two letters, and three certain ones.
  CHECK(all[0].words_log_probability == doctest::Approx(2 * -0.1 / 5));
}

TEST_CASE("transcriber: a short sound has a short window, if the model stands it") {
  Options options;
  options.short_windows = true;
  struct {
    uint64_t frames;
    uint32_t window;
  } const sounds[] = {{1, 128}, {88, 128}, {89, 256}, {2904, 2944}, {2905, kWindow}};
  for (const auto& [frames, window] : sounds) {
    Rig rig;
    rig.told.attempts = {{rig.says(0, " one", 240)}};
    rig.run(frames, options);
    CHECK(rig.told.window == window);
    rig.told.attempts = {{rig.says(0, " one", 240)}};
    rig.run(frames);
    CHECK(rig.told.window == kWindow);
  }
  Rig rig;
  rig.told.attempts = {{rig.says(0, " one", 3000)}, {rig.says(0, " two", 200)}};
  CHECK(rig.run(3200, options).size() == 2);
  CHECK(rig.told.window == kWindow);
}

TEST_CASE("transcriber: windows begin where the last whole segment ended, and know what was said") {
  Rig rig;
  std::vector<Token> begun = rig.says(0, " a", 1000);
  begun.push_back(rig.at(1200));
  begun.push_back('b');
  rig.told.attempts = {{begun}, {rig.says(0, " c", 500)}, {rig.says(0, " d", 500)}};
  const std::vector<Said> all = rig.run(5000);
  REQUIRE(all.size() == 3);
  CHECK(rig.told.first_samples == std::vector<float>{0, 1000, 4000});
  CHECK(all[1].segment.begin == 1000);
  CHECK(all[2].segment.begin == 4000);
  // <previous>, what was said with its times, <start>
  std::vector<Token> prompt = {rig.special.previous};
  for (const Token token : rig.says(0, " a", 1000)) prompt.push_back(token);
  prompt.push_back(rig.special.start);
  CHECK(rig.told.prompts[1] == prompt);
}

TEST_CASE("transcriber: a text that repeats itself, or is improbable, is tried again hotter") {
  Rig rig;
  const std::string again(200, 'x');
  rig.told.attempts = {
      {rig.says(0, again, 200)}, {rig.says(0, " no", 200), -1.5}, {rig.says(0, " yes", 200)}};
  const std::vector<Said> all = rig.run(1000);
  REQUIRE(all.size() == 1);
  CHECK(all[0].text == " yes");
  CHECK(all[0].temperature == 0.4);
  CHECK(rig.told.temperatures == std::vector<double>{0, 0.2, 0.4});
}

TEST_CASE("transcriber: nobody speaks") {
  Rig rig;
  rig.told.attempts = {{rig.says(0, " thanks", 200), -1.5, 0.9}, {rig.says(0, " one", 200), -0.1, 0.9}};
  const std::vector<Said> all = rig.run(4000);
  REQUIRE(all.size() == 1);  // improbable speech is silence; probable speech is none
  CHECK(all[0].segment.begin == 3000);
  CHECK(rig.told.temperatures == std::vector<double>{0, 0});
}

TEST_CASE("transcriber: the language is found, and told to the decoder") {
  Rig rig(51'865);
  rig.told.language = 2;
  rig.told.attempts = {{rig.says(0, " eins", 200)}};
  Options options;
  options.language = "auto";
  CHECK(rig.run(1000, options).size() == 1);
  CHECK(rig.language == "de");
  CHECK(rig.told.prompts[0] ==
        std::vector<Token>{rig.special.start, rig.special.first_language + 2, rig.special.transcribe});
}

TEST_CASE("transcriber: a decoder that names no language is damaged") {
  Rig rig(51'865);
  Options options;
  options.language = "auto";
  // The tokens before and after those of languages.
  for (const uint32_t number : {~0U, rig.special.languages}) {
    rig.told.language = number;
    CHECK_THROWS_WITH_AS(rig.run(1000, options), doctest::Contains("names no language"), common::InputError);
  }
}

TEST_CASE("transcriber: bytes that are no characters are shown as such") {
  Rig rig;
  rig.told.attempts = {{rig.says(0, " a\x97\xC3\xA4\xC3", 200)}};
  const std::vector<Said> all = rig.run(1000);
  REQUIRE(all.size() == 1);
  CHECK(all[0].text == " a\xEF\xBF\xBD\xC3\xA4\xEF\xBF\xBD");
}

TEST_CASE("transcriber: a prompt to begin with") {
  Rig rig;
  rig.told.attempts = {{rig.says(0, " one", 200)}};
  Options options;
  options.initial_prompt = "ab";
  rig.run(1000, options);
  CHECK(rig.told.prompts[0] == std::vector<Token>{rig.special.previous, ' ', 'a', 'b', rig.special.start});
}

TEST_CASE("transcriber: no sound, no windows") {
  Rig rig;
  CHECK(rig.run(0).empty());
  CHECK(rig.told.first_samples.empty());
}

TEST_CASE("transcriber: windows of a listener, in one go") {
  Rig rig;
  ToldListener listener(rig.special);
  rig.listener = &listener;
  std::vector<Token> begun = rig.says(0, " a", 1000);
  begun.push_back(rig.at(1200));
  begun.push_back('b');
  listener.windows = {{begun}, {rig.says(0, " c", 500)}, {rig.says(0, " d", 500)}};
  const std::vector<Said> all = rig.run(5000);
  REQUIRE(all.size() == 3);
  CHECK(all[1].segment.begin == 1000);
  CHECK(all[2].segment.begin == 4000);
  CHECK(all[2].mean_log_probability == doctest::Approx(-0.1));
  CHECK(listener.begins == std::vector<uint64_t>{0});
  CHECK(listener.rows == 5000 + kWindow);
  CHECK(listener.directions[0] == std::vector<Token>{rig.special.start});
  CHECK(rig.told.first_samples.empty());
}

TEST_CASE("transcriber: a listener's window that is no good is led from its second attempt on") {
  Rig rig;
  ToldListener listener(rig.special);
  rig.listener = &listener;
  listener.windows = {{rig.says(0, " a", 3000)}, {rig.says(0, " no", 3000), -1.5}, {rig.says(0, " c", 500)}};
  rig.told.attempts = {{rig.says(0, " yes", 3000)}};
  const std::vector<Said> all = rig.run(9000);
  REQUIRE(all.size() == 3);
  CHECK(all[1].text == " yes");
  CHECK(all[1].temperature == 0.2);
  CHECK(all[2].text == " c");
  CHECK(rig.told.temperatures == std::vector<double>{0.2});
  CHECK(rig.told.first_samples == std::vector<float>{3000});
  CHECK(listener.begins == std::vector<uint64_t>{0, 6000});
  std::vector<Token> known = rig.says(0, " a", 3000);
  for (const Token token : rig.says(0, " yes", 3000)) known.push_back(token);
  CHECK(listener.before[1] == known);

  // With one temperature there is no second attempt.
  listener.begins.clear();
  listener.windows = {{rig.says(0, " no", 3000), -1.5}, {rig.says(0, " c", 500)}};
  Options once;
  once.temperatures = {0};
  CHECK(rig.run(6000, once).size() == 2);
  CHECK(listener.begins == std::vector<uint64_t>{0});
}

TEST_CASE("transcriber: a listener begins again behind silence, and knows nothing of it") {
  Rig rig;
  ToldListener listener(rig.special);
  rig.listener = &listener;
  listener.windows = {{rig.says(0, " thanks", 200), -1.5, 0.9}, {rig.says(0, " one", 200)}};
  const std::vector<Said> all = rig.run(4000);
  REQUIRE(all.size() == 1);
  CHECK(all[0].segment.begin == 3000);
  CHECK(listener.begins == std::vector<uint64_t>{0, 3000});
  CHECK(listener.before[1].empty());
  CHECK(rig.told.first_samples.empty());
}

TEST_CASE("transcriber: the language is found before a listener is asked") {
  Rig rig(51'865);
  ToldListener listener(rig.special);
  rig.listener = &listener;
  rig.told.language = 2;
  rig.told.attempts = {{rig.says(0, " eins", 3000)}};
  listener.windows = {{rig.says(0, " zwei", 500)}};
  Options options;
  options.language = "auto";
  CHECK(rig.run(6000, options).size() == 2);
  CHECK(listener.begins == std::vector<uint64_t>{3000});
  CHECK(listener.directions[0] ==
        std::vector<Token>{rig.special.start, rig.special.first_language + 2, rig.special.transcribe});
}

TEST_CASE("transcriber: beams are led, at the first temperature") {
  Rig rig;
  ToldListener listener(rig.special);
  rig.listener = &listener;
  rig.told.attempts = {
      {rig.says(0, " five", 3000), -1.5}, {rig.says(0, " nine", 3000)}, {rig.says(0, " one", 500)}};
  Options options;
  options.beams = 3;
  const std::vector<Said> all = rig.run(4000, options);
  REQUIRE(all.size() == 2);
  CHECK(all[0].text == " nine");
  CHECK(all[1].text == " one");
  CHECK(rig.told.temperatures == std::vector<double>{0, 0.2, 0});
  CHECK(rig.told.splits == 2);
  CHECK(listener.begins.empty());
}
