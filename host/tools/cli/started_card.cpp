// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/started_card.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <numeric>
#include <sstream>
#include <thread>
#include <utility>

#include "host/lib/words.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/transport/served.hpp"

namespace swai::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupted = false;
// What a signal calls instead of ending the program at once: the first one.
std::function<void(int signal)> on_signal;
// Whoever starts or stops a card holds it, so that an interruption finds the whole of one or nothing.
std::mutex changing;
pid_t running = -1;
fs::path running_folder;
int running_lock = -1;
constexpr std::string_view kFolderName = "swai-card-";
// The card's prefix of each mistake that it reports with --check.
constexpr std::string_view kMistake = "swai-card: mistake ";

// Signals that end a writing program: no reader is left, or the file size limit is reached.
constexpr std::array kOfWriting = {SIGPIPE, SIGXFSZ};

constexpr std::chrono::seconds kBootLimit{120};
// For firmware that measures; the card itself gives up after 100 million cycles.
constexpr std::chrono::seconds kConsoleLimit{1800};

// The largest piece of what is known of how fast each is, so that nobody wonders.
const char* speed_of(const std::string& config) {
  return config == "full" ? "20,000 to 300,000" : "100,000 to 800,000";
}

std::string describe(const Options& options, unsigned cards) {
  const std::string config = options.config_or_default();
  if (options.tier == "fast") return config + ", a functional model: its times are coarse";
  return fmt::format("{}, cycle by cycle: {} cycles a second{}; it boots in about {} s", config,
                     speed_of(config), cards == 1 ? "" : ", shared by all that work", 2 * cards);
}

// As swai-card names sockets and flash files.
std::string name_of_card(const fs::path& name, unsigned card) {
  return card == 0 ? name.string() : fmt::format("{}.{}", name.string(), card);
}

// The lock is held. Returns the status of its process.
int end_running() {
  int status = 0;
  if (running > 0) {
    ::kill(running, SIGTERM);
    ::waitpid(running, &status, 0);
  }
  running = -1;
  return status;
}

// What the card has found with SWAI_CHECK goes to the user before its log goes away.
void show_mistakes() {
  std::ifstream in(running_folder / "log");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kMistake)) fmt::print(stderr, "{}\n", line);
  }
}

void stop_running() {
  end_running();
  if (!running_folder.empty()) show_mistakes();
  std::error_code ignored;
  if (!running_folder.empty()) fs::remove_all(running_folder, ignored);
  running_folder.clear();
  if (running_lock >= 0) ::close(running_lock);
  running_lock = -1;
}

// Held by who started a card as long as it lives: what lies in a folder whose lock is free is left over.
int lock_of(const fs::path& folder) {
  const int fd = ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return -1;
}

// `see` is called with folders of programs that were killed and could not clear away what was theirs; nobody
// else gets at them meanwhile.
template <typename See>
void see_left_over(const fs::path& temporary, See see) {
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary, problem)) {
    const fs::path& folder = entry.path();
    struct stat found;
    const bool own = folder.filename().string().starts_with(kFolderName) &&
                     ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                     found.st_uid == ::geteuid();
    // One without a lock is being made at this moment, or is not such a folder.
    if (!own || !fs::exists(folder / "lock", problem)) continue;
    const int lock = lock_of(folder);
    if (lock < 0) continue;
    see(folder);
    ::close(lock);
  }
}

// In the new process.
[[noreturn]] void become_card(const common::Words& words, const char* log) {
  // Ctrl-C is for us, and we stop it; it takes other signals again, and does not outlive us.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  StartedCard::take_signals();
  const int output = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(words.data()[0], words.data());
  ::_exit(127);
}

}  // namespace

StartedCard::StartedCard(const Options& options, const std::vector<std::string>& more, unsigned cards)
    : cards_(cards) {
  try {
    make_folder(options, places().flash);
    if (!options.quiet) {
      fmt::print(stderr, "swai: starts {} ({}). --card uses one that runs.\n",
                 cards_ == 1 ? "a simulated card" : fmt::format("{} simulated cards", cards_),
                 describe(options, cards_));
    }
    std::vector<std::string> words = {"--socket", folder_ / "socket", "--cards", std::to_string(cards_)};
    words.insert(words.end(), more.begin(), more.end());
    start(options, words);
    const Progress progress(!options.quiet, "the card boots");
    wait_until_said(fmt::format("card {} is at ", cards_ - 1), kBootLimit);
  } catch (...) {
    stop();
    throw;
  }
}

