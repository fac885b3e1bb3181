// SPDX-License-Identifier: Apache-2.0
// A line on a terminal's standard error that shows, on long runs, that there is life.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace swai::card {

class Progress {
 public:
  // Shows nothing when not `wanted` or when standard error is no terminal.
  explicit Progress(bool wanted);
  ~Progress() { clear(); }

  // Call now and then; it limits itself to once a second, and to times when the card has been busy for a
  // while.
  void update(uint64_t cycles, const std::string& what);
  // The card slept or wrote to the console: takes the line away, starts anew.
  void clear();

  // The clock ran for this many cycles and this long; waiting for input does not count.
  void ran(uint64_t cycles, std::chrono::duration<double> time) {
    cycles_ += cycles;
    seconds_ += time.count();
  }
  double khz() const { return seconds_ > 0 ? static_cast<double>(cycles_) / seconds_ / 1000 : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool shown_ = false;
  Clock::time_point next_;
  uint64_t cycles_ = 0;
  double seconds_ = 0;
};

}  // namespace swai::card
