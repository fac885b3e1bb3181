// SPDX-License-Identifier: Apache-2.0
// Beam search: against every text that there is, against OpenAI's steps written plainly, and where texts'
// keys and values lie.
#include "host/models/speech/beam_search.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "cpe-kernels/operators/common/places.hpp"
#include "host/models/speech/beam_chunks.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::transcribe;

namespace {

using Tokens = std::vector<Token>;

constexpr Token kWords = 4, kEnd = kWords;
constexpr double kNever = -std::numeric_limits<double>::infinity();

// What follows a text is drawn by lot, the same each time; some of it never does.
class Language : public Speech {
 public:
  Language(uint64_t seed, size_t beams) : seed_(seed), beams_(beams) {}

  std::vector<Choice> following(const Tokens& text) const {
    std::seed_seq numbers(text.begin(), text.end());
    std::vector<uint32_t> hash(1);
    numbers.generate(hash.begin(), hash.end());
    std::mt19937_64 random(seed_ + hash[0]);
    std::vector<double> weights;
    // A text is never empty; one that goes on does so with some word.
    for (Token token = 0; token <= kEnd; ++token) {
      const bool never = token == kEnd ? text.empty() : token != 0 && random() % 4 == 0;
      weights.push_back(never ? 0 : 1 + static_cast<double>(random() % 1'000'003));
    }
    double sum = 0;
    for (const double weight : weights) sum += weight;
    std::vector<Choice> choices;
    for (Token token = 0; token <= kEnd; ++token)
      choices.push_back({token, weights[token] == 0 ? kNever : std::log(weights[token] / sum)});
    return choices;
  }

  std::vector<Choice> split(const Rules& rules) override {
    CHECK(rules.first);
    texts_.assign(1, {});
    return likeliest({});
  }
  std::vector<std::vector<Choice>> go_on(std::span<const Branch> branches) override {
    CHECK(branches.size() <= beams_);
    std::vector<Tokens> next;
    std::vector<std::vector<Choice>> choices;
    for (const Branch& branch : branches) {
      next.push_back(texts_.at(branch.parent));
      next.back().push_back(branch.token);
      // The rules are those of this text.
      CHECK(branch.rules.allowed.first == next.back().back() + 10 * next.back().size());
      choices.push_back(likeliest(next.back()));
    }
    texts_ = std::move(next);
    return choices;
  }
  static Rules rules_of(std::span<const Token> text) {
    Rules rules;
    rules.first = text.empty();
    if (!text.empty()) rules.allowed.first = static_cast<Token>(text.back() + 10 * text.size());
    return rules;
  }

  void begin_sound(uint32_t) override {}
  void hear(std::span<const float>) override {}
  void begin() override {}
  Choice append(std::span<const Token>, const Rules&) override { return {}; }
  double probability_of(Token) override { return 0; }

 private:
  std::vector<Choice> likeliest(const Tokens& text) const {
    std::vector<Choice> choices = following(text);
    std::ranges::stable_sort(choices, std::ranges::greater(), &Choice::log_probability);
    choices.resize(std::min(choices.size(), beams_ + 1));
    return choices;
  }

  const uint64_t seed_;
  const size_t beams_;
  std::vector<Tokens> texts_;
};

Tokens found_by(Language& language, size_t beams, size_t most) {
  Tokens tokens;
  for (const Choice& choice : search_beams(language, {beams, kEnd, most, Language::rules_of}))
    tokens.push_back(choice.token);
  return tokens;
}

double score_of(const Tokens& text, double log_probability) {
  const size_t words = text.size() - (text.back() == kEnd ? 1 : 0);
  return log_probability / static_cast<double>(words);
}

// Every text.
void look_through(const Language& language, Tokens& text, double log_probability, size_t most, Tokens& best,
                  double& best_score) {
  const bool done = !text.empty() && (text.back() == kEnd || text.size() == most);
  if (done) {
    if (const double score = score_of(text, log_probability); score > best_score) {
      best = text;
      best_score = score;
    }
    return;
  }
  for (const Choice& choice : language.following(text)) {
    if (choice.log_probability == kNever) continue;
    text.push_back(choice.token);
    look_through(language, text, log_probability + choice.log_probability, most, best, best_score);
    text.pop_back();
  }
}

// As OpenAI's decoder does it, with texts as keys.
Tokens by_steps(const Language& language, size_t beams, size_t most) {
  std::map<Tokens, double> texts = {{{}, 0}}, ended;
  for (size_t step = 0; step < most && ended.size() < beams; ++step) {
    std::vector<std::pair<double, Tokens>> scores;
    for (const auto& [text, sum] : texts) {
      std::vector<Choice> choices = language.following(text);
      std::ranges::stable_sort(choices, std::ranges::greater(), &Choice::log_probability);
      choices.resize(std::min(choices.size(), beams + 1));
      for (const Choice& choice : choices) {
        Tokens longer = text;
        longer.push_back(choice.token);
        if (choice.log_probability != kNever) scores.emplace_back(sum + choice.log_probability, longer);
      }
    }
    std::ranges::sort(scores, std::ranges::greater());
    texts.clear();
    for (const auto& [sum, text] : scores) {
      if (text.back() != kEnd) {
        texts[text] = sum;
        if (texts.size() == beams) break;
      } else if (ended.size() < beams) {
        ended[text] = sum;
      }
    }
  }
  std::vector<std::pair<double, Tokens>> left;
  for (const auto& [text, sum] : texts) left.emplace_back(sum, text);
  std::ranges::sort(left, std::ranges::greater());
  for (const auto& [sum, text] : left)
    if (ended.size() < beams) ended[text] = sum;
  Tokens best;
  double most_likely = kNever;
  for (const auto& [text, sum] : ended) {
    if (score_of(text, sum) <= most_likely) continue;
    best = text;
    most_likely = score_of(text, sum);
  }
  return best;
}

}  // namespace

