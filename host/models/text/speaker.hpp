// SPDX-License-Identifier: Apache-2.0
// A language model with its tokens, as far as it needs no card.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/files/tokenizer.hpp"
#include "host/models/text/card_model.hpp"

namespace swai::generate {

class Speaker {
 public:
  // Both throw InputError.
  explicit Speaker(CardModel model);
  // As open_card_model takes them.
  Speaker(const std::string& path, const std::string& tokens, std::optional<Precision> precision);

  const CardModel& model() const { return model_; }
  const models::Tokenizer& tokenizer() const { return *tokenizer_; }
  // How many tokens a text may have: the model was trained on no longer ones.
  uint32_t context() const { return model_.card.shape.context; }
  // What the model is given to go on with a text. None: the model has no token that begins texts, and the
  // text is empty.
  std::vector<models::Token> tokens_of(std::string_view text) const;

 private:
  CardModel model_;
  std::unique_ptr<models::Tokenizer> tokenizer_;
};

}  // namespace swai::generate
