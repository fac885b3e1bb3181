// SPDX-License-Identifier: Apache-2.0
// The tokens of a model, as its file has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace swai::models {

enum class Pieces : uint8_t {
  kNone,
  kSentencePiece,  // texts with scores; bytes as <0x41>
  kByteLevel,      // bytes, joined by merges, or, when there are none, by rank: the piece's own number
};

// How text is cut before byte-level pieces are joined.
enum class Splitter : uint8_t { kGpt2, kGpt2Digits };

enum class PieceKind : uint8_t { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

struct Vocabulary {
  Pieces how = Pieces::kNone;
  Splitter splitter = Splitter::kGpt2;
  // Bytes, not letters that stand for them. SentencePiece's sign for a space is a space.
  std::vector<std::string> pieces;
  std::vector<PieceKind> kinds;                             // one for each piece
  std::vector<float> scores;                                // of SentencePiece
  std::vector<std::pair<std::string, std::string>> merges;  // of byte-level pieces, the first ones first
  std::optional<uint32_t> begin;                            // of a text
  std::optional<uint32_t> end;
  std::optional<uint32_t> unknown;
  bool add_begin = false;
  bool space_first = false;  // SentencePiece: a text begins with a space
  std::string chat_template;
};

}  // namespace swai::models
