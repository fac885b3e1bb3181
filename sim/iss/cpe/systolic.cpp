// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/systolic.hpp"

#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/fp32.hpp"

namespace swai::iss::cpe {

using Answer = Environment::Answer;

namespace {

constexpr int64_t local(uint32_t address) { return int64_t{address} - kLdmBase; }
constexpr int64_t stride(uint32_t value) { return static_cast<int32_t>(value); }
constexpr int32_t nibble(const uint8_t* bytes, unsigned number) {
  return bytes[number / 2] >> 4 * (number % 2) & 15;
}

}  // namespace

Systolic::Mode::Mode(uint32_t word)
    : weights(static_cast<weights::Kind>(systolic_mode::kWeights.get(word))),
      by_column(systolic_mode::kByColumn.get(word) != 0),
      keep(systolic_mode::kKeep.get(word) != 0),
      half(static_cast<uint32_t>(systolic_mode::kHalf.get(word))),
      drain(systolic_mode::kDrain.get(word) != 0),
      result(static_cast<number::Kind>(systolic_mode::kResult.get(word))),
      row_factors(systolic_mode::kRowFactors.get(word) != 0),
      bias(systolic_mode::kBias.get(word) != 0),
      clamp(systolic_mode::kClamp.get(word) != 0),
      reserved(static_cast<uint32_t>(systolic_mode::kReserved.get(word))) {}

void Systolic::reset() {
  now_ = {};
  begun_ = 0;
  fault_ = {};
}

Answer Systolic::issue(uint8_t op, uint32_t rs1, uint32_t rs2, uint32_t pc) {
  switch (op) {
    case systolic_op::kRun: {
      const Mode mode(rs1);
      if (!legal(mode)) return {.kind = Answer::kBad};
      ++begun_;
      try {
        run(mode);
      } catch (const Overrun& overrun) {
        fault_ = overrun_fault(overrun, pc);
        failed_ = now_;
        failed_mode_ = rs1;
      }
      return {.data = begun_};
    }
    case systolic_op::kWait:
      return {.kind = reached(begun_, rs1) ? Answer::kDone : Answer::kWait};
    case systolic_op::kPoll:
      return {.data = reached(begun_, rs1)};
    default:
      return {.kind = set(op, rs1, rs2) ? Answer::kDone : Answer::kBad};
  }
}

bool Systolic::set(uint8_t op, uint32_t rs1, uint32_t rs2) {
  const uint32_t upper = rs2 >> 16;
  const uint32_t lower = rs2 & 0xffff;
  switch (op) {
    case systolic_op::kActivations:
    case systolic_op::kWeights:
      if (!legal_address(rs1, 8) || upper % 8 != 0 || lower % 8 != 0) return false;
      (op == systolic_op::kWeights ? now_.weights : now_.activations) = {
          .at = local(rs1), .k_stride = upper, .row_stride = lower};
      return true;
    case systolic_op::kColumns:
      if (!legal_stride(rs1, 8) || !legal_stride(rs2, 8)) return false;
      now_.weights_column_stride = stride(rs1);
      now_.output_column_stride = stride(rs2);
      return true;
    case systolic_op::kGroups: {
      const auto column_stride = static_cast<uint32_t>(static_cast<int32_t>(rs2) >> 8);
      if (!legal_address(rs1, 16) || !legal_stride(column_stride, 16) || (rs2 & 0xff) == 0) return false;
      now_.scales = local(rs1);
      now_.scales_column_stride = stride(column_stride);
      now_.group = rs2 & 0xff;
      return true;
    }
    case systolic_op::kOutput:
      if (!legal_address(rs1, 8) || !legal_stride(rs2, 8)) return false;
      now_.output = local(rs1);
      now_.output_row_stride = stride(rs2);
      return true;
    case systolic_op::kFactors:
      if (!legal_address(rs1, kWord) || !legal_address(rs2, kWord)) return false;
      now_.factors = local(rs1);
      now_.biases = local(rs2);
      return true;
    case systolic_op::kRows:
      if (!legal_address(rs1, kWord)) return false;
      now_.row_factors = local(rs1);
      return true;
    case systolic_op::kClamp:
      now_.least = rs1;
      now_.largest = rs2;
      return true;
    case systolic_op::kSize:
      if (rs1 >> 16 == 0 || (rs1 & 0xffff) == 0 || upper == 0 || lower == 0 || upper * lower > kRows) {
        return false;
      }
      now_.column_tiles = rs1 >> 16;
      now_.k_tiles = rs1 & 0xffff;
      now_.block = upper;
      now_.rows = lower;
      return true;
    default:
      return false;
  }
}

bool Systolic::legal(const Mode& mode) const {
  if (mode.reserved != 0 || mode.weights > weights::kSparse || now_.rows == 0) return false;
  const bool one_block = now_.column_tiles <= now_.block;
  if ((mode.keep || !mode.drain) && !one_block) return false;
  const auto multiple = [](int64_t unit, std::initializer_list<int64_t> values) {
    return std::ranges::all_of(values, [&](int64_t value) { return value % unit == 0; });
  };
  if (mode.weights != weights::kInt8 &&
      !multiple(kWord, {now_.weights.at, now_.weights.k_stride, now_.weights_column_stride})) {
    return false;
  }
  if (mode.weights == weights::kInt4 && now_.group == 0) return false;
  if (mode.weights == weights::kSparse &&
      (mode.by_column || !multiple(kWord, {now_.activations.at, now_.activations.row_stride}))) {
    return false;
  }
  return !mode.drain || multiple(kTile * bytes_of(mode.result),
                                 {now_.output, now_.output_row_stride, now_.output_column_stride});
}

int64_t Systolic::weights_at(uint32_t column_tile, uint32_t k_tile) const {
  return now_.weights.at + column_tile * now_.weights_column_stride + k_tile * now_.weights.k_stride;
}
int64_t Systolic::scales_at(uint32_t column_tile, uint32_t k_tile) const {
  return now_.scales + column_tile * now_.scales_column_stride + k_tile / now_.group * kScalesBytes;
}
int64_t Systolic::activations_at(uint32_t k_tile, uint32_t row) const {
  return now_.activations.at + k_tile * now_.activations.k_stride + row * now_.activations.row_stride;
}
int64_t Systolic::sparse_activations_at(uint32_t k, uint32_t row) const {
  return now_.activations.at + k * now_.activations.row_stride + row;
}
int64_t Systolic::output_at(uint32_t column_tile, uint32_t row) const {
  return now_.output + column_tile * now_.output_column_stride + row * now_.output_row_stride;
}

Clock::Product Systolic::takes(uint32_t word) const {
  const Mode mode(word);
  const uint64_t rows = now_.rows;
  const uint64_t tile =
      mode.weights == weights::kSparse
          ? std::max(costs::kSparseTile,
                     (rows + costs::kSparseRows - 1) / costs::kSparseRows * costs::kSparseRows)
          : std::max(rows, mode.weights == weights::kInt4 ? costs::kInt4Tile : costs::kInt8Tile);
  const uint64_t drain_row =
      mode.result == number::kInt32 ? 1 : costs::kDrainRow * (mode.row_factors ? 2 : 1);
  const uint64_t drain = !mode.drain ? 0 : rows * drain_row + costs::kDrainTile;
  const uint32_t blocks = (now_.column_tiles + now_.block - 1) / now_.block;
  const uint64_t last = now_.column_tiles - (blocks - 1) * now_.block;
  return {.blocks = blocks,
          .array = now_.block * now_.k_tiles * tile,
          .last_array = last * now_.k_tiles * tile,
          .drain = now_.block * drain,
          .last_drain = last * drain,
          .half = static_cast<uint8_t>(mode.half)};
}

void Systolic::run(const Mode& mode) {
  unsigned half = mode.half;
  const bool fast = is_fast(mode);
  for (uint32_t first = 0; first < now_.column_tiles; first += now_.block, half ^= 1) {
    const uint32_t tiles = std::min(now_.block, now_.column_tiles - first);
    if (fast) multiply(mode, half, first, tiles);
    for (uint32_t tile = 0; tile < tiles && !fast; ++tile) {
      for (uint32_t k_tile = 0; k_tile < now_.k_tiles; ++k_tile) {
        if (mode.weights == weights::kSparse) {
          sparse(mode, half, tile * now_.rows, first + tile, k_tile);
        } else {
          dense(mode, half, tile * now_.rows, first + tile, k_tile);
        }
      }
    }
    if (mode.drain) drain(mode, half, first, tiles);
  }
}

void Systolic::add(unsigned half, uint32_t row, const Row& products, bool overwrite) {
  Row& sums = sums_[half][row];
  for (unsigned n = 0; n < kTile; ++n) {
    // Modulo 2^32.
    const uint32_t before = overwrite ? 0 : static_cast<uint32_t>(sums[n]);
    sums[n] = static_cast<int32_t>(before + static_cast<uint32_t>(products[n]));
  }
  ++rows_;
}

Systolic::Tile Systolic::load(const Mode& mode, uint32_t column_tile, uint32_t k_tile) const {
  Tile tile{};
  tile.scales.fill(1);
  const int64_t at = weights_at(column_tile, k_tile);
  if (mode.weights == weights::kInt8) {
    for (unsigned r = 0; r < kTile; ++r) {
      const uint8_t* const row = memory_.read(at + r * now_.weights.row_stride);
      for (unsigned c = 0; c < kTile; ++c) {
        (mode.by_column ? tile.weights[c][r] : tile.weights[r][c]) = static_cast<int8_t>(row[c]);
      }
    }
    return tile;
  }
  const uint8_t* const group = memory_.read(scales_at(column_tile, k_tile));
  const uint8_t* const packed = memory_.read(at);
  for (unsigned n = 0; n < kTile; ++n) {
    tile.scales[n] = group[n];
    const int32_t zero = group[kTile + n] & 15;
    for (unsigned k = 0; k < kTile; ++k) {
      tile.weights[k][n] = nibble(packed, mode.by_column ? n * kTile + k : k * kTile + n) - zero;
    }
  }
  return tile;
}

void Systolic::dense(const Mode& mode, unsigned half, uint32_t first_row, uint32_t column_tile,
                     uint32_t k_tile) {
  const Tile tile = load(mode, column_tile, k_tile);
  for (uint32_t row = 0; row < now_.rows; ++row) {
    const uint8_t* const x = memory_.read(activations_at(k_tile, row));
    Row products{};
    for (unsigned k = 0; k < kTile; ++k) {
      for (unsigned n = 0; n < kTile; ++n) products[n] += static_cast<int8_t>(x[k]) * tile.weights[k][n];
    }
    for (unsigned n = 0; n < kTile; ++n) products[n] *= tile.scales[n];
    add(half, first_row + row, products, k_tile == 0 && !mode.keep);
  }
}

Systolic::SparseTile Systolic::load_sparse(uint32_t column_tile, uint32_t k_tile) const {
  SparseTile tile{};
  const int64_t at = weights_at(column_tile, k_tile);
  const uint8_t* const indices = memory_.read(at);
  for (unsigned half = 0; half < 2; ++half) {
    const auto* const weights =
        reinterpret_cast<const int8_t*>(memory_.read(at + kWord + half * kSparseHalfBytes));
    for (unsigned i = 0; i < kTile; ++i) {
      const uint8_t* const index = indices + 2 * (half * kTile + i);
      tile.k[half][i] = index[0] | uint32_t{index[1]} << 8;
      for (unsigned c = 0; c < 4; ++c) tile.weights[half][i][c] = weights[4 * i + c];
    }
  }
  return tile;
}

void Systolic::sparse(const Mode& mode, unsigned half, uint32_t first_row, uint32_t column_tile,
                      uint32_t k_tile) {
  const SparseTile tile = load_sparse(column_tile, k_tile);
  for (uint32_t row = 0; row < now_.rows; ++row) {
    Row products{};
    for (unsigned n = 0; n < kTile; ++n) {
      for (unsigned i = 0; i < kTile; ++i) {
        const auto x = static_cast<int8_t>(*memory_.read(sparse_activations_at(tile.k[n / 4][i], row)));
        products[n] += x * tile.weights[n / 4][i][n % 4];
      }
    }
    add(half, first_row + row, products, k_tile == 0 && !mode.keep);
  }
}

void Systolic::drain(const Mode& mode, unsigned half, uint32_t first_tile, uint32_t tiles) {
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    const uint32_t column_tile = first_tile + tile;
    for (uint32_t row = 0; row < now_.rows; ++row) {
      const Row& sums = sums_[half][tile * now_.rows + row];
      const int64_t at = output_at(column_tile, row);
      if (mode.result == number::kInt32) {
        memory_.write(at, sums);
        continue;
      }
      const int64_t columns = int64_t{column_tile} * kWord;
      const lanes::Scaling scaling{
          .sums = reinterpret_cast<const uint8_t*>(sums.data()),
          .factors = memory_.read(now_.factors + columns),
          .row_factor = mode.row_factors ? memory_.read(now_.row_factors + int64_t{4} * row) : nullptr,
          .biases = mode.bias ? memory_.read(now_.biases + columns) : nullptr,
          .clamp = mode.clamp,
          .least = now_.least,
          .largest = now_.largest,
          .number = mode.result};
      memory_.check(at, Access::kWrite);
      if (lanes::available()) {
        lanes::scale(scaling, memory_.at(at));
      } else {
        scale(scaling, at);
      }
    }
  }
}

