// SPDX-License-Identifier: Apache-2.0
// A child process with pipes, for tests of programs.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace swai::common {

class Process {
 public:
  explicit Process(const std::vector<std::string>& command);
  ~Process();  // kills it, if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void write(std::string_view text);
  void close_input();
  // Collects output until `text` appears in what has come since the last call, and returns that. Throws
  // std::runtime_error, with the output so far, if the process ends before or it takes too long.
  std::string read_until(std::string_view text);
  // Collects all output and waits for the end. Returns the exit code, 128 and more for signals.
  int wait();

  const std::string& output() const { return output_; }  // standard output and error, in the order of arrival

 private:
  bool read_some(int timeout_ms);

  pid_t pid_ = -1;
  int input_ = -1;
  int output_fd_ = -1;
  std::string output_;
  size_t seen_ = 0;
};

}  // namespace swai::common
