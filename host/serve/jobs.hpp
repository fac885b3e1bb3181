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

namespace swai::serve {

enum class JobState { kWaiting, kRunning, kDone, kCancelled };
const char* text(JobState state);

struct Job {
  unsigned number = 0;
  std::vector<std::string> command;
  std::string folder;  // where it runs
  std::string output;  // a file with all that it says
  JobState state = JobState::kWaiting;
  int exit_code = 0;     // of those that are done: 128 + the signal that ended it
  double submitted = 0;  // seconds since 1970
  double started = 0;
  double ended = 0;
  pid_t process = 0;
};

class Jobs {
 public:
  // `environment`: of all programs. Outputs lie in `folder`, which is emptied now and goes in the end.
  Jobs(std::filesystem::path folder, unsigned at_once, std::vector<std::string> environment);
  // Ends those that run.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Returns its number.
  unsigned submit(std::vector<std::string> command, std::string folder);
  std::vector<Job> list() const;
  std::optional<Job> find(unsigned number) const;
  // False: there is no such job, or it is over.
  bool cancel(unsigned number);

 private:
  struct Entry : Job {
    bool cancelled = false;
  };

  void work();
  Entry* next();
  void run(std::unique_lock<std::mutex>& lock, Entry& job);

  const std::filesystem::path folder_;
  const std::vector<std::string> environment_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> jobs_;
  unsigned last_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace swai::serve