void Systolic::scale(const lanes::Scaling& scaling, int64_t at) {
  const auto word = [](const uint8_t* words, unsigned n) {
    uint32_t value = 0;
    std::memcpy(&value, words + n * sizeof value, sizeof value);
    return value;
  };
  std::array<uint32_t, kTile> values{};
  std::array<uint16_t, kTile> halves{};
  std::array<int8_t, kTile> bytes{};
  for (unsigned n = 0; n < kTile; ++n) {
    uint32_t factor = word(scaling.factors, n);
    if (scaling.row_factor != nullptr) factor = fp32::mul(factor, word(scaling.row_factor, 0));
    const uint32_t bias = scaling.biases != nullptr ? word(scaling.biases, n) : Reduction::kMinusZero;
    values[n] = fp32::fma(fp32::of_int32(static_cast<int32_t>(word(scaling.sums, n))), factor, bias);
    if (scaling.clamp) values[n] = fp32::min(fp32::max(values[n], scaling.least), scaling.largest);
    halves[n] = fp32::to_fp16(values[n]);
    bytes[n] = fp32::to_int8(values[n]);
  }
  if (scaling.number == number::kFp32) memory_.write(at, values);
  if (scaling.number == number::kFp16) memory_.write(at, halves);
  if (scaling.number == number::kInt8) memory_.write(at, bytes);
}

