// Who waits for long is told for what: which kernel runs, for how many cycles, at what speed; on a card that
// is shared whose launch it is. Once, and then rarely.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace swai::sdaa {

class Device;

class LongWait {
 public:
  using Clock = std::chrono::steady_clock;

  LongWait(Device& device, std::chrono::milliseconds first) : device_(device), first_(first) {}

  // Nothing has become complete since `begin`, which was `cycles` ago.
  void look(Clock::time_point begin, Clock::time_point now, uint64_t cycles) {
    if (now - begin >= first_ && now >= next_) tell(now - begin, now, cycles);
  }

 private:
  void tell(Clock::duration waited, Clock::time_point now, uint64_t cycles);
  std::string what_runs() const;

  Device& device_;
  const std::chrono::milliseconds first_;
  Clock::time_point next_ = {};
  std::chrono::seconds pause_{30};
};

}  // namespace swai::sdaa
