// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/cards/lines.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace swai::serve {

Lines::Bell::Bell() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void Lines::Bell::ring() const {
  const uint64_t one = 1;
  (void)!::write(fd_.get(), &one, sizeof one);
}

void Lines::Bell::silence() const {
  uint64_t count = 0;
  (void)!::read(fd_.get(), &count, sizeof count);
}

void Lines::add(const Json& line, bool last) {
  const std::string text = link::line_of(line);
  const std::lock_guard guard(mutex_);
  if (over_ || gone_) return;
  const bool rings = text_.empty();
  text_ += text;
  over_ = last;
  if (rings) bell_->ring();
}

void Lines::end(const Json& last) {
  Json line = last;
  line["version"] = link::kControlVersion;
  add(line, true);
}

bool Lines::is_gone() const {
  const std::lock_guard guard(mutex_);
  return gone_;
}

Lines::Reader::~Reader() {
  const std::lock_guard guard(lines_->mutex_);
  lines_->gone_ = true;
}

bool Lines::Reader::has_some() const {
  const std::lock_guard guard(lines_->mutex_);
  return !lines_->text_.empty();
}

std::string Lines::Reader::take() {
  const std::lock_guard guard(lines_->mutex_);
  return std::exchange(lines_->text_, {});
}

bool Lines::Reader::is_over() const {
  const std::lock_guard guard(lines_->mutex_);
  return lines_->over_;
}

}  // namespace swai::serve
