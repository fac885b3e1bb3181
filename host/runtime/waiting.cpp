// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace swai::sdaa {
namespace {

// So much time passes before another thread has its turn; and when somebody only asks. While nothing happens,
// a slice is twice as long as the one before, up to the longest: a card that runs as fast as the fast tier
// would stand still for others most of the time. A card in RTL takes a second for a slice as it is.
constexpr uint64_t kSlice = 20'000;
constexpr uint64_t kLongestSlice = 16 * kSlice;
constexpr uint64_t kMoment = 1'000;
// So much time in vain, and the card itself is looked at; likewise for who only asks.
constexpr uint64_t kInVain = 64 * kSlice;
constexpr unsigned kAskedInVain = kInVain / kMoment;

}  // namespace

Waiting::Patience::Patience(Waiting& waiting) : epoch(waiting.queues_.epoch()), waiting_(waiting) {
  ++waiting_.waiters_;
  begin = Clock::now();
}
Waiting::Patience::~Patience() { --waiting_.waiters_; }
void Waiting::Patience::renew() {
  begin_cycle = cycle;
  begin = Clock::now();
  moved = begin;
  slice = kSlice;
  asleep.reset();
}

bool Waiting::let_time_pass(Lock& lock, Patience& patience, uint64_t until) {
  Connection& connection = queues_.connection();
  const auto now = Clock::now();
  // The slice before has told; who has to be exact asks again, because others may have let time pass
  // meanwhile.
  if (patience.cycle == 0 || until != kNever) patience.cycle = connection.cycle();
  if (patience.begin_cycle == 0) patience.renew();
  const uint64_t cycle = patience.cycle;
  if (cycle >= until) return false;
  const uint64_t waited = cycle - patience.begin_cycle;
  if (waited > limits_.wait_cycles)
    fail(sdaaErrorTimedOut,
         fmt::format("nothing that was given to the card has become complete in {} cycles of it; "
                     "SWAI_TIMEOUT_CYCLES=CYCLES waits longer",
                     waited));
  long_wait_.look(patience.begin, now, waited);
  const uint64_t slice =
      std::min({patience.slice, until - cycle, std::max<uint64_t>(limits_.wait_cycles - waited, 1)});
  const Connection::Passed passed = connection.let_time_pass(slice);
  patience.cycle = passed.cycle;
  heard_cycle_ = passed.cycle;
  // What somebody else waited for may have ended it early.
  const uint64_t went = passed.cycle - cycle;
  const auto then = Clock::now();
  if (went != 0) {
    patience.moved = then;
  } else if (then - patience.moved > limits_.real) {
    fail(sdaaErrorTimedOut,
         fmt::format("the card's time has stood still for {} s; SWAI_TIMEOUT_SECONDS=SECONDS waits longer",
                     std::chrono::duration_cast<std::chrono::seconds>(then - patience.moved).count()));
  }
  if (connection.is_fast_tier() && went >= slice)
    patience.slice = std::min(2 * patience.slice, kLongestSlice);
  bool awake = passed.awake;
  if (!awake && until != kNever) {
    connection.wake();
    awake = true;
  }
  uint64_t seen = activity_;
  if (queues_.look()) {
    patience.renew();
    seen = activity_;
  } else if (awake ? (patience.in_vain += std::max(went, std::min(slice, kSlice))) >= kInVain
                   : !host_goes_on_()) {
    // To look takes time of the card's: not while a function of the host decides how often.
    queues_.check();
    patience.in_vain = 0;
  }
  if (awake) {
    // Others have their turn.
    patience.asleep.reset();
    lock.unlock();
    lock.lock();
  } else {
    rest(lock, patience, seen, now);
  }
  // What was waited for does not exist any more then.
  require(patience.epoch == queues_.epoch(), "the device was reset meanwhile", sdaaErrorContextIsDestroyed);
  return true;
}

void Waiting::rest(Lock& lock, Patience& patience, uint64_t seen, Clock::time_point now) {
  if (!patience.asleep) patience.asleep = now;
  if (!host_goes_on_() && now - *patience.asleep > limits_.asleep) {
    fail(sdaaErrorTimedOut,
         "the card has nothing left to do, and what is waited for has not come: a stream waits for something "
         "that no other one brings about");
  }
  if (now != *patience.asleep)
    changed_.wait_for(lock, std::chrono::milliseconds(5), [&] { return activity_ != seen; });
}

void Waiting::until_complete(Lock& lock, const Point& point) {
  until(lock, [&] { return point.reached(); });
  if (point.failed()) throw failure_of(*point.queue);
}

void Waiting::until_idle(Lock& lock) {
  until(lock, [&] { return queues_.all_idle(); });
}

void Waiting::let_a_moment_pass() {
  queues_.connection().let_time_pass(kMoment);
  if (queues_.look()) {
    asked_in_vain_ = 0;
  } else if (++asked_in_vain_ == kAskedInVain) {
    asked_in_vain_ = 0;
    queues_.check();
  }
}

void Waiting::note_activity() {
  ++activity_;
  changed_.notify_all();
}

}  // namespace swai::sdaa
