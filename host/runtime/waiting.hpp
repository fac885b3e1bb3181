// SPDX-License-Identifier: Apache-2.0
// How threads wait for the card of a device. The card's time passes only while somebody waits for it, and one
// thread at a time can do that: the one that has the device's lock. A wait lets a little time pass, looks,
// and lets the other threads have their turn.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "host/runtime/fair_mutex.hpp"
#include "host/runtime/limits.hpp"
#include "host/runtime/long_wait.hpp"
#include "host/runtime/queues.hpp"

namespace swai::sdaa {

class Waiting {
 public:
  using Lock = std::unique_lock<FairMutex>;
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kNever = ~uint64_t{0};

  // `host_goes_on`: a function of the host runs, or is due, so that a card which sleeps is no reason to doubt
  // it.
  Waiting(int device, Queues& queues, const Limits& limits, std::function<bool()> host_goes_on)
      : queues_(queues),
        limits_(limits),
        host_goes_on_(std::move(host_goes_on)),
        long_wait_(device, queues, limits.silent) {}

  // Until that cycle at the latest, even if the card sleeps. Throws when the limits are reached, the firmware
  // has ended, or the device is reset meanwhile.
  template <typename Done>
  void until(Lock& lock, Done done, uint64_t cycle = kNever) {
    Patience patience(*this);
    for (queues_.look(); !done() && let_time_pass(lock, patience, cycle); queues_.look()) {
    }
  }
  // Until the command is complete. Throws what it, or one before it, failed with.
  void until_complete(Lock& lock, const Point& point);
  // Until everything that was begun is complete, well or not.
  void until_idle(Lock& lock);
  // What a query costs: without it nothing would ever become complete for somebody who only asks.
  void let_a_moment_pass();

  // Something has happened that somebody may wait for.
  void note_activity();
  // How often that was.
  uint64_t activity() const { return activity_; }
  // Somebody lets time pass.
  bool somebody_waits() const { return waiters_ != 0; }
  // The card's time when somebody let it pass last. Any thread may ask, with or without the lock; it takes
  // none of the card's time.
  uint64_t heard_cycle() const { return heard_cycle_; }

 private:
  class Patience {
   public:
    explicit Patience(Waiting& waiting);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
    void renew();

    const uint64_t epoch;
    uint64_t cycle = 0;  // of the card, when last heard; 0: not yet
    uint64_t begin_cycle = 0;
    uint64_t slice = 0;    // the next one
    uint64_t in_vain = 0;  // cycles since the card itself was looked at
    Clock::time_point begin;
    Clock::time_point moved;  // the card's time has passed until then
    std::optional<Clock::time_point> asleep;

   private:
    Waiting& waiting_;
  };

  // False: the cycle has come.
  [[nodiscard]] bool let_time_pass(Lock& lock, Patience& patience, uint64_t until);
  // Sleeps for a moment, unless something happens.
  void rest(Lock& lock, Patience& patience, uint64_t seen, Clock::time_point now);

  Queues& queues_;
  const Limits limits_;
  const std::function<bool()> host_goes_on_;
  LongWait long_wait_;
  std::condition_variable_any changed_;
  uint64_t activity_ = 0;
  std::atomic<uint64_t> heard_cycle_ = 0;
  unsigned waiters_ = 0;
  unsigned asked_in_vain_ = 0;  // moments
};

}  // namespace swai::sdaa
