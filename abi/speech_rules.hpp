// SPDX-License-Identifier: Apache-2.0
// Rules of Whisper's tokens, in whole numbers: which may follow, and where the next window begins, as
// OpenAI's decoder has it. The host and the program `listen` on the management processor decide by the same
// code.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace swai::speech {

using Token = uint32_t;

// Tokens that a window is cut by. Text is below `end`; each timestamp is kTimestampStep later than the one
// before it.
struct Marks {
  Token end = 0;
  Token first_timestamp = 0;  // 0.00 s
  Token last_timestamp = 0;   // 30.00 s

  constexpr bool is_timestamp(Token token) const { return token >= first_timestamp; }
  constexpr bool is_text(Token token) const { return token < end; }
};

// In hundredths of a second, which are frames of the spectrogram.
inline constexpr uint32_t kTimestampStep = 2;
// The first timestamp is one second at most.
inline constexpr uint32_t kMaxInitialTimestamp = 50;

constexpr std::optional<Token> last_timestamp_in(std::span<const Token> tokens, const Marks& marks) {
  for (size_t i = tokens.size(); i-- > 0;)
    if (marks.is_timestamp(tokens[i])) return tokens[i];
  return std::nullopt;
}

// Tokens that may follow, apart from suppressed ones: from `first` up to `end`, without timestamps before
// `first_timestamp`.
struct Allowed {
  Token first = 0;
  Token first_timestamp = 0;
  Token end = 0;

  friend constexpr bool operator==(const Allowed&, const Allowed&) = default;
};

// Tokens from `begin` up to `end`.
struct TokenRange {
  Token begin = 0;
  Token end = 0;
};
using RuledOut = std::array<TokenRange, 3>;

// The other tokens of a vocabulary of `count` tokens, as ranges of the operator `mask`.
constexpr RuledOut ruled_out(const Allowed& allowed, Token first_timestamp, Token count) {
  return {{{0, allowed.first}, {first_timestamp, allowed.first_timestamp}, {allowed.end, count}}};
}

// Of a text without timestamps.
constexpr Allowed allowed_without_timestamps(const Marks& marks) {
  return {0, marks.first_timestamp, marks.first_timestamp};
}

// After `chosen`, which are the tokens behind those that direct the text: timestamps come in pairs and go
// forward.
constexpr Allowed allowed_after(std::span<const Token> chosen, const Marks& marks) {
  Allowed allowed = {0, marks.first_timestamp, marks.last_timestamp + 1};
  if (chosen.empty()) {
    allowed.first = marks.first_timestamp;
    allowed.end = marks.first_timestamp + kMaxInitialTimestamp + 1;
    return allowed;
  }
  const bool after_one = marks.is_timestamp(chosen.back());
  const bool after_two = after_one && (chosen.size() < 2 || marks.is_timestamp(chosen[chosen.size() - 2]));
  if (const std::optional<Token> last = last_timestamp_in(chosen, marks)) {
    // What begins may begin when the one before ended; what ends has taken time.
    allowed.first_timestamp = after_one && !after_two ? *last : *last + 1;
  }
  // A pair is complete: text follows. Only its first half is there: its other half, or the end.
  if (after_two) allowed.end = allowed.first_timestamp;
  if (after_one && !after_two) allowed.first = marks.end;
  allowed.end = std::max(allowed.end, allowed.first_timestamp);
  return allowed;
}

// When a token is said in a window that begins at frame `begin`.
constexpr uint64_t time_of(Token token, uint64_t begin, const Marks& marks) {
  if (!marks.is_timestamp(token)) return begin;  // a text that did not begin with its time
  return begin + uint64_t{token - marks.first_timestamp} * kTimestampStep;
}

// Two timestamps meet where one segment ends and the next begins.
constexpr bool is_cut(std::span<const Token> tokens, size_t at, const Marks& marks) {
  return at > 0 && marks.is_timestamp(tokens[at]) && marks.is_timestamp(tokens[at - 1]);
}
// A last timestamp alone: nothing is said behind it.
constexpr bool ends_in_one(std::span<const Token> tokens, const Marks& marks) {
  const size_t count = tokens.size();
  return count >= 2 && marks.is_timestamp(tokens[count - 1]) && !marks.is_timestamp(tokens[count - 2]);
}

// How a window of so many frames of sound from `begin` on leaves off: so many of its tokens are in segments,
// and the next window begins there.
struct End {
  size_t kept = 0;
  uint64_t next = 0;  // frame
};
constexpr End end_of(std::span<const Token> tokens, uint64_t begin, uint64_t frames, const Marks& marks) {
  size_t last = 0;
  for (size_t i = 1; i < tokens.size(); ++i)
    if (is_cut(tokens, i, marks)) last = i;
  if (last == 0 || ends_in_one(tokens, marks)) return {tokens.size(), begin + frames};
  // What was begun is heard again.
  return {last, std::max(time_of(tokens[last - 1], begin, marks), begin + 1)};
}

// Tokens of former windows that the decoder is told, at most; and those of a window.
constexpr uint32_t most_before(uint32_t context) { return context / 2 - 1; }
constexpr uint32_t most_said(uint32_t context) { return context / 2; }

}  // namespace swai::speech
