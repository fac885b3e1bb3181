// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/cards/jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "host/daemon/cards/job_process.hpp"

namespace swai::serve {
namespace {

namespace fs = std::filesystem;
constexpr int kLookMs = 20;
constexpr const char* kOrphaned =
    "its keeper process was killed: every process that the job had started was ended";

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_over(const Job& job) { return job.state != JobState::kWaiting && job.state != JobState::kRunning; }

// Writes a job's output to a file, up to a limit: output after an error is not kept.
class Output {
 public:
  Output(int file, uint64_t max_bytes) : file_(file), max_bytes_(max_bytes) {}

  void add(std::string_view text) {
    const uint64_t left = max_bytes_ - std::min(arrived_, max_bytes_);
    write(text.substr(0, left));
    if (text.size() > left && arrived_ <= max_bytes_)
      write(fmt::format("\nswai: only the first {} bytes of the output are kept\n", max_bytes_));
    arrived_ += text.size();
  }
  // Bytes of the job's output in the file.
  uint64_t bytes() const { return std::min(written_, max_bytes_); }
  // Why output within the limit is missing; empty if none is.
  std::string problem() const {
    if (error_ == 0) return "";
    return fmt::format("its output is cut off after {} bytes: {}", bytes(), std::strerror(error_));
  }

 private:
  void write(std::string_view text) {
    while (!text.empty() && error_ == 0) {
      const ssize_t wrote = ::write(file_, text.data(), text.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) error_ = errno;
      if (wrote <= 0) return;
      written_ += static_cast<uint64_t>(wrote);
      text.remove_prefix(static_cast<size_t>(wrote));
    }
  }

  const int file_;
  const uint64_t max_bytes_;
  uint64_t arrived_ = 0;
  uint64_t written_ = 0;
  int error_ = 0;
};

// Copies the available bytes. False: at the end of input.
bool pour(int from, Output& to) {
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return true;
    if (got == 0) return false;
    to.add({piece.data(), static_cast<size_t>(got)});
  }
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
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
  }
  return "?";
}

Jobs::Jobs(fs::path folder, unsigned at_once, std::vector<std::string> environment, const Limits& limits)
    : folder_(std::move(folder)), environment_(std::move(environment)), limits_(limits) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  fs::permissions(folder_, fs::perms::owner_all);
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

// The lock is held.
void Jobs::check(const std::vector<std::string>& command, const std::string& folder) const {
  size_t bytes = 0;
  bool whole = folder.find('\0') == std::string::npos && folder.size() < PATH_MAX;
  for (const std::string& word : command) {
    bytes += word.size() + 1;
    whole = whole && word.find('\0') == std::string::npos;
  }
  if (command.empty() || !whole) throw std::runtime_error("no program, or none that a system could start");
  if (bytes > limits_.command_bytes || command.size() > limits_.command_bytes / 4) {
    throw std::runtime_error(
        fmt::format("the program and its arguments take {} bytes in {} words; {} bytes are possible: "
                    "give it a file with them",
                    bytes, command.size(), limits_.command_bytes));
  }
  const auto waiting = static_cast<size_t>(std::ranges::count(jobs_, JobState::kWaiting, &Job::state));
  if (waiting >= limits_.waiting)
    throw std::runtime_error(
        fmt::format("{} jobs wait already; try again when some of them have run", waiting));
}

unsigned Jobs::submit(std::vector<std::string> command, std::string folder) {
  const std::lock_guard guard(mutex_);
  check(command, folder);
  Entry job;
  job.number = ++last_;
  job.command = std::move(command);
  job.folder = std::move(folder);
  job.output = (folder_ / fmt::format("{}.output", job.number)).string();
  job.submitted = now();
  // Nobody else's: not one that lies there already, and no link to another file.
  job.file.reset(
      ::open(job.output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600));
  if (!job.file) {
    throw std::runtime_error(
        fmt::format("{}: no file can be made for its output: {}", job.output, std::strerror(errno)));
  }
  jobs_.push_back(std::move(job));
  forget_oldest();
  changed_.notify_one();
  return last_;
}

void Jobs::forget_oldest() {
  for (;;) {
    uint64_t bytes = 0;
    size_t over = 0;
    for (const Entry& job : jobs_) {
      bytes += job.bytes;
      over += is_over(job) ? 1 : 0;
    }
    const auto oldest = std::ranges::find_if(jobs_, is_over);
    if (oldest == jobs_.end() || (over <= limits_.over && bytes <= limits_.all_output_bytes)) return;
    std::error_code ignored;
    fs::remove(oldest->output, ignored);
    jobs_.erase(oldest);
  }
}

std::vector<Job> Jobs::list() const {
  const std::lock_guard guard(mutex_);
  std::vector<Job> all;
  for (const Entry& job : jobs_) all.push_back(job);
  return all;
}

std::optional<Job> Jobs::find(unsigned number) const {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(jobs_, number, &Job::number);
  return found == jobs_.end() ? std::nullopt : std::optional<Job>(static_cast<const Job&>(*found));
}

bool Jobs::cancel(unsigned number) {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(jobs_, number, &Job::number);
  if (found == jobs_.end() || is_over(*found)) return false;
  found->cancelled = true;
  if (found->state == JobState::kWaiting) {
    found->state = JobState::kCancelled;
    found->ended = now();
    found->file = {};
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

// Without the lock while the program runs; its output is this thread's.
void Jobs::run(std::unique_lock<std::mutex>& lock, Entry& job) {
  job.state = JobState::kRunning;
  job.started = now();
  lock.unlock();
  JobProcess process(job.command, job.folder, environment_);
  lock.lock();
  job.process = process.process();
  Output output(job.file.get(), limits_.output_bytes);
  std::optional<int> status;
  if (!process.failure().empty()) status = 127 << 8;
  bool asked = false;
  bool open = true;
  while (!status) {
    if (job.cancelled && !std::exchange(asked, true)) process.ask_to_end();
    lock.unlock();
    pollfd ready = {process.output(), POLLIN, 0};
    ::poll(&ready, open ? 1 : 0, kLookMs);
    status = process.status();
    open = pour(process.output(), output);
    lock.lock();
    job.reason = output.problem();
  }
  const bool failed = !process.failure().empty();
  if (failed) output.add("swai: " + process.failure() + "\n");
  if (failed || process.was_orphaned()) job.reason = failed ? process.failure() : kOrphaned;
  job.process = 0;
  job.exit_code = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
  job.ended = now();
  job.bytes = output.bytes();
  job.file = {};
  job.state = job.cancelled ? JobState::kCancelled : failed ? JobState::kFailed : JobState::kDone;
  forget_oldest();
}

}  // namespace swai::serve
