// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/keys.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "host/tools/cli/started_card.hpp"

namespace swai::cli {
namespace {

// A signal counts as the key: the terminal is as before then.
int signalled() {
  static const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd;
}

}  // namespace

Keys::Keys(bool wanted) {
  if (!wanted || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
  terminal_ = true;
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  StartedCard::call_on_signal([fd = signalled()](int) {
    const uint64_t one = 1;
    (void)!::write(fd, &one, sizeof one);
  });
}

Keys::~Keys() {
  if (terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

bool Keys::quit_within(std::chrono::duration<double> time) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    // Negative descriptors are not looked at.
    pollfd fds[] = {{terminal_ ? STDIN_FILENO : -1, POLLIN, 0}, {terminal_ ? signalled() : -1, POLLIN, 0}};
    if (::poll(fds, std::size(fds), static_cast<int>(std::max<int64_t>(left, 0))) == 0) return false;
    if (fds[1].revents != 0) return true;
    char key = 0;
    if (fds[0].revents != 0 && (::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q')) return true;
  }
}

size_t terminal_width() {
  winsize size = {};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : std::string::npos;
}

std::string cut(const std::string& text, size_t columns) {
  std::string result;
  size_t column = 0;
  for (const char one : text) {
    // Bytes behind the first one of a character take no column.
    const bool begins = (static_cast<unsigned char>(one) & 0xc0) != 0x80;
    column = one == '\n' ? 0 : column + (begins ? 1 : 0);
    if (column <= columns) result += one;
  }
  return result;
}

}  // namespace swai::cli
