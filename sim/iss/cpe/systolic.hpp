// SPDX-License-Identifier: Apache-2.0
// The systolic unit of a CPE: y[m][n] = sum over k of x[m][k] * w[k][n], bit for bit as hardware does it. A
// run takes place as a whole when it is issued: every wait finds it complete.
//
// What is refused, beside operations that do not exist:
// - a setting: addresses outside of local memory; addresses and strides that are not multiples of 8 (scales
//   16; factors, biases and factors of rows 32); signed strides beyond 18 bits; groups of no k tiles; sizes
//   of 0, more than 256 rows, tiles per block x rows more than 256
// - a run: reserved bits; weights 3; sparse by_column; keep, or no drain, with more than one block; before
//   all that it needs was set (everything is 0 after reset). int4 and sparse weights: their address and
//   strides (but that of rows) in multiples of 32; sparse: activations and their stride of rows, too; with
//   drain: output and its strides in multiples of 8 results
// Bits and settings that a run does not use may be anything.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/iss/cpe/clock.hpp"
#include "sim/iss/cpe/footprint.hpp"
#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/lanes.hpp"
#include "sim/iss/cpe/unit_memory.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class Systolic {
 public:
  static constexpr unsigned kTile = 8;
  static constexpr unsigned kRows = 256;  // of a half of the accumulators

  explicit Systolic(std::span<uint8_t> ldm) : memory_(ldm) {}

  void reset();
  Environment::Answer issue(uint8_t op, uint32_t rs1, uint32_t rs2, uint32_t pc);
  // With an operation that only says what the next run uses. False: refused, and nothing is changed.
  bool set(uint8_t op, uint32_t rs1, uint32_t rs2);

  // Of the run that failed; from then on the CPE stands still. What came before it has been stored.
  const Fault& fault() const { return fault_; }
  // Loads, products and drain go on side by side in hardware: where several of them leave local memory, it
  // reports one of these.
  std::vector<Fault> possible_faults() const;

  // Of a run with the present settings.
  Footprint footprint(uint32_t mode) const;
  Clock::Product takes(uint32_t mode) const;

  uint32_t begun() const { return begun_; }
  // Rows of activations that have gone through the array.
  uint64_t rows() const { return rows_; }
  int32_t sum(unsigned half, unsigned row, unsigned column) const { return sums_[half][row][column]; }
  void visit(Archive& archive);

 private:
  static constexpr int64_t kWord = 32;
  static constexpr int64_t kScalesBytes = 16;      // of a group: 8 scales, 8 zeros
  static constexpr int64_t kSparseHalfBytes = 32;  // of weights; the indices of both halves are as many
  static constexpr int64_t kSparseTileBytes = kWord + 2 * kSparseHalfBytes;
  static constexpr int64_t kInt4TileBytes = 32;

  struct Operand {
    int64_t at = 0;
    int64_t k_stride = 0;
    int64_t row_stride = 0;
  };
  // Addresses count from the start of local memory.
  struct Settings {
    Operand activations;
    Operand weights;
    int64_t weights_column_stride = 0;
    int64_t scales = 0;
    int64_t scales_column_stride = 0;
    uint32_t group = 0;  // k tiles
    int64_t output = 0;
    int64_t output_row_stride = 0;
    int64_t output_column_stride = 0;
    int64_t factors = 0;
    int64_t biases = 0;
    int64_t row_factors = 0;
    uint32_t least = 0;
    uint32_t largest = 0;
    uint32_t column_tiles = 0;
    uint32_t k_tiles = 0;
    uint32_t block = 0;  // column tiles
    uint32_t rows = 0;

    void visit(Archive& archive);
  };
  struct Mode {
    explicit Mode(uint32_t word);

    weights::Kind weights;
    bool by_column;
    bool keep;
    unsigned half;
    bool drain;
    number::Kind result;
    bool row_factors;
    bool bias;
    bool clamp;
    uint32_t reserved;
  };
  // Weights of 8 k and 8 columns as the array multiplies with them.
  struct Tile {
    std::array<std::array<int32_t, kTile>, kTile> weights;  // [k][column]
    std::array<int32_t, kTile> scales;
  };
  // The same for 1x4 blocks: 8 k for each half of the columns.
  struct SparseTile {
    std::array<std::array<uint32_t, kTile>, 2> k;
    std::array<std::array<std::array<int32_t, 4>, kTile>, 2> weights;
  };
  using Row = std::array<int32_t, kTile>;

  bool legal(const Mode& mode) const;
  void run(const Mode& mode);
  // systolic_fast.cpp
  bool is_fast(const Mode& mode) const;
  void multiply(const Mode& mode, unsigned half, uint32_t first_tile, uint32_t tiles);

  void add(unsigned half, uint32_t row, const Row& products, bool overwrite);
  void dense(const Mode& mode, unsigned half, uint32_t first_row, uint32_t column_tile, uint32_t k_tile);
  void sparse(const Mode& mode, unsigned half, uint32_t first_row, uint32_t column_tile, uint32_t k_tile);
  Tile load(const Mode& mode, uint32_t column_tile, uint32_t k_tile) const;
  SparseTile load_sparse(uint32_t column_tile, uint32_t k_tile) const;
  void drain(const Mode& mode, unsigned half, uint32_t first_tile, uint32_t tiles);
  void scale(const lanes::Scaling& scaling, int64_t at);

  // Addresses of a run
  int64_t weights_at(uint32_t column_tile, uint32_t k_tile) const;
  int64_t scales_at(uint32_t column_tile, uint32_t k_tile) const;
  int64_t activations_at(uint32_t k_tile, uint32_t row) const;
  int64_t sparse_activations_at(uint32_t k, uint32_t row) const;
  int64_t output_at(uint32_t column_tile, uint32_t row) const;

  UnitMemory memory_;
  Settings now_;
  std::array<std::array<Row, kRows>, 2> sums_{};
  uint32_t begun_ = 0;
  uint64_t rows_ = 0;
  Fault fault_;
  Settings failed_;  // of the run that failed
  uint32_t failed_mode_ = 0;
  std::vector<uint64_t> activations_;  // of multiply()
  std::vector<uint64_t> weights_;
};

}  // namespace swai::iss::cpe
