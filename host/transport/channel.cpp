// SPDX-License-Identifier: Apache-2.0
#include "host/transport/channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace swai::link {
namespace {

// More than this the kernel does not pass in one message.
constexpr unsigned kKernelMaxFds = 253;

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Channel::Channel(Fd fd, unsigned max_fds) : fd_(std::move(fd)), max_fds_(max_fds) {
  ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
  ::fcntl(fd_.get(), F_SETFD, FD_CLOEXEC);
}

void Channel::close() {
  fd_.reset();
  state_ = State::kClosed;
  outgoing_.clear();
  unsent_ = 0;
}

// Reads never go beyond the end of a message, because descriptors belong to the bytes with which they arrive.
bool Channel::fill(uint8_t* to, size_t bytes, size_t& have) {
  while (have < bytes) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kKernelMaxFds * sizeof(int))> control;
    iovec part{to + have, bytes - have};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = control.data();
    head.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(fd_.get(), &head, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (got <= 0) {
      close();
      return false;
    }
    for (cmsghdr* item = CMSG_FIRSTHDR(&head); item != nullptr; item = CMSG_NXTHDR(&head, item)) {
      if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
      const size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < count; ++i) {
        int fd;
        std::memcpy(&fd, CMSG_DATA(item) + i * sizeof(int), sizeof fd);
        message_.fds.emplace_back(fd);
      }
    }
    if ((head.msg_flags & MSG_CTRUNC) != 0 || message_.fds.size() > max_fds_) {
      message_.too_many_fds = true;
      message_.fds.clear();
    }
    have += static_cast<size_t>(got);
  }
  return true;
}

std::optional<Message> Channel::receive() {
  using vfio_user::Header;
  if (state_ != State::kOpen) return std::nullopt;
  if (header_have_ < sizeof(Header)) {
    if (!fill(reinterpret_cast<uint8_t*>(&message_.header), sizeof(Header), header_have_))
      return std::nullopt;
    const uint32_t bytes = message_.header.bytes;
    if (bytes < sizeof(Header) || bytes > vfio_user::kMaxMessage) {
      state_ = State::kMalformed;
      message_.fds.clear();
      return std::nullopt;
    }
  }
  // Memory is taken as bytes arrive: a header alone does not cost its sender's victim a megabyte.
  constexpr size_t kStep = 1 << 16;
  const size_t total = message_.header.bytes - sizeof(Header);
  while (payload_have_ < total) {
    const size_t target = std::min(total, (payload_have_ / kStep + 1) * kStep);
    message_.payload.resize(target);
    if (!fill(message_.payload.data(), target, payload_have_)) return std::nullopt;
  }
  header_have_ = 0;
  payload_have_ = 0;
  return std::exchange(message_, Message{});
}

size_t Channel::transmit(std::span<const uint8_t> bytes, std::span<const int> fds) {
  for (;;) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kKernelMaxFds * sizeof(int))> control{};
    iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    if (!fds.empty()) {
      head.msg_control = control.data();
      head.msg_controllen = CMSG_SPACE(fds.size_bytes());
      cmsghdr* item = CMSG_FIRSTHDR(&head);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN(fds.size_bytes());
      std::memcpy(CMSG_DATA(item), fds.data(), fds.size_bytes());
    }
    const ssize_t sent = ::sendmsg(fd_.get(), &head, MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<size_t>(sent);
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno == EPIPE || errno == ECONNRESET) {
      // Nobody reads any more. What the other side sent before it left can still be received; then it is
      // closed.
      outgoing_.clear();
      unsent_ = 0;
      unread_ = true;
      return bytes.size();
    }
    close();
    return 0;
  }
}

void Channel::send(const vfio_user::Header& header, std::span<const uint8_t> payload,
                   std::span<const int> fds) {
  if (!fd_) return;
  Outgoing item;
  item.bytes.reserve(sizeof header + payload.size());
  vfio_user::append(item.bytes, header);
  item.bytes.insert(item.bytes.end(), payload.begin(), payload.end());
  if (outgoing_.empty()) {
    item.sent = transmit(item.bytes, fds);
    if (!fd_ || item.sent == item.bytes.size()) return;
  }
  if (item.sent == 0) {
    for (const int fd : fds) item.fds.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  }
  unsent_ += item.bytes.size() - item.sent;
  outgoing_.push_back(std::move(item));
}

void Channel::flush() {
  while (fd_ && !outgoing_.empty()) {
    Outgoing& item = outgoing_.front();
    std::vector<int> fds;
    for (const Fd& fd : item.fds) fds.push_back(fd.get());
    const size_t sent = transmit(std::span(item.bytes).subspan(item.sent), fds);
    if (sent == 0 || outgoing_.empty()) return;
    item.fds.clear();
    item.sent += sent;
    unsent_ -= sent;
    if (item.sent == item.bytes.size()) outgoing_.pop_front();
  }
}

}  // namespace swai::link