StartedCard::~StartedCard() { stop(); }

std::string StartedCard::console_of(const Options& options, const fs::path& image, const std::string& last) {
  StartedCard card(1);
  card.make_folder(options, image);
  card.start(options, {"--until-ready"});
  card.wait_until_said(last, kConsoleLimit);
  return card.log();
}

void StartedCard::make_folder(const Options& options, const fs::path& image) {
  const std::lock_guard guard(changing);
  const fs::path program = places(options.config_or_default(), options.tier).card;
  if (::access(program.c_str(), X_OK) != 0) {
    throw Error(kNoCard,
                fmt::format("no card: none was named (--card, SWAI_CARD), and {} cannot be started: {}; "
                            "`make build/{}` builds it",
                            program.string(), std::strerror(errno), program.filename().string()));
  }
  std::error_code problem;
  const fs::path temporary = fs::temp_directory_path(problem);
  if (!problem) {
    see_left_over(temporary, [](const fs::path& folder) {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    });
  }
  std::string name = (temporary / (std::string(kFolderName) + "XXXXXX")).string();
  if (!problem && ::mkdtemp(name.data()) == nullptr) problem.assign(errno, std::generic_category());
  if (problem) {
    throw Error(kNoCard,
                fmt::format("no folder can be made for a card{}: {}; set TMPDIR to one that can be written",
                            name.starts_with('/') ? ", " + name : "", problem.message()));
  }
  folder_ = running_folder = name;
  running_lock = lock_of(folder_);
  for (unsigned card = 0; card < cards_; ++card) {
    fs::copy_file(image, name_of_card(folder_ / "flash", card), problem);
    if (!problem) continue;
    if (::access(image.c_str(), R_OK) == 0) {
      throw Error(kNoCard, fmt::format("no card can be started in {}: {}; set TMPDIR to a folder with room",
                                       folder_.string(), problem.message()));
    }
    throw Error(kNoCard, fmt::format("no firmware for the card, {}: {}; `make build/firmware/{}` builds it",
                                     image.string(), problem.message(), image.filename().string()));
  }
}

void StartedCard::start(const Options& options, const std::vector<std::string>& more) {
  const std::lock_guard guard(changing);
  const Places here = places(options.config_or_default(), options.tier);
  std::vector<std::string> command = {here.card,         "--config",   options.config_or_default(),
                                      "--tier",          options.tier, "--flash",
                                      folder_ / "flash", "--rom",      here.rom};
  command.insert(command.end(), more.begin(), more.end());
  const common::Words words(command);
  const std::string log = folder_ / "log";
  running = ::fork();
  if (running < 0)
    throw Error(kNoCard, fmt::format("no process can be made for a card: {}", std::strerror(errno)));
  if (running == 0) become_card(words, log.c_str());
}

void StartedCard::wait_until_said(const std::string& text, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const auto said = [&] {
    const std::string all = log();
    const size_t at = all.find(text);
    return at != std::string::npos && all.find('\n', at) != std::string::npos;
  };
  while (!said()) {
    {
      const std::lock_guard guard(changing);
      if (::waitpid(running, nullptr, WNOHANG) == running) {
        running = -1;
        if (said()) return;
        throw Error(kNoCard, "the card that was started has ended:\n" + log());
      }
    }
    if (std::chrono::steady_clock::now() > end) throw Error(kNoCard, "the card does not get on:\n" + log());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::string StartedCard::sockets() const {
  std::string names;
  for (unsigned card = 0; card < cards_; ++card)
    names += (card == 0 ? "" : ",") + name_of_card(folder_ / "socket", card);
  return names;
}

std::string StartedCard::log() const {
  std::ifstream in(folder_ / "log");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string StartedCard::end() {
  const std::lock_guard guard(changing);
  end_running();
  const std::string said = log();
  stop_running();
  return said;
}

std::string StartedCard::stop_and_tell() {
  const std::lock_guard guard(changing);
  const int status = end_running();
  stop_running();
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGTERM ? "" : fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
  }
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("has ended with exit code {}", WEXITSTATUS(status));
}

StartedCard::LeftOver StartedCard::left_over() {
  LeftOver all;
  std::error_code problem;
  const fs::path temporary = fs::temp_directory_path(problem);
  if (problem) return all;
  see_left_over(temporary, [&all](const fs::path& folder) {
    ++all.folders;
    std::error_code gone;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, gone)) {
      const uintmax_t bytes = file.is_regular_file(gone) ? file.file_size(gone) : 0;
      if (!gone) all.bytes += bytes;
    }
  });
  return all;
}

