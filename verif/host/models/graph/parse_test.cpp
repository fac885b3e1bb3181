// SPDX-License-Identifier: Apache-2.0
// Any text ends in a graph or in a message with a place inside it.
#include <algorithm>
#include <random>

#include "host/models/graph/plan.hpp"
#include "verif/host/models/graph/text.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::graph {
namespace {

// Neither crash nor silence: an error has a place within the text.
bool good(const std::string& text) {
  try {
    plan(graph_of(text));
    return true;
  } catch (const GraphError& error) {
    const auto lines = std::ranges::count(text, '\n') + 1;
    CHECK(error.place().line >= 1);
    CHECK(error.place().line <= lines);
    CHECK(error.place().column >= 1);
    CHECK_FALSE(std::string(error.what()).empty());
  } catch (const SizeError&) {
  }
  return false;
}

std::string spoilt(std::string text, std::mt19937_64& random) {
  static const std::vector<std::string> kPieces = {"(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   ":",
                                                   "..",
                                                   "next ",
                                                   "in ",
                                                   "\n",
                                                   "= ",
                                                   "9999999999999999999",
                                                   "repeat",
                                                   "0",
                                                   "-",
                                                   "*",
                                                   "/ 0",
                                                   "graph",
                                                   "split",
                                                   "1e999",
                                                   "\xff",
                                                   "size",
                                                   "state",
                                                   "past + 1",
                                                   "width",
                                                   "layer"};
  const size_t changes = 1 + random() % 3;
  for (size_t i = 0; i < changes; ++i) {
    const size_t at = random() % (text.size() + 1);
    switch (random() % 4) {
      case 0:
        text.insert(at, kPieces[random() % kPieces.size()]);
        break;
      case 1:
        text.erase(at, random() % 20);
        break;
      case 2:
        text.resize(at);
        break;
      default: {
        const size_t from = random() % (text.size() + 1);
        text.insert(at, text.substr(from, random() % 60));
      }
    }
    if (text.empty()) text = " ";
  }
  return text;
}

}  // namespace

TEST_CASE("texts that are spoilt in random places") {
  std::mt19937_64 random(test_seed());
  const std::vector<std::string> texts = {example("encoder.graph"), example("decoder.graph"),
                                          example("speech.graph")};
  int right = 0, wrong = 0;
  for (int round = 0; round < 3000; ++round)
    ++(good(spoilt(texts[random() % texts.size()], random)) ? right : wrong);
  // Comments, spaces and numbers may change without harm.
  CHECK(right > 50);
  CHECK(wrong > 1000);
}

TEST_CASE("nested without end, long without end") {
  const auto many = [](const std::string& piece, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += piece;
    return text;
  };
  CHECK_FALSE(good("graph g\nsize a = " + many("(", 100'000) + "1" + many(")", 100'000)));
  CHECK_FALSE(good("graph g\nsize a = 1" + many(" + 1", 100'000)));
  CHECK_FALSE(good("graph g\nsize a = " + many("-", 100'000) + "1"));
  CHECK_FALSE(good("graph g\n" + many("repeat a in 0 .. 1 {\n", 10'000)));
  CHECK_FALSE(good("graph g\n" + many("repeat a in 0 .. 4096 {\n", 3) + "x = copy(y)\n" + many("}\n", 3)));
  CHECK_FALSE(good(many("#", size_t{5} << 20)));
}

TEST_CASE("what the language says of itself") {
  CHECK(complaint("") == "1: graph text begins with its name: graph NAME");
  CHECK(complaint("graph size") == "1: 'size' is a word of the language, not a name");
  CHECK(complaint("graph g\nsize a = 1 }") == "2: '}' closes nothing");
  CHECK(complaint("graph g\nsize a = $") == "2: '$' means nothing here");
  CHECK(complaint("graph g\nsize a = 99999999999999999999") ==
        "2: '99999999999999999999' is too large a number");
  CHECK(complaint("graph g\nsize a 1") == "2: '=' is missing before '1'");
  CHECK(complaint("graph g\nrepeat i in 0 .. 1 {\n") == "3: '}' is missing before the end of the text");
  CHECK(complaint("graph g\nsize a = 1 size b = 2") == "2: the line should end before 'size'");
  CHECK(complaint("graph g\nsize a = 1 +\n") == "2: a size is missing before the end of the line");
}

}  // namespace swai::graph
