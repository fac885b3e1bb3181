// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/listener.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/transport/unix_socket.hpp"

namespace swai::socket {
namespace {

sockaddr_un address_of(const std::string& path) {
  if (const auto address = link::unix_address(path)) return *address;
  throw SocketError(
      fmt::format("'{}' cannot name a socket: its length is {}, possible are 1 to {}; choose another path",
                  path, path.size(), link::kMaxSocketPath));
}

link::Fd make_socket() {
  link::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) throw SocketError(fmt::format("no socket can be made: {}", std::strerror(errno)));
  return fd;
}

// Removes what a dead server has left; throws if it is anything else.
void clear_path(const std::string& path, const sockaddr_un& address) {
  struct stat file;
  if (::lstat(path.c_str(), &file) != 0) return;
  if (!S_ISSOCK(file.st_mode)) {
    throw SocketError(
        fmt::format("'{}' exists and is not a socket; choose another path, or remove it", path));
  }
  const link::Fd probe = make_socket();
  const bool alive = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  // A queue of connections that is full has a listener, too.
  if (alive || errno == EAGAIN || errno == EWOULDBLOCK) {
    throw SocketError(
        fmt::format("another program listens on '{}'; end it, or choose another path for this card", path));
  }
  if (errno != ECONNREFUSED) {
    throw SocketError(
        fmt::format("'{}' is a socket that cannot be tried: {}; remove it", path, std::strerror(errno)));
  }
  ::unlink(path.c_str());
}

}  // namespace

link::Fd listen_on(const std::string& path, Audience audience, uint64_t& inode) {
  const sockaddr_un address = address_of(path);
  clear_path(path, address);
  link::Fd fd = make_socket();
  // The file has its permissions from its first moment on.
  const mode_t old = ::umask(0777 & ~mode_of(audience));
  const int bound = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  ::umask(old);
  if (bound != 0) {
    throw SocketError(
        fmt::format("no socket can be made at '{}': {}; is there such a folder, and may you write to it?",
                    path, std::strerror(error)));
  }
  struct stat file;
  inode = ::lstat(path.c_str(), &file) == 0 ? file.st_ino : 0;
  if (::listen(fd.get(), 16) != 0) {
    throw SocketError(fmt::format("nobody can connect to '{}': {}", path, std::strerror(errno)));
  }
  return fd;
}

void remove_socket(const std::string& path, uint64_t inode) {
  struct stat file;
  if (::lstat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode) && file.st_ino == inode)
    ::unlink(path.c_str());
}

}  // namespace swai::socket
