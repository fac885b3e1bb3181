// SPDX-License-Identifier: Apache-2.0
#include "verif/host/transport/raw_client.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace swai::socket {

namespace {

constexpr auto kPatience = std::chrono::seconds(30);

RawBytes header(unsigned id, unsigned command, size_t payload, uint32_t flags) {
  return Pack().u16(id).u16(command).u32(16 + payload).u32(flags).u32(0);
}

}  // namespace

uint64_t number_at(const RawBytes& bytes, size_t at, unsigned size) {
  if (at + size > bytes.size())
    throw std::runtime_error(fmt::format("{} bytes have no number at {}", bytes.size(), at));
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= uint64_t{bytes[at + i]} << 8 * i;
  return value;
}

RawBytes region_access(uint64_t offset, uint64_t region, uint64_t count) {
  return Pack().u64(offset).u32(region).u32(count);
}

RawClient::RawClient(int fd, std::function<void()> turn) : fd_(fd), turn_(std::move(turn)) {}

int RawClient::connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    throw std::runtime_error(fmt::format("cannot connect to {}: {}", path, std::strerror(errno)));
  }
  return fd;
}

void RawClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void RawClient::send_raw(const RawBytes& bytes, const std::vector<int>& fds) {
  std::vector<char> control(CMSG_SPACE(fds.size() * sizeof(int)));
  for (size_t sent = 0; sent < bytes.size();) {
    iovec part{const_cast<uint8_t*>(bytes.data()) + sent, bytes.size() - sent};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    if (!fds.empty() && sent == 0) {
      head.msg_control = control.data();
      head.msg_controllen = control.size();
      cmsghdr* item = CMSG_FIRSTHDR(&head);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
      std::memcpy(CMSG_DATA(item), fds.data(), fds.size() * sizeof(int));
    }
    const ssize_t some = ::sendmsg(fd_, &head, MSG_NOSIGNAL | (turn_ ? MSG_DONTWAIT : 0));
    if (some < 0 && errno == EAGAIN) {
      turn_();
      continue;
    }
    if (some < 0) throw std::runtime_error(fmt::format("cannot send: {}", std::strerror(errno)));
    sent += static_cast<size_t>(some);
  }
}

unsigned RawClient::send(unsigned command, const RawBytes& payload, const std::vector<int>& fds,
                         uint32_t flags) {
  const unsigned id = next_id_++ & 0xffff;
  send_raw(Pack().raw(header(id, command, payload.size(), flags)).raw(payload), fds);
  return id;
}

bool RawClient::fill(RawBytes& to, size_t bytes) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  size_t have = 0;
  to.resize(bytes);
  while (have < bytes) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the server does not answer");
    if (turn_) turn_();
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, turn_ ? 0 : 100) == 0) continue;
    const ssize_t some = ::recv(fd_, to.data() + have, bytes - have, MSG_DONTWAIT);
    if (some < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (some <= 0) return false;
    have += static_cast<size_t>(some);
  }
  return true;
}

RawMessage RawClient::receive() {
  RawBytes head;
  if (!fill(head, 16)) throw std::runtime_error("the server has closed the connection");
  RawMessage message;
  message.id = static_cast<unsigned>(number_at(head, 0, 2));
  message.command = static_cast<unsigned>(number_at(head, 2, 2));
  message.flags = static_cast<uint32_t>(number_at(head, 8, 4));
  message.error = static_cast<uint32_t>(number_at(head, 12, 4));
  const uint64_t bytes = number_at(head, 4, 4);
  if (bytes < 16 || bytes > (2 << 20)) throw std::runtime_error(fmt::format("a message of {} bytes", bytes));
  if (!fill(message.payload, bytes - 16)) throw std::runtime_error("the server has closed the connection");
  return message;
}

bool RawClient::closed_by_server() {
  try {
    for (;;) receive();
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).find("closed") != std::string::npos;
  }
}

RawMessage RawClient::call(unsigned command, const RawBytes& payload, const std::vector<int>& fds) {
  const unsigned id = send(command, payload, fds);
  RawMessage reply = receive();
  if (reply.id != id || reply.command != command || (reply.flags & 0xf) != 1 || (reply.flags & ~0x21U) != 0) {
    throw std::runtime_error(fmt::format("command {} got message {} of command {} with flags {:#x}", command,
                                         reply.id, reply.command, reply.flags));
  }
  if (reply.is_error() && !reply.payload.empty()) throw std::runtime_error("an error reply with a payload");
  return reply;
}

void RawClient::refuse(unsigned command, const RawBytes& payload, int error, const std::vector<int>& fds) {
  const RawMessage reply = call(command, payload, fds);
  if (!reply.is_error() || reply.error != static_cast<uint32_t>(error)) {
    throw std::runtime_error(fmt::format("command {} of {} bytes got error {} instead of {}", command,
                                         payload.size(), reply.is_error() ? static_cast<int>(reply.error) : 0,
                                         error));
  }
}

RawBytes RawClient::done(unsigned command, const RawBytes& payload, const std::vector<int>& fds) {
  RawMessage reply = call(command, payload, fds);
  if (reply.is_error()) {
    throw std::runtime_error(
        fmt::format("command {} was refused: {}", command, std::strerror(static_cast<int>(reply.error))));
  }
  return std::move(reply.payload);
}

RawMessage RawClient::hello(const std::string& json) {
  Pack version;
  version.u16(0).u16(1);
  if (!json.empty()) version.text(json).u8(0);
  return call(1, version);
}

RawBytes RawClient::read(unsigned region, uint64_t offset, uint32_t bytes) {
  const RawBytes reply = done(9, region_access(offset, region, bytes));
  if (reply.size() != 16 + bytes) throw std::runtime_error("a read gave another number of bytes");
  return {reply.begin() + 16, reply.end()};
}

void RawClient::write(unsigned region, uint64_t offset, const RawBytes& data) {
  const RawBytes access = region_access(offset, region, data.size());
  if (done(10, Pack().raw(access).raw(data)) != access)
    throw std::runtime_error("a write echoes something else");
}

void RawClient::map(uint64_t iova, uint64_t bytes, const std::vector<int>& fds, uint64_t offset,
                    uint32_t flags) {
  done(2, Pack().u32(32).u32(flags).u64(offset).u64(iova).u64(bytes), fds);
}

}  // namespace swai::socket
