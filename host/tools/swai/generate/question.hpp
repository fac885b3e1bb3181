// SPDX-License-Identifier: Apache-2.0
// What is asked of a language model, as far as it needs no card.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/models/text/chat.hpp"
#include "host/models/text/speaker.hpp"
#include "host/tools/swai/generate/wish.hpp"

namespace swai::cli {

// Throws Error when it is no UTF-8.
void check_text(const std::string& text);

// All throw Error, common::InputError.
class Question {
 public:
  explicit Question(const TextWish& wish);

  std::vector<models::Token> tokens_of(const std::string& prompt) const;
  // How long the text may become.
  uint32_t room_of(const TextWish& wish, size_t prompt) const;

  generate::Speaker speaker;
  std::optional<generate::Chat> chat;
};

}  // namespace swai::cli
