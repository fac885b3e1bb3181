// SPDX-License-Identifier: Apache-2.0
// Long rows in pieces: they are the same for any number of CPEs, and so is what is added up within them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace swai::operators {

inline constexpr uint32_t kPiece = 512;  // columns

constexpr uint32_t pieces_of(uint32_t columns) { return (columns + kPiece - 1) / kPiece; }

// Pieces of one row that follow each other and are equally long: rows for the vector unit.
struct Batch {
  uint32_t row;
  uint32_t column;   // of the first piece
  uint32_t columns;  // of each piece
  uint32_t pieces;
  uint32_t place;  // of the first piece among those that are divided
};

// Pieces are counted through all rows. Calls with batches of at most `most` of those from `first` to `end`.
template <typename F>
void for_batches(uint32_t columns, uint32_t first, uint32_t end, uint32_t most, F f) {
  const uint32_t across = pieces_of(columns);
  for (uint32_t at = first; at < end;) {
    const uint32_t column = at % across * kPiece;
    const uint32_t whole = (columns - column) / kPiece;
    const uint32_t pieces = whole == 0 ? 1 : std::min({whole, most, end - at});
    f(Batch{at / across, column, whole == 0 ? columns - column : kPiece, pieces, at - first});
    at += pieces;
  }
}

}  // namespace swai::operators
