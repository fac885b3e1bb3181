// Copies rows of bytes. A row that serves all is loaded once for each tile.
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/copy/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kRoom = 32768;  // bytes

struct Copy {
  Matrix to;
  Source from;
  std::byte* slots[kSlots];

  dma::Ticket load(uint32_t slot, const Tile& tile) { return operators::load(slots[slot], from, tile); }
  void run(uint32_t, const Tile&) {}
  dma::Ticket store(uint32_t slot, const Tile& tile) {
    if (from.stride != 0 || tile.rows == 1) return operators::store(to, slots[slot], tile);
    dma::Ticket last = {};
    for (uint32_t row = 0; row < tile.rows; ++row) {
      last = operators::store(to, slots[slot], {tile.row + row, 1, tile.column, tile.columns});
    }
    return last;
  }
};

}  // namespace

void operator_copy(const CopyArgs& args) {
  require(check(args));
  Copy copy = {{args.to, args.to_stride, 1}, {args.from, args.from_stride, 1}, {}};
  Arena arena;
  for (std::byte*& slot : copy.slots) slot = arena.take<std::byte>(kRoom);
  const bool one_piece = args.to_stride == args.row_bytes && args.from_stride == args.row_bytes &&
                         uint64_t{args.rows} * args.row_bytes <= kMaxStride;
  const Grid grid = one_piece ? Grid(1, args.rows * args.row_bytes, kRoom, cpe::rank(), cpe::count())
                              : Grid(args.rows, args.row_bytes, kRoom, cpe::rank(), cpe::count());
  stream(grid, copy);
}

}  // namespace swai::operators
