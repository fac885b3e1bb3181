// SPDX-License-Identifier: Apache-2.0
// A vfio-user client written from the protocol's specification alone, byte by byte: it shares no header with
// the server or with host/transport, so that a mistake there does not hide itself.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace swai::socket {

using RawBytes = std::vector<uint8_t>;

// Little-endian numbers, one behind the other.
class Pack {
 public:
  Pack& u8(uint64_t value) { return number(value, 1); }
  Pack& u16(uint64_t value) { return number(value, 2); }
  Pack& u32(uint64_t value) { return number(value, 4); }
  Pack& u64(uint64_t value) { return number(value, 8); }
  Pack& text(const std::string& value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
  }
  Pack& raw(const RawBytes& value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
  }
  operator RawBytes() const { return bytes_; }

 private:
  Pack& number(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) bytes_.push_back(static_cast<uint8_t>(value >> 8 * i));
    return *this;
  }
  RawBytes bytes_;
};

uint64_t number_at(const RawBytes& bytes, size_t at, unsigned size);

struct RawMessage {
  unsigned id = 0;
  unsigned command = 0;
  uint32_t flags = 0;
  uint32_t error = 0;
  RawBytes payload;

  bool is_error() const { return (flags & 0x20) != 0; }
};

class RawClient {
 public:
  // Owns the descriptor. `turn` lets the server work while this client waits; without it the server works by
  // itself.
  RawClient(int fd, std::function<void()> turn);
  static int connect_to(const std::string& path);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { close(); }

  int fd() const { return fd_; }
  void close();

  // Bytes as they are, with descriptors.
  void send_raw(const RawBytes& bytes, const std::vector<int>& fds = {});
  // A message; returns its id.
  unsigned send(unsigned command, const RawBytes& payload, const std::vector<int>& fds = {},
                uint32_t flags = 0);
  // The next message. Throws if there is none in time, or if the connection has ended.
  RawMessage receive();
  // Whether the other side has closed the connection, after replies were thrown away.
  bool closed_by_server();
  // send() and receive(); checks that the reply is one.
  RawMessage call(unsigned command, const RawBytes& payload, const std::vector<int>& fds = {});
  // The same for a command that must fail with this errno.
  void refuse(unsigned command, const RawBytes& payload, int error, const std::vector<int>& fds = {});
  // The same for one that must work; returns the payload.
  RawBytes done(unsigned command, const RawBytes& payload, const std::vector<int>& fds = {});

  // VERSION with all capabilities.
  RawMessage hello(
      const std::string& json =
          R"({"capabilities":{"max_msg_fds":8,"max_data_xfer_size":1048576,"write_multiple":true}})");
  RawBytes read(unsigned region, uint64_t offset, uint32_t bytes);
  uint64_t read64(unsigned region, uint64_t offset) { return number_at(read(region, offset, 8), 0, 8); }
  void write(unsigned region, uint64_t offset, const RawBytes& data);
  void write64(unsigned region, uint64_t offset, uint64_t value) { write(region, offset, Pack().u64(value)); }
  void map(uint64_t iova, uint64_t bytes, const std::vector<int>& fds = {}, uint64_t offset = 0,
           uint32_t flags = 3);

 private:
  bool fill(RawBytes& to, size_t bytes);

  int fd_;
  std::function<void()> turn_;
  unsigned next_id_ = 0x100;
};

// Payload of a region access.
RawBytes region_access(uint64_t offset, uint64_t region, uint64_t count);

}  // namespace swai::socket
