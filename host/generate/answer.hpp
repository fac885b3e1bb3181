// The text behind a prompt, as it comes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/generate/session.hpp"

namespace swai::generate {

enum class End : uint8_t {
  kModel,  // the model ended the text
  kLimit,  // as many tokens as were asked for
  kRoom,   // the session has no room for more
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

// Appends the prompt to the session's text, and up to `most` tokens to that. With `echo` the prompt is said,
// too; it is no part of the answer. `go_on`: as Session::generate takes it.
Answer answer(Session& session, const models::Tokenizer& tokenizer, std::span<const models::Token> prompt,
              uint64_t most, bool echo, const Say& say, const Session::GoOn& go_on = {});

}  // namespace swai::generate
