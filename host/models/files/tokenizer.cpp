// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/tokenizer.hpp"

#include <algorithm>

#include "host/lib/utf8.hpp"
#include "host/models/files/file_bytes.hpp"

namespace swai::models {
namespace {

// SentencePiece puts a space before a text, which is not part of it.
std::string_view without_first_space(const Vocabulary& words, std::string_view text, bool first) {
  if (first && words.space_first && text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

std::string repaired(std::string_view text) {
  std::string good;
  for (size_t at = 0; at < text.size();) {
    const common::Character one = common::character_at(text, at);
    // What begins a character and is cut off counts as one, as Unicode recommends.
    size_t bytes = one.bytes;
    if (one.code == common::kNoCharacter) {
      bytes = std::max<size_t>(1, common::broken_bytes(text, at));
      good += "\xEF\xBF\xBD";
    } else {
      good += text.substr(at, bytes);
    }
    at += bytes;
  }
  return good;
}

}  // namespace

Tokenizer::Tokenizer(const std::string& path, Vocabulary vocabulary) : words_(std::move(vocabulary)) {
  if (words_.kinds.size() != words_.pieces.size()) refuse(path, "does not say of each token what it is");
  for (Token token = 0; token < words_.pieces.size(); ++token) {
    const PieceKind kind = words_.kinds[token];
    if (kind == PieceKind::kNormal || kind == PieceKind::kUserDefined)
      normal_.emplace(words_.pieces[token], token);
  }
}

std::string Tokenizer::bytes_of(Token token) const {
  if (token >= words_.pieces.size()) return {};
  const PieceKind kind = words_.kinds[token];
  return kind == PieceKind::kNormal || kind == PieceKind::kUserDefined ? words_.pieces[token] : std::string();
}

std::string Tokenizer::decode(std::span<const Token> tokens) const {
  std::string text;
  for (const Token token : tokens) text += bytes_of(token);
  return std::string(without_first_space(words_, text, true));
}

std::optional<Token> Tokenizer::control(std::string_view text) const {
  for (Token token = 0; token < words_.pieces.size(); ++token)
    if (words_.kinds[token] == PieceKind::kControl && words_.pieces[token] == text) return token;
  return std::nullopt;
}

std::string StreamingDecoder::add(Token token) {
  const std::string bytes = tokenizer_.bytes_of(token);
  waiting_ += without_first_space(tokenizer_.vocabulary(), bytes, first_);
  if (!bytes.empty()) first_ = false;
  const size_t ready = waiting_.size() - common::unfinished_bytes(waiting_);
  std::string text = repaired(std::string_view(waiting_).substr(0, ready));
  waiting_.erase(0, ready);
  return text;
}

std::string StreamingDecoder::finish() {
  const std::string text = repaired(waiting_);
  waiting_.clear();
  first_ = true;
  return text;
}

}  // namespace swai::models
