// SPDX-License-Identifier: Apache-2.0
// Functions of the host in streams. The card says when one is due; a thread of ours calls it and tells the
// card that it is done. When nobody else lets time pass that thread does, so that functions come due even
// while the program only waits for them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "host/runtime/include/sdaa_runtime.h"
#include "host/runtime/waiting.hpp"

namespace swai::sdaa {

class HostCalls {
 public:
  using Function = std::function<void(sdaaError_t)>;

  HostCalls(FairMutex& mutex, Queues& queues, Waiting& waiting)
      : mutex_(mutex), queues_(queues), time_(waiting) {}
  ~HostCalls() { stop(); }
  HostCalls(const HostCalls&) = delete;
  HostCalls& operator=(const HostCalls&) = delete;

  // All of these with the device's lock.
  // `always`: also when the stream failed before, with the error then.
  void add(Queue& queue, uint32_t sequence, Function function, bool always);
  // Something is new in this queue.
  void look(Queue& queue, uint32_t waits_before);
  [[nodiscard]] bool pending() const { return !waiting_.empty() || !due_.empty() || running_; }
  void drop_all();
  // Without the lock: the thread ends. Nothing is called any more.
  void stop();

  // Whether this is the thread that calls functions.
  static bool in_function();

 private:
  struct Call {
    Function function;
    bool always = false;
  };
  struct Due {
    Queue* queue;
    uint32_t sequence;
    Function function;
    sdaaError_t status;
    bool resume;  // the card waits for it
  };

  void run();

  FairMutex& mutex_;
  Queues& queues_;
  Waiting& time_;
  std::map<std::pair<Queue*, uint32_t>, Call> waiting_;
  std::deque<Due> due_;
  bool running_ = false;
  bool ends_ = false;
  std::condition_variable_any wake_;
  std::thread thread_;
};

}  // namespace swai::sdaa
