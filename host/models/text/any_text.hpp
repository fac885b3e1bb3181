// SPDX-License-Identifier: Apache-2.0
// A text that a model continues, wherever it does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "host/models/files/tokenizer.hpp"

namespace swai::generate {

class AnyText {
 public:
  virtual ~AnyText() = default;

  // Puts tokens, one at least, behind the text, and behind them those that follow, `most` at most. Each is
  // given as it comes, until one of `ends`, which is given, too, or `got` wants no more. All but the last one
  // are part of the text then. Throws std::length_error when there is no room for the tokens; where room
  // ends, so does the text.
  using Got = std::function<bool(models::Token)>;
  virtual void generate(std::span<const models::Token> tokens, uint64_t most,
                        std::span<const models::Token> ends, const Got& got) = 0;

  virtual uint32_t length() const = 0;
  // How many tokens the text may have.
  virtual uint32_t room() const = 0;
};

}  // namespace swai::generate
