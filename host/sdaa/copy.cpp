#include "host/sdaa/copy.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>

namespace swai::sdaa {
namespace {

using command::Type;
using protocol::Usage;

using Buffer = std::shared_ptr<HostMemory::Buffer>;

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

// A buffer of the library's own, sooner or later.
Buffer take_buffer(Device& device, Device::Lock& lock) {
  Buffer buffer;
  device.wait_until(lock, [&] { return (buffer = device.host_memory().take_buffer()) != nullptr; });
  return buffer;
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

// Memory that the card does not reach goes through buffers, a piece after the other. Pieces: some whole rows,
// or a part of a row that is longer than a buffer.
struct Piece {
  uint64_t row = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;  // of a row
  uint64_t rows = 0;
};

class Pieces {
 public:
  explicit Pieces(const CopyShape& shape) : shape_(shape) {}
  bool more() const { return row_ < shape_.rows; }
  Piece next() {
    Piece piece{row_, offset_, 0, 1};
    if (shape_.bytes > HostMemory::kBufferBytes) {
      piece.bytes = std::min(shape_.bytes - offset_, HostMemory::kBufferBytes);
      offset_ += piece.bytes;
      if (offset_ == shape_.bytes) {
        offset_ = 0;
        ++row_;
      }
    } else {
      piece.bytes = shape_.bytes;
      piece.rows = std::min(shape_.rows - row_, HostMemory::kBufferBytes / shape_.bytes);
      row_ += piece.rows;
    }
    return piece;
  }

 private:
  const CopyShape& shape_;
  uint64_t row_ = 0;
  uint64_t offset_ = 0;
};

CopyShape packed(const Piece& piece, uint64_t device_pitch, bool to_host) {
  CopyShape shape{piece.bytes, piece.rows, piece.bytes, piece.bytes};
  (to_host ? shape.from_pitch : shape.to_pitch) = device_pitch;
  return shape;
}

// A buffer that nobody waits for any more goes back by itself when its command is complete.
struct Release {
  Buffer buffer;
  ~Release() { buffer->taken = false; }
};

// One channel of the DMA engine can have so many reads under way that it gets a good third of the link
// (docs/dma.md): what is long is spread over several.
void to_card_in_place(Device& device, Device::Lock& lock, Stream& stream, uint64_t to, uint64_t iova,
                      const CopyShape& shape) {
  constexpr uint64_t kLong = 256 << 10;
  constexpr uint64_t kParts = 4;
  constexpr uint64_t kLine = 64;
  if (shape.rows != 1 || shape.bytes < kLong) {
    device.submit(lock, stream, Type::kCopy, copy_command(iova, to, shape, false));
    return;
  }
  const uint64_t part = (shape.bytes / kParts + kLine - 1) & ~(kLine - 1);
  for (uint64_t done = 0; done < shape.bytes; done += part) {
    const CopyShape piece{std::min(part, shape.bytes - done), 1, 0, 0};
    device.submit(lock, stream, Type::kCopy, copy_command(iova + done, to + done, piece, false), {},
                  done == 0 ? uint16_t{0} : command::kConcurrent);
  }
}

void to_card_through_buffers(Device& device, Device::Lock& lock, Stream& stream, uint64_t to,
                             const uint8_t* from, const CopyShape& shape) {
  uint16_t flags = 0;
  for (Pieces pieces(shape); pieces.more(); flags = command::kConcurrent) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(device, lock);
    const Release release{buffer};
    for (uint64_t row = 0; row < piece.rows; ++row) {
      std::memcpy(buffer->data + row * piece.bytes,
                  from + (piece.row + row) * shape.from_pitch + piece.offset, piece.bytes);
    }
    buffer->last = device.submit(lock, stream, Type::kCopy,
                                 copy_command(buffer->iova, to + piece.row * shape.to_pitch + piece.offset,
                                              packed(piece, shape.to_pitch, false), false),
                                 {}, flags);
  }
}

void to_host_through_buffers(Device& device, Device::Lock& lock, Stream& stream, uint8_t* to, uint64_t from,
                             const CopyShape& shape) {
  struct UnderWay {
    Piece piece;
    Buffer buffer;
  };
  std::deque<UnderWay> under_way;
  const auto finish_first = [&] {
    const UnderWay first = under_way.front();
    under_way.pop_front();
    const Release release{first.buffer};
    device.wait(lock, first.buffer->last);
    for (uint64_t row = 0; row < first.piece.rows; ++row) {
      std::memcpy(to + (first.piece.row + row) * shape.to_pitch + first.piece.offset,
                  first.buffer->data + row * first.piece.bytes, first.piece.bytes);
    }
  };
  try {
    uint16_t flags = 0;
    for (Pieces pieces(shape); pieces.more(); flags = command::kConcurrent) {
      const Piece piece = pieces.next();
      // One is filled while the other is emptied.
      if (under_way.size() == 2) finish_first();
      const Buffer buffer = take_buffer(device, lock);
      under_way.push_back({piece, buffer});
      buffer->last =
          device.submit(lock, stream, Type::kCopy,
                        copy_command(buffer->iova, from + piece.row * shape.from_pitch + piece.offset,
                                     packed(piece, shape.from_pitch, true), true),
                        {}, flags);
    }
    while (!under_way.empty()) finish_first();
  } catch (...) {
    for (const UnderWay& one : under_way) one.buffer->taken = false;
    throw;
  }
}

void copy_on_card(Device& device, Device::Lock& lock, Stream& stream, uint64_t to, uint64_t from,
                  const CopyShape& shape) {
  const uint64_t to_end = to + shape.to_extent();
  const uint64_t from_end = from + shape.from_extent();
  require(to >= from_end || from >= to_end, "the areas of a copy on the card overlap");
  const bool cores_reach_both = device.find_allocation(to)->second.usage != Usage::kMpe &&
                                device.find_allocation(from)->second.usage != Usage::kMpe;
  if (cores_reach_both) {
    command::CopyDevice command = {};
    command.to = to;
    command.from = from;
    command.bytes = shape.bytes;
    command.rows = static_cast<uint32_t>(shape.rows);
    command.to_pitch = shape.to_pitch;
    command.from_pitch = shape.from_pitch;
    device.submit(lock, stream, Type::kCopyDevice, command);
    return;
  }
  // The cores cannot: down to a buffer of the host and up again, in the stream's order.
  for (Pieces pieces(shape); pieces.more();) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(device, lock);
    const Release release{buffer};
    buffer->last =
        device.submit(lock, stream, Type::kCopy,
                      copy_command(buffer->iova, from + piece.row * shape.from_pitch + piece.offset,
                                   packed(piece, shape.from_pitch, true), true));
    buffer->last = device.submit(lock, stream, Type::kCopy,
                                 copy_command(buffer->iova, to + piece.row * shape.to_pitch + piece.offset,
                                              packed(piece, shape.to_pitch, false), false));
  }
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

void copy(Device& device, Device::Lock& lock, Stream& stream, void* to, const void* from,
          const CopyShape& shape, sdaaMemcpyKind kind, Mode mode) {
  kind = find_kind(to, from, kind);
  Device::check(stream);
  if (shape.bytes == 0 || shape.rows == 0) return;
  require(to != nullptr && from != nullptr, "a null pointer");
  check_shape(shape);
  if (is_device(to)) device.check_device(address(to), shape.to_extent());
  if (is_device(from)) device.check_device(address(from), shape.from_extent());
  HostMemory& memory = device.host_memory();
  switch (kind) {
    case sdaaMemcpyHostToDevice:
      if (const auto* area = memory.find(from, shape.from_extent())) {
        const uint64_t iova = area->iova + (address(from) - area->begin);
        to_card_in_place(device, lock, stream, address(to), iova, shape);
      } else {
        to_card_through_buffers(device, lock, stream, address(to), static_cast<const uint8_t*>(from), shape);
      }
      break;
    case sdaaMemcpyDeviceToHost:
      if (const auto* area = memory.find(to, shape.to_extent()); area != nullptr && area->writable) {
        const uint64_t iova = area->iova + (address(to) - area->begin);
        device.submit(lock, stream, Type::kCopy, copy_command(iova, address(from), shape, true));
      } else {
        to_host_through_buffers(device, lock, stream, static_cast<uint8_t*>(to), address(from), shape);
      }
      break;
    case sdaaMemcpyDeviceToDevice:
      copy_on_card(device, lock, stream, address(to), address(from), shape);
      break;
    default:
      // In the stream's order, like all others.
      if (stream.last.queue != nullptr) device.wait(lock, stream.last);
      for (uint64_t row = 0; row < shape.rows; ++row) {
        std::memmove(static_cast<uint8_t*>(to) + row * shape.to_pitch,
                     static_cast<const uint8_t*>(from) + row * shape.from_pitch, shape.bytes);
      }
      return;
  }
  if (mode == Mode::kSync) device.wait(lock, stream.last);
}

void fill(Device& device, Device::Lock& lock, Stream& stream, void* to, uint8_t value, uint64_t bytes,
          uint64_t rows, uint64_t pitch) {
  Device::check(stream);
  if (bytes == 0 || rows == 0) return;
  require(to != nullptr, "a null pointer");
  const CopyShape shape{bytes, rows, pitch, pitch};
  check_shape(shape);
  const Allocation& allocation = device.check_device(address(to), shape.to_extent());
  if (allocation.usage != Usage::kMpe) {
    command::Fill command = {};
    command.to = address(to);
    command.bytes = bytes;
    command.rows = static_cast<uint32_t>(rows);
    command.value = value;
    command.pitch = pitch;
    device.submit(lock, stream, Type::kFill, command);
    return;
  }
  // The cores cannot: buffers full of it.
  for (Pieces pieces(shape); pieces.more();) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(device, lock);
    const Release release{buffer};
    std::memset(buffer->data, value, piece.bytes * piece.rows);
    buffer->last = device.submit(lock, stream, Type::kCopy,
                                 copy_command(buffer->iova, address(to) + piece.row * pitch + piece.offset,
                                              packed(piece, pitch, false), false));
  }
}

void copy_to_card(Device& device, Device::Lock& lock, Queue& queue, uint64_t to, const void* from,
                  uint64_t bytes) {
  const CopyShape whole{bytes, 1, 0, 0};
  Point last;
  for (Pieces pieces(whole); pieces.more();) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(device, lock);
    const Release release{buffer};
    std::memcpy(buffer->data, static_cast<const uint8_t*>(from) + piece.offset, piece.bytes);
    last = buffer->last =
        device.send(lock, queue, Type::kCopy,
                    copy_command(buffer->iova, to + piece.offset, packed(piece, 0, false), false));
  }
  device.wait(lock, last);
}

void copy_to_host(Device& device, Device::Lock& lock, Queue& queue, void* to, uint64_t from, uint64_t bytes) {
  const CopyShape whole{bytes, 1, 0, 0};
  for (Pieces pieces(whole); pieces.more();) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(device, lock);
    const Release release{buffer};
    buffer->last = device.send(lock, queue, Type::kCopy,
                               copy_command(buffer->iova, from + piece.offset, packed(piece, 0, true), true));
    device.wait(lock, buffer->last);
    std::memcpy(static_cast<uint8_t*>(to) + piece.offset, buffer->data, piece.bytes);
  }
}

}  // namespace swai::sdaa
