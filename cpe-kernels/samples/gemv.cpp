// SPDX-License-Identifier: Apache-2.0
// A vector times a matrix of int4 weights, which stream from memory through all systolic units: memory is the
// limit.
#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "swai/arena.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

namespace {

constexpr uint32_t kPiece = 8192;  // bytes that are worth a transfer
constexpr uint32_t kMaxBuffers = 8;
constexpr uint32_t kResultBytes = 32;  // of a column tile

}  // namespace

__kernel__ void gemv(const GemvArgs* args) {
  const GlobalPtr<void> y = args->y;
  const GlobalPtr<const int8_t> x = args->x;
  const GlobalPtr<const void> w = args->w;
  const GlobalPtr<const float> factors = args->factors;
  const uint32_t depth = args->depth;
  const uint32_t tiles = args->columns / 8;
  const uint32_t rounds = args->rounds;

  // This CPE's column tiles lie together.
  const uint32_t share = (tiles + count() - 1) / count();
  const uint32_t first = std::min(tiles, rank() * share);
  const uint32_t mine = std::min(share, tiles - first);
  if (mine == 0 || depth == 0 || rounds == 0) return;
  const uint32_t tile_bytes = gemv_tile_bytes(depth);
  const uint32_t k_tiles = depth / 8;

  Arena arena;
  int8_t* const xs = arena.take<int8_t>(depth);
  float* const own_factors = arena.take<float>(mine * kResultBytes);
  std::byte* const ys = arena.take<std::byte>(mine * kResultBytes);
  dma::load(xs, x, depth);
  if (factors) dma::load(own_factors, factors + int64_t{first} * 8, mine * kResultBytes);

  // A piece: some column tiles. As many pieces are under way as there is room for.
  const uint32_t piece_tiles = std::clamp<uint32_t>(kPiece / tile_bytes, 1, mine);
  const uint32_t piece_bytes = piece_tiles * tile_bytes;
  const uint32_t buffers = std::min(arena.left() / piece_bytes, kMaxBuffers);
  if (buffers < 2) __builtin_trap();
  std::byte* const ws = arena.take<std::byte>(buffers * piece_bytes);

  systolic::activations(xs, 8, 8);
  systolic::column_strides(static_cast<int32_t>(tile_bytes), kResultBytes);
  const systolic::Mode mode = {.weights = systolic::Weights::kInt4,
                               .result = factors ? Number::kFp32 : Number::kInt32};

  // Where the next load goes, and the next run. Loads are buffers - 1 pieces ahead: the run whose buffer a
  // load takes is the one before the run that was issued last.
  struct Place {
    uint32_t tile = 0;  // within this CPE's
    uint32_t buffer = 0;
  };
  Place to_load, to_run;
  const auto advance = [&](Place& place) {
    place.tile += piece_tiles;
    if (place.tile >= mine) place.tile = 0;
    if (++place.buffer == buffers) place.buffer = 0;
  };
  const uint32_t pieces = (mine + piece_tiles - 1) / piece_tiles * rounds;
  dma::Ticket loaded[kMaxBuffers] = {};
  uint32_t loads = 0;
  const auto load = [&] {
    const uint32_t bytes = std::min(piece_tiles, mine - to_load.tile) * tile_bytes;
    loaded[to_load.buffer] = dma::load(ws + to_load.buffer * piece_bytes,
                                       w.plus_bytes(int64_t{first + to_load.tile} * tile_bytes), bytes);
    advance(to_load);
    ++loads;
  };
  while (loads < std::min(pieces, buffers - 1)) load();
  systolic::Ticket before = {};
  for (uint32_t piece = 0; piece < pieces; ++piece) {
    const std::byte* const weights = ws + to_run.buffer * piece_bytes;
    const uint32_t column_tiles = std::min(piece_tiles, mine - to_run.tile);
    systolic::weights(weights, 32);
    systolic::groups(weights + k_tiles * 32, static_cast<int32_t>(tile_bytes), kGemvGroup);
    systolic::output(ys + to_run.tile * kResultBytes, kResultBytes);
    systolic::factors(own_factors + to_run.tile * 8);
    systolic::size({column_tiles, k_tiles, 1, 1});
    dma::wait(loaded[to_run.buffer]);
    const auto run = systolic::run(mode);
    systolic::wait(before);
    before = run;
    if (loads < pieces) load();
    advance(to_run);
  }
  systolic::wait(before);
  dma::wait(dma::store(y.plus_bytes(int64_t{first} * kResultBytes), ys, mine * kResultBytes));
}
