// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/generate/question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/lib/utf8.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli {

using models::Token;

void check_text(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const common::Character one = common::character_at(text, at);
    if (one.code == common::kNoCharacter) {
      throw Error(
          kBadInput,
          fmt::format("the prompt is no UTF-8: at byte {} no character begins (0x{:02x}); iconv converts it",
                      at, static_cast<uint8_t>(text[at])));
    }
    at += one.bytes;
  }
}

Question::Question(const TextWish& wish)
    : speaker(wish.model, wish.tokens, generate::precision_named(wish.precision)) {
  if (wish.context > speaker.context()) {
    throw Error(kBadInput, fmt::format("--context {}: the model was trained on texts of {} tokens at most",
                                       wish.context, speaker.context()));
  }
  if (wish.chat) chat.emplace(speaker.model().card.path, speaker.tokenizer(), wish.system);
}

std::vector<Token> Question::tokens_of(const std::string& prompt) const {
  check_text(prompt);
  if (chat) return chat->first(prompt);
  std::vector<Token> tokens = speaker.tokens_of(prompt);
  if (tokens.empty()) throw Error(kBadInput, "this model needs a text to begin with: -p TEXT");
  return tokens;
}

uint32_t Question::room_of(const TextWish& wish, size_t prompt) const {
  uint64_t room = speaker.context();
  if (wish.context != 0) {
    room = wish.context;
  } else if (!wish.interactive()) {
    room = std::min<uint64_t>(room, prompt + wish.most);
  }
  if (prompt > room) {
    throw Error(kBadInput, fmt::format("the prompt has {} tokens; there is room for {} ({})", prompt, room,
                                       room < speaker.context() ? "--context" : "the model's context"));
  }
  return static_cast<uint32_t>(room);
}

}  // namespace swai::cli
