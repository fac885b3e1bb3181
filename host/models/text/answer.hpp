// SPDX-License-Identifier: Apache-2.0
// The text behind a prompt, as it comes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/models/files/tokenizer.hpp"
#include "host/models/text/any_text.hpp"

namespace swai::generate {

enum class End : uint8_t {
  kModel,  // the model ended the text
  kLimit,  // as many tokens as were asked for
  kRoom,   // the text has no room for more
  kHeard,  // who listens has heard enough
};

const char* to_text(End end);

struct Answer {
  std::vector<models::Token> tokens;
  std::string text;
  End end = End::kModel;
};

// Gets each piece of the text when it is complete, so that of some tokens it gets nothing; false ends the
// text.
using Say = std::function<bool(std::string_view)>;

// Tokens behind which no text goes on: they control it and have no letters.
std::vector<models::Token> controls_of(const models::Vocabulary& vocabulary);

// An answer as its tokens come.
class Listener {
 public:
  // The answer goes on where the prompt ends, perhaps in the middle of a character. With `echo` the prompt is
  // said, too; it is no part of the answer.
  Listener(const models::Tokenizer& tokenizer, std::span<const models::Token> prompt, bool echo, Say say);

  // False: who listens has heard enough.
  bool hear(models::Token token);
  void stop() { wanted_ = false; }
  // `most`: as many tokens as were asked for.
  Answer finish(uint64_t most);

 private:
  bool say(const std::string& text);

  const models::Tokenizer& tokenizer_;
  models::StreamingDecoder decoder_;
  Say say_;
  Answer whole_;
  bool wanted_ = true;
  bool ended_ = false;
};

// Appends the prompt to the text, and up to `most` tokens to that. `echo`: as a Listener takes it.
Answer answer(AnyText& text, const models::Tokenizer& tokenizer, std::span<const models::Token> prompt,
              uint64_t most, bool echo, const Say& say);

}  // namespace swai::generate
