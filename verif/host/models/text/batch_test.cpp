// SPDX-License-Identifier: Apache-2.0
// Texts that begin, pause and end beside each other on a card: each is what it is alone.
#include "host/models/text/batch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "host/models/text/open_model.hpp"
#include "host/models/text/speaker.hpp"
#include "sim/common/random.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/kit/doctest_main.hpp"

namespace {

using namespace swai;
using generate::Sampling;
using models::Token;

constexpr uint32_t kRoom = 250;
constexpr uint32_t kTexts = 8;
// Tokens of a text that takes a whole number of chunks, with those of a run that reads.
constexpr uint32_t kChunk = 64;

std::vector<uint8_t> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Wish {
  std::vector<Token> prompt;
  Sampling sampling;
  uint64_t most = kRoom;
};

class OnModel {
 public:
  OnModel()
      : walker_("operators", contents("build/cpe-kernels/operators.elf")),
        decoder_("decode", contents("build/programs/decode.elf"), walker_),
        model_(generate::open_card_model("verif/host/models/files/data/tiny-llama", "",
                                         generate::Precision::kFp32)),
        programs_(model_.card, kTexts, kRoom, true),
        loaded_(model_, programs_.next.pattern, programs_.positions()) {}

  generate::Batch batch(bool decodes = true) {
    return {walker_, decodes ? &decoder_ : nullptr, loaded_, programs_};
  }
  // What becomes of it when nobody else is there.
  std::vector<Token> alone(const Wish& wish) {
    generate::Batch batch = this->batch();
    batch.begin(wish.prompt, wish.most, wish.sampling);
    std::vector<Token> tokens;
    batch.go_on({}, {.got = [&](size_t, Token token) { return tokens.push_back(token), true; }});
    return tokens;
  }
  // By programs that know no penalties, as one text of a session.
  std::vector<Token> without_penalties(const Wish& wish) {
    const generate::Programs programs(model_.card, kRoom);
    generate::Session session(walker_, &decoder_, loaded_, programs, {});
    std::vector<Token> tokens;
    session.generate(wish.prompt, wish.most, {}, [&](Token token) { return tokens.push_back(token), true; });
    return tokens;
  }
  Wish random_wish(verif::Random& random) const {
    Wish wish;
    wish.prompt.resize(1 + random.below(random.chance(50) ? 8 : 200));
    for (Token& token : wish.prompt) token = static_cast<Token>(random.below(model_.card.shape.vocabulary));
    wish.most = 1 + random.below(random.chance(50) ? 6 : kRoom);
    if (random.chance(33)) wish.sampling = {.temperature = 1, .seed = random.next()};
    if (random.chance(50)) wish.sampling.presence = 0.5;
    return wish;
  }

 private:
  walk::Walker walker_;
  walk::Decoder decoder_;
  generate::CardModel model_;
  generate::BatchPrograms programs_;
  generate::LoadedModel loaded_;
};

// Texts of a batch, by their numbers, and what has come of each.
class Heard {
 public:
  Heard(OnModel& model, bool decodes) : model_(model), batch_(model.batch(decodes)) {}

  generate::Batch& batch() { return batch_; }
  void begin(const Wish& wish, uint64_t wanted = kRoom) {
    const size_t number = batch_.begin(wish.prompt, wish.most, wish.sampling);
    REQUIRE(!texts_.contains(number));
    texts_[number] = {wish, wanted, {}};
  }
  // Until so many tokens have come.
  void go_on(unsigned tokens) {
    batch_.go_on({}, {.got =
                          [&](size_t number, Token token) {
                            Text& text = texts_.at(number);
                            text.tokens.push_back(token);
                            tokens -= std::min(tokens, 1U);
                            return text.tokens.size() < text.wanted;
                          },
                      .ended = [&](size_t number) { check(number); },
                      .pause = [&] { return tokens == 0; }});
  }

 private:
  struct Text {
    Wish wish;
    uint64_t wanted = 0;
    std::vector<Token> tokens;
  };
  void check(size_t number) {
    ended_.push_back(texts_.at(number));
    texts_.erase(number);
  }

 public:
  // Of those that have ended: behind all that the card does, so that it is not in between.
  void check_all() {
    for (const Text& text : ended_) {
      std::vector<Token> alone = model_.alone(text.wish);
      if (alone.size() > text.wanted) alone.resize(text.wanted);
      CHECK(text.tokens == alone);
    }
    ended_.clear();
  }

 private:
  OnModel& model_;
  generate::Batch batch_;
  std::map<size_t, Text> texts_;
  std::vector<Text> ended_;
};

}  // namespace

TEST_CASE("texts that begin, pause and end at random are what they are alone") {
  const swai::sdaa::OnCard card;
  OnModel model;
  verif::Random random(test_seed());
  for (const bool decodes : {true, false}) {
    CAPTURE(decodes);
    Heard heard(model, decodes);
    for (int i = 0; i < 24; ++i) {
      while (heard.batch().has_place() && !random.chance(33))
        heard.begin(model.random_wish(random), 1 + random.below(random.chance(50) ? 4 : kRoom));
      heard.go_on(1 + static_cast<unsigned>(random.below(random.chance(50) ? 3 : 60)));
    }
    while (heard.batch().size() != 0) heard.go_on(1000);
    heard.check_all();
  }
}

TEST_CASE("long texts behind holes that short ones leave have memory of their own") {
  const swai::sdaa::OnCard card;
  OnModel model;
  verif::Random random(test_seed() + 1);
  Heard heard(model, true);
  const auto wish = [&](uint64_t tokens) {
    Wish one = model.random_wish(random);
    one.prompt.resize(1);
    one.sampling = {};
    one.most = tokens;
    return one;
  };
  for (uint32_t i = 0; i < kTexts / 2; ++i) {
    heard.begin(wish(kRoom - kChunk), 2);
    heard.begin(wish(kChunk / 2));
  }
  heard.go_on(3 * kTexts);
  for (uint32_t i = 0; i < kTexts / 2; ++i) heard.begin(wish(kRoom));
  while (heard.batch().size() != 0) heard.go_on(1000);
  heard.check_all();
}

TEST_CASE("a long prompt is read as it is, with programs for penalties, too") {
  const swai::sdaa::OnCard card;
  OnModel model;
  verif::Random random(test_seed() + 2);
  Wish wish = model.random_wish(random);
  wish.prompt.resize(3 * kChunk + 7, 11);
  wish.most = 20;
  wish.sampling = {};
  CHECK(model.alone(wish) == model.without_penalties(wish));
}
