// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/systolic/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

namespace swai::cpe {

using namespace isa;
namespace op = isa::systolic_op;
using verif::Random;

namespace {

constexpr int32_t kWord = 32;
constexpr uint32_t kSums = 256;
constexpr unsigned kOddTiles = 8;  // the last sparse tiles: an index of each leads far away
constexpr uint64_t kFarIndex = 4096;
constexpr uint64_t kMostSteps = 3000;
constexpr unsigned kPatches = 400;
constexpr size_t kPatch = 64;

struct Extent {
  uint32_t count;
  int32_t stride;
};

int32_t pick(Random& random, int32_t low, int32_t high) {
  return low + static_cast<int32_t>(random.below(static_cast<uint64_t>(high - low + 1)));
}

// A stride of `count` things that may lie in `space` bytes: mostly side by side, sometimes all at one place.
int32_t random_stride(Random& random, int32_t unit, uint32_t count, int32_t space, int32_t beside) {
  constexpr uint32_t kMany = 200;
  constexpr int32_t kLongest = 0xff00;  // fits the field of every command
  if (count > kMany && random.chance(90)) return 0;
  const auto most = std::min(space / static_cast<int32_t>(count), kLongest) / unit;
  if (random.chance(50) && beside <= kLongest) return beside;
  if (random.chance(10)) return 0;
  return unit * pick(random, 0, random.chance(50) ? std::min(most, 8) : most);
}

// Somewhere between low and high for `size` bytes at each of the places; nothing when they need more room.
std::optional<int32_t> place(Random& random, int32_t low, int32_t high, int32_t unit, int32_t size,
                             std::initializer_list<Extent> extents) {
  int64_t first = 0, last = 0;
  for (const auto& extent : extents) {
    const int64_t reach = int64_t{extent.count - 1} * extent.stride;
    (reach < 0 ? first : last) += reach;
  }
  const int64_t from = low - first, to = high - size - last;
  if (from > to) return std::nullopt;
  if (random.chance(10)) return static_cast<int32_t>(to / unit * unit);
  return static_cast<int32_t>(from +
                              pick(random, 0, static_cast<int32_t>((to - from) / unit)) * int64_t{unit});
}

std::optional<int32_t> place_input(Random& random, int32_t unit, int32_t size,
                                   std::initializer_list<Extent> extents) {
  if (random.chance(50)) return place(random, map::kLow, map::kSparse, unit, size, extents);
  return place(random, map::kHigh, map::kBytes, unit, size, extents);
}

bool place_into(std::optional<int32_t> place, int32_t& at) {
  if (place) at = *place;
  return place.has_value();
}

int32_t round_up(uint32_t value, int32_t unit) {
  return (static_cast<int32_t>(value) + unit - 1) / unit * unit;
}

void random_sizes(Run& run, Random& random) {
  do {
    run.rows = static_cast<uint32_t>(random.chance(20)  ? 1
                                     : random.chance(5) ? kSums
                                                        : random.between(1, random.chance(50) ? 12 : 70));
    const uint32_t most = kSums / run.rows;
    run.block = static_cast<uint32_t>(
        random.chance(40) ? 1 : random.between(1, random.chance(10) ? most : std::min(most, 6U)));
    run.column_tiles =
        static_cast<uint32_t>(random.chance(40) ? run.block : random.between(1, random.chance(10) ? 40 : 9));
    run.k_tiles =
        static_cast<uint32_t>(random.chance(20) ? 1 : random.between(1, random.chance(10) ? 100 : 12));
    // Long sums: they go beyond 32 bits.
    if (random.chance(3)) run.k_tiles = static_cast<uint32_t>(random.between(100, kMostSteps));
    if (random.chance(3)) run.column_tiles = static_cast<uint32_t>(random.between(20, 500));
  } while (run.steps() > kMostSteps);
}

bool random_weights(Run& run, Random& random) {
  const uint32_t nt = run.column_tiles, kt = run.k_tiles;
  constexpr int32_t kSpace = map::kSparse - map::kLow;
  const auto sign = [&](int32_t stride) { return random.chance(20) ? -stride : stride; };
  if (run.kind == weights::kInt8) {
    run.weights_row =
        random_stride(random, 8, 8, kSpace, random.chance(50) ? 8 : static_cast<int32_t>(8 * nt));
    run.weights_k =
        random_stride(random, 8, kt, kSpace, random.chance(50) ? 64 : static_cast<int32_t>(64 * nt)) & 0xffff;
    run.weights_column =
        sign(random_stride(random, 8, nt, kSpace, random.chance(50) ? 8 : static_cast<int32_t>(64 * kt)));
    return place_into(
        place_input(random, 8, 8, {{nt, run.weights_column}, {kt, run.weights_k}, {8, run.weights_row}}),
        run.weights);
  }
  run.weights_row = 8 * pick(random, 0, 8191);  // not used
  if (run.kind == weights::kInt4) {
    run.weights_k = random_stride(random, kWord, kt, kSpace, kWord);
    run.weights_column = sign(random_stride(random, kWord, nt, kSpace, static_cast<int32_t>(32 * kt)));
    if (!place_into(place_input(random, kWord, kWord, {{nt, run.weights_column}, {kt, run.weights_k}}),
                    run.weights))
      return false;
    run.group = static_cast<uint32_t>(random.chance(60) ? random.between(1, 4) : random.between(1, 255));
    const uint32_t groups = (kt + run.group - 1) / run.group;
    run.scales_column = sign(random_stride(random, 16, nt, kSpace, static_cast<int32_t>(16 * groups)));
    return place_into(place_input(random, 16, 16, {{nt, run.scales_column}, {groups, 16}}), run.scales);
  }
  constexpr auto kTile = static_cast<int32_t>(map::kSparseTile);
  constexpr auto kTiles = static_cast<int32_t>(map::kSparseTiles - kOddTiles);
  run.weights_k = random_stride(random, kTile, kt, kTiles * kTile, kTile);
  run.weights_column =
      sign(random_stride(random, kTile, nt, kTiles * kTile, static_cast<int32_t>(kt) * kTile));
  const auto at =
      place(random, 0, kTiles * kTile, kTile, kTile, {{nt, run.weights_column}, {kt, run.weights_k}});
  if (!at) return false;
  run.weights = static_cast<int32_t>(map::kSparse) + *at / kTile * kTile;
  return true;
}

bool random_activations(Run& run, Random& random) {
  constexpr int32_t kSpace = map::kSparse - map::kLow;
  if (run.kind == weights::kSparse) {
    run.activations_k = 8 * pick(random, 0, 8191);  // not used
    run.activations_row = random_stride(random, kWord, map::kIndices, kSpace, round_up(run.rows, kWord));
    return place_into(
        place_input(random, kWord, round_up(run.rows, kWord), {{map::kIndices, run.activations_row}}),
        run.activations);
  }
  run.activations_row = random_stride(random, 8, run.rows, kSpace,
                                      random.chance(70) ? 8 : static_cast<int32_t>(8 * run.k_tiles));
  run.activations_k = random_stride(random, 8, run.k_tiles, kSpace,
                                    static_cast<int32_t>(random.chance(50) ? 8 : 8 * run.rows));
  return place_into(
      place_input(random, 8, 8, {{run.k_tiles, run.activations_k}, {run.rows, run.activations_row}}),
      run.activations);
}

bool random_drain(Run& run, Random& random) {
  run.result = static_cast<number::Kind>(random.below(4));
  run.use_row_factors = random.chance(40);
  run.bias = random.chance(50);
  run.clamp = random.chance(50);
  run.least = random_float(random);
  run.largest = random_float(random);
  const auto unit = static_cast<int32_t>(8 * iss::cpe::bytes_of(run.result));
  constexpr auto kSpace = static_cast<int32_t>(map::kHigh - map::kOutput);
  const uint32_t nt = run.column_tiles;
  run.out_row = random_stride(random, unit, run.rows, kSpace,
                              random.chance(50) ? unit : unit * static_cast<int32_t>(nt));
  run.out_column = random_stride(random, unit, nt, kSpace,
                                 random.chance(50) ? unit : unit * static_cast<int32_t>(run.rows));
  if (random.chance(20)) run.out_row = -run.out_row;
  if (random.chance(20)) run.out_column = -run.out_column;
  return place_into(place(random, map::kOutput, map::kHigh, unit, unit,
                          {{nt, run.out_column}, {run.rows, run.out_row}}),
                    run.out) &&
         place_into(place_input(random, kWord, kWord, {{nt, kWord}}), run.factors) &&
         place_into(place_input(random, kWord, kWord, {{nt, kWord}}), run.biases) &&
         place_into(place_input(random, kWord, kWord, {{(run.rows + 7) / 8, kWord}}), run.row_factors);
}

// As near to the end that a few steps lead beyond it.
int32_t near_end(Random& random, int32_t unit, uint32_t steps, int32_t step) {
  const int64_t back = static_cast<int64_t>(random.below(steps + 1)) * std::max(step, unit);
  const int64_t at = map::kBytes - std::max<int64_t>(back, unit);
  return static_cast<int32_t>(std::max<int64_t>(at, map::kHigh) / unit * unit);
}

// A stride that leads from `at` out of local memory at once.
int32_t leap(Random& random, int32_t unit, int32_t at) {
  constexpr auto kBytes = static_cast<int32_t>(map::kBytes);
  if (random.chance(50)) return -(at / unit + 1 + pick(random, 0, (kBytes - at) / unit - 1)) * unit;
  const int32_t least = (kBytes - at + unit - 1) / unit;
  return unit * pick(random, least, (kBytes - 1) / unit);
}

}  // namespace

uint32_t Run::mode() const {
  return static_cast<uint32_t>(kind) | uint32_t{by_column} << 2 | uint32_t{keep} << 3 | half << 4 |
         uint32_t{drain} << 5 | static_cast<uint32_t>(result) << 6 | uint32_t{use_row_factors} << 8 |
         uint32_t{bias} << 9 | uint32_t{clamp} << 10;
}

std::string Run::text() const {
  static constexpr const char* kKinds[] = {"int8", "int4", "sparse", "?"};
  static constexpr const char* kResults[] = {"fp32", "int32", "fp16", "int8"};
  std::string line = fmt::format(
      "{}{}{} half {}: {} rows, {} k tiles, {} column tiles in blocks of {}; x {:#x} k {} row {}; w {:#x} "
      "column {} k {} row {}",
      kKinds[kind], by_column ? " by column" : "", keep ? " keep" : "", half, rows, k_tiles, column_tiles,
      block, activations, activations_k, activations_row, weights, weights_column, weights_k, weights_row);
  if (kind == iss::cpe::weights::kInt4)
    line += fmt::format("; scales {:#x} column {} group {}", scales, scales_column, group);
  if (!drain) return line;
  return line + fmt::format("; {}{}{}{} to {:#x} column {} row {}; factors {:#x} biases {:#x} rows {:#x}",
                            kResults[result], use_row_factors ? " row factors" : "", bias ? " bias" : "",
                            clamp ? " clamp" : "", out, out_column, out_row, factors, biases, row_factors);
}

std::vector<Command> Run::settings() const {
  const auto local = [](int32_t at) { return iss::cpe::kLdmBase + static_cast<uint32_t>(at); };
  const auto pair = [](int32_t high, int32_t low) {
    return static_cast<uint32_t>(high) << 16 | static_cast<uint32_t>(low);
  };
  const auto bits = [](int32_t value) { return static_cast<uint32_t>(value); };
  std::vector<Command> commands;
  const auto add = [&](uint8_t number, uint32_t rs1, uint32_t rs2) {
    commands.push_back({.unit = iss::cpe::unit::kSystolic, .op = number, .rs1 = rs1, .rs2 = rs2});
  };
  add(op::kActivations, local(activations), pair(activations_k, activations_row));
  add(op::kWeights, local(weights), pair(weights_k, weights_row));
  add(op::kColumns, bits(weights_column), bits(out_column));
  add(op::kSize, column_tiles << 16 | k_tiles, block << 16 | rows);
  if (kind == iss::cpe::weights::kInt4) add(op::kGroups, local(scales), bits(scales_column) << 8 | group);
  if (drain) {
    add(op::kOutput, local(out), bits(out_row));
    add(op::kFactors, local(factors), local(biases));
    add(op::kRows, local(row_factors), 0);
    add(op::kClamp, least, largest);
  }
  return commands;
}

uint32_t random_float(Random& random) {
  if (random.chance(3)) {
    static constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                            0x7fc00000, 0xffc01234, 1,          0x7f7fffff};
    return kSpecial[random.below(std::size(kSpecial))];
  }
  if (random.chance(20)) return static_cast<uint32_t>(random.next());
  const auto exponent = static_cast<uint32_t>(random.between(100, 132));
  return static_cast<uint32_t>(random.next() & 0x807fffff) | exponent << 23;
}

