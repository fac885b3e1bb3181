// SPDX-License-Identifier: Apache-2.0
// Takes a CPE's tiles through local memory: while one is computed the next one is loaded and the one before
// is stored. The node's barrier comes before the first.
#pragma once

#include "abi/node.hpp"
#include "cpe-kernels/operators/common/grid.hpp"
#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "swai/arena.hpp"
#include "swai/cpe.hpp"

namespace swai::operators {

using cpe::Arena;
using cpe::GlobalPtr;
namespace dma = cpe::dma;
namespace vector = cpe::vector;

inline constexpr uint32_t kSlots = 3;

// All CPEs have come here, and their transfers up to this one are complete.
inline void meet(dma::Ticket ticket) {
  dma::wait(ticket);
  cpe::sync<cpe::Scope::kAll>();
}

// `Stage` has load(slot, tile) and store(slot, tile), which return tickets of the last transfer, and
// run(slot, tile), which returns when its results may be stored.
// `Tiles`: a Grid, or what has its first(), end(), turns(), everyone() and tile(number).
// Memory loses time where it goes from reads to writes and back. So CPEs with several tiles take turns all
// together: they load, then they store, unless memory is not what they wait for (`in_turns`).
template <typename Tiles, typename Stage>
void stream(const Tiles& grid, Stage&& stage, bool in_turns = true) {
  if (grid.first() == grid.end()) return;
  begin_work();
  dma::Ticket stored[kSlots] = {};
  uint32_t turns = in_turns ? grid.turns() : 0;
  uint32_t slot = 0;
  Tile tile = grid.tile(grid.first());
  dma::Ticket loaded = stage.load(slot, tile);
  for (uint32_t number = grid.first(); number != grid.end(); ++number) {
    const uint32_t next = slot + 1 == kSlots ? 0 : slot + 1;
    const dma::Ticket here = loaded;
    Tile after = {};
    if (number + 1 != grid.end()) {
      after = grid.tile(number + 1);
      dma::wait(stored[next]);
      loaded = stage.load(next, after);
    } else if (grid.everyone()) {
      prepare_behind();
    }
    dma::wait(here);
    stage.run(slot, tile);
    if (turns != 0) meet(loaded);
    stored[slot] = stage.store(slot, tile);
    if (turns != 0 && --turns != 0) meet(stored[slot]);
    if (number + 1 == grid.end()) dma::wait(stored[slot]);
    slot = next;
    tile = after;
  }
  end_work(look_ahead());
}

// A matrix in memory.
struct Matrix {
  GlobalPtr<void> at;
  uint32_t stride;  // bytes
  uint32_t bytes;   // of an element
};
struct Source {
  GlobalPtr<const void> at;
  uint32_t stride;  // 0: one row for all
  uint32_t bytes;
};

[[gnu::always_inline]] inline int64_t offset_of(const Tile& tile, uint32_t stride, uint32_t bytes) {
  return static_cast<int64_t>(uint64_t{tile.row} * stride + uint64_t{tile.column} * bytes);
}

inline dma::Ticket load(void* to, const Source& from, const Tile& tile) {
  const auto at = from.at.plus_bytes(offset_of(tile, from.stride, from.bytes));
  const uint32_t bytes = tile.columns * from.bytes;
  if (tile.rows == 1 || from.stride == 0) return dma::load(to, at, bytes);
  return dma::load(
      to, at, bytes,
      {static_cast<uint16_t>(tile.rows), static_cast<uint16_t>(pitch_of(tile.columns) * from.bytes),
       static_cast<int32_t>(from.stride)});
}
// `pitch`: from row to row in local memory, in bytes.
inline dma::Ticket store(const Matrix& to, const void* from, const Tile& tile, uint32_t pitch) {
  const auto at = to.at.plus_bytes(offset_of(tile, to.stride, to.bytes));
  const uint32_t bytes = tile.columns * to.bytes;
  if (tile.rows == 1) return dma::store(at, from, bytes);
  return dma::store(
      at, from, bytes,
      {static_cast<uint16_t>(tile.rows), static_cast<uint16_t>(pitch), static_cast<int32_t>(to.stride)});
}
inline dma::Ticket store(const Matrix& to, const void* from, const Tile& tile) {
  return store(to, from, tile, pitch_of(tile.columns) * to.bytes);
}

// Rows in local memory for the vector unit, `stride` bytes apart.
inline vector::Operand operand(const void* at, Number number, uint32_t stride) {
  return {{cpe::ldm_address(at),
           vector::detail::describe(vector::detail::Kind::kVector, static_cast<cpe::Number>(number),
                                    static_cast<int32_t>(stride))}};
}
// The same as the place of a result.
inline void into(const vector::Operand& place) {
  vector::detail::set<cpe::isa::vector_op::kResult>(place.at, place.what);
}

}  // namespace swai::operators
