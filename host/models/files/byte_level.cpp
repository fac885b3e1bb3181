// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/byte_level.hpp"

#include <fmt/format.h>

#include "host/models/files/file_bytes.hpp"
#include "host/models/files/words.hpp"

namespace swai::models {
namespace {

uint64_t key_of(Token left, Token right) { return uint64_t{left} << 32 | right; }

}  // namespace

ByteLevel::ByteLevel(const std::string& path, Vocabulary vocabulary)
    : Tokenizer(path, std::move(vocabulary)) {
  for (const auto& [piece, token] : normal_)
    if (piece.size() == 1) bytes_[static_cast<uint8_t>(piece[0])] = token;
  by_rank_ = words_.merges.empty();
  for (const auto& [left, right] : words_.merges) {
    const auto first = normal_.find(left);
    const auto second = normal_.find(right);
    const auto both = normal_.find(left + right);
    if (first == normal_.end() || second == normal_.end() || both == normal_.end())
      refuse(path,
             fmt::format("joins two pieces ({} and {} bytes) into one that is no token; the file is damaged",
                         left.size(), right.size()));
    merges_.emplace(key_of(first->second, second->second),
                    Joined{static_cast<double>(merges_.size()), both->second});
  }
}

std::vector<Token> ByteLevel::encode(std::string_view text) const {
  const auto join = [&](Token left, Token right) -> Joined {
    if (!by_rank_) {
      const auto found = merges_.find(key_of(left, right));
      return found == merges_.end() ? Joined{} : found->second;
    }
    const auto found = normal_.find(words_.pieces[left] + words_.pieces[right]);
    return found == normal_.end() ? Joined{} : Joined{static_cast<double>(found->second), found->second};
  };
  std::vector<Token> tokens;
  for (const std::string_view word : cut_words(text, words_.splitter)) {
    std::vector<Token> bytes;
    for (const char one : word)
      if (const auto byte = bytes_[static_cast<uint8_t>(one)]) bytes.push_back(*byte);
    const std::vector<Token> joined = join_pairs(bytes, join);
    tokens.insert(tokens.end(), joined.begin(), joined.end());
  }
  return tokens;
}

}  // namespace swai::models
