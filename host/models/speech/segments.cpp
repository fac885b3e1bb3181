// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/segments.hpp"

namespace swai::transcribe {

WindowSegments segments_of(std::span<const Token> tokens, uint64_t begin, uint64_t frames,
                           const SpecialTokens& special) {
  WindowSegments all = {{}, speech::end_of(tokens, begin, frames, special).next};
  std::vector<size_t> cuts;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (speech::is_cut(tokens, i, special)) cuts.push_back(i);
  if (cuts.empty()) {
    const std::optional<Token> last = speech::last_timestamp_in(tokens, special);
    uint64_t end = begin + frames;
    if (last && *last != special.first_timestamp) end = speech::time_of(*last, begin, special);
    all.segments.push_back({begin, end, {tokens.begin(), tokens.end()}});
    return all;
  }
  if (speech::ends_in_one(tokens, special)) cuts.push_back(tokens.size());
  size_t from = 0;
  for (const size_t to : cuts) {
    const auto part = tokens.subspan(from, to - from);
    all.segments.push_back({speech::time_of(part.front(), begin, special),
                            speech::time_of(part.back(), begin, special),
                            {part.begin(), part.end()}});
    from = to;
  }
  return all;
}

}  // namespace swai::transcribe
