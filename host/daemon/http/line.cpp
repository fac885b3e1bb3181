// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/line.hpp"

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
  add({.is_wanted = [exchange = std::move(exchange)] { return !exchange->is_gone(); },
       .work = std::move(work),
       .text = {}});
}

void Line::add(TextModel& model, std::shared_ptr<TextAnswer> text) {
  add({.is_wanted = [text] { return text->is_wanted(); }, .work = {}, .model = &model, .text = text});
}

void Line::add(One one) {
  {
    const std::lock_guard guard(mutex_);
    const auto is_gone = [](const One& other) { return !other.is_wanted(); };
    if (waiting_.size() >= most_) std::erase_if(waiting_, is_gone);
    if (waiting_.size() >= most_) {
      Problem full(503, fmt::format("the card is busy, and {} requests wait already; try again later", most_),
                   "", "overloaded");
      full.retry_after = kRetryAfter;
      throw full;
    }
    waiting_.push_back(std::move(one));
  }
  some_.notify_one();
}

void Line::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    some_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    if (TextModel* const model = waiting_.front().model) {
      lock.unlock();
      model->answer(texts_of(*model));
    } else {
      const One one = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      if (one.is_wanted()) one.work();
    }
    lock.lock();
  }
}

// A text overtakes nothing: those behind a request of another kind, or for another model, wait with it.
bool Line::is_next(const TextModel& model) {
  while (!waiting_.empty() && !waiting_.front().is_wanted()) waiting_.pop_front();
  return !ends_ && !waiting_.empty() && waiting_.front().model == &model;
}

WaitingTexts Line::texts_of(const TextModel& model) {
  return {.any =
              [this, &model] {
                const std::lock_guard guard(mutex_);
                return is_next(model);
              },
          .next = [this, &model]() -> std::shared_ptr<TextAnswer> {
            const std::lock_guard guard(mutex_);
            if (!is_next(model)) return nullptr;
            const std::shared_ptr<TextAnswer> text = std::move(waiting_.front().text);
            waiting_.pop_front();
            return text;
          }};
}

}  // namespace swai::http
