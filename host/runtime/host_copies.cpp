// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/host_copies.hpp"

#include <cstring>
#include <span>
#include <system_error>

namespace swai::sdaa {

void HostRows::copy() const {
  for (uint64_t row = 0; row < rows; ++row) std::memcpy(to + row * to_pitch, from + row * from_pitch, bytes);
}

HostCopies::~HostCopies() {
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
    work_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

HostCopies::Job HostCopies::begin(const HostRows& rows) {
  // To tell another thread takes as long as to copy so much.
  constexpr uint64_t kShort = 16 << 10;
  auto task = std::make_shared<Task>(Task{rows});
  if (rows.bytes * rows.rows < kShort) {
    rows.copy();
    task->done = true;
  } else {
    const std::lock_guard guard(mutex_);
    if (!started_) start_threads();
    tasks_.push_back(task);
    work_.notify_one();
  }
  return {*this, std::move(task), 0};
}

HostCopies::Job HostCopies::begin_timed(const HostRows& rows, unsigned threads, uint64_t now) {
  Job job = begin(rows);
  uint64_t& free_at = *std::ranges::min_element(std::span(free_at_).first(threads));
  const uint64_t bytes = rows.bytes * rows.rows;
  free_at = std::max(free_at, now) + (bytes + host_costs::kThread - 1) / host_costs::kThread;
  job.cycle_ = free_at;
  return job;
}

// Whoever waits copies, too, so it needs one less; and none where the system has none to give.
void HostCopies::start_threads() {
  started_ = true;
  const unsigned threads = std::min(Staging::kThreads, std::thread::hardware_concurrency());
  try {
    while (threads_.size() + 1 < threads) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
  }
}

void HostCopies::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (!do_one(lock)) work_.wait(lock);
  }
}

bool HostCopies::do_one(std::unique_lock<std::mutex>& lock) {
  if (tasks_.empty()) return false;
  const std::shared_ptr<Task> task = std::move(tasks_.front());
  tasks_.pop_front();
  ++under_way_;
  lock.unlock();
  task->rows.copy();
  lock.lock();
  --under_way_;
  task->done = true;
  done_.notify_all();
  return true;
}

void HostCopies::wait(const Task& task) {
  std::unique_lock lock(mutex_);
  while (!task.done) {
    if (!do_one(lock)) done_.wait(lock);
  }
}

void HostCopies::finish_all() {
  std::unique_lock lock(mutex_);
  while (!tasks_.empty() || under_way_ != 0) {
    if (!do_one(lock)) done_.wait(lock);
  }
  free_at_ = {};
}

}  // namespace swai::sdaa
