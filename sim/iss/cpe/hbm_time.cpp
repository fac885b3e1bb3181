// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/hbm_time.hpp"

#include <algorithm>

namespace swai::iss::cpe {

// Memory that had no work for long sleeps.
uint64_t HbmTime::wake(uint64_t start) {
  if (start >= busy_until_ + costs::kSleepsAfter) awake_at_ = start + costs::kWakes;
  // Who is far behind was served before it fell asleep.
  return start + costs::kWakes < awake_at_ ? start : std::max(start, awake_at_);
}

uint64_t HbmTime::take_lines(uint64_t start, uint64_t lines, bool write) {
  const uint64_t served = lines_.take({.start = wake(start), .count = lines, .write = write});
  busy_until_ = std::max(busy_until_, served);
  return served;
}

uint64_t HbmTime::take_line(uint64_t start, uint32_t line, bool write) {
  start = wake(start);
  const uint64_t of_all = lines_.take({.start = start, .write = write});
  const uint64_t of_channel = channels_[line % channels_.size()].take<costs::kLine>({.start = start});
  const uint64_t served = std::min(std::max(of_all, of_channel), start + costs::kMostBefore);
  busy_until_ = std::max(busy_until_, served);
  return served;
}

}  // namespace swai::iss::cpe
