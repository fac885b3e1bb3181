// SPDX-License-Identifier: Apache-2.0
// Rotary embedding: a row after the other, all its heads at once. Of few rows CPEs have some heads each.
#include "cpe-kernels/operators/common/placed_rows.hpp"
#include "cpe-kernels/operators/rotary/plan.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op;

struct Rotary {
  const RotaryArgs& args;
  const uint32_t* positions;
  struct Slot {
    std::byte* from;
    std::byte* to;
    float* table;
  } slots[kSlots];
  float* between;

  bool is_left_out(const Tile& tile) const { return positions != nullptr && positions[tile.row] == kNoText; }
  dma::Ticket load(uint32_t slot, const Tile& tile) {
    if (is_left_out(tile)) return {};
    const uint32_t position = positions == nullptr ? tile.row : positions[tile.row];
    dma::load(slots[slot].table,
              args.table.plus_bytes(static_cast<int64_t>(uint64_t{position} * args.table_stride)),
              args.width * 4);
    return operators::load(slots[slot].from, {args.from, args.from_stride, bytes_of(args.from_type)}, tile);
  }
  void run(uint32_t slot, const Tile& tile) {
    if (is_left_out(tile)) return;
    const uint32_t half = args.width / 2;
    const uint32_t from_bytes = bytes_of(args.from_type);
    const uint32_t to_bytes = bytes_of(args.to_type);
    const Slot& here = slots[slot];
    const auto low = operand(here.from, args.from_type, args.width * from_bytes);
    const auto high = operand(here.from + half * from_bytes, args.from_type, args.width * from_bytes);
    const auto to_low = operand(here.to, args.to_type, args.width * to_bytes);
    const auto to_high = operand(here.to + half * to_bytes, args.to_type, args.width * to_bytes);
    const auto cosines = vector::rows(here.table);
    const auto sines = vector::rows(here.table + half);
    const auto between_rows = vector::rows(between, static_cast<int32_t>(half * 4));
    vector::size(half, tile.columns / args.width);
    const auto rotate = [&](const vector::Operand& x, const vector::Operand& other, vector::Operand product,
                            const vector::Operand& to) {
      vector::a(other);
      vector::b(sines);
      into(between_rows);
      vector::run(Op::kMul);
      vector::a(x);
      vector::b(cosines);
      vector::c(product);
      into(to);
      return vector::run(Op::kFma);
    };
    rotate(low, high, between_rows.negated(), to_low);
    vector::wait(rotate(high, low, between_rows, to_high));
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) {
    if (is_left_out(tile)) return {};
    return operators::store({args.to, args.to_stride, bytes_of(args.to_type)}, slots[slot].to, tile);
  }
};

}  // namespace

void operator_rotary(const RotaryArgs& args) {
  require(check(args));
  const uint32_t columns = args.heads * args.width;
  Arena arena;
  Rotary rotary = {args, load_positions(arena, args), {}, arena.take<float>(columns / 2 * 4)};
  for (auto& slot : rotary.slots) {
    slot = {arena.take<std::byte>(columns * bytes_of(args.from_type)),
            arena.take<std::byte>(columns * bytes_of(args.to_type)), arena.take<float>(args.width * 4)};
  }
  // Tiles have one row: each has its position.
  stream(Grid::of_units(args.width, args.rows, columns, columns, cpe::rank(), cpe::count()), rotary);
}

}  // namespace swai::operators