void fill_memory(std::span<uint8_t> memory, Random& random) {
  for (size_t i = 0; i < memory.size(); i += 4) {
    const uint32_t value = random_float(random);
    std::memcpy(&memory[i], &value, 4);
  }
  // The numbers at the ends of their ranges.
  for (unsigned i = 0; i < kPatches; ++i) {
    static constexpr uint8_t kBytes[] = {0x80, 0x7f, 0xff, 0x00, 0x0f, 0xf0};
    const auto at = random.below(memory.size() / kPatch) * kPatch;
    std::ranges::fill(memory.subspan(at, kPatch), kBytes[random.below(std::size(kBytes))]);
  }
  for (unsigned tile = 0; tile < map::kSparseTiles; ++tile) {
    const auto at = memory.subspan(map::kSparse + tile * map::kSparseTile, map::kSparseTile);
    for (unsigned i = 0; i < 16; ++i) {
      auto index = static_cast<uint16_t>(random.below(map::kIndices));
      if (tile >= map::kSparseTiles - kOddTiles && i == tile % 16)
        index = static_cast<uint16_t>(random.between(kFarIndex, 0xffff));
      std::memcpy(&at[2 * i], &index, 2);
    }
    for (unsigned i = 32; i < map::kSparseTile; ++i) at[i] = static_cast<uint8_t>(random.next());
  }
}

