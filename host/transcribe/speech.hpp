// What decodes speech, seen from those who know the rules: a window of sound, and tokens that follow each
// other.
#pragma once

#include <span>

#include "host/transcribe/timestamp_rules.hpp"

namespace swai::transcribe {

// How the next token is chosen.
struct Rules {
  Allowed allowed;
  bool first = false;      // of a text, which must not be empty: no blank, no end
  bool timestamps = true;  // one is chosen when all of them together are likelier than any text
  double temperature = 0;  // 0: the likeliest
};

struct Choice {
  Token token = 0;
  double log_probability = 0;  // after what is ruled out
};

class Speech {
 public:
  virtual ~Speech() = default;

  // A window: rows of frames, as many as a window has. Forgets all tokens.
  virtual void hear(std::span<const float> mel) = 0;
  // Forgets all tokens, not the window.
  virtual void begin() = 0;
  // Puts tokens, one at least, behind the text, and chooses the one that follows.
  virtual Choice append(std::span<const Token> tokens, const Rules& rules) = 0;
  // How probable `token` was to follow, before anything was ruled out.
  virtual double probability_of(Token token) = 0;
};

}  // namespace swai::transcribe
