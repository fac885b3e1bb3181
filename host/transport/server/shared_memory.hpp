// SPDX-License-Identifier: Apache-2.0
// A client's memory, mapped into this process. Clients are not trusted: one that shrinks its file afterwards
// must not bring us down.
#pragma once

#include <cstdint>
#include <utility>

namespace swai::socket {

// Owns a mapping. Where the file has become shorter than the mapping, the first access replaces the page by
// zeros that nobody shares (otherwise it would be SIGBUS).
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        slot_(other.slot_) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory() { release(); }

  // Returns 0 or an errno. The file must be there as far as the mapping reaches.
  int map(int fd, uint64_t offset, uint64_t bytes, bool writable);
  uint8_t* data() const { return data_; }

 private:
  void release();

  uint8_t* data_ = nullptr;
  uint64_t bytes_ = 0;
  unsigned slot_ = 0;
};

}  // namespace swai::socket
