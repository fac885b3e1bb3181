// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/host_calls.hpp"

#include <chrono>

namespace swai::sdaa {
namespace {

// So long nobody must have let time pass before this thread does.
constexpr std::chrono::milliseconds kQuiet{20};
constexpr uint64_t kSlice = 20'000;

thread_local bool in_host_function = false;

}  // namespace

bool HostCalls::in_function() { return in_host_function; }

void HostCalls::stop() {
  if (!thread_.joinable()) return;
  {
    const Waiting::Lock lock(mutex_);
    ends_ = true;
    wake_.notify_all();
  }
  thread_.join();
}

void HostCalls::add(Queue& queue, uint32_t sequence, Function function, bool always) {
  waiting_.emplace(std::pair(&queue, sequence), Call{std::move(function), always});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  wake_.notify_all();
}

void HostCalls::look(Queue& queue, uint32_t waits_before) {
  if (waiting_.empty()) return;
  if (queue.line.waits != waits_before) {
    const auto found = waiting_.find({&queue, queue.line.waiting});
    if (found != waiting_.end()) {
      due_.push_back({&queue, found->first.second, std::move(found->second.function), sdaaSuccess, true});
      waiting_.erase(found);
    }
  }
  // Complete without having waited: an earlier command has failed.
  for (auto call = waiting_.begin(); call != waiting_.end();) {
    if (call->first.first != &queue || !queue.reached(call->first.second)) {
      ++call;
      continue;
    }
    if (call->second.always) {
      const sdaaError_t status = queue.failed() ? failure_of(queue).code() : sdaaErrorContextIsDestroyed;
      due_.push_back({&queue, call->first.second, std::move(call->second.function), status, false});
    }
    call = waiting_.erase(call);
  }
  if (!due_.empty()) wake_.notify_all();
}

void HostCalls::drop_all() {
  waiting_.clear();
  due_.clear();
}

void HostCalls::run() {
  Waiting::Lock lock(mutex_);
  uint64_t seen = time_.activity();
  while (!ends_) {
    if (!due_.empty()) {
      Due due = std::move(due_.front());
      due_.pop_front();
      running_ = true;
      lock.unlock();
      in_host_function = true;
      due.function(due.status);
      in_host_function = false;
      due.function = nullptr;
      lock.lock();
      running_ = false;
      try {
        if (due.resume && !ends_) queues_.resume(*due.queue, due.sequence);
      } catch (...) {
        // The next call of the program meets the same.
      }
      time_.note_activity();
      continue;
    }
    if (waiting_.empty()) {
      wake_.wait(lock);
      continue;
    }
    wake_.wait_for(lock, kQuiet);
    if (ends_ || !due_.empty() || waiting_.empty() || time_.somebody_waits()) continue;
    if (std::exchange(seen, time_.activity()) != time_.activity()) continue;
    try {
      queues_.connection().let_time_pass(kSlice);
      queues_.look();
      seen = time_.activity();
    } catch (...) {
      waiting_.clear();  // the card is lost: they will never be due
    }
  }
}

}  // namespace swai::sdaa
