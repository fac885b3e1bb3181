// Dense runs of the systolic unit as the host computes them fastest: operands are put side by side, and all k
// tiles of a column tile are multiplied at once. Sums are modulo 2^32, so their order does not matter.
#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/lanes.hpp"
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

void Systolic::scale_fast(const Mode& mode, const Scaling& scaling, uint8_t* result) const {
  using Numbers = std::array<uint8_t, kWord>;
  Reduction none;
  const auto vector = [](const uint8_t* at, number::Kind number = number::kFp32) {
    return lanes::Operand{.at = at, .vector = true, .number = number};
  };
  const auto scalar = [](const auto* at) {
    return lanes::Operand{.at = reinterpret_cast<const uint8_t*>(at)};
  };
  const auto run = [&](vector_function::Kind op, const std::array<lanes::Operand, 3>& operands, uint8_t* into,
                       number::Kind number = number::kFp32) {
    lanes::run({.op = op, .operands = operands, .result = into, .number = number, .elements = kTile}, none);
  };
  Numbers products;
  const uint8_t* factors = scaling.factors;
  if (mode.row_factors) {
    run(vector_function::kMul, {vector(factors), scalar(scaling.row_factor), {}}, products.data());
    factors = products.data();
  }
  const auto* const sums = reinterpret_cast<const uint8_t*>(scaling.sums.data());
  const std::array<lanes::Operand, 3> operands = {vector(sums, number::kInt32), vector(factors),
                                                  mode.bias ? vector(scaling.biases) : scalar(&kMinusZero)};
  if (!mode.clamp) return run(vector_function::kFma, operands, result, mode.result);
  Numbers values;
  run(vector_function::kFma, operands, values.data());
  run(vector_function::kMax, {vector(values.data()), scalar(&now_.least), {}}, values.data());
  run(vector_function::kMin, {vector(values.data()), scalar(&now_.largest), {}}, result, mode.result);
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
  // k tiles with the same scales.
  const bool nibbles = mode.weights == weights::kInt4;
  const uint32_t group = std::min(nibbles ? now_.group : k_tiles, k_tiles);
  weights_.resize(uint64_t{group} * kTile);
  for (uint32_t tile = first_tile; tile < first_tile + tiles; ++tile) {
    Row* const sums = &sums_[half][(tile - first_tile) * now_.rows];
    if (!mode.keep) std::fill_n(sums, now_.rows, Row{});
    for (uint32_t k = 0; k < k_tiles; k += group) {
      const uint32_t in_group = std::min(group, k_tiles - k);
      const uint8_t* const scales = nibbles ? memory_.read(scales_at(tile, k)) : nullptr;
      kernel.gather({.at = memory_.read(weights_at(tile, k)),
                     .k_stride = now_.weights.k_stride,
                     .k_tiles = in_group,
                     .by_column = mode.by_column,
                     .nibbles = nibbles,
                     .zeros = nibbles ? word_at(scales + kTile) & 15 * products::kEach : 0,
                     .row_stride = now_.weights.row_stride},
                    weights_.data());
      const products::Operands operands{.activations = &activations_[k],
                                        .weights = weights_.data(),
                                        .rows = now_.rows,
                                        .row_stride = k_tiles,
                                        .k_tiles = in_group};
      if (!nibbles) {
        kernel.add(operands, sums);
        continue;
      }
      std::array<Row, kRows> unscaled;  // as many as there are rows
      std::fill_n(unscaled.begin(), now_.rows, Row{});
      kernel.add(operands, unscaled.data());
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
