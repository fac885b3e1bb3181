// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/copy.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "host/runtime/staging.hpp"

namespace swai::sdaa {
namespace {

using command::Type;
using protocol::Usage;

uint64_t address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }
// Pointers into the card's memory have a segment's number above what a pointer of this process can be.
bool is_device(const void* pointer) { return address(pointer) >> 48 != 0; }

sdaaMemcpyKind find_kind(const void* to, const void* from, sdaaMemcpyKind kind) {
  const sdaaMemcpyKind actual = is_device(to)
                                    ? (is_device(from) ? sdaaMemcpyDeviceToDevice : sdaaMemcpyHostToDevice)
                                    : (is_device(from) ? sdaaMemcpyDeviceToHost : sdaaMemcpyHostToHost);
  require(kind >= sdaaMemcpyHostToHost && kind <= sdaaMemcpyDefault, "not a direction for a copy",
          sdaaErrorInvalidMemcpyDirection);
  require(kind == sdaaMemcpyDefault || kind == actual,
          "the pointers are of other memory than the direction of the copy says");
  return actual;
}

void check_shape(const CopyShape& shape) {
  require(shape.rows <= std::numeric_limits<uint32_t>::max(), "too many rows");
  if (shape.rows <= 1) return;
  require(shape.to_pitch >= shape.bytes && shape.from_pitch >= shape.bytes,
          "a pitch is smaller than the width", sdaaErrorInvalidPitchValue);
  constexpr uint64_t kMost = uint64_t{1} << 40;
  require(shape.to_pitch < kMost && shape.from_pitch < kMost &&
              shape.rows * std::max(shape.to_pitch, shape.from_pitch) < kMost,
          "more bytes than there can be");
}

}  // namespace

// One channel of the DMA engine can have so many reads under way that it gets a good third of the link
// (docs/hardware/dma.md): what is long is spread over several.
void copy_from_bus(StreamWriter stream, uint64_t to, uint64_t bus, const CopyShape& shape) {
  constexpr uint64_t kLong = 32 << 10;
  constexpr uint64_t kParts = 4;
  constexpr uint64_t kLine = 64;
  // Some of the rows, or a part of the only one.
  CopyShape part = shape;
  if (shape.bytes * shape.rows >= kLong) {
    if (shape.rows == 1) part.bytes = (shape.bytes / kParts + kLine - 1) & ~(kLine - 1);
    part.rows = (shape.rows + kParts - 1) / kParts;
  }
  uint16_t flags = 0;
  for (uint64_t row = 0; row < shape.rows; row += part.rows) {
    for (uint64_t at = 0; at < shape.bytes; at += part.bytes) {
      CopyShape piece = part;
      piece.bytes = std::min(part.bytes, shape.bytes - at);
      piece.rows = std::min(part.rows, shape.rows - row);
      const uint64_t host = bus + row * shape.from_pitch + at;
      const uint64_t card = to + row * shape.to_pitch + at;
      stream.submit(Type::kCopy, copy_command(host, card, piece, false), {}, flags);
      flags = command::kConcurrent;
    }
  }
}

void copy_on_card(StreamWriter stream, uint64_t to, uint64_t from, const CopyShape& shape,
                  command::Engine engine) {
  const uint64_t to_end = to + shape.to_extent();
  const uint64_t from_end = from + shape.from_extent();
  require(to >= from_end || from >= to_end, "the areas of a copy on the card overlap");
  command::CopyDevice command = {};
  command.to = to;
  command.from = from;
  command.bytes = shape.bytes;
  command.rows = static_cast<uint32_t>(shape.rows);
  command.engine = engine;
  command.to_pitch = shape.to_pitch;
  command.from_pitch = shape.from_pitch;
  stream.submit(Type::kCopyDevice, command);
}

