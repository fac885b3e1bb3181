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
      return "context";
    case End::kHeard:
      break;
  }
  return "heard";
}

Answer answer(Session& session, const models::Tokenizer& tokenizer, std::span<const Token> prompt,
              uint64_t most, bool echo, const Say& say, const Session::GoOn& go_on) {
  // The answer goes on where the prompt ends, perhaps in the middle of a character.
  models::StreamingDecoder decoder(tokenizer);
  for (const Token token : prompt) {
    const std::string text = decoder.add(token);
    if (echo) say(text);
  }
  Answer whole;
  bool wanted = true;
  const auto hear = [&](const std::string& text) {
    whole.text += text;
    return wanted = say(text);
  };
  // What controls a text has no letters: texts end there that models were trained on.
  const auto& kinds = tokenizer.vocabulary().kinds;
  std::vector<Token> controls;
  for (Token token = 0; token < kinds.size(); ++token)
    if (kinds[token] == models::PieceKind::kControl) controls.push_back(token);
  bool ended = false;
  session.generate(
      prompt, most, controls,
      [&](Token token) {
        ended = kinds.at(token) == models::PieceKind::kControl;
        if (ended) return true;
        whole.tokens.push_back(token);
        return hear(decoder.add(token));
      },
      [&] { return wanted = !go_on || go_on(); });
  if (wanted) hear(decoder.finish());
  whole.end = !wanted                       ? End::kHeard
              : ended                       ? End::kModel
              : whole.tokens.size() == most ? End::kLimit
                                            : End::kRoom;
  return whole;
}

}  // namespace swai::generate
