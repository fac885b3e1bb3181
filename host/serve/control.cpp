#include "host/serve/control.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "host/link/server/listener.hpp"
#include "host/link/unix_socket.hpp"

namespace swai::serve {
namespace {

constexpr size_t kMostBytes = 1 << 20;

// Neither side waits longer than that for the other: both have nothing else to do meanwhile.
void limit_waiting(int fd, int seconds) {
  const timeval limit = {.tv_sec = seconds, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

std::optional<std::string> read_line(int fd) {
  std::string line;
  std::array<char, 4096> piece;
  while (line.size() < kMostBytes) {
    const ssize_t got = ::recv(fd, piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    line.append(piece.data(), static_cast<size_t>(got));
    if (line.back() == '\n') return line;
  }
  return std::nullopt;
}

bool write_line(int fd, const Json& json) {
  // Names of files need not be text.
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t sent = ::send(fd, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

}  // namespace

Control::Control(std::string path, unsigned permissions, std::function<Json(const Json&)> answer)
    : path_(std::move(path)),
      answer_(std::move(answer)),
      listener_(socket::listen_on(path_, permissions, inode_)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this] { serve(); }) {}

Control::~Control() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  thread_.join();
  socket::remove_socket(path_, inode_);
}

void Control::serve() {
  for (;;) {
    std::array fds = {pollfd{listener_.get(), POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), -1);
    if (fds[1].revents != 0) return;
    const link::Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) serve_one(connection);
  }
}

void Control::serve_one(const link::Fd& connection) {
  limit_waiting(connection.get(), 2);
  const auto line = read_line(connection.get());
  if (!line) return;
  Json reply;
  try {
    const Json request = Json::parse(*line);
    if (!request.is_object() || request.value("version", 0) != kControlVersion)
      throw std::runtime_error(fmt::format("the daemon speaks version {} of its language", kControlVersion));
    reply = answer_(request);
  } catch (const std::exception& error) {
    reply = {{"error", error.what()}};
  }
  reply["version"] = kControlVersion;
  write_line(connection.get(), reply);
}

Json ask(const std::string& path, Json request) {
  const link::Fd fd = link::connect_unix(path);
  if (!fd) throw Unreachable(fmt::format("{}: {}", path, std::strerror(errno)));
  limit_waiting(fd.get(), 30);
  request["version"] = kControlVersion;
  if (!write_line(fd.get(), request)) throw Unreachable(path + ": the daemon does not listen");
  const auto line = read_line(fd.get());
  if (!line) throw Unreachable(path + ": the daemon does not answer");
  const Json reply = Json::parse(*line, nullptr, false);
  if (!reply.is_object()) throw Unreachable(path + ": the daemon's answer makes no sense");
  if (reply.contains("error")) throw std::runtime_error(reply["error"].get<std::string>());
  return reply;
}

}  // namespace swai::serve
