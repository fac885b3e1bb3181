// SPDX-License-Identifier: Apache-2.0
// A line on a terminal's standard error for what takes longer than a second: what is done, for how long, and
// how long it may still take where that can be known.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace swai::cli {

class Progress {
 public:
  // Shows nothing when not `wanted` or when standard error is no terminal.
  Progress(bool wanted, const std::string& what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // 0 to 1.
  void reached(double part);
  // Until then: what may have been reached, asked by another thread.
  void guess(std::function<double()> part);
  // The line is away while `write` writes to the terminal, until the next second.
  void make_room(const std::function<void()>& write);

 private:
  using Clock = std::chrono::steady_clock;
  void show();
  void hide();

  const std::string what_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  double part_ = 0;
  std::function<double()> guess_;
  bool end_ = false;
  bool shown_ = false;
  std::thread thread_;
};

}  // namespace swai::cli
