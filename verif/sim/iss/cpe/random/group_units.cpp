// SPDX-License-Identifier: Apache-2.0
// Runs of the systolic and the vector unit in random programs for groups. What they do is asked of the units'
// models; what may go on at the same time is decided here.
#include <algorithm>
#include <stdexcept>

#include "verif/sim/iss/cpe/random/group_program.hpp"

namespace swai::iss::cpe {

// A piece of local memory.
struct GroupProgram::Block {
  uint32_t at;
  uint32_t end;

  Range read() const { return {at, end, false}; }
  Range written() const { return {at, end, true}; }
  bool meets(const Block& other) const { return at < other.end && other.at < end; }
};

// Somewhere; beyond the end if there is not so much.
GroupProgram::Block GroupProgram::some_block(uint32_t bytes, uint32_t multiple) {
  if (bytes > ldm_bytes_) return {ldm_bytes_, ldm_bytes_ + bytes};
  const auto at = static_cast<uint32_t>(random_.below((ldm_bytes_ - bytes) / multiple + 1)) * multiple;
  return {at, at + bytes};
}

// A setting, to the CPE and to the model of its unit.
void GroupProgram::issue(Cpe& cpe, uint8_t unit, uint8_t op, uint32_t rs1, uint32_t rs2) {
  const auto answer = unit == unit::kSystolic ? cpe.units->systolic.issue(op, rs1, rs2, 0)
                                              : cpe.units->vector.issue(op, rs1, rs2, 0);
  if (answer.kind != Environment::Answer::kDone) throw std::logic_error("a random program has a bad command");
  cpe.code.command(unit, op, rs1, rs2);
}

// A run, which reads and writes these ranges.
void GroupProgram::begin(Cpe& cpe, uint8_t unit, uint32_t mode, const std::vector<Range>& ranges) {
  constexpr uint8_t kRun = systolic_op::kRun;
  static_assert(int{kRun} == int{vector_op::kRun} && int{systolic_op::kWait} == int{vector_op::kWait});
  issue(cpe, unit, kRun, mode);
  const bool is_systolic = unit == unit::kSystolic;
  const Fault& fault = is_systolic ? cpe.units->systolic.fault() : cpe.units->vector.fault();
  if (fault.cause != Cause::kNone) throw std::logic_error("a random program leaves local memory");
  const uint32_t ticket = is_systolic ? cpe.units->systolic.begun() : cpe.units->vector.begun();
  check_ticket(cpe, ticket);
  for (const Range& range : ranges) cpe.pending.push_back({unit, systolic_op::kWait, ticket, range, {}});
}

void GroupProgram::systolic(unsigned number) {
  using namespace systolic_op;
  Cpe& cpe = cpes_[number];
  const auto weights = static_cast<weights::Kind>(random_.below(3));
  const bool sparse = weights == weights::kSparse;
  const auto rows = static_cast<uint32_t>(random_.between(1, random_.chance(70) ? 12 : 40));
  const auto k_tiles = static_cast<uint32_t>(random_.between(1, 4));
  const auto column_tiles = static_cast<uint32_t>(random_.between(1, 3));
  auto block = static_cast<uint32_t>(random_.between(1, std::min(256 / rows, 3u)));
  const bool drain = random_.chance(70);
  if (!drain || random_.chance(30)) block = std::max(block, column_tiles);
  const bool one_block = block >= column_tiles;
  const auto half = static_cast<uint32_t>(random_.below(2));
  const bool keep = one_block && column_tiles * rows <= cpe.units->known_rows[half] && random_.chance(70);
  const auto result = static_cast<number::Kind>(random_.below(4));
  const auto unit = static_cast<uint32_t>(8 * bytes_of(result));

  // Sparse weights have indices that are anything: stride 0 makes all of them good.
  const uint32_t x_row = sparse ? 0 : 8 * static_cast<uint32_t>(random_.between(1, 3));
  const uint32_t x_k = random_.chance(50) ? 8 : rows * x_row;
  const Block x = sparse ? some_block((rows + 31) / 32 * 32, 32)
                         : some_block((rows - 1) * x_row + (k_tiles - 1) * x_k + 8, 8);
  const uint32_t tile = weights == weights::kInt8 ? 64 : sparse ? 96 : 32;
  const Block w = some_block(column_tiles * k_tiles * tile, 32);
  const auto group = static_cast<uint32_t>(random_.between(1, 3));
  const uint32_t scales_stride = (k_tiles + group - 1) / group * 16;
  const Block scales = some_block(column_tiles * scales_stride, 16);
  const Block factors = some_block(column_tiles * 32, 32);
  const Block biases = some_block(column_tiles * 32, 32);
  const Block row_factors = some_block((rows + 7) / 8 * 32, 32);
  const uint32_t y_row = unit * static_cast<uint32_t>(random_.between(1, 2));
  const Block y = some_block(column_tiles * rows * y_row, unit);
  const std::vector<Block> inputs = {x, w, scales, factors, biases, row_factors};
  const auto unfit = [&](const Block& block) {
    return block.end > ldm_bytes_ || (drain && (y.end > ldm_bytes_ || block.meets(y)));
  };
  if (std::ranges::any_of(inputs, unfit)) return;

  std::vector<Range> ranges;
  for (const Block& block : inputs) ranges.push_back(block.read());
  if (drain) ranges.push_back(y.written());
  for (const Range& range : ranges) make_way(cpe, range, {});
  const auto set = [&](uint8_t op, uint32_t rs1, uint32_t rs2 = 0) {
    issue(cpe, unit::kSystolic, op, rs1, rs2);
  };
  set(kActivations, kLdmBase + x.at, x_k << 16 | x_row);
  set(kWeights, kLdmBase + w.at, tile << 16 | 8);
  set(kColumns, k_tiles * tile, rows * y_row);
  set(kGroups, kLdmBase + scales.at, scales_stride << 8 | group);
  set(kOutput, kLdmBase + y.at, y_row);
  set(kFactors, kLdmBase + factors.at, kLdmBase + biases.at);
  set(kRows, kLdmBase + row_factors.at);
  set(kClamp, static_cast<uint32_t>(random_.next()), static_cast<uint32_t>(random_.next()));
  set(kSize, column_tiles << 16 | k_tiles, block << 16 | rows);
  const uint32_t mode = weights | static_cast<uint32_t>(!sparse && random_.chance(50)) << 2 |
                        uint32_t{keep} << 3 | half << 4 | uint32_t{drain} << 5 | uint32_t{result} << 6 |
                        static_cast<uint32_t>(random_.below(8)) << 8;
  begin(cpe, unit::kSystolic, mode, ranges);
  uint32_t of_block = half;
  for (uint32_t first = 0; first < column_tiles; first += block, of_block ^= 1) {
    uint32_t& known = cpe.units->known_rows[of_block];
    known = std::max(known, std::min(block, column_tiles - first) * rows);
  }
}

void GroupProgram::vector(unsigned number) {
  using namespace vector_op;
  Cpe& cpe = cpes_[number];
  const auto rows = static_cast<uint32_t>(random_.between(1, 5));
  const auto elements = static_cast<uint32_t>(random_.between(1, random_.chance(80) ? 40 : 120));
  const auto reduce = static_cast<uint32_t>(random_.below(4));
  const bool stored = reduce == 0 || random_.chance(70);
  struct Described {
    Block block;
    uint32_t rs1, rs2;
  };
  const auto describe = [&](operand_kind::Kind kind) {
    const auto number = static_cast<uint32_t>(random_.below(4));
    const auto bytes = static_cast<uint32_t>(bytes_of(static_cast<number::Kind>(number)));
    const uint32_t unit = kind == operand_kind::kVector ? 8 * bytes : bytes;
    const uint32_t in_row = kind == operand_kind::kVector ? (elements + 7) / 8 * unit : unit;
    const uint32_t stride = in_row + unit * static_cast<uint32_t>(random_.below(3));
    const Block block = some_block((rows - 1) * stride + in_row, unit);
    return Described{block, kLdmBase + block.at, uint32_t{kind} << 20 | number << 18 | stride};
  };
  const Described result = describe(operand_kind::kVector);
  if (result.block.end > ldm_bytes_) return;
  const Block sums = some_block(4 * rows, 4);
  std::vector<Range> ranges;
  std::vector<Described> operands;
  for (unsigned i = 0; i < 3; ++i) {
    const auto kind = static_cast<operand_kind::Kind>(random_.below(3));
    Described operand = describe(kind);
    if (kind == operand_kind::kValue) {
      operand = {.block = {}, .rs1 = static_cast<uint32_t>(random_.next()), .rs2 = operand.rs2};
    }
    // In place, or apart.
    if (i == 0 && stored && random_.chance(30)) operand = result;
    const bool in_place = i == 0 && operand.rs1 == result.rs1 && operand.rs2 == result.rs2;
    const auto meets = [&](const Block& block) { return operand.block.meets(block); };
    if (operand.block.end > ldm_bytes_) return;
    if ((stored && !in_place && meets(result.block)) || (reduce != 0 && meets(sums))) return;
    operand.rs2 |= static_cast<uint32_t>(random_.below(4)) << 22;
    operands.push_back(operand);
    ranges.push_back(operand.block.read());
  }
  if (stored && reduce != 0 && result.block.meets(sums)) return;
  if (stored) ranges.push_back(result.block.written());
  if (reduce != 0) ranges.push_back(sums.written());
  // A run waits for those before it by itself, unless it may overlap.
  const bool overlap = random_.chance(60);
  std::deque<Pending> runs;
  if (!overlap) {
    for (const Pending& pending : cpe.pending) {
      if (pending.unit == unit::kVector) runs.push_back(pending);
    }
    std::erase_if(cpe.pending, [](const Pending& pending) { return pending.unit == unit::kVector; });
  }
  for (const Range& range : ranges) make_way(cpe, range, {});
  cpe.pending.insert(cpe.pending.end(), runs.begin(), runs.end());
  const auto set = [&](uint8_t op, uint32_t rs1, uint32_t rs2) { issue(cpe, unit::kVector, op, rs1, rs2); };
  for (uint8_t i = 0; i < 3; ++i) set(i, operands[i].rs1, operands[i].rs2);
  set(kResult, result.rs1, stored ? result.rs2 : uint32_t{operand_kind::kNone} << 20);
  set(kReduce, kLdmBase + sums.at, 4);
  set(kSize, elements, rows);
  begin(cpe, unit::kVector,
        static_cast<uint32_t>(random_.below(8)) |
            static_cast<uint32_t>(random_.chance(60) ? 0 : random_.between(1, 4)) << 3 | reduce << 6 |
            uint32_t{overlap} << 8,
        ranges);
}

}  // namespace swai::iss::cpe
