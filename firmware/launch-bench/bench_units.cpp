// SPDX-License-Identifier: Apache-2.0
// The arithmetic units of the CPEs.
#include <bit>

#include "abi/kernel_arguments.hpp"
#include "firmware/launch-bench/bench.hpp"

namespace swai::launch_bench {
namespace {

using cpe::GlobalPtr;

// As many rows as half of the accumulators holds, and columns for which all fits into local memory.
constexpr uint32_t kRows = 256;
constexpr uint32_t kColumnTiles = 4;
constexpr uint64_t kWeights = 0x100'0000;

// A sparse tile: 8 indices for each of two times four columns, then weights (abi/kernel_arguments.hpp).
constexpr uint32_t kSparseTileBytes = 96;
constexpr uint32_t kEntries = 8;
// One block of 1 x 4 weights in so many is there.
constexpr uint32_t kDense = 5;

class Random {
 public:
  uint32_t below(uint32_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % bound;
  }

 private:
  uint32_t state_ = 0x9e37'79b9;
};

// Of all blocks of each four columns one in kDense, any of them with the same chance, by k. Weights are 0.
void draw_blocks(uint64_t at, uint32_t column_tiles, uint32_t k_tiles) {
  const uint32_t bytes = column_tiles * k_tiles * kSparseTileBytes;
  group::DirectMachine::zero(at, bytes);
  Random random;
  for (uint32_t column = 0; column < column_tiles; ++column) {
    for (uint32_t half = 0; half < 2; ++half) {
      uint32_t drawn = 0;
      const uint32_t wanted = k_tiles * kEntries;
      for (uint32_t k = 0; k < kDense * wanted; ++k) {
        if (random.below(kDense * wanted - k) >= wanted - drawn) continue;
        const uint64_t tile = at + uint64_t{column * k_tiles + drawn / kEntries} * kSparseTileBytes;
        reinterpret_cast<uint16_t*>(tile)[half * kEntries + drawn % kEntries] = static_cast<uint16_t>(k);
        ++drawn;
      }
    }
  }
  group::DirectMachine::publish(at, bytes);
}

}  // namespace

template <typename Args>
void Bench::measure(Program program, std::string_view kernel, Args arguments, std::string_view name,
                    uint64_t work) {
  Args once = arguments;
  if constexpr (requires { once.rounds; }) once.rounds = 1;
  run(program, kernel, &once, sizeof(once));
  const Run done = run(program, kernel, &arguments, sizeof(arguments));
  JsonLine line(name);
  line.add("work", work)
      .add("cpes", static_cast<uint64_t>(std::popcount(mask_)))
      .add("cycles", done.result.cycles)
      .add("ended", static_cast<uint64_t>(done.ended))
      .add("failed", static_cast<uint64_t>(done.result.failed));
}

// Work: rows that enter the array, for each CPE.
void Bench::systolic(uint32_t rounds, uint32_t k_tiles) {
  cpe::TileGemmArgs arguments = {};
  arguments.rows = kRows;
  arguments.k_tiles = k_tiles;
  arguments.column_tiles = kColumnTiles;
  arguments.block = 1;
  arguments.rounds = rounds;
  measure(kGemm, "tile_gemm", arguments, "systolic", uint64_t{rounds} * kRows * k_tiles * kColumnTiles);
}

// One in kDense blocks is there; work: rows that a dense product takes.
void Bench::sparse(uint32_t rounds, uint32_t k_tiles) {
  draw_blocks(kData + kWeights, kColumnTiles, k_tiles);
  cpe::SparseGemmArgs arguments = {};
  arguments.w = GlobalPtr<const void>(kDataSegment, kWeights);
  arguments.rows = kRows;
  arguments.depth = kDense * kEntries * k_tiles;
  arguments.k_tiles = k_tiles;
  arguments.column_tiles = kColumnTiles;
  arguments.block = 1;
  arguments.rounds = rounds;
  measure(kSparse, "sparse_gemm", arguments, "sparse",
          uint64_t{rounds} * kRows * kDense * k_tiles * kColumnTiles);
}

// Work: elements, for each CPE.
void Bench::vector(uint32_t rounds, uint32_t elements) {
  cpe::FmaLoopArgs arguments = {};
  arguments.elements = elements;
  arguments.rounds = rounds;
  measure(kAxpy, "fma_loop", arguments, "vector", uint64_t{rounds} * elements);
}

// Work: scores, for each CPE.
void Bench::softmax(uint32_t rounds) {
  constexpr uint32_t kBatch = 8;
  constexpr uint32_t kColumns = 1504;
  constexpr float kScale = 0.01F;
  cpe::SoftmaxArgs arguments = {};
  arguments.to = GlobalPtr<int8_t>(kDataSegment, 0x800'0000);
  arguments.sums = GlobalPtr<float>(kDataSegment, 0xc00'0000);
  arguments.scores = GlobalPtr<const int32_t>(kDataSegment, 0);
  arguments.rows = kBatch;
  arguments.columns = kColumns;
  arguments.batch = kBatch;
  arguments.scale = kScale;
  arguments.rounds = rounds;
  measure(kSoftmax, "softmax", arguments, "softmax", uint64_t{rounds} * kBatch * kColumns);
}

// Work: bytes of weights, scales and zeros, of all CPEs.
void Bench::gemv(uint32_t depth, uint32_t columns) {
  cpe::GemvArgs arguments = {};
  arguments.y = GlobalPtr<void>(kDataSegment, 0);
  arguments.x = GlobalPtr<const int8_t>(kDataSegment, 0x10'0000);
  arguments.w = GlobalPtr<const void>(kDataSegment, kWeights);
  arguments.depth = depth;
  arguments.columns = columns;
  arguments.rounds = 1;
  measure(kGemv, "gemv", arguments, "gemv", uint64_t{columns / 8} * cpe::gemv_tile_bytes(depth));
}

// Work: products, of all CPEs.
void Bench::gemm(uint32_t rows, uint32_t depth, uint32_t columns) {
  cpe::GemmArgs arguments = {};
  arguments.y = GlobalPtr<void>(kDataSegment, 0x800'0000);
  arguments.x = GlobalPtr<const int8_t>(kDataSegment, 0);
  arguments.w = GlobalPtr<const int8_t>(kDataSegment, kWeights);
  arguments.rows = rows;
  arguments.depth = depth;
  arguments.columns = columns;
  arguments.rounds = 1;
  measure(kGemm, "gemm", arguments, "gemm", uint64_t{rows} * depth * columns);
}

}  // namespace swai::launch_bench
