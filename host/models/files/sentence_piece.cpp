// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/sentence_piece.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "host/lib/utf8.hpp"
#include "host/models/files/file_bytes.hpp"
#include "host/models/files/joining.hpp"
#include "host/models/files/space_sign.hpp"

namespace swai::models {

std::optional<uint8_t> byte_named(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  uint8_t byte = 0;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
  return error == std::errc{} && end == piece.data() + 5 ? std::optional(byte) : std::nullopt;
}

SentencePiece::SentencePiece(const std::string& path, Vocabulary vocabulary)
    : Tokenizer(path, std::move(vocabulary)) {
  if (words_.scores.size() != words_.pieces.size()) refuse(path, "does not give each token a score");
  for (const float score : words_.scores)
    if (std::isnan(score)) refuse(path, "gives a token a score that is no number; the file is damaged");
  for (Token token = 0; token < words_.pieces.size(); ++token)
    if (words_.kinds[token] == PieceKind::kByte)
      if (const auto byte = byte_named(words_.pieces[token]); byte && !bytes_[*byte]) bytes_[*byte] = token;
  for (Token token = 0; token < words_.pieces.size(); ++token) {
    const std::string& piece = words_.pieces[token];
    if (words_.kinds[token] == PieceKind::kUserDefined && !piece.empty())
      user_defined_[static_cast<uint8_t>(piece.front())].push_back(token);
  }
  const auto length = [&](Token token) { return words_.pieces[token].size(); };
  for (std::vector<Token>& pieces : user_defined_) std::ranges::stable_sort(pieces, std::greater(), length);
}

// What has no token of its own becomes its bytes; bytes without tokens, the unknown token, once for all of
// them.
void SentencePiece::add_character(std::string_view character, std::vector<Token>& tokens) const {
  if (const auto found = normal_.find(std::string(character)); found != normal_.end()) {
    tokens.push_back(found->second);
    return;
  }
  std::vector<Token> bytes;
  for (const char one : character)
    if (const auto byte = bytes_[static_cast<uint8_t>(one)]) bytes.push_back(*byte);
  if (bytes.size() == character.size()) {
    tokens.insert(tokens.end(), bytes.begin(), bytes.end());
  } else if (words_.unknown) {
    tokens.push_back(*words_.unknown);
  }
}

std::optional<Token> SentencePiece::user_defined(std::string_view text) const {
  const std::vector<Token>& pieces = user_defined_[static_cast<uint8_t>(text.front())];
  const auto found =
      std::ranges::find_if(pieces, [&](Token token) { return text.starts_with(words_.pieces[token]); });
  return found == pieces.end() ? std::nullopt : std::optional(*found);
}

std::vector<Token> SentencePiece::encode(std::string_view text) const {
  std::vector<Token> tokens;
  if (text.empty()) return tokens;
  // SentencePiece's own sign for a space is one to it, wherever it stands.
  const std::string whole = with_spaces((words_.space_first ? " " : "") + std::string(text));
  const std::string_view all = whole;
  size_t begin = 0;  // of what is not in tokens yet
  for (size_t at = 0; at < all.size();) {
    const std::optional<Token> piece = user_defined(all.substr(at));
    if (!piece) {
      ++at;
      continue;
    }
    add_text(all.substr(begin, at - begin), tokens);
    tokens.push_back(*piece);
    begin = at += words_.pieces[*piece].size();
  }
  add_text(all.substr(begin), tokens);
  return tokens;
}

void SentencePiece::add_text(std::string_view text, std::vector<Token>& tokens) const {
  std::vector<Token> characters;
  for (size_t at = 0; at < text.size();) {
    const common::Character one = common::character_at(text, at);
    add_character(text.substr(at, one.bytes), characters);
    at += one.bytes;
  }
  const std::vector<Token> joined = join_pairs(characters, [&](Token left, Token right) -> Joined {
    // Only texts are joined: a byte is one because there was no text for it.
    for (const Token one : {left, right})
      if (words_.kinds[one] != PieceKind::kNormal) return {};
    const auto found = normal_.find(words_.pieces[left] + words_.pieces[right]);
    if (found == normal_.end()) return {};
    return {-static_cast<double>(words_.scores[found->second]), found->second};
  });
  tokens.insert(tokens.end(), joined.begin(), joined.end());
}

std::string SentencePiece::bytes_of(Token token) const {
  if (token < words_.pieces.size() && words_.kinds[token] == PieceKind::kByte) {
    const auto byte = byte_named(words_.pieces[token]);
    return byte ? std::string(1, static_cast<char>(*byte)) : std::string();
  }
  return Tokenizer::bytes_of(token);
}

}  // namespace swai::models
