// SPDX-License-Identifier: Apache-2.0
// Instructions as harts run them, and the pairs that they run in one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "sim/iss/cpe/insn.hpp"

namespace swai::iss::cpe {

// Two instructions, one behind the other, that a hart executes in one row: those that kernels have most.
struct Pair {
  Op first = Op::kIllegal;
  Op second = Op::kIllegal;
  bool chained = false;  // rs1 of the second is rd of the first, so it need not be read
};
// clang-format off
inline constexpr Pair kPairs[] = {
    {Op::kLw, Op::kLw}, {Op::kLw, Op::kAddi}, {Op::kLw, Op::kAdd}, {Op::kLw, Op::kSub}, {Op::kLw, Op::kMul},
    {Op::kLw, Op::kSlli}, {Op::kLw, Op::kBeq}, {Op::kLw, Op::kBgeu}, {Op::kLbu, Op::kBeq, true},
    {Op::kSw, Op::kSw}, {Op::kSw, Op::kAddi},
    {Op::kAddi, Op::kAddi}, {Op::kAddi, Op::kAdd}, {Op::kAddi, Op::kAdd, true}, {Op::kAddi, Op::kAndi, true},
    {Op::kAddi, Op::kLw}, {Op::kAddi, Op::kBeq}, {Op::kAddi, Op::kBgeu},
    {Op::kSlli, Op::kAdd, true}, {Op::kSlli, Op::kAndi}, {Op::kAndi, Op::kSlli, true}, {Op::kAndi, Op::kSrli},
    {Op::kSrli, Op::kXor}, {Op::kSrli, Op::kXor, true}, {Op::kSrli, Op::kBge},
    {Op::kXor, Op::kAndi, true}, {Op::kXor, Op::kBeq},
    {Op::kAdd, Op::kAdd, true}, {Op::kAdd, Op::kAddi}, {Op::kAdd, Op::kLw}, {Op::kAdd, Op::kLw, true},
    {Op::kAdd, Op::kSw}, {Op::kAdd, Op::kBne}, {Op::kAdd, Op::kSrli},
    {Op::kSub, Op::kBltu, true}, {Op::kMul, Op::kAdd, true},
};
// clang-format on
inline constexpr size_t kPairCount = std::size(kPairs);

// What a hart runs: an instruction in as little room as possible, because many lie side by side.
struct Slot {
  // What to do with it: a number of Hart's rows, or of those below.
  uint8_t row = 0;
  uint8_t rd = 0;  // kNowhere where there is none; of branches: see below
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;  // of loads and jumps: see below
  int32_t imm = 0;  // as Insn's; of jumps and branches: how many slots away the target is

  // Cycles beyond one, where a register would have no use: of a branch that is taken; of a load, or a jump.
  uint8_t extra_of_branch() const { return rd; }
  uint8_t extra() const { return rs2; }

  static constexpr uint8_t kUndecoded = 0;
  // One that is executed as step() does it: it is rare, or jumps out of the code.
  static constexpr uint8_t kByItself = 1;
  static constexpr uint8_t kFirstRow = 2;
  static constexpr uint8_t kNowhere = 32;
  static constexpr unsigned kFirstPair = kFirstRow + 2 * kOpCount;
  static constexpr unsigned kRows = kFirstPair + 4 * kPairCount;
  // Of an instruction of 2 or 4 bytes.
  static constexpr uint8_t row_of(Op op, unsigned length) {
    return static_cast<uint8_t>(kFirstRow + 2 * static_cast<unsigned>(op) + length / 4);
  }
  // A command that only_sets(): kCustom has no compressed form that would need the row.
  static constexpr uint8_t kSets = kFirstRow + 2 * static_cast<unsigned>(Op::kCustom);
  // A place that jumps lead to: it counts how often it is executed, and then there is code of the host for
  // it. What it really is its Lead knows. (These have no compressed form, either.)
  static constexpr uint8_t kCounts = kFirstRow + 2 * static_cast<unsigned>(Op::kMulhsu);
  static constexpr uint8_t kHostCode = kFirstRow + 2 * static_cast<unsigned>(Op::kMulhu);
  // Of a pair by its number in kPairs.
  static constexpr uint8_t row_of(size_t pair, unsigned first_length, unsigned second_length) {
    return static_cast<uint8_t>(kFirstPair + 4 * pair + first_length / 4 * 2 + second_length / 4);
  }
  // Of a row that is neither kUndecoded nor kByItself: its instruction, the first one of a pair.
  static constexpr Op op_of(uint8_t row) {
    if (row >= kFirstPair) return kPairs[(row - kFirstPair) / 4].first;
    return static_cast<Op>((row - kFirstRow) / 2);
  }
  // And how many bytes it has.
  static constexpr unsigned length_of(uint8_t row) {
    if (row == kSets) return 4;
    return row >= kFirstPair ? 2 + (row - kFirstPair) / 2 % 2 * 2 : 2 + (row - kFirstRow) % 2 * 2;
  }
};

static_assert(Slot::kRows <= 256);

}  // namespace swai::iss::cpe
