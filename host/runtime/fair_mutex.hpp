// SPDX-License-Identifier: Apache-2.0
// A mutex that lets threads in in the order in which they came. Who lets the card's time pass holds it for a
// while and asks for it again at once; with a plain mutex others would starve.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace swai::sdaa {

class FairMutex {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    const uint64_t mine = next_++;
    turn_.wait(guard, [&] { return serving_ == mine; });
  }
  bool try_lock() {
    const std::lock_guard guard(mutex_);
    if (next_ != serving_) return false;
    ++next_;
    return true;
  }
  void unlock() {
    {
      const std::lock_guard guard(mutex_);
      ++serving_;
    }
    turn_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable turn_;
  uint64_t next_ = 0;
  uint64_t serving_ = 0;
};

}  // namespace swai::sdaa
