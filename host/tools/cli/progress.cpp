// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "host/lib/printable.hpp"

namespace swai::cli {
namespace {

constexpr double kMostGuessed = 0.99;

}  // namespace

Progress::Progress(bool wanted, const std::string& what) : what_(common::printable(what)) {
  if (wanted && ::isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Progress::reached(double part) {
  const std::lock_guard guard(mutex_);
  part_ = part;
}

void Progress::guess(std::function<double()> part) {
  const std::lock_guard guard(mutex_);
  guess_ = std::move(part);
}

void Progress::make_room(const std::function<void()>& write) {
  const std::lock_guard guard(mutex_);
  hide();
  write();
}

void Progress::hide() {
  if (!std::exchange(shown_, false)) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void Progress::show() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return end_; })) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string text = fmt::format("{}: {:.0f} s", what_, seconds);
    const double part = part_ > 0 || !guess_ ? part_ : std::min(guess_(), kMostGuessed);
    if (part > 0)
      text += fmt::format(", {:.0f} %, about {:.0f} s left", 100 * part, seconds * (1 - part) / part);
    fmt::print(stderr, "\r{}\x1b[K", text);
    std::fflush(stderr);
    shown_ = true;
  }
  hide();
}

}  // namespace swai::cli
