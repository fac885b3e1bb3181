// SPDX-License-Identifier: Apache-2.0
// Operators on pairs of elements: one run of the vector unit for each tile, which converts what it reads and
// what it stores.
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/elementwise/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kLeastRoom = 2048;
constexpr uint32_t kMostRoom = 3072;

struct Binary {
  vector::Op op;
  const BinaryArgs& args;
  Matrix to;
  Source a;
  Source b;
  struct Slot {
    std::byte* to;
    std::byte* a;
    std::byte* b;
  } slots[kSlots];

  dma::Ticket load(uint32_t slot, const Tile& tile) {
    operators::load(slots[slot].a, a, tile);
    return operators::load(slots[slot].b, b, tile);
  }
  void run(uint32_t slot, const Tile& tile) {
    const uint32_t pitch = pitch_of(tile.columns);
    const Slot& here = slots[slot];
    const auto second = operand(here.b, args.b_type, b.stride == 0 ? 0 : pitch * b.bytes);
    vector::a(operand(here.a, args.a_type, a.stride == 0 ? 0 : pitch * a.bytes));
    vector::b(second);
    vector::c(second);
    into(operand(here.to, args.to_type, pitch * to.bytes));
    vector::size(tile.columns, tile.rows);
    vector::wait(vector::run(op));
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) { return operators::store(to, slots[slot].to, tile); }
};

void binary(const BinaryArgs& args, vector::Op op) {
  require(check(args));
  const uint32_t to_bytes = bytes_of(args.to_type);
  const uint32_t a_bytes = bytes_of(args.a_type);
  const uint32_t b_bytes = bytes_of(args.b_type);
  Binary binary = {op,
                   args,
                   {args.to, args.to_stride, to_bytes},
                   {args.a, args.a_stride, a_bytes},
                   {args.b, args.b_stride, b_bytes},
                   {}};
  const uint32_t columns = args.columns;
  const uint32_t room = room_for(args.rows * columns, kLeastRoom, kMostRoom, cpe::count());
  const uint32_t bytes = room * uint32_t{sizeof(float)};
  Arena arena;
  for (auto& slot : binary.slots)
    slot = {arena.take<std::byte>(bytes), arena.take<std::byte>(bytes), arena.take<std::byte>(bytes)};
  // What lies in one piece everywhere is one long row.
  const bool one_piece = args.to_stride == columns * to_bytes && args.a_stride == columns * a_bytes &&
                         args.b_stride == columns * b_bytes &&
                         uint64_t{args.rows} * columns <= kMaxStride / 4;
  const Grid grid = one_piece ? Grid(1, args.rows * columns, room, cpe::rank(), cpe::count())
                              : Grid(args.rows, columns, room, cpe::rank(), cpe::count());
  stream(grid, binary);
}

}  // namespace

void operator_add(const BinaryArgs& args) { binary(args, vector::Op::kAdd); }
void operator_mul(const BinaryArgs& args) { binary(args, vector::Op::kMul); }

}  // namespace swai::operators
