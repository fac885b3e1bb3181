#include "host/transcribe/segments.hpp"

#include <algorithm>

namespace swai::transcribe {

WindowSegments segments_of(std::span<const Token> tokens, uint64_t begin, uint64_t frames,
                           const SpecialTokens& special) {
  const auto is_timestamp = [&](size_t i) { return special.is_timestamp(tokens[i]); };
  const auto time_of = [&](Token token) {
    if (!special.is_timestamp(token)) return begin;  // a text that did not begin with its time
    return begin + uint64_t{token - special.first_timestamp} * kTimestampStep;
  };
  const size_t count = tokens.size();
  WindowSegments all = {{}, begin + frames};
  // Where one segment ends and the next begins two timestamps meet.
  std::vector<size_t> cuts;
  for (size_t i = 1; i < count; ++i)
    if (is_timestamp(i) && is_timestamp(i - 1)) cuts.push_back(i);
  const bool ends_in_one = count >= 2 && is_timestamp(count - 1) && !is_timestamp(count - 2);
  if (cuts.empty()) {
    const std::optional<Token> last = special.last_timestamp_in(tokens);
    uint64_t end = begin + frames;
    if (last && *last != special.first_timestamp) end = time_of(*last);
    all.segments.push_back({begin, end, {tokens.begin(), tokens.end()}});
    return all;
  }
  if (ends_in_one) cuts.push_back(count);
  size_t from = 0;
  for (const size_t to : cuts) {
    const auto part = tokens.subspan(from, to - from);
    all.segments.push_back({time_of(part.front()), time_of(part.back()), {part.begin(), part.end()}});
    from = to;
  }
  // A last timestamp alone: nothing is said behind it. Else what was begun is heard again, from there on.
  if (!ends_in_one) all.next = std::max(time_of(tokens[from - 1]), begin + 1);
  return all;
}

}  // namespace swai::transcribe
