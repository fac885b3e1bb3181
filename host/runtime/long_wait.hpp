// SPDX-License-Identifier: Apache-2.0
// Who waits for long is told for what: which kernel runs, for how many cycles, at what speed; on a card that
// is shared whose launch it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "host/runtime/queues.hpp"
#include "host/runtime/telling_times.hpp"

namespace swai::sdaa {

class LongWait {
 public:
  using Clock = TellingTimes::Clock;

  LongWait(int device, Queues& queues, std::chrono::milliseconds first)
      : device_(device), queues_(queues), times_(first) {}

  // Nothing has become complete since `begin`, which was `cycles` ago.
  void look(Clock::time_point begin, Clock::time_point now, uint64_t cycles) {
    if (times_.due(now - begin, now)) tell(now - begin, cycles);
  }

 private:
  void tell(Clock::duration waited, uint64_t cycles);
  std::string what_runs() const;

  const int device_;
  Queues& queues_;
  TellingTimes times_;
};

}  // namespace swai::sdaa
