// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/copy_shape.hpp"

#include <algorithm>

#include "host/runtime/error.hpp"

namespace swai::sdaa {

CopyShape rows_of(size_t to_pitch, size_t from_pitch, size_t width, size_t height) {
  require(width <= to_pitch && width <= from_pitch, "a pitch is smaller than the width",
          sdaaErrorInvalidPitchValue);
  return {width, height, to_pitch, from_pitch};
}

command::Copy copy_command(uint64_t host, uint64_t device, const CopyShape& shape, bool to_host) {
  command::Copy command = {};
  command.host = host;
  command.device = device;
  command.bytes = shape.bytes;
  command.rows = static_cast<uint32_t>(shape.rows);
  command.to_host = to_host ? 1 : 0;
  command.host_pitch = to_host ? shape.to_pitch : shape.from_pitch;
  command.device_pitch = to_host ? shape.from_pitch : shape.to_pitch;
  return command;
}

Piece Pieces::next() {
  Piece piece{row_, offset_, 0, 1};
  if (shape_.bytes > most_) {
    piece.bytes = std::min(shape_.bytes - offset_, most_);
    offset_ += piece.bytes;
    if (offset_ == shape_.bytes) {
      offset_ = 0;
      ++row_;
    }
  } else {
    piece.bytes = shape_.bytes;
    piece.rows = std::min(shape_.rows - row_, most_ / shape_.bytes);
    row_ += piece.rows;
  }
  return piece;
}

}  // namespace swai::sdaa
