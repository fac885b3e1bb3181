// SPDX-License-Identifier: Apache-2.0
// Copies of memory that the card does not reach: piece by piece through buffers of the library's own, which
// threads of the host fill or empty while the card's DMA channels do the opposite.
#pragma once

#include <cstdint>
#include <memory>

#include "host/sdaa/copy.hpp"

namespace swai::sdaa {

using Buffer = std::shared_ptr<HostMemory::Buffer>;

command::Copy copy_command(uint64_t host, uint64_t device, const CopyShape& shape, bool to_host);

// Some whole rows, or a part of a row that is too long for one piece.
struct Piece {
  uint64_t row = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;  // of a row
  uint64_t rows = 0;

  // Where it begins.
  uint64_t at(uint64_t pitch) const { return row * pitch + offset; }
  // Packed on one side.
  CopyShape shape(uint64_t device_pitch, bool to_host) const {
    return {bytes, rows, to_host ? bytes : device_pitch, to_host ? device_pitch : bytes};
  }
};

class Pieces {
 public:
  // Of so many bytes at most.
  explicit Pieces(const CopyShape& shape, uint64_t most = HostMemory::kBufferBytes)
      : shape_(shape), most_(most) {}
  bool more() const { return row_ < shape_.rows; }
  Piece next();

 private:
  const CopyShape& shape_;
  const uint64_t most_;
  uint64_t row_ = 0;
  uint64_t offset_ = 0;
};

// A buffer of the library's own, sooner or later.
Buffer take_buffer(Device& device, Device::Lock& lock);

void to_card_through_buffers(Device& device, Device::Lock& lock, Stream& stream, uint64_t to,
                             const uint8_t* from, const CopyShape& shape);
void to_host_through_buffers(Device& device, Device::Lock& lock, Stream& stream, uint8_t* to, uint64_t from,
                             const CopyShape& shape);

}  // namespace swai::sdaa