void copy(StreamWriter stream, void* to, const void* from, const CopyShape& shape, sdaaMemcpyKind kind,
          Mode mode) {
  kind = find_kind(to, from, kind);
  stream.check();
  if (shape.bytes == 0 || shape.rows == 0) return;
  require(to != nullptr && from != nullptr, "a null pointer");
  check_shape(shape);
  const Allocations& allocations = stream.device().allocations();
  if (is_device(to)) allocations.check(address(to), shape.to_extent());
  if (is_device(from)) allocations.check(address(from), shape.from_extent());
  if (mode == Mode::kSync) stream.refuse_capture();
  const HostMemory& memory = stream.device().host_memory();
  switch (kind) {
    case sdaaMemcpyHostToDevice:
      if (const auto* area = memory.find(from, shape.from_extent())) {
        const uint64_t iova = area->iova + (address(from) - area->begin);
        copy_from_bus(stream, address(to), iova, shape);
      } else {
        stream.refuse_capture();
        to_card_through_buffers(stream, address(to), static_cast<const uint8_t*>(from), shape);
      }
      break;
    case sdaaMemcpyDeviceToHost:
      if (const auto* area = memory.find(to, shape.to_extent()); area != nullptr && area->writable) {
        const uint64_t iova = area->iova + (address(to) - area->begin);
        stream.submit(Type::kCopy, copy_command(iova, address(from), shape, true));
      } else {
        stream.refuse_capture();
        to_host_through_buffers(stream, static_cast<uint8_t*>(to), address(from), shape);
      }
      break;
    case sdaaMemcpyDeviceToDevice:
      copy_on_card(stream, address(to), address(from), shape);
      break;
    default:
      stream.refuse_capture();
      // In the stream's order, like all others.
      stream.wait();
      for (uint64_t row = 0; row < shape.rows; ++row) {
        std::memmove(static_cast<uint8_t*>(to) + row * shape.to_pitch,
                     static_cast<const uint8_t*>(from) + row * shape.from_pitch, shape.bytes);
      }
      return;
  }
  if (mode == Mode::kSync) stream.wait_and_print();
}

std::vector<CopyPiece> pieces_of(const sdaaMemcpy3DParms& box) {
  require(box.srcArray == nullptr && box.dstArray == nullptr, "the card has no arrays",
          sdaaErrorNotSupported);
  const sdaaExtent& extent = box.extent;
  require(extent.depth <= 1 || (extent.height <= box.dstPtr.ysize && extent.height <= box.srcPtr.ysize),
          "slices have fewer rows than are to be copied");
  const CopyShape shape = rows_of(box.dstPtr.pitch, box.srcPtr.pitch, extent.width, extent.height);
  const auto place = [](const sdaaPitchedPtr& in, const sdaaPos& at, size_t z) {
    return slice(in, at.z + z) + at.y * in.pitch + at.x;
  };
  std::vector<CopyPiece> pieces;
  for (size_t z = 0; z < extent.depth; ++z)
    pieces.push_back({place(box.dstPtr, box.dstPos, z), place(box.srcPtr, box.srcPos, z), shape});
  return pieces;
}

bool Pattern::is_one_byte() const {
  for (unsigned at = 1; at < bytes; ++at) {
    if ((value >> 8 * at & 0xff) != (value & 0xff)) return false;
  }
  return true;
}

void fill(StreamWriter stream, void* to, const Pattern& pattern, const CopyShape& shape) {
  stream.check();
  if (shape.bytes == 0 || shape.rows == 0) return;
  require(to != nullptr, "a null pointer");
  require(address(to) % pattern.bytes == 0 && shape.to_pitch % pattern.bytes == 0,
          "the memory does not begin at a multiple of the value's size");
  check_shape(shape);
  const Allocation& allocation = stream.device().allocations().check(address(to), shape.to_extent());
  if (allocation.usage != Usage::kMpe && pattern.is_one_byte()) {
    command::Fill command = {};
    command.to = address(to);
    command.bytes = shape.bytes;
    command.rows = static_cast<uint32_t>(shape.rows);
    command.value = pattern.value & 0xff;
    command.pitch = shape.to_pitch;
    stream.submit(Type::kFill, command);
    return;
  }
  // The cores cannot: buffers full of it.
  stream.refuse_capture();
  for (Pieces pieces(shape, HostMemory::kBufferBytes); pieces.more();) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(stream);
    for (uint64_t at = 0; at < piece.bytes * piece.rows; at += pattern.bytes)
      std::memcpy(buffer->data + at, &pattern.value, pattern.bytes);
    buffer->last =
        stream.submit(Type::kCopy, copy_command(buffer->iova, address(to) + piece.at(shape.to_pitch),
                                                piece.shape(shape.to_pitch, false), false));
  }
}

}  // namespace swai::sdaa
