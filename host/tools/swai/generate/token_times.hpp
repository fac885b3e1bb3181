// SPDX-License-Identifier: Apache-2.0
// Wall times of tokens: prefill lasts until each text has its first token, decode is the time of all others.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "host/models/text/any_text.hpp"

namespace swai::cli {

class TokenTimes {
 public:
  struct Phase {
    uint64_t tokens = 0;
    double seconds = 0;
  };

  // Starts prefill of `texts` prompts with `prompt_tokens` tokens in all.
  void begin(size_t texts, size_t prompt_tokens);
  // Counts a token of one of these texts.
  void got(size_t text);

  const Phase& prefill() const { return prefill_; }
  const Phase& decode() const { return decode_; }

 private:
  using Clock = std::chrono::steady_clock;

  Phase prefill_, decode_;
  std::vector<bool> begun_;  // texts that have a token
  size_t waiting_ = 0;       // for texts that have none
  Clock::time_point last_;
};

// A text whose tokens are timed.
class TimedText : public generate::AnyText {
 public:
  TimedText(generate::AnyText& text, TokenTimes& times) : text_(text), times_(times) {}

  void generate(std::span<const models::Token> tokens, uint64_t most, std::span<const models::Token> ends,
                const Got& got) override;
  uint32_t length() const override { return text_.length(); }
  uint32_t room() const override { return text_.room(); }

 private:
  generate::AnyText& text_;
  TokenTimes& times_;
};

}  // namespace swai::cli