TEST_CASE("beam search: beams for all texts find the likeliest of all") {
  for (uint64_t i = 0; i < 20; ++i) {
    constexpr size_t kMost = 4, kAll = 1024;
    Language language(test_seed() * 100 + i, kAll);
    Tokens text, best;
    double score = kNever;
    look_through(language, text, 0, kMost, best, score);
    CHECK(found_by(language, kAll, kMost) == best);
  }
}

TEST_CASE("beam search: few beams find what OpenAI's steps find") {
  unsigned better = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    const size_t beams = 1 + i % 5, most = 1 + i % 12;
    CAPTURE(beams);
    CAPTURE(most);
    Language language(test_seed() * 1000 + i, beams);
    const Tokens found = found_by(language, beams, most);
    CHECK(found == by_steps(language, beams, most));
    Language alone(test_seed() * 1000 + i, 1);
    better += found != found_by(alone, 1, most) ? 1 : 0;
  }
  CHECK(better > 30);
}

TEST_CASE("beam search: nothing may follow") {
  class Silent : public Language {
   public:
    Silent() : Language(0, 2) {}
    std::vector<Choice> split(const Rules&) override { return {{0, kNever}, {1, kNever}, {2, kNever}}; }
  };
  Silent silent;
  CHECK(found_by(silent, 2, 5).empty());
}

TEST_CASE("beam search: texts share chunks, and each finds its own rows") {
  std::mt19937_64 random(test_seed());
  constexpr uint32_t kRows = operators::kChunkRows;
  for (unsigned turn = 0; turn < 30; ++turn) {
    const auto most = static_cast<uint32_t>(1 + random() % 6);
    const auto tokens = static_cast<uint32_t>(1 + random() % 300);
    const auto given = static_cast<uint32_t>(random() % tokens);
    BeamChunks chunks(most, tokens);
    // Each row holds a number that nobody else has.
    uint64_t number = 0;
    std::vector<uint64_t> rows(size_t{chunks.count()} * kRows);
    std::vector<std::vector<uint64_t>> texts(1);
    for (uint32_t row = 0; row < given; ++row) texts[0].push_back(rows[row] = ++number);
    chunks.begin(given);
    while (chunks.tokens() < tokens) {
      std::vector<size_t> parents(1 + random() % most);
      std::vector<std::vector<uint64_t>> next;
      for (size_t& parent : parents) next.push_back(texts[parent = random() % texts.size()]);
      texts = std::move(next);
      const uint32_t at = chunks.tokens();
      for (const BeamChunks::Copy& copy : chunks.grow(parents))
        std::copy_n(&rows.at(copy.from * kRows), copy.rows, &rows.at(copy.to * kRows));
      for (size_t i = 0; i < texts.size(); ++i) {
        texts[i].push_back(++number);
        rows.at(chunks.of(i)[at / kRows] * kRows + at % kRows) = number;
      }
      for (size_t i = 0; i < texts.size(); ++i) {
        REQUIRE(chunks.of(i).size() <= chunks.of_each());
        std::vector<uint64_t> found;
        for (size_t row = 0; row < texts[i].size(); ++row)
          found.push_back(rows.at(chunks.of(i)[row / kRows] * kRows + row % kRows));
        REQUIRE(found == texts[i]);
      }
    }
  }
}
