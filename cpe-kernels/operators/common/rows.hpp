// SPDX-License-Identifier: Apache-2.0
// Operators on whole rows: a tile is a few of them, computed in fp32 where they were loaded.
#pragma once

#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

using vector::Op, vector::Reduce, vector::Special, vector::value;

// `compute(tile, x, work, to)` issues what makes results of rows x, with `work` in between, and returns the
// last run; all three may lie in the same place.
template <typename Compute>
class RowStage {
 public:
  RowStage(Arena& arena, uint32_t room, const Matrix& to, Number to_type, const Source& from,
           Number from_type, Compute compute)
      : to_(to), to_type_(to_type), from_(from), from_type_(from_type), compute_(compute) {
    for (Slot& slot : slots_) {
      slot.work = arena.take<std::byte>(room * sizeof(float));
      slot.raw = from_type == Number::kFp32 ? slot.work : arena.take<std::byte>(room * from.bytes);
    }
  }

  dma::Ticket load(uint32_t slot, const Tile& tile) { return operators::load(slots_[slot].raw, from_, tile); }
  void run(uint32_t slot, const Tile& tile) {
    const uint32_t pitch = pitch_of(tile.columns);
    vector::wait(compute_(tile, operand(slots_[slot].raw, from_type_, pitch * from_.bytes),
                          operand(slots_[slot].work, Number::kFp32, pitch * 4),
                          operand(slots_[slot].work, to_type_, pitch * 4)));
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) {
    return operators::store(to_, slots_[slot].work, tile, pitch_of(tile.columns) * 4);
  }

 private:
  struct Slot {
    std::byte* raw;
    std::byte* work;
  } slots_[kSlots] = {};
  Matrix to_;
  Number to_type_;
  Source from_;
  Number from_type_;
  Compute compute_;
};

// Elements of a tile of such rows.
template <typename Args>
uint32_t row_room(const Args& args) {
  const bool in_place = args.from_type == Number::kFp32;
  const uint32_t most = in_place && args.columns <= kMaxRow / 2 ? 2 * kMaxRow : kMaxRow;
  return room_for(args.rows * args.columns, kMaxRow, most, cpe::count());
}
// Rows that a tile has at most: a number for each is one vector.
inline constexpr uint32_t kMaxTileRows = 2 * kMaxRow / pitch_of(1);

template <typename Tiles, typename Args, typename Compute>
void for_rows(const Tiles& tiles, Arena& arena, const Args& args, Compute compute) {
  RowStage<Compute> stage(arena, row_room(args), {args.to, args.to_stride, bytes_of(args.to_type)},
                          args.to_type, {args.from, args.from_stride, bytes_of(args.from_type)},
                          args.from_type, compute);
  stream(tiles, stage);
}
template <typename Args, typename Compute>
void for_rows(Arena& arena, const Args& args, Compute compute) {
  const uint32_t room = row_room(args);
  for_rows(Grid::of_rows(args.rows, args.columns, room, cpe::rank(), cpe::count()), arena, args, compute);
}

}  // namespace swai::operators
