// SPDX-License-Identifier: Apache-2.0
// Functions of elements: a few runs of the vector unit for each tile.
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/unary/functions.hpp"
#include "cpe-kernels/operators/unary/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kLeastRoom = 2048;
constexpr uint32_t kLocal = 28672;  // elements that local memory has places for

struct Unary {
  Operator function;
  const UnaryArgs& args;
  Matrix to;
  Source from;
  struct Slot {
    std::byte* to;
    std::byte* from;
  } slots[kSlots];
  std::byte* between[3];

  dma::Ticket load(uint32_t slot, const Tile& tile) { return operators::load(slots[slot].from, from, tile); }
  void run(uint32_t slot, const Tile& tile) {
    const uint32_t pitch = pitch_of(tile.columns);
    const auto fp32 = [&](const std::byte* at) { return operand(at, Number::kFp32, pitch * 4); };
    const Place place = {operand(slots[slot].from, args.from_type, from.stride == 0 ? 0 : pitch * from.bytes),
                         fp32(between[0]), fp32(between[1]), fp32(between[2])};
    vector::size(tile.columns, tile.rows);
    vector::wait(apply(function, operand(slots[slot].to, args.to_type, pitch * to.bytes), place));
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) { return operators::store(to, slots[slot].to, tile); }
};

void unary(const UnaryArgs& args, Operator function) {
  require(check(args));
  const uint32_t to_bytes = bytes_of(args.to_type);
  const uint32_t from_bytes = bytes_of(args.from_type);
  Unary unary = {
      function, args, {args.to, args.to_stride, to_bytes}, {args.from, args.from_stride, from_bytes}, {}, {}};
  const uint32_t columns = args.columns;
  // Results take the place of operands that are as large or larger, and that are read once.
  const bool in_place = to_bytes <= from_bytes && (args.from_stride != 0 || args.rows == 1);
  const uint32_t between = places_between(static_cast<uint16_t>(function));
  const uint32_t places = kSlots * (in_place ? 1 : 2) + between;
  const uint32_t room = room_for(args.rows * columns, kLeastRoom, kLocal / places / 64 * 64, cpe::count());
  const uint32_t bytes = room * uint32_t{sizeof(float)};
  Arena arena;
  for (auto& slot : unary.slots) {
    slot.from = arena.take<std::byte>(bytes);
    slot.to = in_place ? slot.from : arena.take<std::byte>(bytes);
  }
  for (uint32_t i = 0; i < between; ++i) unary.between[i] = arena.take<std::byte>(bytes);
  const bool one_piece = args.to_stride == columns * to_bytes && args.from_stride == columns * from_bytes &&
                         uint64_t{args.rows} * columns <= kMaxStride / 4;
  const Grid grid = one_piece ? Grid(1, args.rows * columns, room, cpe::rank(), cpe::count())
                              : Grid(args.rows, columns, room, cpe::rank(), cpe::count());
  // For this one the vector unit takes longer than memory for numbers of two bytes.
  const bool memory_limits = function != Operator::kGeluErf || args.from_type == Number::kFp32;
  stream(grid, unary, memory_limits);
}

}  // namespace

void operator_relu(const UnaryArgs& args) { unary(args, Operator::kRelu); }
void operator_silu(const UnaryArgs& args) { unary(args, Operator::kSilu); }
void operator_gelu_erf(const UnaryArgs& args) { unary(args, Operator::kGeluErf); }
void operator_cast(const UnaryArgs& args) { unary(args, Operator::kCast); }
void operator_gelu_tanh(const UnaryArgs& args) { unary(args, Operator::kGeluTanh); }

}  // namespace swai::operators
