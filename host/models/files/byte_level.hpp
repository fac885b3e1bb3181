// SPDX-License-Identifier: Apache-2.0
// Byte-level byte pair encoding: GPT-2, Whisper, SmolLM2. Text is cut into words, and the bytes of each are
// joined.
#pragma once

#include <array>

#include "host/models/files/joining.hpp"
#include "host/models/files/tokenizer.hpp"

namespace swai::models {

class ByteLevel : public Tokenizer {
 public:
  ByteLevel(const std::string& path, Vocabulary vocabulary);
  std::vector<Token> encode(std::string_view text) const override;

 private:
  std::array<std::optional<Token>, 256> bytes_;
  std::unordered_map<uint64_t, Joined> merges_;  // by both tokens
  bool by_rank_ = false;  // no merges: a pair may be joined when it is a token, the first tokens first
};

}  // namespace swai::models
