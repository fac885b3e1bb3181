// SPDX-License-Identifier: Apache-2.0
#include "host/transport/control_call.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "host/transport/channel.hpp"
#include "host/transport/unix_socket.hpp"

namespace swai::link {
namespace {

// An answer lists all jobs that there can be.
constexpr size_t kMostAnswerBytes = 64 << 20;

// The client has nothing else to do meanwhile.
void limit_waiting(int fd, int seconds) {
  const timeval limit = {.tv_sec = seconds, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

std::optional<std::string> read_line(int fd) {
  std::string line;
  std::array<char, 4096> piece;
  while (line.size() < kMostAnswerBytes) {
    const ssize_t got = ::recv(fd, piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    line.append(piece.data(), static_cast<size_t>(got));
    if (line.back() == '\n') return line;
  }
  return std::nullopt;
}

}  // namespace

bool write_all(int fd, std::string_view line) {
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t sent = ::send(fd, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

std::string line_of(const Json& json) {
  // Names of files need not be text.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json ask(const std::string& path, Json request) {
  const Fd fd = connect_unix(path);
  if (!fd && errno == EACCES)
    throw Unreachable(
        fmt::format("{}: the daemon is another user's, and runs programs for that one alone", path));
  if (!fd) throw Unreachable(fmt::format("{}: {}", path, std::strerror(errno)));
  limit_waiting(fd.get(), 30);
  request["version"] = kControlVersion;
  if (!write_all(fd.get(), line_of(request))) throw Unreachable(path + ": the daemon does not listen");
  const auto line = read_line(fd.get());
  if (!line) throw Unreachable(path + ": the daemon does not answer");
  const Json reply = Json::parse(*line, nullptr, false);
  if (!reply.is_object()) throw Unreachable(path + ": the daemon's answer makes no sense");
  if (reply.contains("error")) throw std::runtime_error(reply["error"].get<std::string>());
  return reply;
}

}  // namespace swai::link