Run random_run(Random& random) {
  for (;;) {
    Run run;
    const auto kind = random.below(100);
    run.kind = kind < 45 ? weights::kInt8 : kind < 75 ? weights::kInt4 : weights::kSparse;
    run.by_column = run.kind != weights::kSparse && random.chance(50);
    run.half = static_cast<unsigned>(random.below(2));
    random_sizes(run, random);
    const bool one_block = run.column_tiles <= run.block;
    run.keep = one_block && random.chance(40);
    run.drain = !one_block || random.chance(70);
    if (random_weights(run, random) && random_activations(run, random) && random_drain(run, random))
      return run;
  }
}

Run random_overrun(Random& random) {
  Run run = random_run(random);
  while (!run.drain) run = random_run(random);
  const auto unit = static_cast<int32_t>(8 * iss::cpe::bytes_of(run.result));
  const bool sparse = run.kind == weights::kSparse;
  switch (random.below(7)) {
    case 0:
      run.activations = near_end(random, sparse ? kWord : 8, 8, run.activations_row);
      break;
    case 1:
      if (sparse) {
        run.weights = static_cast<int32_t>(
            map::kSparse + map::kSparseTile * (map::kSparseTiles - 1 - random.below(kOddTiles)));
        run.weights_k = run.weights_column = 0;
        run.activations_row = std::max(run.activations_row, kWord);
      } else {
        run.weights = near_end(random, run.kind == weights::kInt8 ? 8 : kWord, 8, run.weights_k);
        run.weights_column = std::max(run.weights_column, 0);
      }
      break;
    case 2:
      run.weights_column = leap(random, kWord, run.weights);
      break;
    case 3:
      if (run.kind == weights::kInt4) {
        run.scales = near_end(random, 16, 4, 16);
        run.scales_column = std::max(run.scales_column, 0);
      } else {
        run.out_column = leap(random, unit, run.out);
      }
      break;
    case 4:
      (random.chance(50) ? run.factors : run.biases) = near_end(random, kWord, run.column_tiles, kWord);
      break;
    case 5:
      run.row_factors = near_end(random, kWord, run.rows / 8 + 1, kWord);
      break;
    default:
      (random.chance(50) ? run.out_column : run.out_row) = leap(random, unit, run.out);
  }
  return run;
}

