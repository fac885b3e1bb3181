#include "host/transcribe/timestamp_rules.hpp"

#include <algorithm>

namespace swai::transcribe {

Allowed allowed_without_timestamps(const SpecialTokens& special) {
  return {0, special.first_timestamp, special.first_timestamp};
}

Allowed allowed_after(std::span<const Token> chosen, const SpecialTokens& special) {
  const auto is_timestamp = [&](Token token) { return special.is_timestamp(token); };
  Allowed allowed = {0, special.first_timestamp, special.last_timestamp + 1};
  if (chosen.empty()) {
    allowed.first = special.first_timestamp;
    allowed.end_of_timestamps = special.first_timestamp + kMaxInitialTimestamp + 1;
    return allowed;
  }
  const bool after_one = is_timestamp(chosen.back());
  const bool after_two = after_one && (chosen.size() < 2 || is_timestamp(chosen[chosen.size() - 2]));
  if (const std::optional<Token> last = special.last_timestamp_in(chosen)) {
    // What begins may begin when the one before ended; what ends has taken time.
    allowed.first_timestamp = after_one && !after_two ? *last : *last + 1;
  }
  // A pair is complete: text follows. Only its first half is there: its other half, or the end.
  if (after_two) allowed.end_of_timestamps = allowed.first_timestamp;
  if (after_one && !after_two) allowed.first = special.end;
  allowed.end_of_timestamps = std::max(allowed.end_of_timestamps, allowed.first_timestamp);
  return allowed;
}

}  // namespace swai::transcribe
