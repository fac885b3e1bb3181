// SPDX-License-Identifier: Apache-2.0
// Rows become columns. Tiles of 64 x 64 go through local memory, where the core turns them.
#include <algorithm>

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/transpose/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kSide = 64;

template <typename T>
void turn(const std::byte* from, std::byte* to, const Tile& tile) {
  const auto* const in = reinterpret_cast<const T*>(from);
  auto* const out = reinterpret_cast<T*>(to);
  for (uint32_t column = 0; column < tile.columns; ++column) {
    const T* x = in + column;
    T* y = out + column * kSide;
    for (const T* const end = y + tile.rows; y != end; x += kSide) *y++ = *x;
  }
}

dma::Shape rows_of(uint32_t rows, uint32_t bytes, uint32_t stride) {
  return {static_cast<uint16_t>(rows), static_cast<uint16_t>(kSide * bytes), static_cast<int32_t>(stride)};
}

}  // namespace

void operator_transpose(const TransposeArgs& args) {
  require(check(args));
  const uint32_t bytes = args.element_bytes;
  Arena arena;
  std::byte* from[2];
  std::byte* to[2];
  for (int i = 0; i < 2; ++i) {
    from[i] = arena.take<std::byte>(kSide * kSide * 4);
    to[i] = arena.take<std::byte>(kSide * kSide * 4);
  }
  const uint32_t across = (args.columns + kSide - 1) / kSide;
  const uint32_t tiles = (args.rows + kSide - 1) / kSide * across;
  const auto tile_of = [&](uint32_t number) {
    const uint32_t row = number / across * kSide;
    const uint32_t column = number % across * kSide;
    return Tile{row, std::min(kSide, args.rows - row), column, std::min(kSide, args.columns - column)};
  };
  const auto load = [&](uint32_t slot, const Tile& tile) {
    return dma::load(from[slot], args.from.plus_bytes(offset_of(tile, args.from_stride, bytes)),
                     tile.columns * bytes, rows_of(tile.rows, bytes, args.from_stride));
  };
  dma::Ticket loaded = {};
  dma::Ticket stored[2] = {};
  uint32_t slot = 0;
  const uint32_t step = cpe::count();
  uint32_t number = cpe::rank();
  if (number < tiles) loaded = load(slot, tile_of(number));
  for (; number < tiles; number += step, slot ^= 1) {
    const Tile tile = tile_of(number);
    dma::wait(loaded);
    if (tiles - number > step) loaded = load(slot ^ 1, tile_of(number + step));
    dma::wait(stored[slot]);
    if (bytes == 1) {
      turn<uint8_t>(from[slot], to[slot], tile);
    } else if (bytes == 2) {
      turn<uint16_t>(from[slot], to[slot], tile);
    } else {
      turn<uint32_t>(from[slot], to[slot], tile);
    }
    const Tile turned = {tile.column, tile.columns, tile.row, tile.rows};
    stored[slot] = dma::store(args.to.plus_bytes(offset_of(turned, args.to_stride, bytes)), to[slot],
                              turned.columns * bytes, rows_of(turned.rows, bytes, args.to_stride));
  }
  dma::wait(stored[0]);
  dma::wait(stored[1]);
}

}  // namespace swai::operators
