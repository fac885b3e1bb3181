// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/beam_search.hpp"

#include <algorithm>
#include <cmath>

namespace swai::transcribe {
namespace {

struct Text {
  std::vector<Choice> said;
  double log_probability = 0;  // of all of them together
  bool ended = false;

  std::vector<Token> tokens() const {
    std::vector<Token> all;
    for (const Choice& choice : said) all.push_back(choice.token);
    return all;
  }
  double score() const {
    const size_t tokens = said.size() - (ended ? 1 : 0);
    return log_probability / static_cast<double>(std::max<size_t>(tokens, 1));
  }
};

// A text with one token more.
struct Way {
  size_t text;
  Choice choice;
  double log_probability;
};

// OpenAI's decoder also counts what can never follow, where little else does.
std::vector<Way> likeliest_first(std::span<const Text> texts,
                                 std::span<const std::vector<Choice>> following) {
  std::vector<Way> ways;
  for (size_t i = 0; i < texts.size(); ++i)
    for (const Choice& choice : following[i])
      if (std::isfinite(choice.log_probability))
        ways.push_back({i, choice, texts[i].log_probability + choice.log_probability});
  std::ranges::stable_sort(ways, std::ranges::greater(), &Way::log_probability);
  return ways;
}

}  // namespace

std::vector<Choice> search_beams(Speech& speech, const BeamSearch& search) {
  std::vector<Text> texts(1), ended;
  std::vector<std::vector<Choice>> following = {speech.split(search.rules({}))};
  while (true) {
    std::vector<Text> next;
    std::vector<Branch> branches;
    for (const Way& way : likeliest_first(texts, following)) {
      Text text = texts[way.text];
      text.said.push_back(way.choice);
      text.log_probability = way.log_probability;
      text.ended = way.choice.token == search.end;
      if (text.ended) {
        if (ended.size() < search.beams) ended.push_back(std::move(text));
        continue;
      }
      next.push_back(std::move(text));
      branches.push_back({way.text, way.choice.token, {}});
      if (next.size() == search.beams) break;
    }
    texts = std::move(next);
    if (texts.empty() || ended.size() == search.beams || texts.front().said.size() >= search.most) break;
    for (size_t i = 0; i < texts.size(); ++i) branches[i].rules = search.rules(texts[i].tokens());
    following = speech.go_on(branches);
  }
  // Where too few have ended, the likeliest of those that had no more place count, too.
  for (Text& text : texts)
    if (ended.size() < search.beams) ended.push_back(std::move(text));
  if (ended.empty()) return {};
  return std::ranges::max_element(ended, {}, &Text::score)->said;
}

}  // namespace swai::transcribe
