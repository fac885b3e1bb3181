// SPDX-License-Identifier: Apache-2.0
// Rows of a table by number: one row after the other, the next one on its way.
#include <algorithm>

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/embedding/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kTokens = 256;  // that are looked at ahead

struct Embedding {
  const EmbeddingArgs& args;
  struct Slot {
    std::byte* from;
    float* position;  // results take its place
    float* scale;
  } slots[kSlots];
  uint32_t* tokens;
  uint32_t first = 0;  // of `tokens`
  uint32_t end = 0;

  uint32_t token(uint32_t row) {
    if (row >= end) {
      first = row;
      end = std::min(row + kTokens, args.rows);
      dma::wait(dma::load(tokens, args.tokens.plus_bytes(int64_t{row} * 4), (end - first) * 4));
    }
    const uint32_t number = tokens[row - first];
    if (number >= args.vocabulary) refuse(Refusal::kParameter);
    return number;
  }
  dma::Ticket load(uint32_t slot, const Tile& tile) {
    const Slot& here = slots[slot];
    const uint32_t number = token(tile.row);
    if (args.positions) {
      dma::load(here.position,
                args.positions.plus_bytes(static_cast<int64_t>(uint64_t{tile.row} * args.positions_stride)),
                args.columns * 4);
    }
    if (args.table_type == Number::kInt8)
      dma::load(here.scale, args.scales.plus_bytes(int64_t{number} * 4), sizeof(float));
    return dma::load(here.from,
                     args.table.plus_bytes(static_cast<int64_t>(uint64_t{number} * args.table_stride)),
                     args.columns * bytes_of(args.table_type));
  }
  void run(uint32_t slot, const Tile&) {
    const Slot& here = slots[slot];
    vector::a(operand(here.from, args.table_type, 0));
    vector::b(args.table_type == Number::kInt8 ? vector::each_row(here.scale) : vector::value(args.factor));
    vector::c(vector::rows(here.position));
    into(operand(here.position, args.to_type, 0));
    vector::size(args.columns);
    vector::wait(vector::run(args.positions ? vector::Op::kFma : vector::Op::kMul));
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) {
    return operators::store({args.to, args.to_stride, bytes_of(args.to_type)}, slots[slot].position, tile);
  }
};

}  // namespace

void operator_embedding(const EmbeddingArgs& args) {
  require(check(args));
  Arena arena;
  Embedding embedding = {.args = args, .slots = {}, .tokens = arena.take<uint32_t>(kTokens * 4)};
  for (auto& slot : embedding.slots) {
    slot = {arena.take<std::byte>(args.columns * bytes_of(args.table_type)),
            arena.take<float>(args.columns * 4), arena.take<float>(4)};
  }
  // A room of one row. A token that is refused stops this CPE alone: nobody should wait for it.
  stream(Grid::of_rows(args.rows, args.columns, pitch_of(args.columns), cpe::rank(), cpe::count()), embedding,
         false);
}

}  // namespace swai::operators
