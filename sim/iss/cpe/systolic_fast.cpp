// SPDX-License-Identifier: Apache-2.0
// Dense runs of the systolic unit as the host computes them fastest: operands are put side by side, and all k
// tiles of a column tile are multiplied at once. Sums are modulo 2^32, so their order does not matter.
#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/products.hpp"
#include "sim/iss/cpe/simd.hpp"
#include "sim/iss/cpe/systolic.hpp"

namespace swai::iss::cpe {

namespace {

// More of it cannot be in local memory without lying upon itself.
constexpr uint64_t kMostActivations = kLdmBytes / 8;

uint64_t word_at(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// What it holds is of no use, so it is not cleared each time.
void make_room(std::vector<uint64_t>& words, uint64_t count) {
  if (words.size() < count) words.resize(count);
}

}  // namespace

// All that the run reads for products lies in local memory.
bool Systolic::is_fast(const Mode& mode) const {
  if (simd::level() == simd::Level::kPlain || mode.weights == weights::kSparse) return false;
  if (uint64_t{now_.rows} * now_.k_tiles > kMostActivations) return false;
  const auto inside = [](int64_t address) { return address >= 0 && address < int64_t{kLdmBytes}; };
  const uint32_t k = now_.k_tiles - 1;
  if (!inside(activations_at(0, 0)) || !inside(activations_at(k, now_.rows - 1))) return false;
  for (const uint32_t column : {0u, now_.column_tiles - 1}) {
    const int64_t rows = mode.weights == weights::kInt8 ? (kTile - 1) * now_.weights.row_stride : 0;
    if (!inside(weights_at(column, 0)) || !inside(weights_at(column, k) + rows)) return false;
    if (mode.weights == weights::kInt4 && (!inside(scales_at(column, 0)) || !inside(scales_at(column, k)))) {
      return false;
    }
  }
  return true;
}

void Systolic::multiply(const Mode& mode, unsigned half, uint32_t first_tile, uint32_t tiles) {
  const products::Kernel kernel = products::kernel();
  const uint32_t k_tiles = now_.k_tiles;
  make_room(activations_, uint64_t{now_.rows} * k_tiles);
  for (uint32_t row = 0; row < now_.rows; ++row) {
    for (uint32_t k = 0; k < k_tiles; ++k) {
      activations_[uint64_t{row} * k_tiles + k] = word_at(memory_.read(activations_at(k, row))) ^ kernel.bias;
    }
  }
  const bool nibbles = mode.weights == weights::kInt4;
  const uint64_t words = uint64_t{k_tiles} * kTile;  // of a column tile
  make_room(weights_, words * products::kTogether);
  // Words of this many tiles lie side by side.
  const bool lines = !nibbles && !mode.by_column && now_.weights_column_stride == kTile;
  const uint32_t end = first_tile + tiles;
  for (uint32_t tile = first_tile; tile < end;) {
    const uint32_t together = lines && end - tile >= products::kTogether ? products::kTogether : 1;
    const auto groups_of = [&](uint32_t column) {
      if (!nibbles) return products::Groups{};
      return products::Groups{memory_.read(scales_at(column, 0)), kScalesBytes, now_.group};
    };
    const products::Weights weights = {.at = memory_.read(weights_at(tile, 0)),
                                       .k_stride = now_.weights.k_stride,
                                       .k_tiles = k_tiles,
                                       .by_column = mode.by_column,
                                       .row_stride = now_.weights.row_stride,
                                       .groups = groups_of(tile)};
    (together == 1 ? kernel.gather : kernel.gather_together)(weights, weights_.data());
    for (uint32_t n = 0; n < together; ++n, ++tile) {
      Row* const sums = &sums_[half][(tile - first_tile) * now_.rows];
      if (!mode.keep) std::fill_n(sums, now_.rows, Row{});
      kernel.add({.activations = activations_.data(),
                  .weights = &weights_[n * words],
                  .rows = now_.rows,
                  .row_stride = k_tiles,
                  .k_tiles = k_tiles,
                  .groups = groups_of(tile)},
                 sums);
    }
  }
  rows_ += uint64_t{now_.rows} * k_tiles * tiles;
}

}  // namespace swai::iss::cpe
