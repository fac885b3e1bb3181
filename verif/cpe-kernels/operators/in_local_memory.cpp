// SPDX-License-Identifier: Apache-2.0
// What operators compute of a tile that lies in local memory, again and again: the vector unit's part of
// them, without what memory adds. Each CPE has a tile of its own.
#include "cpe-kernels/operators/norm/rows.hpp"
#include "cpe-kernels/operators/softmax/rows.hpp"
#include "cpe-kernels/operators/unary/functions.hpp"

using namespace swai;
using namespace swai::operators;

namespace {

template <typename Compute>
void compute_rows(Arena& arena, const Tile& tile, GlobalPtr<const void> from, uint32_t times,
                  Compute compute) {
  const uint32_t pitch = pitch_of(tile.columns);
  const Source source = {from, tile.columns * 4, 4};
  RowStage<Compute> stage(arena, tile.rows * pitch, {}, Number::kFp32, source, Number::kFp32, compute);
  dma::wait(stage.load(0, tile));
  for (uint32_t i = 0; i < times; ++i) stage.run(0, tile);
}

}  // namespace

// `from`: rows of fp32, then gamma, then beta.
__global__ void layer_norm_in_ldm(GlobalPtr<const float> from, uint32_t rows, uint32_t columns,
                                  uint32_t times) {
  Arena arena;
  NormArgs args = {};
  args.gamma = from + int64_t{rows} * columns;
  args.beta = from + int64_t{rows + 1} * columns;
  args.rows = rows;
  args.columns = columns;
  args.epsilon = 1e-5F;
  const Division division(rows * cpe::count(), columns, rows * columns);
  const Norm normal(arena, args, true, division);
  normal.load();
  compute_rows(arena, {0, rows, 0, columns}, from, times, normal);
}

__global__ void softmax_in_ldm(GlobalPtr<const float> from, uint32_t rows, uint32_t columns, uint32_t times) {
  Arena arena;
  compute_rows(arena, {0, rows, 0, columns}, from, times, Softmax(arena, 0.125F, false));
}

__global__ void gelu_tanh_in_ldm(GlobalPtr<const float> from, uint32_t rows, uint32_t columns,
                                 uint32_t times) {
  Arena arena;
  const Tile tile = {0, rows, 0, columns};
  const uint32_t pitch = pitch_of(columns);
  auto* const x = arena.take<float>(rows * pitch * 4);
  auto* const between = arena.take<float>(rows * pitch * 4);
  dma::wait(load(x, Source{from, columns * 4, 4}, tile));
  const auto at = [&](float* place) { return operand(place, Number::kFp32, pitch * 4); };
  for (uint32_t i = 0; i < times; ++i) {
    vector::size(columns, rows);
    vector::wait(apply(Operator::kGeluTanh, at(x), {at(x), at(between), {}, {}}));
  }
}
