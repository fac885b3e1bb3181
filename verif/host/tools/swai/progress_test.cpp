// SPDX-License-Identifier: Apache-2.0
// What a terminal shows while something takes long.
#include "host/tools/cli/progress.hpp"

#include <doctest/doctest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <string_view>

namespace {

using swai::cli::Progress;

// Standard error is a terminal, and this reads what is written there.
class Terminal {
 public:
  Terminal() : error_(::dup(STDERR_FILENO)) {
    int terminal = -1;
    REQUIRE(::openpty(&reader_, &terminal, nullptr, nullptr, nullptr) == 0);
    ::dup2(terminal, STDERR_FILENO);
    ::close(terminal);
  }
  ~Terminal() {
    ::dup2(error_, STDERR_FILENO);
    ::close(error_);
    ::close(reader_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // What comes up to these words and with them, whenever that is.
  std::string until(std::string_view words) {
    while (pending_.find(words) == std::string::npos) {
      std::array<char, 256> some;
      const ssize_t got = ::read(reader_, some.data(), some.size());
      REQUIRE(got > 0);
      pending_.append(some.data(), static_cast<size_t>(got));
    }
    const size_t end = pending_.find(words) + words.size();
    const std::string found = pending_.substr(0, end);
    pending_.erase(0, end);
    return found;
  }

 private:
  const int error_;
  int reader_ = -1;
  std::string pending_;
};

}  // namespace

TEST_CASE("progress: seconds, then what is guessed, then what is known; it makes room, and goes at the end") {
  const auto write = [](std::string_view words) {
    REQUIRE(::write(STDERR_FILENO, words.data(), words.size()) == static_cast<ssize_t>(words.size()));
  };
  Terminal terminal;
  std::atomic<double> guessed = 0.25;
  {
    Progress progress(true, "the work");
    CHECK(terminal.until(" s").starts_with("\rthe work: "));
    progress.guess([&] { return guessed.load(); });
    terminal.until(", 25 %, about ");
    guessed = 7;
    terminal.until(", 99 %, about ");
    progress.reached(0.5);
    terminal.until(", 50 %, about ");
    progress.make_room([&] { write("words"); });
    CHECK(terminal.until("words").ends_with(" s left\x1b[K\r\x1b[Kwords"));
    terminal.until("the work: ");
  }
  write("end");
  CHECK(terminal.until("end").ends_with(" s left\x1b[K\r\x1b[Kend"));
}
