// SPDX-License-Identifier: Apache-2.0
// A language model in double precision, for measurements: how well it foretells a text, or what it says
// behind some words. Prints JSON as `swai generate` does, as far as both know the same.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "host/models/files/load.hpp"
#include "host/models/files/make_tokenizer.hpp"
#include "verif/host/models/files/reference.hpp"

using namespace swai;
using models::Token;

namespace {

struct Wish {
  std::string model, prompt;
  uint32_t context = 512;
  uint32_t most = 0;
};

double log_probability(const std::vector<double>& logits, Token token) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - most);
  return logits[token] - most - std::log(sum);
}

// In parts of so many tokens, each by itself.
nlohmann::json score(const models::Model& model, std::span<const Token> text, uint32_t context) {
  // The weights are the same for all parts.
  const models::LlamaReference fresh(model);
  double sum = 0;
  size_t foretold = 0;
  while (text.size() > 1) {
    models::LlamaReference reference = fresh;
    const auto part = text.first(std::min<size_t>(text.size(), context));
    for (size_t i = 0; i + 1 < part.size(); ++i) {
      sum += log_probability(reference.step(part[i]), part[i + 1]);
      ++foretold;
    }
    std::cerr << "\r" << foretold << " tokens" << std::flush;
    text = text.subspan(part.size());
  }
  std::cerr << "\n";
  return {{"log_probability", sum}, {"foretold", foretold}};
}

// The likeliest tokens.
nlohmann::json tell(const models::Model& model, std::span<const Token> text, uint32_t most) {
  models::LlamaReference reference(model);
  std::vector<double> logits;
  for (const Token token : text) logits = reference.step(token);
  std::vector<Token> tokens;
  while (tokens.size() < most) {
    tokens.push_back(static_cast<Token>(std::ranges::max_element(logits) - logits.begin()));
    if (model.vocabulary.kinds[tokens.back()] == models::PieceKind::kControl) break;
    logits = reference.step(tokens.back());
  }
  return {{"tokens", tokens}};
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("a language model in double precision");
  Wish wish;
  app.add_option("MODEL", wish.model, "file or folder")->required();
  app.add_option("-p", wish.prompt, "the text; else it is standard input");
  app.add_option("-n", wish.most, "so many tokens behind the text; 0: how well the text is foretold");
  app.add_option("--context", wish.context, "tokens of a part of the text");
  CLI11_PARSE(app, count, words);
  if (wish.prompt.empty()) wish.prompt.assign(std::istreambuf_iterator<char>(std::cin), {});
  const models::Model model = models::load(wish.model);
  const auto tokenizer = models::make_tokenizer(model.path, model.vocabulary);
  std::vector<Token> text = tokenizer->encode(wish.prompt);
  if (model.vocabulary.begin && model.vocabulary.add_begin)
    text.insert(text.begin(), *model.vocabulary.begin);
  std::cout << (wish.most == 0 ? score(model, text, wish.context) : tell(model, text, wish.most)) << "\n";
  return 0;
}
