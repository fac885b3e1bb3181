// SPDX-License-Identifier: Apache-2.0
// Shapes of copies, and how they are cut into commands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/command.hpp"

namespace swai::sdaa {

// Rows of bytes; with one row the pitches do not count.
struct CopyShape {
  uint64_t bytes = 0;
  uint64_t rows = 1;
  uint64_t to_pitch = 0;
  uint64_t from_pitch = 0;

  uint64_t to_extent() const { return rows == 0 ? 0 : (rows - 1) * to_pitch + bytes; }
  uint64_t from_extent() const { return rows == 0 ? 0 : (rows - 1) * from_pitch + bytes; }
};

// Throws when a pitch is smaller than the width.
CopyShape rows_of(size_t to_pitch, size_t from_pitch, size_t width, size_t height);
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
  explicit Pieces(const CopyShape& shape, uint64_t most) : shape_(shape), most_(most) {}
  bool more() const { return row_ < shape_.rows; }
  Piece next();

 private:
  const CopyShape& shape_;
  const uint64_t most_;
  uint64_t row_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace swai::sdaa
