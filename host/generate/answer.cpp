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
  // What controls a text has no letters: texts end there that models were trained on.
  const auto& kinds = tokenizer.vocabulary().kinds;
  std::vector<Token> controls;
  for (Token token = 0; token < kinds.size(); ++token)
    if (kinds[token] == models::PieceKind::kControl) controls.push_back(token);
  bool ended = false;
  session.generate(prompt, most, controls, [&](Token token) {
    ended = kinds.at(token) == models::PieceKind::kControl;
    if (ended) return;
    whole.tokens.push_back(token);
    hear(decoder.add(token));
  });
  whole.end = ended ? End::kModel : whole.tokens.size() == most ? End::kLimit : End::kRoom;
  hear(decoder.finish());
  return whole;
}

}  // namespace swai::generate
