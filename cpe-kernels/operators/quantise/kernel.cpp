// SPDX-License-Identifier: Apache-2.0
// Rows to int8 with a scale for each group of columns, and back. CPEs share few rows group by group.
#include <algorithm>

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/quantise/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Reduce, vector::Special, vector::value;

// Groups have 8 columns at least, or rows a pitch of 16.
constexpr uint32_t kMaxScales = kMaxQuantisedRow / 8;

// `from` and `to` of a tile; scales of all its rows, group after group: the systolic unit takes those of a
// group as its factors of rows.
struct Groups {
  struct Slot {
    std::byte* from;
    std::byte* to;
    float* scales;
  } slots[kSlots] = {};
  uint32_t group;
  Number from_type;
  Number to_type;

  Groups(Arena& arena, uint32_t room, uint32_t group_, Number from, Number to)
      : group(group_), from_type(from), to_type(to) {
    for (Slot& slot : slots) {
      slot = {arena.take<std::byte>(room * bytes_of(from)), arena.take<std::byte>(room * bytes_of(to)),
              arena.take<float>(kMaxScales * sizeof(float))};
    }
  }

  // Where the scales of a tile are in memory: groups are rows there.
  Tile scales_of(const Tile& tile) const {
    return {tile.column / group, groups_of(tile.columns, group), tile.row, tile.rows};
  }
  // Calls with operand and result of some groups at a time, where the scale of the first one's first row is,
  // and how many numbers from one row of the vector unit to the next: those are the tile's rows of a group,
  // or the groups of a row, whichever are more. All but the first of these runs may overlap.
  template <typename F>
  void for_each(const Slot& slot, const Tile& tile, F f) const {
    const uint32_t pitch = pitch_of(tile.columns);
    const auto part = [&](uint32_t at, uint32_t stride, uint32_t scale, uint32_t scales_stride) {
      f(operand(slot.from + at * bytes_of(from_type), from_type, stride * bytes_of(from_type)),
        operand(slot.to + at * bytes_of(to_type), to_type, stride * bytes_of(to_type)), scale, scales_stride,
        scale != 0);
    };
    uint32_t whole = 0;
    if (tile.rows * group < tile.columns) {
      whole = tile.columns / group;
      vector::size(group, whole);
      for (uint32_t row = 0; row < tile.rows; ++row) part(row * pitch, group, row, tile.rows);
    }
    uint32_t scale = whole * tile.rows;
    for (uint32_t first = whole * group; first < tile.columns; first += group, scale += tile.rows) {
      vector::size(std::min(group, tile.columns - first), tile.rows);
      part(first, pitch, scale, 1);
    }
  }
};

struct Quantise {
  Groups groups;
  Source from;
  Matrix to;
  Matrix scales;
  float* inverse;

  dma::Ticket load(uint32_t slot, const Tile& tile) {
    return operators::load(groups.slots[slot].from, from, tile);
  }
  void run(uint32_t slot, const Tile& tile) {
    const auto& here = groups.slots[slot];
    // No group is all zero: nothing is divided by 0.
    vector::b(value(kLeastMagnitude));
    vector::no_result();
    groups.for_each(
        here, tile,
        [&](const vector::Operand& x, const vector::Operand&, uint32_t scale, uint32_t stride, bool overlap) {
          vector::a(x.magnitude());
          vector::reductions(here.scales + scale, static_cast<int32_t>(stride * sizeof(float)));
          vector::run(Op::kMax, {.reduce = Reduce::kMax, .overlap = overlap});
        });
    vector::a(vector::rows(here.scales));
    vector::b(value(kPartOf127));
    vector::size(tile.rows * groups_of(tile.columns, groups.group));
    vector::result(inverse);
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::result(here.scales);
    vector::run(Op::kMul);
    vector::Ticket last = {};
    groups.for_each(
        here, tile,
        [&](const vector::Operand& x, const vector::Operand& q, uint32_t scale, uint32_t stride,
            bool overlap) {
          vector::a(x);
          vector::b(vector::each_row(inverse + scale, static_cast<int32_t>(stride * sizeof(float))));
          into(q);
          last = vector::run(Op::kMul, {.overlap = overlap});
        });
    vector::wait(last);
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) {
    const auto& here = groups.slots[slot];
    operators::store(scales, here.scales, groups.scales_of(tile), tile.rows * 4);
    return operators::store(to, here.to, tile);
  }
};

struct Dequantise {
  Groups groups;
  Source from;
  Matrix to;
  Source scales;

  dma::Ticket load(uint32_t slot, const Tile& tile) {
    const auto& here = groups.slots[slot];
    const Tile of_groups = groups.scales_of(tile);
    const uint32_t row_bytes = of_groups.columns * uint32_t{sizeof(float)};
    dma::load(here.scales, scales.at.plus_bytes(offset_of(of_groups, scales.stride, sizeof(float))),
              row_bytes,
              {static_cast<uint16_t>(of_groups.rows), static_cast<uint16_t>(row_bytes),
               static_cast<int32_t>(scales.stride)});
    return operators::load(here.from, from, tile);
  }
  void run(uint32_t slot, const Tile& tile) {
    const auto& here = groups.slots[slot];
    vector::Ticket last = {};
    groups.for_each(
        here, tile,
        [&](const vector::Operand& q, const vector::Operand& x, uint32_t scale, uint32_t stride,
            bool overlap) {
          vector::a(q);
          vector::b(vector::each_row(here.scales + scale, static_cast<int32_t>(stride * sizeof(float))));
          into(x);
          last = vector::run(Op::kMul, {.overlap = overlap});
        });
    vector::wait(last);
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) {
    return operators::store(to, groups.slots[slot].to, tile);
  }
};

template <typename Args>
Grid grid_of(const Args& args, uint32_t room) {
  // Parts of rows are some groups, and a line of memory of int8 at least.
  const uint32_t groups = args.group >= cpe::kLine ? 1 : groups_of(cpe::kLine, args.group);
  const uint32_t unit = groups * args.group;
  return Grid::of_units(unit, args.rows, args.columns, room, cpe::rank(), cpe::count());
}

}  // namespace

void operator_quantise(const QuantiseArgs& args) {
  require(check(args));
  Arena arena;
  Quantise quantise = {Groups(arena, kMaxQuantisedRow, args.group, args.from_type, Number::kInt8),
                       {args.from, args.from_stride, bytes_of(args.from_type)},
                       {args.to, args.to_stride, 1},
                       {args.scales, args.scales_stride, 4},
                       arena.take<float>(kMaxScales * sizeof(float))};
  stream(grid_of(args, kMaxQuantisedRow), quantise);
}

void operator_dequantise(const DequantiseArgs& args) {
  require(check(args));
  Arena arena;
  Dequantise dequantise = {Groups(arena, kMaxRow, args.group, args.from_type, args.to_type),
                           {args.from, args.from_stride, bytes_of(args.from_type)},
                           {args.to, args.to_stride, bytes_of(args.to_type)},
                           {args.scales, args.scales_stride, 4}};
  stream(grid_of(args, kMaxRow), dequantise);
}

}  // namespace swai::operators
