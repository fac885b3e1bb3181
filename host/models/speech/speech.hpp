// SPDX-License-Identifier: Apache-2.0
// What decodes speech, seen from those who know the rules: a window of sound, and tokens that follow each
// other.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "host/models/speech/special_tokens.hpp"

namespace swai::transcribe {

// How the next token is chosen.
struct Rules {
  speech::Allowed allowed;
  bool first = false;      // of a text, which must not be empty: no blank, no end
  bool timestamps = true;  // one is chosen when all of them together are likelier than any text
  double temperature = 0;  // 0: the likeliest
};

struct Choice {
  Token token = 0;
  double log_probability = 0;  // after what is ruled out
};

// Of a token, by the logits of all.
double probability(std::span<const float> logits, Token token);

// A text that goes on from one of those of the step before.
struct Branch {
  size_t parent = 0;
  Token token = 0;
  Rules rules;
};

class Speech {
 public:
  virtual ~Speech() = default;

  // Another sound, heard in windows of so many frames, an even number: what is drawn by lot for it does not
  // depend on those before it.
  virtual void begin_sound(uint32_t window) = 0;
  // A window: rows of frames, as many as a window has. Forgets all tokens.
  virtual void hear(std::span<const float> mel) = 0;
  // Forgets all tokens, not the window.
  virtual void begin() = 0;
  // Puts tokens, one at least, behind the text, and chooses the one that follows.
  virtual Choice append(std::span<const Token> tokens, const Rules& rules) = 0;
  // How probable `token` was to follow the text that was appended, before anything was ruled out.
  virtual double probability_of(Token token) = 0;

  // The text goes on in several ways: the likeliest tokens to follow it, one more than there are beams. Then
  // no token is appended before another text begins.
  virtual std::vector<Choice> split(const Rules& rules) = 0;
  // Texts behind `split` or another step, each with a token more, as many as there are beams at most: of each
  // the likeliest tokens that follow.
  virtual std::vector<std::vector<Choice>> go_on(std::span<const Branch> branches) = 0;
};

// A window as the likeliest tokens have it: each with the logarithm of its probability; the end, or one that
// has no place any more, comes last.
struct Heard {
  std::vector<Choice> choices;
  double no_speech = 0;
};

// A sound, window by window, without anybody who leads the decoder.
class Listener {
 public:
  struct Wish {
    uint64_t frame = 0;             // the first window begins there
    std::span<const Token> before;  // what was said before it
    std::vector<Token> directions;
    bool timestamps = true;
    bool condition_on_previous = true;
    // Asked with each token, unless empty; when it says no, the rest is left out.
    std::function<bool()> go_on = {};
  };

  virtual ~Listener() = default;

  // So many frames of sound, as rows; behind them follows a window of silence. The speech that it leads has
  // begun this sound.
  virtual void take(std::span<const float> mel, uint64_t frames) = 0;
  // Gives each window, until the sound is over or `heard` wants no more.
  virtual void listen(const Wish& wish, const std::function<bool(const Heard&)>& heard) = 0;
};

}  // namespace swai::transcribe
