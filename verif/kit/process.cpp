// SPDX-License-Identifier: Apache-2.0
#include "verif/kit/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace swai::common {

namespace {

// Ends what hangs. A busy machine may be slow.
constexpr auto kPatience = std::chrono::minutes(20);

}  // namespace

Process::Process(const std::vector<std::string>& command) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes");
  std::vector<char*> arguments;
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(out[1], STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_fd_ = out[0];
}

Process::~Process() {
  close_input();
  close(output_fd_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Process::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written < 0) throw std::runtime_error("the process does not listen; it said:\n" + output_);
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void Process::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

// False: end of output.
bool Process::read_some(int timeout_ms) {
  pollfd waiting{output_fd_, POLLIN, 0};
  if (poll(&waiting, 1, timeout_ms) <= 0) return true;
  std::array<char, 4096> buffer;
  const ssize_t got = read(output_fd_, buffer.data(), buffer.size());
  if (got <= 0) return false;
  output_.append(buffer.data(), static_cast<size_t>(got));
  return true;
}

std::string Process::read_until(std::string_view text) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const size_t found = output_.find(text, seen_);
    if (found != std::string::npos) {
      const size_t start = std::exchange(seen_, found + text.size());
      return output_.substr(start, seen_ - start);
    }
    if (!read_some(100))
      throw std::runtime_error(fmt::format("ended without '{}'; it said:\n{}", text, output_));
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(fmt::format("no '{}' for too long; it said:\n{}", text, output_));
    }
  }
}

int Process::wait() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (read_some(100)) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("no end; it said:\n" + output_);
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace swai::common
