// Dense runs of the systolic unit as the host computes them fastest: operands are put side by side, and all k
// tiles of a column tile are multiplied at once. Sums are modulo 2^32, so their order does not matter.
#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/products.hpp"
#include "sim/iss/cpe/simd.hpp"
#include "sim/iss/cpe/systolic.hpp"

namespace swai::iss::cpe {

namespace {

constexpr uint64_t kEach = 0x0101'0101'0101'0101;
constexpr uint64_t kTops = 0x8080'8080'8080'8080;
// More of it cannot be in local memory without lying upon itself.
constexpr uint64_t kMostActivations = kLdmBytes / 8;

uint64_t word_at(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// The nibbles of 4 bytes, as 8 bytes.
uint64_t nibbles(const uint8_t* bytes) {
  uint32_t packed = 0;
  std::memcpy(&packed, bytes, sizeof packed);
  uint64_t word = packed;
  word = (word | word << 16) & 0x0000'ffff'0000'ffff;
  word = (word | word << 8) & 0x00ff'00ff'00ff'00ff;
  return (word | word << 4) & 0x0f0f'0f0f'0f0f'0f0f;
}

// Of bytes below 16.
uint64_t subtract(uint64_t a, uint64_t b) { return ((a | kTops) - b) ^ kTops; }

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

// The weights of a tile: 8 k of each column.
std::array<uint64_t, Systolic::kTile> Systolic::columns(const Mode& mode, uint32_t column_tile,
                                                        uint32_t k_tile) const {
  std::array<uint64_t, kTile> words;
  const int64_t at = weights_at(column_tile, k_tile);
  if (mode.weights == weights::kInt8) {
    for (unsigned i = 0; i < kTile; ++i) words[i] = word_at(memory_.read(at + i * now_.weights.row_stride));
  } else {
    const uint8_t* const packed = memory_.read(at);
    const uint64_t zeros = word_at(memory_.read(scales_at(column_tile, k_tile)) + kTile) & 15 * kEach;
    for (unsigned i = 0; i < kTile; ++i) {
      words[i] = subtract(nibbles(packed + 4 * i), mode.by_column ? (zeros >> 8 * i & 15) * kEach : zeros);
    }
  }
  if (!mode.by_column) products::transpose(words);
  return words;
}

void Systolic::multiply(const Mode& mode, unsigned half, uint32_t first_tile, uint32_t tiles) {
  const products::Kernel kernel = products::kernel();
  const uint32_t k_tiles = now_.k_tiles;
  activations_.resize(uint64_t{now_.rows} * k_tiles);
  for (uint32_t row = 0; row < now_.rows; ++row) {
    for (uint32_t k = 0; k < k_tiles; ++k) {
      activations_[uint64_t{row} * k_tiles + k] = word_at(memory_.read(activations_at(k, row))) ^ kernel.bias;
    }
  }
  weights_.resize(uint64_t{k_tiles} * kTile);
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    for (uint32_t k = 0; k < k_tiles; ++k) {
      const auto words = columns(mode, first_tile + tile, k);
      std::ranges::copy(words, weights_.begin() + uint64_t{k} * kTile);
    }
    Row* const sums = &sums_[half][tile * now_.rows];
    if (!mode.keep) std::fill_n(sums, now_.rows, Row{});
    // k tiles with the same scales.
    const uint32_t group = mode.weights == weights::kInt4 ? now_.group : k_tiles;
    for (uint32_t k = 0; k < k_tiles; k += group) {
      const products::Operands operands{.activations = &activations_[k],
                                        .weights = &weights_[uint64_t{k} * kTile],
                                        .rows = now_.rows,
                                        .row_stride = k_tiles,
                                        .k_tiles = std::min(group, k_tiles - k)};
      if (mode.weights == weights::kInt8) {
        kernel.add(operands, sums);
        continue;
      }
      std::array<Row, kRows> unscaled;  // as many as there are rows
      std::fill_n(unscaled.begin(), now_.rows, Row{});
      kernel.add(operands, unscaled.data());
      const uint8_t* const scales = memory_.read(scales_at(first_tile + tile, k));
      for (uint32_t row = 0; row < now_.rows; ++row) {
        for (unsigned n = 0; n < kTile; ++n) {
          const uint32_t scaled = static_cast<uint32_t>(unscaled[row][n]) * scales[n];
          sums[row][n] = static_cast<int32_t>(static_cast<uint32_t>(sums[row][n]) + scaled);
        }
      }
    }
  }
  rows_ += uint64_t{now_.rows} * k_tiles * tiles;
}

}  // namespace swai::iss::cpe
