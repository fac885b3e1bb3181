// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "host/lib/elf.hpp"

namespace swai::http {
namespace {

struct HostAndPort {
  std::string host = "127.0.0.1";
  std::string port;
};

HostAndPort parts_of(const std::string& address) {
  HostAndPort parts;
  const size_t colon = address.rfind(':');
  parts.port = colon == std::string::npos ? address : address.substr(colon + 1);
  if (colon != std::string::npos) parts.host = address.substr(0, colon);
  if (parts.host.starts_with('[') && parts.host.ends_with(']'))
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  const bool number = !parts.port.empty() && parts.port.size() <= 5 &&
                      std::ranges::all_of(parts.port, [](char sign) { return sign >= '0' && sign <= '9'; });
  if (parts.host.empty() || !number || std::stoul(parts.port) > 65535)
    throw common::InputError(fmt::format("'{}' is no address: PORT, HOST:PORT or [IPv6]:PORT", address));
  return parts;
}

struct Free {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

}  // namespace

ListeningSocket::ListeningSocket(const std::string& address) {
  const HostAndPort parts = parts_of(address);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* first = nullptr;
  if (const int problem = ::getaddrinfo(parts.host.c_str(), parts.port.c_str(), &hints, &first); problem != 0)
    throw common::InputError(fmt::format("{}: {}", address, ::gai_strerror(problem)));
  const std::unique_ptr<addrinfo, Free> list(first);
  fd_ = link::Fd(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (!fd_ || ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(fd_.get(), list->ai_addr, list->ai_addrlen) != 0 || ::listen(fd_.get(), SOMAXCONN) != 0) {
    throw common::InputError(fmt::format("nobody can listen at {}: {}; another port, or who has it: ss -tlnp",
                                         address, std::strerror(errno)));
  }
  sockaddr_storage own = {};
  socklen_t bytes = sizeof own;
  std::array<char, NI_MAXHOST> host = {};
  std::array<char, NI_MAXSERV> port = {};
  if (::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&own), &bytes) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&own), bytes, host.data(), host.size(), port.data(),
                    port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    throw common::InputError(fmt::format("{}: the socket has no address", address));
  }
  const bool six = own.ss_family == AF_INET6;
  name_ = fmt::format("{}{}{}:{}", six ? "[" : "", host.data(), six ? "]" : "", port.data());
  if (six) {
    loopback_ = IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&own)->sin6_addr);
  } else {
    const uint32_t number = ntohl(reinterpret_cast<const sockaddr_in*>(&own)->sin_addr.s_addr);
    loopback_ = number >> 24 == IN_LOOPBACKNET;
  }
}

}  // namespace swai::http
