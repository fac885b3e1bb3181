// SPDX-License-Identifier: Apache-2.0
// A run of the systolic unit as a program would write it: its settings, and the commands that make them.
// Random ones keep what they read and what they write apart, so that it does not matter which of two runs
// under way is how far.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::cpe {

using iss::cpe::Command;

// Local memory in the tests, in bytes from its beginning.
namespace map {
constexpr unsigned kBytes = 128 * 1024;
constexpr unsigned kLow = 0;          // operands
constexpr unsigned kSparse = 0x8000;  // tiles of 1x4 blocks whose indices are small, up to kOutput
constexpr unsigned kOutput = 0xc000;  // results
constexpr unsigned kHigh = 0x1'8000;  // operands, up to the end
constexpr unsigned kSparseTile = 96;
constexpr unsigned kSparseTiles = (kOutput - kSparse) / kSparseTile;
constexpr unsigned kIndices = 96;  // indices are below that
}  // namespace map

struct Run {
  int32_t activations = 0, activations_k = 0, activations_row = 0;
  int32_t weights = 0, weights_k = 0, weights_row = 0, weights_column = 0;
  int32_t scales = 0, scales_column = 0;
  int32_t out = 0, out_row = 0, out_column = 0;
  int32_t factors = 0, biases = 0, row_factors = 0;
  uint32_t least = 0, largest = 0;
  uint32_t group = 1;
  uint32_t column_tiles = 1, k_tiles = 1, block = 1, rows = 1;
  // Mode
  iss::cpe::weights::Kind kind = iss::cpe::weights::kInt8;
  bool by_column = false, keep = false, drain = true, use_row_factors = false, bias = false, clamp = false;
  unsigned half = 0;
  iss::cpe::number::Kind result = iss::cpe::number::kInt32;

  uint32_t mode() const;
  std::vector<Command> settings() const;  // those that the run needs
  Command command() const {
    return {.unit = iss::cpe::unit::kSystolic, .op = iss::cpe::systolic_op::kRun, .rs1 = mode()};
  }
  uint64_t steps() const { return uint64_t{column_tiles} * k_tiles * rows; }
  std::string text() const;
};

// Numbers for factors, and bytes for everything else; valid tiles of 1x4 blocks where they belong.
void fill_memory(std::span<uint8_t> memory, verif::Random& random);
uint32_t random_float(verif::Random& random);

// A run that stays inside.
Run random_run(verif::Random& random);
// One that leaves local memory somewhere; what it reads and writes before that are places for it.
Run random_overrun(verif::Random& random);
// A run with every accumulator of both halves written.
Run first_run();
// A command that makes no sense, whatever was set before.
Command random_nonsense(verif::Random& random);

}  // namespace swai::cpe
