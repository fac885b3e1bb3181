// SPDX-License-Identifier: Apache-2.0
// The model of the vector unit against plain loops over matrices of numbers.
#include <functional>

#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/special.hpp"
#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

using Answer = Environment::Answer;
namespace op = vector_op;

constexpr uint32_t kPc = 0x5000'0040;
constexpr uint32_t kNegate = 1 << 23, kMagnitude = 1 << 22;

constexpr uint32_t describe(operand_kind::Kind kind, number::Kind number, int32_t stride,
                            uint32_t signs = 0) {
  return uint32_t{kind} << 20 | uint32_t{number} << 18 | (static_cast<uint32_t>(stride) & 0x3'ffff) | signs;
}

struct VectorBench {
  verif::Random& random;
  std::vector<uint8_t> ldm = std::vector<uint8_t>(kLdmBytes);
  Vector unit{ldm};

  explicit VectorBench(verif::Random& source) : random(source) {
    for (uint8_t& byte : ldm) byte = static_cast<uint8_t>(random.next());
  }
  Answer issue(uint8_t op, uint32_t rs1 = 0, uint32_t rs2 = 0) { return unit.issue(op, rs1, rs2, kPc); }
  void set(uint8_t op, uint32_t rs1, uint32_t rs2 = 0) { REQUIRE(issue(op, rs1, rs2).kind == Answer::kDone); }
  template <typename T>
  T get(int64_t at) const {
    T value;
    std::memcpy(&value, &ldm.at(static_cast<size_t>(at)), sizeof value);
    return value;
  }
};

// Rows of numbers in local memory, or one per row, or one.
struct Matrix {
  operand_kind::Kind kind;
  number::Kind number;
  uint32_t at = 0;
  int32_t stride = 0;
  uint32_t value = 0;
  uint32_t signs = 0;

  uint32_t bytes() const { return static_cast<uint32_t>(bytes_of(number)); }
  uint32_t rs1() const { return kind == operand_kind::kValue ? value : kLdmBase + at; }
  uint32_t rs2() const { return describe(kind, number, stride, signs); }
  int64_t place(uint32_t row, uint32_t column) const {
    return at + int64_t{row} * stride + (kind == operand_kind::kVector ? column * bytes() : 0);
  }
  uint32_t get(const VectorBench& bench, uint32_t row, uint32_t column) const {
    uint32_t x = value;
    if (kind != operand_kind::kValue) {
      const int64_t from = place(row, column);
      if (number == number::kFp32) x = bench.get<uint32_t>(from);
      if (number == number::kInt32) x = fp32::of_int32(bench.get<int32_t>(from));
      if (number == number::kFp16) x = fp32::of_fp16(bench.get<uint16_t>(from));
      if (number == number::kInt8) x = fp32::of_int32(bench.get<int8_t>(from));
    }
    if ((signs & kMagnitude) != 0 && x >> 31 != 0) x -= 0x8000'0000;
    if ((signs & kNegate) != 0) x += 0x8000'0000;
    return x;
  }
};

uint32_t compute(uint32_t op, uint32_t a, uint32_t b, uint32_t c) {
  const std::array<std::function<uint32_t()>, 8> ops = {
      [&] { return fp32::fma(a, b, c); },
      [&] { return fp32::mul(a, b); },
      [&] { return fp32::add(a, c); },
      [&] { return fp32::min(a, b); },
      [&] { return fp32::max(a, b); },
      [&] { return fp32::less(a, b) ? fp32::kOne : 0; },
      [&] { return fp32::equal(a, b) ? fp32::kOne : 0; },
      [&] {
        const uint32_t selected = (a & 0x7fff'ffff) == 0 ? c : b;
        return fp32::is_nan(selected) ? fp32::kNan : selected;
      },
  };
  return ops[op]();
}

uint32_t apply(uint32_t function, uint32_t x) {
  const std::array<uint32_t, 5> all = {x, special::exp2(x), special::log2(x), special::reciprocal(x),
                                       special::root(x)};
  return all[function];
}

uint32_t reduce(uint32_t kind, std::vector<uint32_t> row) {
  if (kind != reduce::kSum) {
    uint32_t best = row[0];
    for (const uint32_t x : row) best = kind == reduce::kMin ? fp32::min(best, x) : fp32::max(best, x);
    return fp32::is_nan(best) ? fp32::kNan : best;
  }
  row.resize((row.size() + 7) / 8 * 8, 0x8000'0000);
  uint32_t partial[4] = {0x8000'0000, 0x8000'0000, 0x8000'0000, 0x8000'0000};
  for (size_t g = 0; g < row.size() / 8; ++g) {
    std::vector<uint32_t> level(row.begin() + static_cast<long>(8 * g),
                                row.begin() + static_cast<long>(8 * g + 8));
    while (level.size() > 1) {
      for (size_t i = 0; i < level.size() / 2; ++i) level[i] = fp32::add(level[2 * i], level[2 * i + 1]);
      level.resize(level.size() / 2);
    }
    partial[g % 4] = fp32::add(partial[g % 4], level[0]);
  }
  return fp32::add(fp32::add(partial[0], partial[1]), fp32::add(partial[2], partial[3]));
}

TEST_CASE("vector unit: rows of all numbers, operations and reductions") {
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 800; ++round) {
    CAPTURE(round);
    VectorBench bench(random);
    const auto rows = static_cast<uint32_t>(random.between(1, 6));
    const auto elements = static_cast<uint32_t>(random.between(1, random.chance(80) ? 70 : 400));
    uint32_t next = 0;
    const auto some_matrix = [&](operand_kind::Kind kind) {
      Matrix matrix{.kind = kind, .number = static_cast<number::Kind>(random.below(4))};
      const uint32_t unit = matrix.bytes() * (kind == operand_kind::kVector ? 8 : 1);
      const uint32_t in_row = kind == operand_kind::kVector ? (elements + 7) / 8 : 1;
      const auto step = static_cast<uint32_t>(unit * (in_row + random.below(3)));
      next = (next + unit - 1) / unit * unit;
      const bool backwards = random.chance(30);
      matrix.at = backwards ? next + (rows - 1) * step : next;
      matrix.stride = backwards ? -static_cast<int32_t>(step) : static_cast<int32_t>(step);
      if (random.chance(10)) matrix.stride = 0;  // the same row each time
      next += rows * step;
      return matrix;
    };
    std::array<Matrix, 3> operands;
    for (Matrix& operand : operands) {
      operand = some_matrix(static_cast<operand_kind::Kind>(random.below(3)));
      operand.value = static_cast<uint32_t>(random.next());
      operand.signs = static_cast<uint32_t>(random.below(4)) << 22;
    }
    const auto kind = static_cast<uint32_t>(random.below(8));
    const auto function = static_cast<uint32_t>(random.chance(50) ? 0 : random.below(5));
    const auto reduction = static_cast<uint32_t>(random.below(4));
    const bool stored = reduction == reduce::kNone || random.chance(60);
    Matrix result = some_matrix(operand_kind::kVector);
    const bool in_place =
        operands[0].kind == operand_kind::kVector && operands[0].stride != 0 && random.chance(20);
    if (in_place) result = operands[0];
    result.signs = 0;
    const Matrix sums = [&] {
      Matrix matrix = some_matrix(operand_kind::kScalar);
      matrix.number = number::kFp32;
      matrix.at = (matrix.at + 16) / 4 * 4 + 64;
      matrix.stride = static_cast<int32_t>(4 * random.between(1, 5));
      next = matrix.at + 200;
      return matrix;
    }();
    REQUIRE(next <= kLdmBytes);
    for (uint8_t i = 0; i < 3; ++i) bench.set(i, operands[i].rs1(), operands[i].rs2());
    bench.set(op::kResult, result.rs1(),
              stored ? result.rs2() : describe(operand_kind::kNone, number::kFp32, 0));
    bench.set(op::kReduce, sums.rs1(), static_cast<uint32_t>(sums.stride));
    bench.set(op::kSize, elements, rows);

    std::vector<uint8_t> expected = bench.ldm;
    const auto put = [&](int64_t at, const auto& value) {
      std::memcpy(&expected.at(static_cast<size_t>(at)), &value, sizeof value);
    };
    for (uint32_t row = 0; row < rows; ++row) {
      std::vector<uint32_t> values;
      for (uint32_t i = 0; i < elements; ++i) {
        const uint32_t value =
            apply(function, compute(kind, operands[0].get(bench, row, i), operands[1].get(bench, row, i),
                                    operands[2].get(bench, row, i)));
        values.push_back(value);
        if (!stored) continue;
        const int64_t at = result.place(row, i);
        if (result.number == number::kFp32) put(at, value);
        if (result.number == number::kInt32) put(at, fp32::to_int32(value));
        if (result.number == number::kFp16) put(at, fp32::to_fp16(value));
        if (result.number == number::kInt8) put(at, fp32::to_int8(value));
      }
      if (reduction != reduce::kNone) put(sums.place(row, 0), reduce(reduction, values));
    }
    const Answer answer = bench.issue(
        op::kRun, kind | function << 3 | reduction << 6 | static_cast<uint32_t>(random.below(2)) << 8);
    REQUIRE(answer.kind == Answer::kDone);
    CHECK(answer.data == 1);
    CHECK(bench.unit.fault() == Fault{});
    CHECK(bench.unit.groups() == uint64_t{rows} * ((elements + 7) / 8));
    CHECK(bench.ldm == expected);
  }
}

TEST_CASE("vector unit: what is refused changes nothing") {
  verif::Random random(test_seed());
  VectorBench bench(random);
  const auto bad = [&](uint8_t op, uint32_t rs1, uint32_t rs2 = 0) {
    CHECK(bench.issue(op, rs1, rs2).kind == Answer::kBad);
  };
  bad(op::kRun, 0);
  for (const uint8_t op : {6, 15, 19, 127}) bad(op, kLdmBase);
  for (const uint8_t op : {op::kA, op::kB, op::kC, op::kResult}) {
    bad(op, kLdmBase, 1 << 24);
    bad(op, kLdmBase, 0x8000'0000);
    for (const auto number : {number::kFp32, number::kInt32, number::kFp16, number::kInt8}) {
      const auto bytes = static_cast<uint32_t>(bytes_of(number));
      bench.set(op, kLdmBase + 8 * bytes,
                describe(operand_kind::kVector, number, -8 * static_cast<int32_t>(bytes)));
      bad(op, kLdmBase + 4 * bytes, describe(operand_kind::kVector, number, 0));
      bad(op, kLdmBase, describe(operand_kind::kVector, number, 4 * static_cast<int32_t>(bytes)));
      for (const uint32_t address : {0u, kLdmBase - 32, kLdmBase + kLdmBytes})
        bad(op, address, describe(operand_kind::kVector, number, 0));
      if (op == op::kResult) continue;
      bench.set(op, kLdmBase + bytes, describe(operand_kind::kScalar, number, static_cast<int32_t>(bytes)));
      if (bytes == 1) continue;
      bad(op, kLdmBase + bytes / 2, describe(operand_kind::kScalar, number, 0));
      bad(op, kLdmBase, describe(operand_kind::kScalar, number, static_cast<int32_t>(bytes / 2)));
    }
  }
  bench.set(op::kA, 3, describe(operand_kind::kValue, number::kInt8, 3, kNegate | kMagnitude));
  bench.set(op::kResult, 3, describe(operand_kind::kNone, number::kInt32, 3));
  bad(op::kA, kLdmBase, describe(operand_kind::kNone, number::kFp32, 0));
  bad(op::kResult, kLdmBase, describe(operand_kind::kScalar, number::kFp32, 0));
  bad(op::kResult, kLdmBase, describe(operand_kind::kValue, number::kFp32, 0));
  bad(op::kResult, kLdmBase, describe(operand_kind::kVector, number::kFp32, 0, kNegate));
  bad(op::kResult, kLdmBase, describe(operand_kind::kVector, number::kFp32, 0, kMagnitude));
  bad(op::kReduce, kLdmBase + 2);
  bad(op::kReduce, kLdmBase, 2);
  bad(op::kReduce, kLdmBase, 0x2'0000);
  bad(op::kReduce, 0);
  for (const uint32_t size : {0u, 0x1'0000u, 0xffff'ffffu}) {
    bad(op::kSize, size, 1);
    bad(op::kSize, 1, size);
  }
  bad(op::kRun, 0);
  bench.set(op::kSize, 8, 1);
  bad(op::kRun, 0);  // neither stored nor reduced
  bench.set(op::kReduce, kLdmBase);
  CHECK(bench.issue(op::kRun, vector_mode::kReduce.put(reduce::kSum)).data == 1);
  bench.set(op::kResult, kLdmBase, describe(operand_kind::kVector, number::kFp32, 0));
  bad(op::kRun, 5 << 3);
  bad(op::kRun, 1 << 9);
  bad(op::kRun, 0x8000'0000);
  CHECK(bench.issue(op::kRun, 1 << 8).data == 2);
  CHECK(bench.issue(op::kWait, 2).kind == Answer::kDone);
  CHECK(bench.issue(op::kWait, 3).kind == Answer::kWait);
  CHECK(bench.issue(op::kPoll, 2).data == 1);
  CHECK(bench.issue(op::kPoll, 3).data == 0);
  bench.unit.reset();
  bad(op::kRun, 0);
  CHECK(bench.issue(op::kWait, 1).kind == Answer::kWait);
}

TEST_CASE("vector unit: a run stops where it leaves local memory") {
  verif::Random random(test_seed());
  constexpr uint32_t kEnd = kLdmBase + kLdmBytes;
  const auto check = [&](uint8_t op, uint32_t rs1, uint32_t rs2, uint32_t run, Access access,
                         uint32_t address) {
    CAPTURE(int{op});
    VectorBench bench(random);
    for (uint8_t i = 0; i < 3; ++i)
      bench.set(i, kLdmBase, describe(operand_kind::kVector, number::kInt8, 16));
    bench.set(op::kResult, kLdmBase + 0x1'0000, describe(operand_kind::kVector, number::kFp16, 64));
    bench.set(op::kReduce, kLdmBase + 0x1'8000, 4);
    bench.set(op::kSize, 16, 4);
    bench.set(op, rs1, rs2);
    const std::vector<uint8_t> before = bench.ldm;
    CHECK(bench.issue(op::kRun, run).kind == Answer::kDone);
    const Fault fault{.cause = Cause::kCommand, .access = access, .dma = true, .pc = kPc, .offset = address};
    CHECK(bench.unit.fault() == fault);
    CHECK(bench.unit.possible_faults() == std::vector{fault});
    CHECK(bench.ldm != before);  // what came before it
  };
  const auto rows = [](number::Kind number, int32_t stride) {
    return describe(operand_kind::kVector, number, stride);
  };
  for (const uint8_t operand : {op::kA, op::kB, op::kC}) {
    check(operand, kEnd - 32, rows(number::kFp32, 0), vector_function::kFma, Access::kRead, kEnd);
    check(operand, kEnd - 48, rows(number::kFp16, 32), vector_function::kSelect, Access::kRead, kEnd);
    check(operand, kLdmBase + 32, rows(number::kInt8, -16), vector_function::kFma, Access::kRead,
          kEnd + kLdmBytes - 16);
    check(operand, kEnd - 3, describe(operand_kind::kScalar, number::kInt8, 1), vector_function::kFma,
          Access::kRead, kEnd);
  }
  check(op::kResult, kEnd - 64, rows(number::kInt32, 64), vector_function::kAdd, Access::kWrite, kEnd);
  check(op::kReduce, kEnd - 8, 4, vector_function::kAdd | vector_mode::kReduce.put(reduce::kSum),
        Access::kWrite, kEnd);
  // What is not used may lie anywhere.
  VectorBench bench(random);
  bench.set(op::kResult, kLdmBase, rows(number::kFp32, 32));
  bench.set(op::kC, kEnd - 32, rows(number::kFp32, 0x1'0000));
  bench.set(op::kReduce, kEnd - 4, 4);
  bench.set(op::kSize, 8, 4);
  bench.issue(op::kRun, vector_function::kMul);
  CHECK(bench.unit.fault() == Fault{});
}

TEST_CASE(
    "units in a CPE: their faults stop it, with their records; the next launch finds them as after reset") {
  Bench bench;
  const uint32_t vectors = describe(operand_kind::kVector, number::kFp32, 0);
  Assembler code;
  for (const uint8_t op : {op::kA, op::kB, op::kC, op::kResult})
    code.command(unit::kVector, op, kLdmBase + 0x1'ffe0, vectors);
  code.command(unit::kVector, op::kSize, 16, 1);
  const uint32_t run = code.here() + 16;  // behind two operands of two instructions each
  code.command(unit::kVector, op::kRun, vector_function::kMax).ret();
  bench.code(code);
  Result result = bench.launch(1);
  CHECK(result.ending == Ending::kFailed);
  CHECK(result.faults[0] == Fault{.cause = Cause::kCommand,
                                  .access = Access::kRead,
                                  .dma = true,
                                  .pc = kKernel + run,
                                  .offset = kLdmBase + kLdmBytes});
  CHECK(text(result.faults[0]).starts_with("unit read at 0x10020000"));
  for (const uint8_t unit : {unit::kSystolic, unit::kVector}) {
    bench.code(Assembler().command(unit, op::kRun).ret());
    result = bench.launch(1);
    CHECK(result.ending == Ending::kFailed);
    CHECK(result.faults[0] == Fault{.cause = Cause::kCommand, .pc = kKernel + 16});
    bench.code(Assembler().command(unit, op::kWait, 1).ret());
    result = bench.launch(1);
    CHECK(result.ending == Ending::kDeadlock);
    CHECK(result.states[0].find("but has begun only 0") != std::string::npos);
  }
  bench.code(Assembler()
                 .command(unit::kVector, op::kSize, 1, 1)
                 .command(unit::kVector, op::kRun)
                 .command(unit::kVector, op::kWait, 1)
                 .ret());
  CHECK(bench.launch().ok());
}

}  // namespace
}  // namespace swai::iss::cpe
