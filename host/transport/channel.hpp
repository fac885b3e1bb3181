// SPDX-License-Identifier: Apache-2.0
// Whole messages over a stream socket, with the file descriptors that travel with them. Both ends of the
// vfio-user protocol use it; nothing in it blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/transport/vfio_user.hpp"

namespace swai::link {

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct Message {
  vfio_user::Header header;
  std::vector<uint8_t> payload;
  std::vector<Fd> fds;
  bool too_many_fds = false;  // some did not fit and are lost

  bool is_reply() const { return (header.flags & vfio_user::kTypeMask) == vfio_user::kTypeReply; }
};

class Channel {
 public:
  // Messages with more descriptors than `max_fds` arrive with `too_many_fds`.
  Channel(Fd fd, unsigned max_fds);

  int fd() const { return fd_.get(); }

  enum class State {
    kOpen,
    kClosed,     // the other side has gone, or the connection broke
    kMalformed,  // a length that cannot be: what follows in the stream has no meaning. `malformed()` is the
                 // header.
  };
  State state() const { return state_; }
  const vfio_user::Header& malformed() const { return message_.header; }

  // The next whole message, if it has arrived.
  std::optional<Message> receive();

  // Sends, or keeps what the socket does not take for flush(). Descriptors are sent duplicates; the caller
  // keeps its own.
  void send(const vfio_user::Header& header, std::span<const uint8_t> payload, std::span<const int> fds = {});
  void flush();
  size_t unsent() const { return unsent_; }
  // The other side has closed its end: what is sent is lost, though what it sent before can be received.
  bool unread() const { return unread_; }

  void close();

 private:
  struct Outgoing {
    std::vector<uint8_t> bytes;
    size_t sent = 0;
    std::vector<Fd> fds;
  };

  bool fill(uint8_t* to, size_t bytes, size_t& have);
  // How many bytes of the first item went; closes on errors.
  size_t transmit(std::span<const uint8_t> bytes, std::span<const int> fds);

  Fd fd_;
  unsigned max_fds_;
  State state_ = State::kOpen;
  Message message_;
  size_t header_have_ = 0;
  size_t payload_have_ = 0;
  std::deque<Outgoing> outgoing_;
  size_t unsent_ = 0;
  bool unread_ = false;
};

}  // namespace swai::link
