// SPDX-License-Identifier: Apache-2.0
// The systolic unit: y[m][n] = sum over k of x[m][k] * w[k][n] from and to local memory, while the core goes
// on. x and w are int8, sums int32; weights may also be int4 with scales, or sparse.
// docs/hardware/systolic.md.
//
//   systolic::activations(x, 8 * rows, 8);               // packed: 8 k of a row, then those of the next row
//   systolic::weights(w, 64, 8);                         // tiles of 8 k x 8 columns
//   systolic::column_strides(64 * k_tiles, 32 * rows);
//   systolic::output(y, 32);
//   systolic::size({.column_tiles = 4, .k_tiles = 16, .block = 2, .rows = 128});
//   systolic::wait(systolic::run({.result = Number::kInt32}));
//
// A tile is 8 k or 8 columns. Settings stay until they are changed, and a run keeps those that it was issued
// with: the next ones may follow at once. Issuing a run waits only while one runs and another one is waiting.
// The next run begins while the last results of the one before are still being stored: wait before a run
// reads what another one wrote. Addresses and strides are in bytes and multiples of 8; more where it says so.
#pragma once

#include <bit>

#include "swai/isa.hpp"
#include "swai/ldm.hpp"

namespace swai::cpe {

using Number = isa::number::Kind;

namespace systolic {

inline constexpr uint32_t kTile = 8;
// Sums that the accumulators hold, twice: column tiles of a block x rows of 8.
inline constexpr uint32_t kRows = 256;

// Names a run. Waiting for one waits for all that this CPE began before it, too.
struct Ticket {
  uint32_t number;
};

// Weights::kInt4: 64 in 32 bytes: (number 0 to 15 less the zero of its group and column) times the scale of
// both. Weights::kSparse: tiles of 96 bytes: for each half (4 columns) 8 numbers k of 16 bits; then for each
// half 8 x 4 weights. k may be any; activations lie by k: those of all rows for one k together.
using Weights = isa::weights::Kind;

struct Mode {
  Weights weights = Weights::kInt8;
  bool by_column = false;  // what lies together in a tile of weights is one column
  bool keep = false;       // adds to the sums of the accumulators; one block only
  bool drain = true;       // stores the results; without, one block only, and its sums stay
  uint32_t half = 0;       // of the accumulators, that the first block uses; the next takes the other one
  Number result = Number::kInt32;
  // The rest is for results other than int32: sum * factor of the column (* that of the row) (+ bias).
  bool row_factors = false;
  bool bias = false;
  bool clamp = false;

  constexpr uint32_t word() const {
    namespace w = isa::systolic_mode;
    return weights << w::kWeights.lsb | uint32_t{by_column} << w::kByColumn.lsb |
           uint32_t{keep} << w::kKeep.lsb | half << w::kHalf.lsb | uint32_t{drain} << w::kDrain.lsb |
           result << w::kResult.lsb | uint32_t{row_factors} << w::kRowFactors.lsb |
           uint32_t{bias} << w::kBias.lsb | uint32_t{clamp} << w::kClamp.lsb;
  }
};

struct Size {
  uint32_t column_tiles;  // 1 to 65535
  uint32_t k_tiles;       // 1 to 65535
  uint32_t block;         // column tiles whose sums are in the accumulators at once; block * rows <= 256
  uint32_t rows;          // 1 to 256
};

namespace detail {

template <unsigned kOp>
[[gnu::always_inline]] inline void set(uint32_t rs1, uint32_t rs2 = 0) {
  isa::issue<isa::unit::kSystolic, kOp>(rs1, rs2);
}

}  // namespace detail

// x[m][8 kt to 8 kt + 7] lies at `at` + kt * k_stride + m * row_stride. With a row stride of 8 one access to
// local memory serves four rows. For sparse weights x[m][k] is the byte at `at` + k * row_stride + m, in
// multiples of 32, and whole words of 32 bytes are read.
[[gnu::always_inline]] inline void activations(const void* at, uint32_t k_stride, uint32_t row_stride) {
  detail::set<isa::systolic_op::kActivations>(ldm_address(at), k_stride << 16 | row_stride);
}
// A tile begins at `at` + nt * (weights' column stride) + kt * k_stride, its rows are row_stride apart. int4
// and sparse: all in multiples of 32; the tile is in one piece.
[[gnu::always_inline]] inline void weights(const void* at, uint32_t k_stride, uint32_t row_stride = 0) {
  detail::set<isa::systolic_op::kWeights>(ldm_address(at), k_stride << 16 | row_stride);
}
// From one column tile to the next, signed.
[[gnu::always_inline]] inline void column_strides(int32_t weights, int32_t output) {
  detail::set<isa::systolic_op::kColumns>(static_cast<uint32_t>(weights), static_cast<uint32_t>(output));
}
// For int4: 16 bytes for each group of k tiles (8 scales, 8 zeros), one group after the other; multiples of
// 16.
[[gnu::always_inline]] inline void groups(const void* scales, int32_t column_stride, uint32_t k_tiles) {
  detail::set<isa::systolic_op::kGroups>(ldm_address(scales),
                                         static_cast<uint32_t>(column_stride) << 8 | k_tiles);
}
// Results of row m, column tile nt: 8 of them at `at` + nt * (output's column stride) + m * row_stride, in
// multiples of 8 results.
[[gnu::always_inline]] inline void output(void* at, int32_t row_stride) {
  detail::set<isa::systolic_op::kOutput>(ldm_address(at), static_cast<uint32_t>(row_stride));
}
// Of the columns; both in multiples of 32.
[[gnu::always_inline]] inline void factors(const float* factors, const float* biases) {
  detail::set<isa::systolic_op::kFactors>(ldm_address(factors), ldm_address(biases));
}
[[gnu::always_inline]] inline void factors(const float* factors) { systolic::factors(factors, factors); }
// A multiple of 32.
[[gnu::always_inline]] inline void row_factors(const float* factors) {
  detail::set<isa::systolic_op::kRows>(ldm_address(factors));
}
[[gnu::always_inline]] inline void clamp(float least, float largest) {
  detail::set<isa::systolic_op::kClamp>(std::bit_cast<uint32_t>(least), std::bit_cast<uint32_t>(largest));
}
[[gnu::always_inline]] inline void size(Size size) {
  detail::set<isa::systolic_op::kSize>(size.column_tiles << 16 | size.k_tiles, size.block << 16 | size.rows);
}

// What it reads may be changed, and what it writes be used, after wait().
[[gnu::always_inline]] inline Ticket run(Mode mode) {
  return {isa::ask<isa::unit::kSystolic, isa::systolic_op::kRun>(mode.word())};
}
// Sleeps until the run and all before it are complete.
[[gnu::always_inline]] inline void wait(Ticket ticket) {
  isa::issue<isa::unit::kSystolic, isa::systolic_op::kWait>(ticket.number);
}
// Whether they are.
[[gnu::always_inline]] inline bool done(Ticket ticket) {
  return isa::ask<isa::unit::kSystolic, isa::systolic_op::kPoll>(ticket.number) != 0;
}

}  // namespace systolic
}  // namespace swai::cpe