std::vector<Fault> Systolic::possible_faults() const {
  std::vector<Fault> faults;
  if (fault_.cause == Cause::kNone) return faults;
  // The first bad address of each stream of accesses.
  Systolic unit(*this);
  unit.now_ = failed_;
  const Mode mode(failed_mode_);
  const Settings& run = unit.now_;
  const auto tiles = [&](auto access) {
    try {
      for (uint32_t column = 0; column < run.column_tiles; ++column) {
        for (uint32_t k = 0; k < run.k_tiles; ++k) access(column, k);
      }
    } catch (const Overrun& overrun) {
      faults.push_back(overrun_fault(overrun, fault_.pc));
    }
  };
  const auto rows = [&](auto access) {
    try {
      for (uint32_t column = 0; column < run.column_tiles; ++column) {
        for (uint32_t row = 0; row < run.rows; ++row) access(column, row);
      }
    } catch (const Overrun& overrun) {
      faults.push_back(overrun_fault(overrun, fault_.pc));
    }
  };
  if (mode.weights == weights::kSparse) {
    tiles([&](uint32_t column, uint32_t k) { unit.load_sparse(column, k); });
    tiles([&](uint32_t column, uint32_t k) {
      SparseTile tile{};
      try {
        tile = unit.load_sparse(column, k);
      } catch (const Overrun&) {
        return;
      }
      for (uint32_t row = 0; row < run.rows; row += kWord) {
        for (const auto& half : tile.k) {
          for (const uint32_t index : half) unit.memory_.read(unit.sparse_activations_at(index, row));
        }
      }
    });
  } else {
    tiles([&](uint32_t column, uint32_t k) {
      const unsigned lines = mode.weights == weights::kInt8 ? kTile : 1;
      for (unsigned r = 0; r < lines; ++r)
        unit.memory_.read(unit.weights_at(column, k) + r * run.weights.row_stride);
    });
    tiles([&](uint32_t, uint32_t k) {
      for (uint32_t row = 0; row < run.rows; ++row) unit.memory_.read(unit.activations_at(k, row));
    });
  }
  if (mode.weights == weights::kInt4) {
    tiles([&](uint32_t column, uint32_t k) { unit.memory_.read(unit.scales_at(column, k)); });
  }
  if (!mode.drain) return faults;
  rows([&](uint32_t column, uint32_t row) {
    unit.memory_.check(unit.output_at(column, row), Access::kWrite);
  });
  if (mode.result == number::kInt32) return faults;
  rows([&](uint32_t column, uint32_t) { unit.memory_.read(run.factors + column * kWord); });
  if (mode.bias) rows([&](uint32_t column, uint32_t) { unit.memory_.read(run.biases + column * kWord); });
  if (mode.row_factors) {
    rows([&](uint32_t, uint32_t row) { unit.memory_.read(run.row_factors + int64_t{4} * row); });
  }
  return faults;
}

