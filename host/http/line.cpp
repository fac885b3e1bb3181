#include "host/http/line.hpp"

#include <fmt/format.h>

namespace swai::http {
namespace {

// A guess: an answer takes from a tenth of a second to minutes.
constexpr unsigned kRetryAfter = 5;

}  // namespace

Line::Line(size_t most) : most_(most), thread_([this] { run(); }) {}

Line::~Line() {
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  some_.notify_one();
  thread_.join();
}

void Line::add(std::shared_ptr<Exchange> exchange, std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    if (waiting_.size() >= most_)
      std::erase_if(waiting_, [](const One& one) { return one.exchange->is_gone(); });
    if (waiting_.size() >= most_) {
      Problem full(503, fmt::format("the card is busy, and {} requests wait already; try again later", most_),
                   "", "overloaded");
      full.retry_after = kRetryAfter;
      throw full;
    }
    waiting_.push_back({std::move(exchange), std::move(work)});
  }
  some_.notify_one();
}

void Line::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    some_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    {
      const One one = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      if (!one.exchange->is_gone()) one.work();
    }
    lock.lock();
  }
}

}  // namespace swai::http
