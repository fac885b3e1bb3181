// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels in cpe-kernels/samples: shared by them and by those who launch them. All sizes are
// in bytes; "share" is what one CPE of the launch does: part rank of count.
#pragma once

#include "abi/global_ptr.hpp"

namespace swai::cpe {

// fill: fills `bytes` with the low byte of `value`.
struct MemsetArgs {
  GlobalPtr<void> to;
  uint32_t bytes;
  uint32_t value;
};

// The faulty kernels of verif/kit/faulty. `culprit` is the number of the CPE that misbehaves; the others
// return at once.
struct FaultArgs {
  GlobalPtr<void> at;
  uint32_t culprit;
  uint32_t value;
};

// leave: `secret` everywhere in each CPE. leave_shape: the shape of a transfer. look: what is in CPE n, to
// `to` + n * kRemainsBytes: local memory (of kRemainsLdm bytes), both halves of the accumulators, a line with
// operands of the vector unit.
struct RemainsArgs {
  GlobalPtr<void> to;
  uint32_t secret;
  uint32_t reserved;
};
inline constexpr uint32_t kRemainsLdm = 128 << 10;
inline constexpr uint32_t kRemainsBytes = kRemainsLdm + 2 * 256 * 8 * 4 + 64;

// copy: any alignment; the areas do not overlap.
struct CopyArgs {
  GlobalPtr<void> to;
  GlobalPtr<const void> from;
  uint32_t bytes;
  uint32_t reserved;
};

// broadcast: in each row the CPE in column `sender` loads `bytes` from `from` + row * bytes and sends them
// `rounds` times to all others of its row; every CPE, the sender too, stores what it has to `to` + number *
// bytes. Sizes in multiples of 32.
struct BroadcastArgs {
  GlobalPtr<void> to;
  GlobalPtr<const void> from;
  uint32_t bytes;
  uint32_t sender;
  uint32_t rounds;
  uint32_t reserved;
};

// sync_loop: `rounds` barriers of all, or of rows (1), or of columns (2).
struct SyncArgs {
  uint32_t rounds;
  uint32_t scope;
};

// stream: each CPE moves its share, `bytes` from `at` + rank * bytes on, in pieces of `piece` bytes, as many
// under way as local memory has room for, at most 8. mode 0 loads, 1 stores (whatever is in local memory),
// `rounds` times over.
struct StreamArgs {
  GlobalPtr<void> at;
  uint32_t bytes;
  uint32_t piece;
  uint32_t mode;
  uint32_t rounds;
};

// hand_over and its three sisters: no structure, but this word as the launch's argument. Each CPE of the
// group loads its share, so many lines, of what lies in the segment from `first` (whole KiB) on; in a `whole`
// part all load the same ones. The lines of the second part, `last`, go to local memory behind those of the
// first; then the last CPE's last line goes to the beginning of the segment with the next number.
class HandoverWord {
 public:
  static constexpr uint32_t kUnit = 1024;
  constexpr explicit HandoverWord(uint32_t word) : word_(word) {}
  // The segment below 256; fewer than 4096 units and lines.
  constexpr HandoverWord(uint32_t segment, uint32_t first, uint32_t lines)
      : word_(segment << 24 | first / kUnit << 12 | lines) {}
  constexpr uint32_t word() const { return word_; }
  constexpr uint16_t segment() const { return static_cast<uint16_t>(word_ >> 24); }
  constexpr uint32_t first() const { return (word_ >> 12 & 0xfff) * kUnit; }
  constexpr uint32_t lines() const { return word_ & 0xfff; }

 private:
  uint32_t word_;
};

// wipe: likewise, with the segments of its own code and of the groups' registers.
class WipeWord {
 public:
  constexpr explicit WipeWord(uint32_t word) : word_(word) {}
  constexpr WipeWord(uint16_t code, uint16_t registers) : word_(uint32_t{registers} << 16 | code) {}
  constexpr uint32_t word() const { return word_; }
  constexpr uint16_t code() const { return static_cast<uint16_t>(word_); }
  constexpr uint16_t registers() const { return static_cast<uint16_t>(word_ >> 16); }

