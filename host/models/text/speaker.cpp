// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/speaker.hpp"

#include "host/models/files/make_tokenizer.hpp"
#include "host/models/text/open_model.hpp"

namespace swai::generate {

using models::Token;

Speaker::Speaker(const std::string& path, const std::string& tokens, std::optional<Precision> precision)
    : Speaker(open_card_model(path, tokens, precision)) {}

Speaker::Speaker(CardModel model)
    : model_(std::move(model)), tokenizer_(models::make_tokenizer(model_.card.path, model_.vocabulary)) {}

std::vector<Token> Speaker::tokens_of(std::string_view text) const {
  std::vector<Token> tokens;
  const models::Vocabulary& words = tokenizer_->vocabulary();
  if (words.begin && (words.add_begin || text.empty())) tokens.push_back(*words.begin);
  const std::vector<Token> more = tokenizer_->encode(text);
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

}  // namespace swai::generate
