// Which tokens may follow, as OpenAI's decoder has it: timestamps come in pairs and go forward.
#pragma once

#include <span>

#include "host/transcribe/special_tokens.hpp"

namespace swai::transcribe {

// first <= token < first_timestamp, or first_allowed_timestamp <= token < end_of_timestamps; and none that is
// suppressed.
struct Allowed {
  Token first = 0;
  Token first_timestamp = 0;
  Token end_of_timestamps = 0;

  friend bool operator==(const Allowed&, const Allowed&) = default;
};

// The first timestamp is one second at most.
inline constexpr uint32_t kMaxInitialTimestamp = 50;

// After `chosen`, which are the tokens behind those that direct the text.
Allowed allowed_after(std::span<const Token> chosen, const SpecialTokens& special);
// Of a text without timestamps.
Allowed allowed_without_timestamps(const SpecialTokens& special);

}  // namespace swai::transcribe