Run first_run() {
  Run run;
  run.rows = kSums;
  run.column_tiles = 2;
  run.activations_row = 8;
  run.out = map::kOutput;
  run.out_row = kWord;
  return run;
}

Command random_nonsense(Random& random) {
  const auto address = [&](uint32_t unit) {
    return iss::cpe::kLdmBase + unit * static_cast<uint32_t>(random.below(map::kBytes / unit));
  };
  const auto bad_address = [&](uint32_t unit) {
    if (random.chance(50)) return address(unit) + static_cast<uint32_t>(random.between(1, unit - 1));
    return address(unit) ^ 1U << random.between(17, 31);
  };
  // Does not fit, or is no multiple of 8.
  const auto bad_stride = [&] {
    const auto stride = static_cast<uint32_t>(random.below(0x20000 / 8) * 8);
    return random.chance(50) ? stride | 1U << random.between(17, 30)
                             : stride + static_cast<uint32_t>(random.between(1, 7));
  };
  static constexpr uint8_t kUnknown[] = {9, 10, 15, 19, 20, 31, 32, 33, 48, 64, 80, 127};
  Command command{.unit = iss::cpe::unit::kSystolic};
  command.rs1 = address(32);
  command.rs2 = address(32);
  switch (random.below(9)) {
    case 0:
      command.op = kUnknown[random.below(std::size(kUnknown))];
      break;
    case 1:
      command.op = random.chance(50) ? op::kActivations : op::kWeights;
      command.rs1 = bad_address(8);
      command.rs2 = 0x80008;
      break;
    case 2:
      command.op = random.chance(50) ? op::kActivations : op::kWeights;
      command.rs2 = random.chance(50) ? 0x80008U + static_cast<uint32_t>(random.between(1, 7))
                                      : 0x80008U + (1U << random.between(16, 18));
      break;
    case 3:
      command.op = op::kColumns;
      command.rs1 = random.chance(50) ? 64 : bad_stride();
      command.rs2 = command.rs1 == 64 ? bad_stride() : 64;
      break;
    case 4:
      command.op = op::kGroups;
      command.rs1 = random.chance(50) ? bad_address(16) : address(16);
      command.rs2 = random.chance(50) ? 0x10000 : 0x800001;
      if (iss::cpe::kLdmBase <= command.rs1 && command.rs1 % 16 == 0 && random.chance(50))
        command.rs2 = 1U << random.between(8, 11) | 1;
      if (command.rs2 == 0x800001) command.rs2 = 0x4000'0001;
      break;
    case 5:
      command.op = op::kOutput;
      if (random.chance(50)) {
        command.rs1 = bad_address(8);
        command.rs2 = 64;
      } else {
        command.rs2 = bad_stride();
      }
      break;
    case 6:
      command.op = random.chance(50) ? op::kFactors : op::kRows;
      (command.op == op::kFactors && random.chance(50) ? command.rs2 : command.rs1) = bad_address(32);
      break;
    case 7: {
      command.op = op::kSize;
      static constexpr std::pair<uint32_t, uint32_t> kSizes[] = {
          {0x10000, 0x10001},  {1, 0x10001},          {0x10001, 1},
          {0x10001, 0x10000},  {0x10001, 0x10101},    {0x10001, 0x1010001},
          {0x10001, 0x110010}, {0x10001, 0x80010001}, {0x10001, 0x18000}};
      std::tie(command.rs1, command.rs2) = kSizes[random.below(std::size(kSizes))];
      break;
    }
    default:
      command.op = op::kRun;
      command.rs1 = random.chance(50) ? 3U : 1U << random.between(11, 31);
  }
  return command;
}

}  // namespace swai::cpe
