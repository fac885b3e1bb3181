// SPDX-License-Identifier: Apache-2.0
#include "sim/card/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace swai::card {
namespace {

std::atomic<int> stop_signal{0};
int stop_fd = -1;

extern "C" void on_stop_signal(int number) {
  const int saved = errno;
  stop_signal = number;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = ::write(stop_fd, &one, sizeof one);
  errno = saved;
}

}  // namespace

StopSignal::StopSignal() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  stop_fd = fd_;
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int StopSignal::pending() const { return stop_signal; }

Console::Console(Kind kind, const std::string& path) {
  switch (kind) {
    case Kind::kNone:
      return;
    case Kind::kStandard:
    case Kind::kStandardOnError:
      in_ = STDIN_FILENO;
      out_ = kind == Kind::kStandard ? STDOUT_FILENO : STDERR_FILENO;
      break;
    case Kind::kFile: {
      struct stat info {};
      const bool device = ::stat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode);
      const int flags = device ? O_RDWR | O_NOCTTY : O_WRONLY | O_CREAT | O_TRUNC;
      out_ = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
      if (out_ < 0)
        throw ConsoleError(fmt::format("console {}: cannot open it: {}", path, std::strerror(errno)));
      owned_ = true;
      if (device) in_ = out_;
      break;
    }
  }
  termios now{};
  if (in_ < 0 || ::tcgetattr(in_, &now) != 0) return;
  // Bytes go to the card as they are typed, without echo; Ctrl-C still ends the simulation.
  terminal_ = in_;
  saved_ = now;
  now.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  now.c_cc[VMIN] = 1;
  now.c_cc[VTIME] = 0;
  ::tcsetattr(in_, TCSANOW, &now);
}

Console::~Console() {
  flush();
  if (terminal_ >= 0) ::tcsetattr(terminal_, TCSANOW, &saved_);
  if (owned_) ::close(out_);
}

bool Console::flush() {
  size_t done = 0;
  while (out_ >= 0 && done < output_.size()) {
    const ssize_t wrote = ::write(out_, output_.data() + done, output_.size() - done);
    if (wrote >= 0) {
      done += static_cast<size_t>(wrote);
    } else if (errno == EAGAIN) {
      pollfd writable{out_, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      output_.clear();
      return false;
    }
  }
  output_.clear();
  return true;
}

std::optional<uint8_t> Console::read(int wait_ms, const std::vector<int>& others) {
  std::vector<pollfd> fds = {{in_, POLLIN, 0}};  // a negative descriptor is passed over
  for (int fd : others) fds.push_back({fd, POLLIN, 0});
  if (::poll(fds.data(), fds.size(), wait_ms) <= 0 || fds[0].revents == 0) return {};
  uint8_t byte = 0;
  const ssize_t got = ::read(in_, &byte, 1);
  if (got == 1) return byte;
  if (got == 0 || (errno != EINTR && errno != EAGAIN)) in_ = -1;
  return {};
}

}  // namespace swai::card
