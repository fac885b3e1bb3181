// SPDX-License-Identifier: Apache-2.0
// Layer norm, (x - mean) / sqrt(variance + epsilon) * gamma + beta of the rows of a matrix, on the scalar
// core and on the vector unit; and a product of int8 matrices on the systolic unit.
// docs/program/first-kernel.md explains them section by section.
#include <algorithm>

#include "swai/cpe.hpp"
#include "swai/math.hpp"

using namespace swai::cpe;

constexpr uint32_t kMaxColumns = 1024;
constexpr uint32_t kMaxRows = 16;  // that a core has in local memory at once

LDM alignas(64) static float matrix[kMaxRows * kMaxColumns];
LDM alignas(64) static float gammas[kMaxColumns];
LDM alignas(64) static float betas[kMaxColumns];
// One number for each row.
LDM alignas(64) static float means[kMaxRows];
LDM alignas(64) static float squares[kMaxRows];
LDM alignas(64) static float factors[kMaxRows];

// This core's part of `total` rows or columns: equal parts in order of rank, fewer or none for the last
// cores.
struct Part {
  uint32_t first;
  uint32_t count;
};
static Part my_part(uint32_t total) {
  const uint32_t each = (total + count() - 1) / count();
  const uint32_t first = std::min(rank() * each, total);
  return {first, std::min(each, total - first)};
}

// In both kernels columns is a multiple of 8, and kMaxColumns at most.
__global__ void layer_norm_scalar(GlobalPtr<float> y, GlobalPtr<const float> x, GlobalPtr<const float> gamma,
                                  GlobalPtr<const float> beta, uint32_t rows, uint32_t columns,
                                  float epsilon) {
  const uint32_t bytes = columns * sizeof(float);
  dma::load(gammas, gamma, bytes);
  dma::load(betas, beta, bytes);
  const Part mine = my_part(rows);
  for (uint32_t row = mine.first; row < mine.first + mine.count; ++row) {
    dma::wait(dma::load(matrix, x + int64_t{row} * columns, bytes));
    float sum = 0;
    for (uint32_t i = 0; i < columns; ++i) sum += matrix[i];
    const float mean = sum / static_cast<float>(columns);
    float variance = 0;
    for (uint32_t i = 0; i < columns; ++i) variance += (matrix[i] - mean) * (matrix[i] - mean);
    const float factor = math::rsqrt(variance / static_cast<float>(columns) + epsilon);
    for (uint32_t i = 0; i < columns; ++i) matrix[i] = (matrix[i] - mean) * factor * gammas[i] + betas[i];
    dma::wait(dma::store(y + int64_t{row} * columns, matrix, bytes));
  }
}

__global__ void layer_norm(GlobalPtr<float> y, GlobalPtr<const float> x, GlobalPtr<const float> gamma,
                           GlobalPtr<const float> beta, uint32_t rows, uint32_t columns, float epsilon) {
  const uint32_t bytes = columns * sizeof(float);
  dma::load(gammas, gamma, bytes);
  dma::load(betas, beta, bytes);
  const float one_part = 1.0f / static_cast<float>(columns);
  const auto stride = static_cast<int32_t>(bytes);
  const Part mine = my_part(rows);
  for (uint32_t done = 0; done < mine.count; done += kMaxRows) {
    const uint32_t batch = std::min(kMaxRows, mine.count - done);
    const int64_t first = int64_t{mine.first + done} * columns;
    dma::wait(dma::load(matrix, x + first, batch * bytes));
    // means = sum of the row * (1 / columns): nothing but the reduction is stored.
    vector::size(columns, batch);
    vector::a(vector::rows(matrix, stride));
    vector::b(vector::value(one_part));
    vector::no_result();
    vector::reductions(means);
    vector::run(vector::Op::kMul, {.reduce = vector::Reduce::kSum});
    // x - mean, in place.
    vector::c(vector::each_row(means).negated());
    vector::result(matrix, stride);
    vector::run(vector::Op::kAdd);
    // squares = sum of (x - mean)^2.
    vector::b(vector::rows(matrix, stride));
    vector::no_result();
    vector::reductions(squares);
    vector::run(vector::Op::kMul, {.reduce = vector::Reduce::kSum});
    // factors = 1 / sqrt(squares * (1 / columns) + epsilon): one row with a number for each row of the
    // matrix.
    vector::size(batch);
    vector::a(vector::rows(squares));
    vector::b(vector::value(one_part));
    vector::c(vector::value(epsilon));
    vector::result(factors);
    vector::run(vector::Op::kFma, {.special = vector::Special::kRoot});
    // (x - mean) * factor, then * gamma + beta.
    vector::size(columns, batch);
    vector::a(vector::rows(matrix, stride));
    vector::b(vector::each_row(factors));
    vector::result(matrix, stride);
    vector::run(vector::Op::kMul);
    vector::b(vector::rows(gammas));
    vector::c(vector::rows(betas));
    vector::wait(vector::run(vector::Op::kFma));
    dma::wait(dma::store(y + first, matrix, batch * bytes));
  }
}

