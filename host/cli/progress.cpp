#include "host/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace swai::cli {

Progress::Progress(bool wanted, std::string what) : what_(std::move(what)) {
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

void Progress::show() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return end_; })) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string text = fmt::format("{}: {:.0f} s", what_, seconds);
    if (part_ > 0) {
      text += fmt::format(", {:.0f} %, about {:.0f} s left", 100 * part_, seconds * (1 - part_) / part_);
    }
    fmt::print(stderr, "\r{}\x1b[K", text);
    std::fflush(stderr);
    shown = true;
  }
  if (shown) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace swai::cli
