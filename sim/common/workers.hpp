// SPDX-License-Identifier: Apache-2.0
// Threads that do pieces of work together, again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace swai::common {

class Workers {
 public:
  // The caller is one of them.
  explicit Workers(unsigned count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned count() const { return static_cast<unsigned>(shares_.size()); }
  // Calls work(0) to work(pieces - 1), each once, and returns when all are done. A thread takes the pieces of
  // its share first, which are the same each time, so that what they use stays in its processor's caches;
  // then those that others have left: the caller never waits for a thread that has yet to wake up.
  void run(unsigned pieces, const std::function<void(unsigned piece)>& work);

 private:
  // Each in cache lines of its own.
  struct alignas(128) Share {
    std::atomic<int32_t> left = 0;  // to be taken; below 0: looked for in vain
  };

  void serve(unsigned number);
  void take_pieces(unsigned number);
  unsigned end_of_share(unsigned number) const { return pieces_ * (number + 1) / count(); }

  // Of the work under way, which changes only when all of it is done.
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned pieces_ = 0;
  alignas(128) std::atomic<uint32_t> done_ = 0;
  alignas(128) std::atomic<uint32_t> calls_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<Share> shares_;         // by thread, the caller's first
  std::vector<std::thread> threads_;  // all but the caller
};

}  // namespace swai::common
