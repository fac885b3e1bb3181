// A line on a terminal's standard error for what takes longer than a second: what is done, for how long, and
// how long it may still take where that can be known.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace swai::cli {

class Progress {
 public:
  // Shows nothing when not `wanted` or when standard error is no terminal.
  Progress(bool wanted, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // 0 to 1.
  void reached(double part);

 private:
  using Clock = std::chrono::steady_clock;
  void show();

  const std::string what_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  double part_ = 0;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace swai::cli
