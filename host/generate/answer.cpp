#include "host/generate/answer.hpp"

namespace swai::generate {

using models::Token;

const char* to_text(End end) {
  switch (end) {
    case End::kModel:
      return "model";
    case End::kLimit:
      return "limit";
    case End::kRoom:
      break;
  }
  return "context";
}

Answer answer(Session& session, const models::Tokenizer& tokenizer, std::span<const Token> prompt,
              uint64_t most, bool echo, const Say& say) {
  // The answer goes on where the prompt ends, perhaps in the middle of a character.
  models::StreamingDecoder decoder(tokenizer);
  for (const Token token : prompt) {
    const std::string text = decoder.add(token);
    if (echo) say(text);
  }
  Answer whole;
  const auto hear = [&](const std::string& text) {
    whole.text += text;
    say(text);
  };
  const auto& kinds = tokenizer.vocabulary().kinds;
  Token token = session.append(prompt);
  while (true) {
    if (whole.tokens.size() == most) {
      whole.end = End::kLimit;
      break;
    }
    // What controls a text has no letters: texts end there that models were trained on.
    if (kinds.at(token) == models::PieceKind::kControl) break;
    whole.tokens.push_back(token);
    hear(decoder.add(token));
    if (session.length() == session.room()) {
      whole.end = End::kRoom;
      break;
    }
    if (whole.tokens.size() < most) token = session.next();
  }
  hear(decoder.finish());
  return whole;
}

}  // namespace swai::generate
