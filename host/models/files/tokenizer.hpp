// SPDX-License-Identifier: Apache-2.0
// Text to tokens and back, as the model's own tokenizer does it. Text may be any bytes: what is no UTF-8 is
// not lost where the vocabulary has tokens for bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/models/files/vocabulary.hpp"

namespace swai::models {

using Token = uint32_t;

class Tokenizer {
 public:
  // Throws InputError when pieces and merges do not fit each other; `path` is what it names.
  Tokenizer(const std::string& path, Vocabulary vocabulary);
  virtual ~Tokenizer() = default;

  // Without the token that begins a text. Control tokens are not looked for: text that looks like one stays
  // text.
  virtual std::vector<Token> encode(std::string_view text) const = 0;
  // The bytes of one token in the middle of a text; of control tokens none.
  virtual std::string bytes_of(Token token) const;
  // Of a whole text. SentencePiece's first space is not part of it.
  std::string decode(std::span<const Token> tokens) const;

  const Vocabulary& vocabulary() const { return words_; }
  // A control token by its text, such as <|im_start|>.
  std::optional<Token> control(std::string_view text) const;

 protected:
  Vocabulary words_;
  std::unordered_map<std::string, Token> normal_;  // by their bytes
};

// Gives text as tokens come, and never a part of a character: bytes wait until they are one, or cannot become
// one.
class StreamingDecoder {
 public:
  explicit StreamingDecoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  // What is complete now. Bytes that are no UTF-8 become U+FFFD.
  std::string add(Token token);
  // What still waits, when no more tokens come.
  std::string finish();

 private:
  const Tokenizer& tokenizer_;
  std::string waiting_;
  bool first_ = true;
};

}  // namespace swai::models