void StartedCard::stop() {
  const std::lock_guard guard(changing);
  stop_running();
}

void StartedCard::take_signals() {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : kOfWriting) ::signal(signal, SIG_DFL);
}

void StartedCard::stop_on_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Writing fails instead, and what was started is stopped.
  for (const int signal : kOfWriting) ::signal(signal, SIG_IGN);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    std::function<void(int signal)> ending;
    {
      const std::lock_guard guard(changing);
      ending = std::exchange(on_signal, nullptr);
    }
    if (ending) {
      ending(signal);
      sigwait(&signals, &signal);  // it is not fast enough
    }
    interrupted = true;
    const std::lock_guard guard(changing);
    stop_running();
    if (signal == SIGINT) fmt::print(stderr, "swai: interrupted\n");
    ::_exit(128 + signal);
  }).detach();
}

void StartedCard::call_on_signal(std::function<void(int signal)> ending) {
  const std::lock_guard guard(changing);
  on_signal = std::move(ending);
}

void StartedCard::wait_if_interrupted() {
  while (interrupted) ::pause();
}

std::string cards_there_are(const Options& options) {
  // When another kind of card is wanted, it is no daemon's.
  if (!options.card.empty() || !options.config.empty()) return options.card;
  const pid_t booting = link::booting_daemon();
  if (booting != 0 && !options.quiet)
    fmt::print(stderr, "swai: waits for the daemon, process {}, whose cards boot.\n", booting);
  std::string sockets;
  for (const std::string& card : link::served_cards()) sockets += (sockets.empty() ? "" : ",") + card;
  return sockets;
}

UsedCard::UsedCard(const Options& options, const std::vector<std::string>& more)
    : UsedCard(options, more, std::nullopt) {}

UsedCard::UsedCard(const Options& options, std::optional<unsigned> number) : UsedCard(options, {}, number) {}

UsedCard::UsedCard(const Options& options, const std::vector<std::string>& more,
                   std::optional<unsigned> number)
    : number_(number) {
  // One with options of its own is started.
  std::string sockets = more.empty() ? cards_there_are(options) : options.card;
  std::istringstream list(sockets);
  for (std::string socket; std::getline(list, socket, ',');) {
    if (!socket.empty()) sockets_.push_back(socket);
  }
  if (!sockets.empty() && sockets_.empty())
    throw Error(kBadInput, fmt::format("'{}' names no socket of a card", sockets));
  // One is started when there is none.
  const size_t count = std::max<size_t>(sockets_.size(), 1);
  if (number && *number >= count) {
    throw Error(kBadInput, count == 1 ? fmt::format("--number {}: there is one card, 0", *number)
                                      : fmt::format("--number {}: there are {} cards, 0 to {}", *number,
                                                    count, count - 1));
  }
  if (sockets_.empty()) {
    started_ = std::make_unique<StartedCard>(options, more);
    sockets = started_->sockets();
    sockets_ = {sockets};
  }
  ::setenv("SWAI_CARD", sockets.c_str(), 1);
  // The library tells who waits for long what for.
  if (options.quiet) ::setenv("SWAI_PATIENCE_SECONDS", "0", 0);
}

std::vector<std::string> checks(const Options& options, const std::vector<std::string>& modules) {
  if (options.tier != "fast" || !options.card.empty()) {
    throw Error(kBadInput,
                "--check needs a functional card of its own: pass --tier fast, and no --card or SWAI_CARD");
  }
  ::setenv("SWAI_MEMORY_CHECK", "1", 1);
  std::vector<std::string> words = {"--check", "-"};
  for (const std::string& module : modules) words.insert(words.end(), {"--check-module", module});
  return words;
}

int code_of_checks(UsedCard& card) {
  const std::string said = "\n" + card.end();
  return said.find("\n" + std::string(kMistake)) == std::string::npos ? kDone : kFailed;
}

std::vector<unsigned> UsedCard::numbers() const {
  if (number_) return {*number_};
  std::vector<unsigned> all(sockets_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace swai::cli
