// SPDX-License-Identifier: Apache-2.0
// Byte pair encoding: joins the two neighbours whose pair comes first, until no pair can be joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

namespace swai::models {

// What two neighbours become. Of two pairs the one with the lesser rank is joined first, then the left one.
struct Joined {
  double rank = std::numeric_limits<double>::infinity();  // infinite: they stay apart
  uint32_t token = 0;
};

// `join(left, right)` says what becomes of two tokens. Takes n log n: a prompt without spaces is one word.
template <typename Join>
std::vector<uint32_t> join_pairs(const std::vector<uint32_t>& tokens, Join join) {
  struct Part {
    uint32_t token;
    int64_t before, after;
    uint32_t changes = 0;  // so that pairs of what was joined since are known as old
    bool gone = false;
  };
  struct Pair {
    Joined as;
    int64_t left, right;
    uint32_t left_changes, right_changes;
    // The queue has the largest on top.
    bool operator<(const Pair& other) const {
      return as.rank != other.as.rank ? as.rank > other.as.rank : left > other.left;
    }
  };
  std::vector<Part> parts;
  const auto count = static_cast<int64_t>(tokens.size());
  for (int64_t i = 0; i < count; ++i)
    parts.push_back({tokens[static_cast<std::size_t>(i)], i - 1, i + 1 < count ? i + 1 : -1});
  const auto part = [&](int64_t i) -> Part& { return parts[static_cast<std::size_t>(i)]; };
  std::priority_queue<Pair> queue;
  const auto consider = [&](int64_t left, int64_t right) {
    if (left < 0 || right < 0) return;
    const Joined as = join(part(left).token, part(right).token);
    if (as.rank < std::numeric_limits<double>::infinity())
      queue.push({as, left, right, part(left).changes, part(right).changes});
  };
  for (int64_t i = 0; i + 1 < count; ++i) consider(i, i + 1);
  while (!queue.empty()) {
    const Pair pair = queue.top();
    queue.pop();
    Part& left = part(pair.left);
    Part& right = part(pair.right);
    if (left.gone || right.gone || left.changes != pair.left_changes || right.changes != pair.right_changes)
      continue;
    left.token = pair.as.token;
    ++left.changes;
    left.after = right.after;
    right.gone = true;
    if (right.after >= 0) part(right.after).before = pair.left;
    consider(left.before, pair.left);
    consider(pair.left, left.after);
  }
  std::vector<uint32_t> joined;
  for (const Part& one : parts)
    if (!one.gone) joined.push_back(one.token);
  return joined;
}

}  // namespace swai::models
