// SPDX-License-Identifier: Apache-2.0
// A buffer of the FT2232H: 4 KiB in each direction of a channel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace swai::usb {

class Fifo {
 public:
  static constexpr size_t kBytes = 4096;

  size_t size() const { return written_ - read_; }
  size_t room() const { return kBytes - size(); }
  bool empty() const { return written_ == read_; }
  void clear() { read_ = written_; }

  // Only while there is room.
  void push(uint8_t byte) { bytes_[written_++ % kBytes] = byte; }
  // Only while there is something.
  uint8_t pop() { return bytes_[read_++ % kBytes]; }

 private:
  std::array<uint8_t, kBytes> bytes_{};
  size_t read_ = 0;
  size_t written_ = 0;
};

}  // namespace swai::usb
