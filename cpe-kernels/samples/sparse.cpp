// SPDX-License-Identifier: Apache-2.0
// The systolic unit with sparse weights, by itself: what skipping zeros gains against tile_gemm.
#include "abi/kernel_arguments.hpp"
#include "swai/arena.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

namespace {

constexpr uint32_t kTileBytes = 96;

}  // namespace

__kernel__ void sparse_gemm(const SparseGemmArgs* args) {
  const GlobalPtr<int32_t> y = args->y;
  const GlobalPtr<const int8_t> x = args->x;
  const GlobalPtr<const void> w = args->w;
  const systolic::Size size = {args->column_tiles, args->k_tiles, args->block, args->rows};
  const uint32_t depth = args->depth;
  const uint32_t rounds = args->rounds;
  const uint32_t pitch = (size.rows + 31) / 32 * 32;
  const uint32_t w_bytes = size.column_tiles * size.k_tiles * kTileBytes;
  const uint32_t y_bytes = size.column_tiles * size.rows * 32;
  Arena arena;
  int8_t* const xs = arena.take<int8_t>(depth * pitch);
  std::byte* const ws = arena.take<std::byte>(w_bytes);
  int32_t* const ys = arena.take<int32_t>(y_bytes);
  if (x) dma::wait(dma::load(xs, x, depth * pitch));
  dma::wait(dma::load(ws, w, w_bytes));

  systolic::activations(xs, 0, pitch);
  systolic::weights(ws, kTileBytes);
  systolic::column_strides(static_cast<int32_t>(kTileBytes * size.k_tiles),
                           static_cast<int32_t>(32 * size.rows));
  systolic::output(ys, 32);
  systolic::size(size);
  const uint32_t blocks = (size.column_tiles + size.block - 1) / size.block;
  systolic::Ticket last = {};
  for (uint32_t round = 0; round < rounds; ++round)
    last = systolic::run({.weights = systolic::Weights::kSparse, .half = round * blocks & 1});
  systolic::wait(last);
  if (y) dma::wait(dma::store(y.plus_bytes(int64_t{number()} * y_bytes), ys, y_bytes));
}