 private:
  uint32_t word_;
};

// scalar: a mix of arithmetic, loads, stores and branches for `rounds` rounds; every CPE stores a check value
// to `to`[number].
struct ScalarArgs {
  GlobalPtr<uint32_t> to;
  uint32_t rounds;
  uint32_t reserved;
};

// tile_gemm: the systolic unit by itself, out of local memory. Each CPE loads x and w, the same for all,
// makes the product `rounds` times and stores it to `y` + number * its bytes. A null pointer: that is not
// moved. x int8 [k_tiles][rows][8], w int8 [column_tiles][k_tiles][8 k][8 columns], y int32
// [column_tiles][rows][8].
struct TileGemmArgs {
  GlobalPtr<int32_t> y;
  GlobalPtr<const int8_t> x;
  GlobalPtr<const int8_t> w;
  uint32_t rows;
  uint32_t k_tiles;
  uint32_t column_tiles;
  uint32_t block;  // column tiles; block * rows <= 256
  uint32_t rounds;
  uint32_t reserved;
};

// sparse_gemm: the same with sparse weights. x int8 [depth][rows rounded up to 32], w [column_tiles][k_tiles]
// of 96 bytes (systolic.hpp), y as above.
struct SparseGemmArgs {
  GlobalPtr<int32_t> y;
  GlobalPtr<const int8_t> x;
  GlobalPtr<const void> w;
  uint32_t rows;
  uint32_t depth;
  uint32_t k_tiles;
  uint32_t column_tiles;
  uint32_t block;
  uint32_t rounds;
};

// gemm: y = x * w by all CPEs of the group. x int8 [rows][depth], w int8 [depth][columns]; depth and columns
// are multiples of 8. Without factors y is int32 [rows][columns]; with, it is result (a Number: fp32, fp16,
// int8) of sum * factors[column], + biases[column] if there are some. `rounds` times over.
struct GemmArgs {
  GlobalPtr<void> y;
  GlobalPtr<const int8_t> x;
  GlobalPtr<const int8_t> w;
  GlobalPtr<const float> factors;
  GlobalPtr<const float> biases;
  uint32_t rows;
  uint32_t depth;
  uint32_t columns;
  uint32_t result;
  uint32_t rounds;
  uint32_t reserved;
};

// gemv: y[columns] = x[depth] * w, int4 weights in groups of 32 along depth, by all CPEs of the launch; depth
// and columns are multiples of 8. A column tile of w is depth / 8 tiles of 32 bytes [8 k][8 columns], then 16
// bytes for each group (8 scales, 8 zeros), all of it rounded up to whole lines: gemv_tile_bytes(depth). y is
// float, sum * factors[column]; without factors int32. `rounds` times over.
struct GemvArgs {
  GlobalPtr<void> y;
  GlobalPtr<const int8_t> x;
  GlobalPtr<const void> w;
  GlobalPtr<const float> factors;
  uint32_t depth;
  uint32_t columns;
  uint32_t rounds;
  uint32_t reserved;
};
inline constexpr uint32_t kGemvGroup = 4;  // k tiles
constexpr uint32_t gemv_tile_bytes(uint32_t depth) {
  const uint32_t k_tiles = depth / 8;
  return (k_tiles * 32 + (k_tiles + kGemvGroup - 1) / kGemvGroup * 16 + 63) / 64 * 64;
}

// softmax: each CPE takes `rows` rows of `columns` scores (a multiple of 8) from `scores` + rank * rows on,
// in batches of `batch` rows: to = round(127 * 2^(scale * score - the row's largest)), and the row's sum of
// this before it is rounded. What a row's probabilities are is to / sum. `rounds` times over each batch in
// local memory.
struct SoftmaxArgs {
  GlobalPtr<int8_t> to;   // [rows of all][columns]
  GlobalPtr<float> sums;  // [rows of all]
  GlobalPtr<const int32_t> scores;
  uint32_t rows;
  uint32_t columns;
  uint32_t batch;
  float scale;  // with log2(e) in it
  uint32_t rounds;
  uint32_t reserved;
};

// axpy: y = a * x + y, `count` numbers divided among the CPEs.
struct AxpyArgs {
  GlobalPtr<float> y;
  GlobalPtr<const float> x;
  uint32_t count;
  float a;
};

// fma_loop: the vector unit by itself, out of local memory: each CPE loads three vectors of `elements`, [3]
// [elements], the same for all, and computes a * b + c `rounds` times; the result goes to `to` + number *
// elements. A null pointer: that is not moved.
struct FmaLoopArgs {
  GlobalPtr<float> to;
  GlobalPtr<const float> from;
  uint32_t elements;
  uint32_t rounds;
};

}  // namespace swai::cpe
