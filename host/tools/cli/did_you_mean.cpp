// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/did_you_mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace swai::cli {
namespace {

// Letters to add, to leave out, to change, or to swap with the next one.
size_t distance(const std::string& from, const std::string& to) {
  std::vector<size_t> before;
  std::vector<size_t> last(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    std::vector<size_t> now = {i + 1};
    for (size_t k = 0; k < to.size(); ++k) {
      now.push_back(std::min({last[k] + (from[i] == to[k] ? 0 : 1), last[k + 1] + 1, now[k] + 1}));
      if (i > 0 && k > 0 && from[i] == to[k - 1] && from[i - 1] == to[k])
        now.back() = std::min(now.back(), before[k - 1] + 1);
    }
    before = std::move(last);
    last = std::move(now);
  }
  return last.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& words) {
  constexpr size_t kLongest = 100;
  if (word.empty() || word.size() > kLongest || words.empty()) return "";
  const auto of = [&](const std::string& other) {
    // Who has begun a word means it.
    return other.starts_with(word) ? size_t{0} : distance(word, other);
  };
  const std::string& nearest = *std::ranges::min_element(words, {}, of);
  return of(nearest) <= std::min<size_t>(2, word.size() / 2) ? fmt::format(" (did you mean '{}'?)", nearest)
                                                             : "";
}

}  // namespace swai::cli