// --- For checks

// Of sparse weights whole words of activations are read, but what is not used does not count.
Footprint Systolic::footprint(uint32_t word) const {
  const Mode mode(word);
  Footprint uses;
  if (!legal(mode)) return uses;
  const auto tiles = [&](auto use) {
    for (uint32_t column = 0; column < now_.column_tiles; ++column) {
      for (uint32_t k = 0; k < now_.k_tiles; ++k) use(column, k);
    }
  };
  LdmBytes& reads = uses.reads;
  if (mode.weights == weights::kSparse) {
    tiles([&](uint32_t column, uint32_t k) {
      reads.add(weights_at(column, k), kSparseTileBytes);
      try {
        for (const auto& half : load_sparse(column, k).k) {
          for (const uint32_t index : half) reads.add(sparse_activations_at(index, 0), now_.rows);
        }
      } catch (const Overrun&) {  // the run will fault
      }
    });
  } else {
    if (mode.weights == weights::kInt4) {
      tiles([&](uint32_t column, uint32_t k) { reads.add(weights_at(column, k), kInt4TileBytes); });
      tiles([&](uint32_t column, uint32_t k) { reads.add(scales_at(column, k), kScalesBytes); });
    } else {
      tiles([&](uint32_t column, uint32_t k) {
        const int64_t at = weights_at(column, k);
        for (unsigned row = 0; row < kTile; ++row) reads.add(at + row * now_.weights.row_stride, kTile);
      });
    }
    // What lies side by side goes together.
    const bool by_k = now_.activations.k_stride < now_.activations.row_stride;
    for (uint32_t i = 0; i < (by_k ? now_.rows : now_.k_tiles); ++i) {
      for (uint32_t j = 0; j < (by_k ? now_.k_tiles : now_.rows); ++j) {
        reads.add(by_k ? activations_at(j, i) : activations_at(i, j), kTile);
      }
    }
  }
  if (mode.drain) {
    const bool scaled = mode.result != number::kInt32;
    for (uint32_t column = 0; column < now_.column_tiles; ++column) {
      for (uint32_t row = 0; row < now_.rows; ++row) {
        uses.writes.add(output_at(column, row), kTile * bytes_of(mode.result));
      }
      if (scaled) reads.add(now_.factors + column * kWord, kWord);
      if (scaled && mode.bias) reads.add(now_.biases + column * kWord, kWord);
    }
    if (scaled && mode.row_factors) reads.add(now_.row_factors, int64_t{4} * now_.rows);
  }
  uses.reads_late = reads;
  return uses;
}

}  // namespace swai::iss::cpe
