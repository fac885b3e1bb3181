// SPDX-License-Identifier: Apache-2.0
// Sockets that are files.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "host/transport/channel.hpp"

namespace swai::link {

inline constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

// nullopt: no socket can have that name.
inline std::optional<sockaddr_un> unix_address(std::string_view path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() > kMaxSocketPath) return std::nullopt;
  path.copy(address.sun_path, path.size());
  return address;
}

// Without a descriptor: errno says why.
inline Fd connect_unix(std::string_view path) {
  const auto address = unix_address(path);
  if (!address) {
    errno = ENAMETOOLONG;
    return {};
  }
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0)
    return fd;
  const int error = errno;
  fd = {};
  errno = error;
  return fd;
}

}  // namespace swai::link
