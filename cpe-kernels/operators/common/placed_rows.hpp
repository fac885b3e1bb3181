// SPDX-License-Identifier: Apache-2.0
// Positions and lists of chunks as a CPE reads them.
#pragma once

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"

namespace swai::operators {

// Null where rows have none.
template <typename Args>
const uint32_t* load_positions(Arena& arena, const Args& args) {
  if (!args.positions) return nullptr;
  begin_work();
  auto* const positions = arena.take<uint32_t>(kMaxPlacedRows * sizeof(uint32_t));
  dma::wait(dma::load(positions, args.positions, args.rows * uint32_t{sizeof(uint32_t)}));
  return positions;
}

// The row of memory with which chunk `number` of a text begins. `chunks`: null where they are in order.
inline uint32_t begin_of_chunk(GlobalPtr<const void> chunks, uint32_t number) {
  if (!chunks) return number * kChunkRows;
  const cpe::Window<const uint32_t> table(chunks.as<const uint32_t>() + number);
  const uint32_t chunk = *table;
  if (chunk >= kMaxChunk) refuse(Refusal::kParameter);
  return chunk * kChunkRows;
}

// The list of chunks of a row's text.
template <typename Args>
GlobalPtr<const void> chunks_of(const Args& args, uint32_t row) {
  return args.chunks ? args.chunks.plus_bytes(static_cast<int64_t>(uint64_t{row} * args.chunks_stride))
                     : args.chunks;
}

}  // namespace swai::operators
