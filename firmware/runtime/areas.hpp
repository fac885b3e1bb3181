// SPDX-License-Identifier: Apache-2.0
// Memory that commands name.
#pragma once

#include <cstdint>

#include "abi/protocol.hpp"
#include "abi/segment.hpp"
#include "firmware/memory/memory.hpp"

namespace swai::runtime {

using protocol::Status;

// Rows of memory that a client may use. Status kOk and where they lie, or what is wrong.
struct Area {
  Status status = Status::kOk;
  uint64_t physical = 0;
  unsigned group = 0;
  memory::Usage usage = memory::Usage::kCpe;
};

template <memory::Machine M>
inline Area find_area(const memory::Memory<M>& memory, uint64_t pointer, uint64_t bytes, uint32_t rows,
                      uint64_t pitch, uint8_t context) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 40;
  const memory::Range range = memory.find(pointer, context);
  if (range.bytes == 0) return {Status::kBadPointer};
  if (bytes == 0 || rows == 0 || bytes > kMostBytes || pitch > kMostBytes) return {Status::kBadOperation};
  const uint64_t offset = segment::offset(pointer) - segment::offset(range.pointer);
  const uint64_t left = range.bytes - offset;
  if (bytes > left || (rows > 1 && pitch != 0 && (left - bytes) / pitch < rows - 1))
    return {Status::kBadRange};
  return {Status::kOk, range.physical + offset, range.group, range.usage};
}

}  // namespace swai::runtime
