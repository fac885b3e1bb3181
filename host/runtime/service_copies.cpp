// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/service_copies.hpp"

#include <cstring>

#include "host/runtime/copy_shape.hpp"

namespace swai::sdaa {
namespace {

using command::Type;
using Buffer = std::shared_ptr<HostMemory::Buffer>;

Buffer take_buffer(Device& device, Device::Lock& lock) {
  Buffer buffer;
  device.waiting().until(
      lock, [&] { return (buffer = device.host_memory().take_buffer(Staging::kBuffers)) != nullptr; });
  return buffer;
}

}  // namespace

void copy_to_card(Device& device, Device::Lock& lock, uint64_t to, const void* from, uint64_t bytes) {
  const CopyShape whole{bytes, 1, 0, 0};
  QueueWriter queue = device.service_writer(lock);
  Point last;
  for (Pieces pieces(whole, HostMemory::kBufferBytes); pieces.more();) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(device, lock);
    std::memcpy(buffer->data, static_cast<const uint8_t*>(from) + piece.offset, piece.bytes);
    last = buffer->last =
        queue.send(Type::kCopy, copy_command(buffer->iova, to + piece.offset, piece.shape(0, false), false));
  }
  device.waiting().until_complete(lock, last);
}

void copy_to_host(Device& device, Device::Lock& lock, void* to, uint64_t from, uint64_t bytes) {
  const CopyShape whole{bytes, 1, 0, 0};
  QueueWriter queue = device.service_writer(lock);
  for (Pieces pieces(whole, HostMemory::kBufferBytes); pieces.more();) {
    const Piece piece = pieces.next();
    const Buffer buffer = take_buffer(device, lock);
    buffer->last =
        queue.send(Type::kCopy, copy_command(buffer->iova, from + piece.offset, piece.shape(0, true), true));
    device.waiting().until_complete(lock, buffer->last);
    std::memcpy(static_cast<uint8_t*>(to) + piece.offset, buffer->data, piece.bytes);
  }
}

}  // namespace swai::sdaa
