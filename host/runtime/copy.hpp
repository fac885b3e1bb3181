// SPDX-License-Identifier: Apache-2.0
// Copies and fills of every kind, as commands of a stream.
#pragma once

#include <cstdint>
#include <vector>

#include "host/runtime/copy_shape.hpp"
#include "host/runtime/stream_writer.hpp"

namespace swai::sdaa {

// Whether the copy may return before it is complete.
enum class Mode { kSync, kAsync };

void copy(StreamWriter stream, void* to, const void* from, const CopyShape& shape, sdaaMemcpyKind kind,
          Mode mode);
// To the card from an address of the bus: pinned memory of the host, or a card's.
void copy_from_bus(StreamWriter stream, uint64_t to, uint64_t bus, const CopyShape& shape);
// On the card, by the engine that it chooses unless one is named, which is for measurements: not in the C
// interface.
void copy_on_card(StreamWriter stream, uint64_t to, uint64_t from, const CopyShape& shape,
                  command::Engine engine = command::Engine::kBest);

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
void fill(StreamWriter stream, void* to, const Pattern& pattern, const CopyShape& shape);

}  // namespace swai::sdaa
