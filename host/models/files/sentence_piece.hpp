// SPDX-License-Identifier: Apache-2.0
// SentencePiece's byte pair encoding, as llama2.c and GGUF files of the kind "llama" have it.
#pragma once

#include <array>

#include "host/models/files/tokenizer.hpp"

namespace swai::models {

// The byte that a piece such as "<0x41>" stands for; nothing for other pieces.
std::optional<uint8_t> byte_named(std::string_view piece);

class SentencePiece : public Tokenizer {
 public:
  SentencePiece(const std::string& path, Vocabulary vocabulary);
  std::vector<Token> encode(std::string_view text) const override;
  std::string bytes_of(Token token) const override;

 private:
  void add_character(std::string_view character, std::vector<Token>& tokens) const;
  // Joins characters of text that has no user-defined pieces.
  void add_text(std::string_view text, std::vector<Token>& tokens) const;
  // The longest user-defined piece at the beginning of the text.
  std::optional<Token> user_defined(std::string_view text) const;

  std::array<std::optional<Token>, 256> bytes_;
  std::array<std::vector<Token>, 256> user_defined_;  // by their first byte, the longest first
};

}  // namespace swai::models
