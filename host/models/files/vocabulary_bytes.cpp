// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/vocabulary_bytes.hpp"

#include <fmt/format.h>

namespace swai::models {
namespace {

constexpr int64_t kMostTextBytes = 1 << 20;
constexpr int64_t kMostMerges = 1 << 22;
constexpr uint32_t kNone = 0xFFFF'FFFF;

class Writer {
 public:
  template <typename T>
  void number(T value) {
    const auto* const from = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void text(const std::string& text) {
    number(static_cast<uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

std::string read_text(Reader& reader, const char* what) {
  return std::string(reader.text(reader.count<uint32_t>(what, 0, kMostTextBytes), what));
}

std::optional<uint32_t> read_token(Reader& reader, const char* what, uint32_t count) {
  const auto token = reader.number<uint32_t>(what);
  if (token == kNone) return std::nullopt;
  if (token >= count)
    reader.fail(fmt::format("{} is {} of {} tokens; the file is damaged", what, token, count));
  return token;
}

}  // namespace

std::vector<uint8_t> bytes_of(const Vocabulary& words) {
  Writer out;
  out.number(words.how);
  out.number(words.splitter);
  out.number(uint8_t{words.add_begin});
  out.number(uint8_t{words.space_first});
  for (const auto& token : {words.begin, words.end, words.unknown}) out.number(token.value_or(kNone));
  out.text(words.chat_template);
  for (size_t i = 0; i < words.pieces.size(); ++i) {
    out.text(words.pieces[i]);
    out.number(words.kinds[i]);
  }
  out.number(static_cast<uint32_t>(words.scores.size()));
  for (const float score : words.scores) out.number(score);
  out.number(static_cast<uint32_t>(words.merges.size()));
  for (const auto& [left, right] : words.merges) {
    out.text(left);
    out.text(right);
  }
  return out.take();
}

Vocabulary read_vocabulary(Reader& reader, uint32_t count) {
  Vocabulary words;
  words.how = static_cast<Pieces>(
      reader.count<uint8_t>("the kind of tokens", 0, int64_t{static_cast<uint8_t>(Pieces::kByteLevel)}));
  words.splitter = static_cast<Splitter>(
      reader.count<uint8_t>("how words are cut", 0, int64_t{static_cast<uint8_t>(Splitter::kGpt2Digits)}));
  words.add_begin = reader.count<uint8_t>("whether texts begin with a token", 0, 1) == 1;
  words.space_first = reader.count<uint8_t>("whether texts begin with a space", 0, 1) == 1;
  words.begin = read_token(reader, "the first token of texts", count);
  words.end = read_token(reader, "the last token of texts", count);
  words.unknown = read_token(reader, "the unknown token", count);
  words.chat_template = read_text(reader, "the chat template");
  for (uint32_t i = 0; i < count; ++i) {
    words.pieces.push_back(read_text(reader, "a token"));
    words.kinds.push_back(static_cast<PieceKind>(
        reader.count<uint8_t>("a token's kind", int64_t{static_cast<uint8_t>(PieceKind::kNormal)},
                              int64_t{static_cast<uint8_t>(PieceKind::kByte)})));
  }
  const uint32_t scores = reader.count<uint32_t>("the number of scores", 0, count);
  for (uint32_t i = 0; i < scores; ++i) words.scores.push_back(reader.number<float>("a score"));
  const uint32_t merges = reader.count<uint32_t>("the number of merges", 0, kMostMerges);
  for (uint32_t i = 0; i < merges; ++i) {
    std::string left = read_text(reader, "a merge");
    words.merges.emplace_back(std::move(left), read_text(reader, "a merge"));
  }
  return words;
}

}  // namespace swai::models
