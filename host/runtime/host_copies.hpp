// SPDX-License-Identifier: Apache-2.0
// Copying on the host, between memory of programs and buffers that the card reaches: by several threads,
// because one alone is slower than the link.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace swai::sdaa {

// What one thread of a host copies in a ns, what all of them can together, and what the link to a card takes:
// constants by which measurements count a host's time, and the number of threads follows.
namespace host_costs {
inline constexpr uint64_t kThread = 10;
inline constexpr uint64_t kTogether = 40;
inline constexpr uint64_t kLink = 32;
}  // namespace host_costs

// How memory that the card does not reach is copied. What is not the default is for measurements.
struct Staging {
  // As many as keep up with the link, and the host's memory with them (formulas 4 and 5 of the sources).
  static constexpr unsigned kThreads = (host_costs::kLink + host_costs::kThread - 1) / host_costs::kThread;
  static_assert(kThreads * host_costs::kThread <= host_costs::kTogether);
  static constexpr unsigned kBuffers = 64;

  unsigned threads = kThreads;
  unsigned buffers = kBuffers;  // of all copies together
  bool side_by_side = true;     // pieces on several channels
  bool timed = false;           // copying takes the card's time
};

struct HostRows {
  uint8_t* to = nullptr;
  const uint8_t* from = nullptr;
  uint64_t bytes = 0;
  uint64_t rows = 0;
  uint64_t to_pitch = 0;
  uint64_t from_pitch = 0;

  void copy() const;
};

class HostCopies {
 public:
  HostCopies() = default;
  ~HostCopies();
  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;

  // One that was begun; when it goes, it is complete.
  class Job {
   public:
    Job(Job&&) noexcept = default;
    Job& operator=(Job&&) = delete;
    ~Job() {
      if (task_ != nullptr) finish();
    }
    void finish() { copies_->wait(*task_); }
    // Of the card's clock: when it would be complete on a host of the constants above. 0 where that does not
    // count.
    uint64_t cycle() const { return cycle_; }

   private:
    friend class HostCopies;
    struct Task {
      HostRows rows;
      bool done = false;
    };
    Job(HostCopies& copies, std::shared_ptr<Task> task, uint64_t cycle)
        : copies_(&copies), task_(std::move(task)), cycle_(cycle) {}

    HostCopies* copies_;
    std::shared_ptr<Task> task_;
    uint64_t cycle_;
  };

  Job begin(const HostRows& rows);
  // The same, on a host that takes the card's time: the thread that is free first begins now, at the
  // earliest.
  Job begin_timed(const HostRows& rows, unsigned threads, uint64_t now);
  // Until nothing is under way: before buffers go, and the card's time with them.
  void finish_all();

 private:
  using Task = Job::Task;

  void start_threads();
  void run();
  // What is next, if anything is; the lock is free meanwhile.
  bool do_one(std::unique_lock<std::mutex>& lock);
  void wait(const Task& task);

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::deque<std::shared_ptr<Task>> tasks_;  // not begun
  unsigned under_way_ = 0;
  bool ends_ = false;
  bool started_ = false;
  std::vector<std::thread> threads_;
  std::array<uint64_t, Staging::kThreads> free_at_ = {};  // cycles
};

}  // namespace swai::sdaa