constexpr uint32_t kTile = systolic::kTile;
constexpr uint32_t kMaxDepth = 256;
LDM alignas(64) static int8_t xs[64 * kMaxDepth];
LDM alignas(64) static int8_t ws[kMaxDepth * kTile];
LDM alignas(64) static int32_t ys[64 * kTile];

// y = x w: up to 64 rows, a depth of up to 256, depth and columns multiples of 8. Each core makes whole tiles
// of 8 columns. load_weights(tile) brings 8 columns of w into `ws`, 8 bytes for each k.
template <typename LoadWeights>
static void multiply(GlobalPtr<int32_t> y, GlobalPtr<const int8_t> x, uint32_t rows, uint32_t depth,
                     uint32_t columns, LoadWeights load_weights) {
  const Part tiles = my_part(columns / kTile);
  if (tiles.count == 0) return;
  dma::load(xs, x, rows * depth);
  // The next 8 k of x are 8 bytes further, the next row `depth` bytes.
  systolic::activations(xs, kTile, depth);
  // A tile of 8 k and 8 columns has 64 bytes, 8 for each k.
  systolic::weights(ws, kTile * kTile, kTile);
  systolic::output(ys, kTile * sizeof(int32_t));
  systolic::size({.column_tiles = 1, .k_tiles = depth / kTile, .block = 1, .rows = rows});
  for (uint32_t tile = tiles.first; tile < tiles.first + tiles.count; ++tile) {
    dma::wait(load_weights(tile));
    systolic::wait(systolic::run({.result = Number::kInt32}));
    // Rows of 8 results, which lie side by side here and a row of y apart there.
    const dma::Shape apart = {static_cast<uint16_t>(rows), kTile * sizeof(int32_t),
                              static_cast<int32_t>(columns * sizeof(int32_t))};
    dma::wait(dma::store(y + int64_t{tile} * kTile, ys, kTile * sizeof(int32_t), apart));
  }
}

// w is a matrix as in C: depth rows of `columns` bytes.
__global__ void product(GlobalPtr<int32_t> y, GlobalPtr<const int8_t> x, GlobalPtr<const int8_t> w,
                        uint32_t rows, uint32_t depth, uint32_t columns) {
  multiply(y, x, rows, depth, columns, [&](uint32_t tile) {
    const dma::Shape apart = {static_cast<uint16_t>(depth), kTile, static_cast<int32_t>(columns)};
    return dma::load(ws, w + int64_t{tile} * kTile, kTile, apart);
  });
}

// w is packed: 8 columns in a piece, tile after tile.
__global__ void product_packed(GlobalPtr<int32_t> y, GlobalPtr<const int8_t> x, GlobalPtr<const int8_t> w,
                               uint32_t rows, uint32_t depth, uint32_t columns) {
  multiply(y, x, rows, depth, columns,
           [&](uint32_t tile) { return dma::load(ws, w + int64_t{tile} * kTile * depth, kTile * depth); });
}
