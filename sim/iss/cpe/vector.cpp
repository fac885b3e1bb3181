// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/vector.hpp"

#include <algorithm>

#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/lanes.hpp"
#include "sim/iss/cpe/special.hpp"

namespace swai::iss::cpe {

using Answer = Environment::Answer;

namespace {

constexpr int64_t local(uint32_t address) { return int64_t{address} - kLdmBase; }

uint32_t compute(vector_function::Kind op, uint32_t a, uint32_t b, uint32_t c) {
  switch (op) {
    case vector_function::kFma:
      return fp32::fma(a, b, c);
    case vector_function::kMul:
      return fp32::mul(a, b);
    case vector_function::kAdd:
      return fp32::add(a, c);
    case vector_function::kMin:
      return fp32::min(a, b);
    case vector_function::kMax:
      return fp32::max(a, b);
    case vector_function::kLess:
      return fp32::less(a, b) ? fp32::kOne : 0;
    case vector_function::kEqual:
      return fp32::equal(a, b) ? fp32::kOne : 0;
    case vector_function::kSelect:
      break;
  }
  // A NaN is not 0; one that is selected becomes the NaN.
  const uint32_t selected = fp32::equal(a, 0) ? c : b;
  return fp32::is_nan(selected) ? fp32::kNan : selected;
}

// Null: none.
uint32_t (*function_of(special_function::Kind kind))(uint32_t) {
  switch (kind) {
    case special_function::kExp2:
      return special::exp2;
    case special_function::kLog2:
      return special::log2;
    case special_function::kReciprocal:
      return special::reciprocal;
    case special_function::kRoot:
      return special::root;
    case special_function::kNone:
      break;
  }
  return nullptr;
}

}  // namespace

Vector::Mode::Mode(uint32_t word)
    : op(static_cast<vector_function::Kind>(vector_mode::kOp.get(word))),
      special(static_cast<special_function::Kind>(vector_mode::kSpecial.get(word))),
      reduce(static_cast<reduce::Kind>(vector_mode::kReduce.get(word))),
      reserved(static_cast<uint32_t>(vector_mode::kReserved.get(word))) {}  // here nothing overlaps

void Vector::reset() {
  now_ = {};
  begun_ = 0;
  fault_ = {};
}

Answer Vector::issue(uint8_t op, uint32_t rs1, uint32_t rs2, uint32_t pc) {
  switch (op) {
    case vector_op::kRun: {
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
    case vector_op::kWait:
      return {.kind = reached(begun_, rs1) ? Answer::kDone : Answer::kWait};
    case vector_op::kPoll:
      return {.data = reached(begun_, rs1)};
    default:
      return {.kind = set(op, rs1, rs2) ? Answer::kDone : Answer::kBad};
  }
}

bool Vector::set(uint8_t op, uint32_t rs1, uint32_t rs2) {
  switch (op) {
    case vector_op::kA:
    case vector_op::kB:
    case vector_op::kC:
    case vector_op::kResult:
      return set_operand(op, rs1, rs2);
    case vector_op::kReduce:
      if (!legal_address(rs1, 4) || !legal_stride(rs2, 4)) return false;
      now_.reduce = local(rs1);
      now_.reduce_stride = static_cast<int32_t>(rs2);
      return true;
    case vector_op::kSize:
      if (rs1 == 0 || rs1 > 0xffff || rs2 == 0 || rs2 > 0xffff) return false;
      now_.elements = rs1;
      now_.rows = rs2;
      return true;
    default:
      return false;
  }
}

bool Vector::set_operand(uint8_t op, uint32_t rs1, uint32_t rs2) {
  const bool is_result = op == vector_op::kResult;
  const uint32_t stride = static_cast<uint32_t>(static_cast<int32_t>(rs2 << 14) >> 14);
  static_assert(vector_operand::kStride.mask() == 0xffff'ffff >> 14);
  const Operand operand = {.kind = static_cast<operand_kind::Kind>(vector_operand::kKind.get(rs2)),
                           .number = static_cast<number::Kind>(vector_operand::kNumber.get(rs2)),
                           .negate = vector_operand::kNegate.get(rs2) != 0,
                           .magnitude = vector_operand::kMagnitude.get(rs2) != 0,
                           .at = local(rs1),
                           .stride = static_cast<int32_t>(stride),
                           .value = rs1};
  if (vector_operand::kReserved.get(rs2) != 0) return false;
  if (is_result && (operand.negate || operand.magnitude)) return false;
  switch (operand.kind) {
    case operand_kind::kVector:
    case operand_kind::kScalar: {
      if (is_result && operand.kind == operand_kind::kScalar) return false;
      const int64_t elements = operand.kind == operand_kind::kVector ? kLanes : 1;
      const auto multiple = static_cast<uint32_t>(elements * bytes_of(operand.number));
      if (!legal_address(rs1, multiple) || !legal_stride(stride, multiple)) return false;
      break;
    }
    case operand_kind::kValue:
      if (is_result) return false;
      break;
    case operand_kind::kNone:
      if (!is_result) return false;
      break;
  }
  (is_result ? now_.result : now_.operands[op]) = operand;
  return true;
}

bool Vector::legal(const Mode& mode) const {
  if (mode.reserved != 0 || mode.special > special_function::kRoot || now_.rows == 0) return false;
  return now_.result.kind != operand_kind::kNone || mode.reduce != reduce::kNone;
}

int64_t Vector::address(const Operand& operand, uint32_t row, uint32_t element) {
  const int64_t in_row = operand.kind == operand_kind::kVector ? element * bytes_of(operand.number) : 0;
  return operand.at + row * operand.stride + in_row;
}

Vector::Group Vector::read(const Operand& operand, uint32_t row, uint32_t first, uint32_t count) const {
  Group group{};
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t& x = group[i];
    if (operand.kind == operand_kind::kValue) {
      x = operand.value;
    } else {
      const int64_t at = address(operand, row, first + i);
      switch (operand.number) {
        case number::kFp32:
          x = memory_.read_as<uint32_t>(at);
          break;
        case number::kInt32:
          x = fp32::of_int32(memory_.read_as<int32_t>(at));
          break;
        case number::kFp16:
          x = fp32::of_fp16(memory_.read_as<uint16_t>(at));
          break;
        case number::kInt8:
          x = fp32::of_int32(memory_.read_as<int8_t>(at));
          break;
      }
    }
    if (operand.magnitude) x &= ~fp32::kSign;
    if (operand.negate) x ^= fp32::kSign;
  }
  return group;
}

void Vector::store(uint32_t row, uint32_t first, uint32_t count, const Group& results) {
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t at = address(now_.result, row, first + i);
    switch (now_.result.number) {
      case number::kFp32:
        memory_.write(at, results[i]);
        break;
      case number::kInt32:
        memory_.write(at, fp32::to_int32(results[i]));
        break;
      case number::kFp16:
        memory_.write(at, fp32::to_fp16(results[i]));
        break;
      case number::kInt8:
        memory_.write(at, fp32::to_int8(results[i]));
        break;
    }
  }
}

// Where the rows of an operand that lies in local memory begin; null: not all of them are inside.
const uint8_t* Vector::rows_of(const Operand& operand) const {
  return is_inside(operand) ? memory_.read(operand.at) : nullptr;
}

// False: not all of the rows lies in local memory, or this host cannot.
bool Vector::run_fast(const Mode& mode) {
  if (!lanes::available()) return false;
  lanes::Run fast{.op = mode.op,
                  .operands = {},
                  .special = function_of(mode.special),
                  .number = now_.result.number,
                  .reduce = mode.reduce,
                  .elements = now_.elements,
                  .rows = now_.rows};
  for (unsigned i = 0; i < now_.operands.size(); ++i) {
    if (!lanes::uses(mode.op, i)) continue;
    const Operand& operand = now_.operands[i];
    const bool is_value = operand.kind == operand_kind::kValue;
    fast.operands[i] = {.at = is_value ? reinterpret_cast<const uint8_t*>(&operand.value) : rows_of(operand),
                        .stride = is_value ? 0 : operand.stride,
                        .vector = operand.kind == operand_kind::kVector,
                        .number = is_value ? number::kFp32 : operand.number,
                        .magnitude = operand.magnitude,
                        .negate = operand.negate};
    if (fast.operands[i].at == nullptr) return false;
  }
  if (now_.result.kind != operand_kind::kNone) {
    if (!is_inside(now_.result)) return false;
    fast.result = memory_.at(now_.result.at);
    fast.result_stride = now_.result.stride;
  }
  if (mode.reduce != reduce::kNone) {
    const int64_t last = now_.reduce + (now_.rows - 1) * now_.reduce_stride;
    if (!memory_.has(now_.reduce) || !memory_.has(last)) return false;
    fast.reductions = memory_.at(now_.reduce);
    fast.reductions_stride = now_.reduce_stride;
  }
  lanes::run(fast);
  groups_ += uint64_t{now_.rows} * ((now_.elements + kLanes - 1) / kLanes);
  return true;
}

// The first and the last row, and so all between.
bool Vector::is_inside(const Operand& operand) const {
  const int64_t rows = (now_.rows - 1) * operand.stride;
  const bool vector = operand.kind == operand_kind::kVector;
  const int64_t in_row = vector ? (now_.elements - 1) * int64_t{bytes_of(operand.number)} : 0;
  return memory_.has(operand.at + std::min<int64_t>(rows, 0)) &&
         memory_.has(operand.at + std::max<int64_t>(rows, 0) + in_row);
}

Clock::Elements Vector::takes(uint32_t word) const {
  const Mode mode(word);
  const bool special = mode.special != special_function::kNone;
  const bool sums = mode.reduce == reduce::kSum;
  uint64_t row = (now_.elements + kLanes - 1) / kLanes * (special ? costs::kSpecialGroup : 1);
  bool converts = now_.result.kind != operand_kind::kNone && now_.result.number != number::kFp32;
  for (unsigned i = 0; i < now_.operands.size(); ++i) {
    const Operand& operand = now_.operands[i];
    converts = converts || (lanes::uses(mode.op, i) && operand.kind == operand_kind::kVector &&
                            operand.number != number::kFp32);
  }
  if (converts && !special) row = row * costs::kConvertedPercent / 100;
  if (mode.reduce != reduce::kNone && now_.result.kind != operand_kind::kNone) ++row;
  if (sums) row = std::max(row, costs::kSumRow);
  return {.lanes = now_.rows * row,
          .end = costs::kVectorEnd + (special ? costs::kSpecialEnd : 0) +
                 (sums                           ? costs::kSumEnd
                  : mode.reduce != reduce::kNone ? costs::kExtremeEnd
                                                 : 0),
          .overlap = vector_mode::kOverlap.get(word) != 0};
}

void Vector::run(const Mode& mode) {
  if (run_fast(mode)) return;
  for (uint32_t row = 0; row < now_.rows; ++row) {
    Reduction reduction;
    run_plain(mode, row, reduction);
    store_reduction(mode, row, reduction);
  }
}

void Vector::store_reduction(const Mode& mode, uint32_t row, const Reduction& reduction) {
  if (mode.reduce == reduce::kNone) return;
  memory_.write(now_.reduce + row * now_.reduce_stride, reduction.result(mode.reduce));
}

// Number by number, up to the first that is not there.
void Vector::run_plain(const Mode& mode, uint32_t row, Reduction& reduction) {
  const auto special = function_of(mode.special);
  for (uint32_t first = 0; first < now_.elements; first += kLanes) {
    const uint32_t count = std::min(kLanes, now_.elements - first);
    std::array<Group, 3> operands{};
    for (unsigned i = 0; i < operands.size(); ++i) {
      if (lanes::uses(mode.op, i)) operands[i] = read(now_.operands[i], row, first, count);
    }
    Group results{};
    for (uint32_t i = 0; i < count; ++i) {
      results[i] = compute(mode.op, operands[0][i], operands[1][i], operands[2][i]);
      if (special != nullptr) results[i] = special(results[i]);
    }
    ++groups_;
    if (now_.result.kind != operand_kind::kNone) store(row, first, count, results);
    if (mode.reduce != reduce::kNone) reduction.add(results, count);
  }
}

std::vector<Fault> Vector::possible_faults() const {
  std::vector<Fault> faults;
  if (fault_.cause == Cause::kNone) return faults;
  // The first bad address of each stream of accesses.
  const Mode mode(failed_mode_);
  const auto walk = [&](Access access, auto address, uint32_t elements) {
    try {
      for (uint32_t row = 0; row < failed_.rows; ++row) {
        for (uint32_t i = 0; i < elements; i += kLanes) memory_.check(address(row, i), access);
      }
    } catch (const Overrun& overrun) {
      faults.push_back(overrun_fault(overrun, fault_.pc));
    }
  };
  const auto walk_operand = [&](Access access, const Operand& operand) {
    if (operand.kind != operand_kind::kVector && operand.kind != operand_kind::kScalar) return;
    walk(
        access, [&](uint32_t row, uint32_t i) { return address(operand, row, i); }, failed_.elements);
  };
  for (unsigned i = 0; i < failed_.operands.size(); ++i) {
    if (lanes::uses(mode.op, i)) walk_operand(Access::kRead, failed_.operands[i]);
  }
  walk_operand(Access::kWrite, failed_.result);
  if (mode.reduce != reduce::kNone) {
    walk(
        Access::kWrite, [&](uint32_t row, uint32_t) { return failed_.reduce + row * failed_.reduce_stride; },
        1);
  }
  return faults;
}

// --- For checks

Footprint Vector::footprint(uint32_t word) const {
  const Mode mode(word);
  Footprint uses;
  if (!legal(mode)) return uses;
  const bool reduces = mode.reduce != reduce::kNone;
  const auto is_place = [](const Operand& operand) {
    return operand.kind == operand_kind::kVector || operand.kind == operand_kind::kScalar;
  };
  // What a run does to a row of a place, from one group of elements on.
  const auto bytes_from = [&](const Operand& place, uint32_t first, uint32_t groups) {
    const uint32_t left = place.kind == operand_kind::kVector ? now_.elements - first : 1;
    return std::min(left, groups * kLanes) * bytes_of(place.number);
  };
  const auto add = [&](LdmBytes& bytes, const Operand& place) {
    if (!is_place(place)) return;
    for (uint32_t row = 0; row < now_.rows; ++row) {
      bytes.add(address(place, row, 0), bytes_from(place, 0, now_.elements));
    }
  };
  for (unsigned i = 0; i < now_.operands.size(); ++i) {
    if (lanes::uses(mode.op, i)) add(uses.reads, now_.operands[i]);
  }
  add(uses.writes, now_.result);
  const auto reduction = [&](uint32_t row) { return now_.reduce + row * now_.reduce_stride; };
  for (uint32_t row = 0; reduces && row < now_.rows; ++row) {
    uses.late_writes.add(reduction(row), sizeof(float));
  }
  if (!uses.writes.common(uses.reads) && !uses.late_writes.common(uses.reads)) return uses;

  // It may write over what it has read. Steps are groups; a group is read before its results are written.
  const uint32_t groups = (now_.elements + kLanes - 1) / kLanes;
  std::vector<uint32_t> last_read(kLdmBytes);
  const auto for_bytes = [&](int64_t at, int64_t bytes, auto f) {
    for (int64_t i = std::max<int64_t>(at, 0); i < std::min<int64_t>(at + bytes, kLdmBytes); ++i) f(i);
  };
  const auto for_groups = [&](const Operand& place, auto f) {
    if (!is_place(place)) return;
    for (uint32_t row = 0; row < now_.rows; ++row) {
      const uint32_t count = place.kind == operand_kind::kVector ? groups : 1;
      for (uint32_t group = 0; group < count; ++group) {
        for_bytes(address(place, row, group * kLanes), bytes_from(place, group * kLanes, 1),
                  [&](int64_t byte) { f(byte, row * groups + group); });
      }
    }
  };
  for (unsigned i = 0; i < now_.operands.size(); ++i) {
    if (!lanes::uses(mode.op, i)) continue;
    for_groups(now_.operands[i], [&](int64_t byte, uint32_t step) {
      uint32_t& last = last_read[static_cast<size_t>(byte)];
      last = std::max(last, step);
    });
  }
  const auto write = [&](int64_t byte, uint32_t step) {
    if (last_read[static_cast<size_t>(byte)] > step) uses.reads_late.add(byte, 1);
  };
  for_groups(now_.result, write);
  for (uint32_t row = 0; reduces && row < now_.rows; ++row) {
    for_bytes(reduction(row), sizeof(float), [&](int64_t byte) { write(byte, (row + 1) * groups - 1); });
  }
  return uses;
}

}  // namespace swai::iss::cpe
