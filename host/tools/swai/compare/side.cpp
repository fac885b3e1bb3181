// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/compare/side.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "host/runtime/error.hpp"
#include "host/runtime/journal.hpp"
#include "host/runtime/record.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/compare/interruption.hpp"
#include "host/transport/card.hpp"

namespace swai::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// More than anybody reads, and room for it is there.
constexpr uint64_t kMostOutput = uint64_t{1} << 30;

uint64_t size_of(const fs::path& file) {
  std::error_code none;
  const uintmax_t bytes = fs::file_size(file, none);
  return none ? 0 : bytes;
}

// In the new process.
void redirect(int to, const fs::path& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, to) < 0) {
    fmt::print(stderr, "swai: {}: {}\n", path.string(), std::strerror(errno));
    ::_exit(kBadInput);
  }
  if (file != to) ::close(file);
}

// In the new process, too.
[[noreturn]] void become_side(const Side& side, const UserProgram& program, const std::string& sockets,
                              bool keeps_output) {
  // With all that it starts it can be killed; when we are, it goes alone.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, keeps_output ? side.output() : "/dev/null", keeps_output ? kNewFile : O_WRONLY);
  redirect(STDERR_FILENO, side.errors(), kNewFile);
  ::setenv("SWAI_CARD", sockets.c_str(), 1);
  ::setenv("SWAI_TIER", side.tier.c_str(), 1);
  ::setenv(sdaa::record::kVariable, side.record(0).c_str(), 1);
  // Who waits long for what is not the same on both.
  ::setenv("SWAI_PATIENCE_SECONDS", "0", 0);
  become(program);
}

// Says on standard error that it goes on: on a terminal all the time, else from time to time.
class StillRunning {
 public:
  StillRunning(const Options& options, const Side& side, const Side* before)
      : wanted_(!options.quiet),
        side_(side),
        before_(before),
        terminal_(wanted_, fmt::format("{}: the program runs", side.tier)) {}

  void look() {
    const uint64_t now = size_of(side_.record(0));
    if (before_ != nullptr && before_->record_bytes != 0)
      terminal_.reached(std::min(1.0, static_cast<double>(now) / static_cast<double>(before_->record_bytes)));
    if (!wanted_ || ::isatty(STDERR_FILENO) == 1 || Clock::now() - begin_ < next_) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
    fmt::print(stderr, "swai: {}: the program runs for {} s, {} bytes of results so far{}\n", side_.tier,
               seconds.count(), now,
               before_ == nullptr ? "" : fmt::format(" of {} on {}", before_->record_bytes, before_->tier));
    next_ *= 2;
  }

 private:
  const bool wanted_;
  const Side& side_;
  const Side* const before_;
  Progress terminal_;
  const Clock::time_point begin_ = Clock::now();
  Clock::duration next_ = std::chrono::seconds(15);
};

// The program with all that it has started; ended with this object.
class Group {
 public:
  explicit Group(pid_t process) : process_(process) {}
  ~Group() { end(); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // The program's status, as waitpid() has it.
  int end() {
    if (process_ == 0) return status_;
    ::kill(-process_, SIGKILL);
    ::kill(process_, SIGKILL);  // it may have gone to another group
    ::waitpid(std::exchange(process_, 0), &status_, 0);
    return status_;
  }

 private:
  pid_t process_;
  int status_ = 0;
};

// It is not buried yet: its number, and its group's, are nobody else's.
bool has_ended(pid_t process) {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process;
}

// Nothing: its time was up.
std::optional<int> wait_for(pid_t process, const Side& side, const RunOptions& how,
                            StillRunning& still_running) {
  constexpr std::chrono::milliseconds kMoment{20};
  constexpr unsigned kMomentsBetweenLooks = 25;  // at files
  const auto begin = Clock::now();
  Group group(process);
  for (unsigned moment = 0;; ++moment) {
    if (has_ended(process)) return group.end();
    end_if_interrupted();
    if (how.limit.count() != 0 && Clock::now() - begin > how.limit) return std::nullopt;
    std::this_thread::sleep_for(kMoment);
    if (moment % kMomentsBetweenLooks != 0) continue;
    for (const fs::path& file : {side.output(), side.errors()}) {
      if (size_of(file) <= kMostOutput) continue;
      throw Error(kBadInput,
                  fmt::format("on {} the program prints more than {} bytes; --ignore-output keeps none of it",
                              side.tier, kMostOutput));
    }
    still_running.look();
  }
}

void note_faults(link::Card& card, std::vector<std::string>& texts) {
  constexpr unsigned kShown = 16;
  const auto part = sdaa::read_journal(card, sdaa::JournalKind::kFaults, 0, kShown);
  for (const journal::Record& record : part.records) {
    texts.push_back(
        sdaa::describe(journal::describe(static_cast<journal::Fault>(record.id)), record.arguments));
  }
  if (const auto last_words = sdaa::read_panic(card))
    texts.push_back("the firmware ended: " + sdaa::describe(*last_words));
}

std::vector<std::string> faults_of(const std::string& sockets) {
  std::vector<std::string> texts;
  std::istringstream list(sockets);
  for (std::string socket; std::getline(list, socket, ',');) {
    try {
      note_faults(*link::Card::open(socket), texts);
    } catch (const std::exception& error) {
      texts.push_back(fmt::format("the card does not tell: {}", error.what()));
    }
  }
  return texts;
}

}  // namespace

fs::path Side::record(unsigned process) const {
  return sdaa::record::file_of((folder / "record").string(), process);
}

Side run_on(const std::string& tier, const Options& options, const UserProgram& program,
            const fs::path& folder, const RunOptions& how, const Side* before) {
  Side side;
  side.tier = tier;
  side.folder = fs::absolute(folder);
  std::error_code problem;
  fs::create_directories(side.folder, problem);
  if (problem) throw Error(kBadInput, fmt::format("{}: {}", folder.string(), problem.message()));
  Options own = options;
  own.tier = tier;
  const StartedCard cards(own, {}, how.cards);
  StartedCard::call_on_signal(note_signal);
  const pid_t process = ::fork();
  if (process < 0) throw Error(kBadInput, fmt::format("no process can be made: {}", std::strerror(errno)));
  if (process == 0) become_side(side, program, cards.sockets(), how.keeps_output);
  ::setpgid(process, process);  // whoever of us is first
  {
    StillRunning still_running(options, side, before);
    side.status = wait_for(process, side, how, still_running);
  }
  for (; fs::exists(side.record(side.processes)); ++side.processes)
    side.record_bytes += size_of(side.record(side.processes));
  side.faults = faults_of(cards.sockets());
  return side;
}

}  // namespace swai::cli
