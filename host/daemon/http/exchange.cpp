// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/exchange.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace swai::http {

Reply json_reply(const std::string& text) { return {.content_type = "application/json", .body = text}; }

Reply reply_of(const Problem& problem) {
  Reply reply = json_reply(text_of(to_json(problem)));
  reply.status = problem.status;
  if (problem.retry_after != 0) reply.retry_after = std::to_string(problem.retry_after);
  reply.allow = problem.allow;
  return reply;
}

// Both are called with the lock held, so that no event in between is missed.
void Exchange::sleep() {
  sleeps_ = true;
  connection_->sleep();
}

void Exchange::wake() {
  if (std::exchange(sleeps_, false) && connection_ != nullptr) connection_->wake();
}

std::optional<Request> Exchange::take_request() {
  const std::lock_guard guard(mutex_);
  return std::exchange(request_, std::nullopt);
}

void Exchange::answer(Reply reply) {
  const std::lock_guard guard(mutex_);
  if (std::exchange(answered_, true)) return;
  reply_ = std::move(reply);
  over_ = true;
  wake();
}

void Exchange::begin_events() {
  const std::lock_guard guard(mutex_);
  if (std::exchange(answered_, true)) return;
  reply_ = {.content_type = "text/event-stream"};
  wake();
}

void Exchange::write(std::string_view events) {
  const std::lock_guard guard(mutex_);
  if (over_ || socket_ < 0) return;
  events_ += events;
  if (answered_) wake();
}

void Exchange::end() {
  const std::lock_guard guard(mutex_);
  over_ = true;
  if (answered_) wake();
}

bool Exchange::is_gone() const {
  const std::lock_guard guard(mutex_);
  if (socket_ < 0) return true;
  // A client that has closed its end for sending counts as gone: TCP shows the difference too late.
  pollfd one = {.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool Exchange::is_over() const {
  const std::lock_guard guard(mutex_);
  return over_;
}

void Exchange::abandon() {
  answer(reply_of(Problem(503, "the request was abandoned before it was answered; send it again")));
  end();
}

void Exchange::connect(int socket, Connection& connection) {
  const std::lock_guard guard(mutex_);
  socket_ = socket;
  connection_ = &connection;
}

void Exchange::disconnect() {
  const std::lock_guard guard(mutex_);
  socket_ = -1;
  connection_ = nullptr;
  request_.reset();
}

const Reply* Exchange::first_answer() {
  const std::lock_guard guard(mutex_);
  if (answered_) return &reply_;
  sleep();
  return nullptr;
}

size_t Exchange::take(char* to, size_t room, bool& over) {
  const std::lock_guard guard(mutex_);
  const size_t bytes = std::min(room, events_.size() - sent_);
  std::copy_n(events_.data() + sent_, bytes, to);
  sent_ += bytes;
  if (sent_ == events_.size()) {
    events_.clear();
    sent_ = 0;
  }
  over = over_ && events_.empty() && bytes == 0;
  if (bytes == 0 && !over) sleep();
  return bytes;
}

std::shared_ptr<Exchange> to_answer(std::shared_ptr<Exchange> exchange) {
  Exchange* const same = exchange.get();
  return {same, [kept = std::move(exchange)](Exchange*) { kept->abandon(); }};
}

}  // namespace swai::http
