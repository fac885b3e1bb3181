// SPDX-License-Identifier: Apache-2.0
// When who waits for long is told so: once, and then rarely.
#pragma once

#include <algorithm>
#include <chrono>

namespace swai::sdaa {

class TellingTimes {
 public:
  using Clock = std::chrono::steady_clock;

  // So long nobody is told anything.
  explicit TellingTimes(Clock::duration first) : first_(first) {}

  bool due(Clock::duration waited, Clock::time_point now) {
    if (waited < first_ || now < next_) return false;
    next_ = now + pause_;
    pause_ = std::min(pause_ * 2, kLongestPause);
    return true;
  }

 private:
  static constexpr std::chrono::seconds kLongestPause{600};

  const Clock::duration first_;
  Clock::time_point next_ = {};
  std::chrono::seconds pause_{30};
};

}  // namespace swai::sdaa
