// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/answer.hpp"

#include <utility>

namespace swai::generate {

using models::Token;

const char* to_text(End end) {
  switch (end) {
    case End::kModel:
      return "model";
    case End::kLimit:
      return "limit";
    case End::kRoom:
      return "context";
    case End::kHeard:
      break;
  }
  return "heard";
}

std::vector<Token> controls_of(const models::Vocabulary& vocabulary) {
  std::vector<Token> controls;
  for (Token token = 0; token < vocabulary.kinds.size(); ++token)
    if (vocabulary.kinds[token] == models::PieceKind::kControl) controls.push_back(token);
  return controls;
}

Listener::Listener(const models::Tokenizer& tokenizer, std::span<const Token> prompt, bool echo, Say say)
    : tokenizer_(tokenizer), decoder_(tokenizer), say_(std::move(say)) {
  for (const Token token : prompt) {
    const std::string text = decoder_.add(token);
    if (echo) say_(text);
  }
}

bool Listener::say(const std::string& text) {
  whole_.text += text;
  return wanted_ = say_(text);
}

bool Listener::hear(Token token) {
  ended_ = tokenizer_.vocabulary().kinds.at(token) == models::PieceKind::kControl;
  if (ended_) return true;
  whole_.tokens.push_back(token);
  return say(decoder_.add(token));
}

Answer Listener::finish(uint64_t most) {
  if (wanted_) say(decoder_.finish());
  whole_.end = !wanted_                       ? End::kHeard
               : ended_                       ? End::kModel
               : whole_.tokens.size() == most ? End::kLimit
                                              : End::kRoom;
  return std::move(whole_);
}

Answer answer(AnyText& text, const models::Tokenizer& tokenizer, std::span<const Token> prompt, uint64_t most,
              bool echo, const Say& say) {
  Listener listener(tokenizer, prompt, echo, say);
  text.generate(prompt, most, controls_of(tokenizer.vocabulary()),
                [&](Token token) { return listener.hear(token); });
  return listener.finish(most);
}

}  // namespace swai::generate
