// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/cards/job_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include "host/lib/words.hpp"

namespace swai::serve {
namespace {

// Who does not end when asked is ended.
constexpr time_t kGraceSeconds = 5;

// What the process between says: first the program's number or why there is none, then how it ended.
struct Report {
  int error = 0;
  int value = 0;
};

struct Plan {
  const char* const* command;
  const char* const* environment;
  const char* folder;
  int output;
  int report;
  pid_t daemon;
};

// --- In the new processes, where nothing may be called that takes memory or a lock: other threads of the
// daemon had them, perhaps.

void say(int to, Report report) { (void)!::write(to, &report, sizeof report); }

[[noreturn]] void become_program(const Plan& plan, int failure) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool good = ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(plan.output, STDOUT_FILENO) >= 0 &&
                    ::dup2(plan.output, STDERR_FILENO) >= 0 && ::chdir(plan.folder) == 0;
  if (good) {
    ::execvpe(plan.command[0], const_cast<char* const*>(plan.command),
              const_cast<char* const*>(plan.environment));
  }
  const int error = errno;
  (void)!::write(failure, &error, sizeof error);
  ::_exit(127);
}

// The program's group, and all children of this process, those that have come to it included: who is further
// down comes when its parent has ended.
void signal_all(pid_t program, int signal) {
  if (program > 0) ::kill(-program, signal);
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  std::array<char, 4096> text;
  const ssize_t bytes = list < 0 ? 0 : ::read(list, text.data(), text.size());
  ::close(list);
  pid_t number = 0;
  for (ssize_t i = 0; i < bytes; ++i) {
    if (text[static_cast<size_t>(i)] != ' ') {
      number = number * 10 + (text[static_cast<size_t>(i)] - '0');
      continue;
    }
    ::kill(number, signal);
    number = 0;
  }
}

// Only these two of the daemon's descriptors: who is at the other ends of the rest must see when the daemon
// closes them.
void keep_descriptors(Plan& plan) {
  constexpr int kOutput = 3;
  constexpr int kReport = 4;
  const int output = ::fcntl(plan.output, F_DUPFD_CLOEXEC, kReport + 1);
  const int report = ::fcntl(plan.report, F_DUPFD_CLOEXEC, kReport + 1);
  plan.output = ::dup3(output, kOutput, O_CLOEXEC);
  plan.report = ::dup3(report, kReport, O_CLOEXEC);
  ::close_range(kReport + 1, ~0u, 0);
}

[[noreturn]] void keep(Plan plan) {
  keep_descriptors(plan);
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // who would hear the report may have gone
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != plan.daemon) ::_exit(0);

  std::array<int, 2> failure = {-1, -1};
  const pid_t program = ::pipe2(failure.data(), O_CLOEXEC) == 0 ? ::fork() : -1;
  if (program == 0) become_program(plan, failure[1]);
  int error = program < 0 ? errno : 0;
  ::close(failure[1]);
  ::close(plan.output);
  // The end of the pipe closes when the program has begun.
  if (program > 0) (void)!::read(failure[0], &error, sizeof error);
  say(plan.report, {error, program});

  int status = 0;
  bool over = program < 0;
  bool asked = false;
  timespec end = {};
  for (;;) {
    int one = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &one, WNOHANG)) > 0) {
      if (ended == program) {
        status = one;
        over = true;
      }
    }
    if (ended < 0 && over) break;  // nobody is left
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (over || (asked && now.tv_sec - end.tv_sec > kGraceSeconds)) signal_all(program, SIGKILL);
    const timespec pause = {.tv_sec = 0, .tv_nsec = 50'000'000};
    if (::sigtimedwait(&signals, nullptr, &pause) == SIGTERM && !asked) {
      asked = true;
      end = now;
      signal_all(program, SIGTERM);
    }
  }
  say(plan.report, {0, status});
  ::_exit(0);
}

// --- In the daemon

// Living keepers of this daemon. They are recorded to distinguish them from orphans of killed keepers.
struct Keepers {
  std::mutex mutex;
  std::set<pid_t> alive;
};
Keepers& keepers() {
  static Keepers all;
  return all;
}

// Kills the processes that a killed keeper has left. Without a keeper between, they became children of this
// process; they are in sessions of their own, the keeper's or later ones. Returns whether there were any;
// their children arrive then.
bool end_orphans() {
  Keepers& known = keepers();
  const std::lock_guard guard(known.mutex);
  bool any = false;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) {
      if (known.alive.contains(child) || ::getsid(child) == ::getsid(0)) continue;
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      any = true;
    }
  }
  return any;
}

std::optional<Report> hear(int from) {
  Report report;
  ssize_t got = 0;
  do {
    got = ::read(from, &report, sizeof report);
  } while (got < 0 && errno == EINTR);
  return got == sizeof report ? std::optional(report) : std::nullopt;
}

}  // namespace

JobProcess::JobProcess(const std::vector<std::string>& command, const std::string& folder,
                       const std::vector<std::string>& environment) {
  std::array<int, 2> output = {-1, -1};
  std::array<int, 2> report = {-1, -1};
  if (::pipe2(output.data(), O_CLOEXEC) != 0 || ::pipe2(report.data(), O_CLOEXEC) != 0) {
    failure_ = fmt::format("no pipe can be made: {}", std::strerror(errno));
    ::close(output[0]);
    ::close(output[1]);
    return;
  }
  output_.reset(output[0]);
  report_.reset(report[0]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  const link::Fd their_output(output[1]);
  link::Fd their_report(report[1]);
  const common::Words words(command);
  const common::Words variables(environment);
  const Plan plan = {words.data(), variables.data(), folder.c_str(), output[1], report[1], ::getpid()};
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  {
    const std::lock_guard guard(keepers().mutex);
    keeper_ = ::fork();
    if (keeper_ == 0) keep(plan);
    if (keeper_ > 0) keepers().alive.insert(keeper_);
  }
  const int error = errno;
  their_report = {};
  // A program may kill the keeper before the keeper has reported anything.
  const Report begun = keeper_ < 0 ? Report{error} : hear(report_.get()).value_or(Report());
  program_ = begun.value;
  if (begun.error != 0) failure_ = fmt::format("{}: {}", command[0], std::strerror(begun.error));
}

JobProcess::~JobProcess() {
  if (keeper_ < 0) return;
  ask_to_end();
  ::waitpid(keeper_, nullptr, 0);
  forget_keeper();
}

void JobProcess::forget_keeper() {
  const std::lock_guard guard(keepers().mutex);
  keepers().alive.erase(std::exchange(keeper_, -1));
}

void JobProcess::ask_to_end() const {
  if (keeper_ > 0) ::kill(keeper_, SIGTERM);
}

std::optional<int> JobProcess::status() {
  if (keeper_ > 0) {
    if (::waitpid(keeper_, nullptr, WNOHANG) != keeper_) return std::nullopt;
    forget_keeper();
    const auto ended = hear(report_.get());
    status_ = ended ? ended->value : SIGKILL;
    orphaned_ = !ended;
  }
  if (orphaned_ && end_orphans()) return std::nullopt;
  return status_;
}

}  // namespace swai::serve
