// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "sim/common/gdb_stub.hpp"

namespace swai::common {

namespace {

GdbPortError socket_error(const char* what, uint16_t port) {
  return GdbPortError(fmt::format("cannot {} port {}: {}", what, port, std::strerror(errno)));
}

}  // namespace

GdbServer::GdbServer(uint16_t port, GdbTarget& target, std::function<void()> run_until_halted)
    : target_(target), run_until_halted_(std::move(run_until_halted)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener_ < 0) throw socket_error("open a socket for", port);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, length) != 0 || listen(listener_, 1) != 0 ||
      getsockname(listener_, generic, &length) != 0) {
    const auto error = socket_error("listen on", port);
    ::close(listener_);
    throw error;
  }
  port_ = ntohs(address.sin_port);
}

GdbServer::~GdbServer() {
  if (client_ >= 0) ::close(client_);
  ::close(listener_);
}

void GdbServer::poll(int wait_ms) {
  if (session_) session_->poll();
  flush();
  if (wait_ms > 0) {
    pollfd waiting{client_ >= 0 ? client_ : listener_, POLLIN, 0};
    ::poll(&waiting, 1, wait_ms);
  }
  if (client_ < 0) accept_client();
  if (client_ >= 0) receive();
}

void GdbServer::accept_client() {
  client_ = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client_ < 0) return;
  const int on = 1;
  setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (!target_.halted()) {
    target_.request_halt();
    run_until_halted_();
  }
  session_.emplace(target_);
}

void GdbServer::receive() {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = recv(client_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      drop_client();
      return;
    }
    session_->feed({buffer.data(), static_cast<size_t>(got)});
    flush();
    if (client_ < 0) return;
    killed_ = killed_ || session_->kill_requested();
    if (session_->detached()) {
      drop_client();
      return;
    }
  }
}

void GdbServer::flush() {
  if (!session_) return;
  std::string output = session_->take_output();
  while (!output.empty()) {
    const ssize_t sent = send(client_, output.data(), output.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      output.erase(0, static_cast<size_t>(sent));
    } else if (sent < 0 && errno == EINTR) {
      continue;
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd waiting{client_, POLLOUT, 0};
      ::poll(&waiting, 1, 1000);
    } else {
      drop_client();
      return;
    }
  }
}

void GdbServer::exited(int code) {
  if (!session_) return;
  session_->exited(code);
  flush();
}

void GdbServer::drop_client() {
  ::close(client_);
  client_ = -1;
  if (!session_->detached()) {
    // The target may be running into breakpoints that nobody waits for any more.
    if (!target_.halted()) {
      target_.request_halt();
      run_until_halted_();
    }
    session_->close();
  }
  session_.reset();
}

}  // namespace swai::common
