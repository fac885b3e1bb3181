#include "host/serve/jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "host/common/words.hpp"

namespace swai::serve {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

// Those that are over are remembered, with their output.
constexpr size_t kMostOver = 1000;
constexpr std::chrono::milliseconds kLook{20};
// Who does not end when asked is ended.
constexpr std::chrono::seconds kGrace{5};

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_over(const Job& job) { return job.state == JobState::kDone || job.state == JobState::kCancelled; }

// A process in a group of its own, with usual signals, its output in a file. 0 or an errno.
int spawn(const Job& job, const std::vector<std::string>& environment, pid_t& process) {
  const common::Words words(job.command);
  const common::Words variables(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, job.output.c_str(), O_WRONLY | O_APPEND, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, job.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const int error =
      ::posix_spawnp(&process, words.data()[0], &actions, &attributes, words.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void append(const std::string& file, const std::string& text) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  (void)!::write(fd, text.data(), text.size());
  ::close(fd);
}

}  // namespace

const char* text(JobState state) {
  switch (state) {
    case JobState::kWaiting:
      return "waiting";
    case JobState::kRunning:
      return "running";
    case JobState::kDone:
      return "done";
    case JobState::kCancelled:
      return "cancelled";
  }
  return "?";
}

Jobs::Jobs(fs::path folder, unsigned at_once, std::vector<std::string> environment)
    : folder_(std::move(folder)), environment_(std::move(environment)) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  for (unsigned i = 0; i < at_once; ++i) threads_.emplace_back([this] { work(); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
    for (Entry& job : jobs_) job.cancelled = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

unsigned Jobs::submit(std::vector<std::string> command, std::string folder) {
  const std::lock_guard guard(mutex_);
  Entry job;
  job.number = ++last_;
  job.command = std::move(command);
  job.folder = std::move(folder);
  job.output = (folder_ / fmt::format("{}.output", job.number)).string();
  job.submitted = now();
  ::close(::open(job.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  jobs_.push_back(std::move(job));
  if (static_cast<size_t>(std::ranges::count_if(jobs_, is_over)) > kMostOver) {
    const auto oldest = std::ranges::find_if(jobs_, is_over);
    std::error_code ignored;
    fs::remove(oldest->output, ignored);
    jobs_.erase(oldest);
  }
  changed_.notify_one();
  return last_;
}

std::vector<Job> Jobs::list() const {
  const std::lock_guard guard(mutex_);
  return {jobs_.begin(), jobs_.end()};
}

std::optional<Job> Jobs::find(unsigned number) const {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(jobs_, number, &Job::number);
  return found == jobs_.end() ? std::nullopt : std::optional<Job>(*found);
}

bool Jobs::cancel(unsigned number) {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(jobs_, number, &Job::number);
  if (found == jobs_.end() || is_over(*found)) return false;
  found->cancelled = true;
  if (found->state == JobState::kWaiting) {
    found->state = JobState::kCancelled;
    found->ended = now();
  }
  return true;
}

// The lock is held.
Jobs::Entry* Jobs::next() {
  const auto found = std::ranges::find(jobs_, JobState::kWaiting, &Job::state);
  return found == jobs_.end() ? nullptr : &*found;
}

void Jobs::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Entry* job = nullptr;
    changed_.wait(lock, [&] { return stop_ || (job = next()) != nullptr; });
    if (stop_) return;
    run(lock, *job);
  }
}

// Without the lock while the program runs.
void Jobs::run(std::unique_lock<std::mutex>& lock, Entry& job) {
  job.state = JobState::kRunning;
  job.started = now();
  const int error = spawn(job, environment_, job.process);
  if (error != 0) append(job.output, fmt::format("swai: {}: {}\n", job.command[0], std::strerror(error)));
  int status = 127 << 8;
  std::optional<steady_clock::time_point> asked;
  while (error == 0) {
    const pid_t process = job.process;
    if (job.cancelled && !asked) {
      ::kill(-process, SIGTERM);
      asked = steady_clock::now();
    } else if (asked && steady_clock::now() - *asked > kGrace) {
      ::kill(-process, SIGKILL);
    }
    if (::waitpid(process, &status, WNOHANG) == process) break;
    lock.unlock();
    std::this_thread::sleep_for(kLook);
    lock.lock();
  }
  job.process = 0;
  job.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  job.ended = now();
  job.state = job.cancelled ? JobState::kCancelled : JobState::kDone;
}

}  // namespace swai::serve
