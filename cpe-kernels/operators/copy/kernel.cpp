// SPDX-License-Identifier: Apache-2.0
// Copies rows of bytes, one after the other or each to its place. A row that serves all is loaded once for
// each tile.
#include "cpe-kernels/operators/common/placed_rows.hpp"
#include "cpe-kernels/operators/copy/plan.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kRoom = 32768;  // bytes

struct Copy {
  const CopyArgs& args;
  const uint32_t* positions;
  Matrix to;
  Source from;
  std::byte* slots[kSlots];

  dma::Ticket load(uint32_t slot, const Tile& tile) { return operators::load(slots[slot], from, tile); }
  void run(uint32_t, const Tile&) {}
  dma::Ticket store(uint32_t slot, const Tile& tile) {
    if (positions == nullptr && (from.stride != 0 || tile.rows == 1))
      return operators::store(to, slots[slot], tile);
    const uint32_t pitch = from.stride == 0 ? 0 : pitch_of(tile.columns);
    dma::Ticket last = {};
    for (uint32_t i = 0; i < tile.rows; ++i) {
      const uint32_t row = tile.row + i;
      if (positions != nullptr && positions[row] == kNoText) continue;
      last = operators::store(to, slots[slot] + i * pitch, {place(row), 1, tile.column, tile.columns});
    }
    return last;
  }
  // The row of `to`.
  uint32_t place(uint32_t row) const {
    if (positions == nullptr) return row;
    const uint32_t position = positions[row];
    return begin_of_chunk(chunks_of(args, row), position / kChunkRows) + position % kChunkRows;
  }
};

}  // namespace

void operator_copy(const CopyArgs& args) {
  require(check(args));
  Arena arena;
  Copy copy = {
      args, load_positions(arena, args), {args.to, args.to_stride, 1}, {args.from, args.from_stride, 1}, {}};
  for (std::byte*& slot : copy.slots) slot = arena.take<std::byte>(kRoom);
  const bool one_piece = !args.positions && args.to_stride == args.row_bytes &&
                         args.from_stride == args.row_bytes &&
                         uint64_t{args.rows} * args.row_bytes <= kMaxStride;
  const Grid grid = one_piece ? Grid(1, args.rows * args.row_bytes, kRoom, cpe::rank(), cpe::count())
                              : Grid(args.rows, args.row_bytes, kRoom, cpe::rank(), cpe::count());
  // One CPE alone may refuse a chunk.
  stream(grid, copy, !args.chunks);
}

}  // namespace swai::operators
