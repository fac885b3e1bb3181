// SPDX-License-Identifier: Apache-2.0
// Programs that run one after the other, or a few at once, with a card: their output goes to files.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/transport/channel.hpp"

namespace swai::serve {

enum class JobState { kWaiting, kRunning, kDone, kFailed, kCancelled };  // kFailed: it could not be started
const char* text(JobState state);

struct Job {
  unsigned number = 0;
  std::vector<std::string> command;
  std::string folder;  // where it runs
  std::string output;  // a file with all that it says
  JobState state = JobState::kWaiting;
  int exit_code = 0;     // of those that are over: 128 + the signal that ended it; 127: it has failed
  std::string reason;    // why it failed, was ended, or has incomplete output; empty: none of these
  double submitted = 0;  // seconds since 1970
  double started = 0;
  double ended = 0;
  pid_t process = 0;
};

class Jobs {
 public:
  struct Limits {
    size_t waiting = 1000;
    size_t over = 1000;                     // that are remembered, with their output
    size_t command_bytes = 64 << 10;        // of all words of one, which are at most a quarter as many
    uint64_t output_bytes = 16 << 20;       // of one; the rest is not kept
    uint64_t all_output_bytes = 256 << 20;  // then the oldest that are over are forgotten
  };

  // `environment`: of all programs. Outputs lie in `folder`, which is emptied now and goes in the end.
  Jobs(std::filesystem::path folder, unsigned at_once, std::vector<std::string> environment,
       const Limits& limits);
  Jobs(std::filesystem::path folder, unsigned at_once, std::vector<std::string> environment)
      : Jobs(std::move(folder), at_once, std::move(environment), Limits()) {}
  // Ends those that run.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Returns its number. Throws std::runtime_error: it is too long, or too many wait.
  unsigned submit(std::vector<std::string> command, std::string folder);
  std::vector<Job> list() const;
  std::optional<Job> find(unsigned number) const;
  // False: there is no such job, or it is over.
  bool cancel(unsigned number);

 private:
  struct Entry : Job {
    bool cancelled = false;
    link::Fd file;  // of its output, of which so many bytes are there
    uint64_t bytes = 0;
  };

  void check(const std::vector<std::string>& command, const std::string& folder) const;
  void forget_oldest();
  void work();
  Entry* next();
  void run(std::unique_lock<std::mutex>& lock, Entry& job);

  const std::filesystem::path folder_;
  const std::vector<std::string> environment_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> jobs_;
  unsigned last_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace swai::serve
