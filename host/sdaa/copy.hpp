// SPDX-License-Identifier: Apache-2.0
// Copies and fills of every kind, as commands of a stream.
#pragma once

#include <cstdint>
#include <vector>

#include "host/sdaa/device.hpp"

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

// Whether the copy may return before it is complete.
enum class Mode { kSync, kAsync };

void copy(Device& device, Device::Lock& lock, Stream& stream, void* to, const void* from,
          const CopyShape& shape, sdaaMemcpyKind kind, Mode mode);
// To the card from an address of the bus: pinned memory of the host, or a card's.
void copy_from_bus(Device& device, Device::Lock& lock, Stream& stream, uint64_t to, uint64_t bus,
                   const CopyShape& shape);
// On the card, by the engine that it chooses unless one is named, which is for measurements: not in the C
// interface.
void copy_on_card(Device& device, Device::Lock& lock, Stream& stream, uint64_t to, uint64_t from,
                  const CopyShape& shape, command::Engine engine = command::Engine::kBest);

// Throws when a pitch is smaller than the width.
CopyShape rows_of(size_t to_pitch, size_t from_pitch, size_t width, size_t height);
// Where a slice of a box begins.
inline uint8_t* slice(const sdaaPitchedPtr& box, size_t number) {
  return static_cast<uint8_t*>(box.ptr) + number * box.ysize * box.pitch;
}
// A slice of a box.
struct CopyPiece {
  void* to = nullptr;
  const void* from = nullptr;
  CopyShape shape;
};
std::vector<CopyPiece> pieces_of(const sdaaMemcpy3DParms& box);

// What memory is filled with: the low bytes of `value`, again and again.
struct Pattern {
  uint32_t value = 0;
  uint32_t bytes = 1;  // 1, 2 or 4

  // All its bytes are the same.
  bool is_one_byte() const;
};
// `shape`: rows of the memory, both pitches are its pitch.
void fill(Device& device, Device::Lock& lock, Stream& stream, void* to, const Pattern& pattern,
          const CopyShape& shape);

// Small pieces of the library's own: in a queue, complete on return.
void copy_to_card(Device& device, Device::Lock& lock, Queue& queue, uint64_t to, const void* from,
                  uint64_t bytes);
void copy_to_host(Device& device, Device::Lock& lock, Queue& queue, void* to, uint64_t from, uint64_t bytes);

}  // namespace swai::sdaa
