// SPDX-License-Identifier: Apache-2.0
// The systolic and the vector unit leave the same bits with whatever instructions the host computes them.
#include "sim/iss/cpe/simd.hpp"

#include "sim/iss/cpe/systolic.hpp"
#include "sim/iss/cpe/vector.hpp"
#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

using Answer = Environment::Answer;

constexpr uint32_t kPc = 0x5000'0040;

struct Setting {
  uint8_t op;
  uint32_t rs1;
  uint32_t rs2;
};

// What runs leave of one unit and its memory.
template <typename Unit>
struct Traces {
  struct Trace {
    std::vector<uint8_t> ldm;
    std::vector<Fault> faults;
    std::vector<uint64_t> counts;

    bool operator==(const Trace&) const = default;
  };

  // Runs, of which each begins with a new unit and new memory when the one before has failed.
  template <typename Count>
  static Trace run(simd::Level level, const std::vector<uint8_t>& ldm, const std::vector<Setting>& settings,
                   Count count) {
    simd::use(level);
    Trace trace{.ldm = ldm, .faults = {}, .counts = {}};
    Unit unit(trace.ldm);
    for (const Setting& setting : settings) {
      const Answer answer = unit.issue(setting.op, setting.rs1, setting.rs2, kPc);
      trace.counts.push_back(answer.kind);
      if (unit.fault().cause == Cause::kNone) continue;
      trace.faults.push_back(unit.fault());
      unit.reset();
    }
    count(unit, trace.counts);
    simd::use(simd::best());
    return trace;
  }
};

// Bytes that are often at the ends of numbers of all kinds.
std::vector<uint8_t> memory(verif::Random& random) {
  std::vector<uint8_t> ldm(kLdmBytes);
  for (uint8_t& byte : ldm) byte = static_cast<uint8_t>(random.next());
  static constexpr uint32_t kSpecial[] = {
      0,          0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345,
      1,          0x80000001, 0x807fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x42fe0000,
      0x42ff0000, 0xc3008000, 0x477fefff, 0x477ff000, 0x387fffff, 0x33000000, 0x33000001, 0x7fff7fff,
      0x7bff7c00, 0x7c017e55, 0xfc0103ff, 0x80008001, 0x3f000000, 0x4effffff};
  for (unsigned i = 0; i < 6000; ++i) {
    const size_t at = 4 * random.below(kLdmBytes / 4);
    std::memcpy(&ldm[at], &kSpecial[random.below(std::size(kSpecial))], 4);
  }
  return ldm;
}

std::vector<Setting> systolic_settings(verif::Random& random) {
  namespace op = systolic_op;
  std::vector<Setting> list;
  const auto place = [&](uint32_t multiple) {
    const uint64_t bytes = random.chance(95) ? kLdmBytes / 2 : kLdmBytes;
    return kLdmBase + static_cast<uint32_t>(random.below(bytes / multiple) * multiple);
  };
  const auto stride = [&](uint32_t multiple) {
    return static_cast<uint32_t>(random.below(random.chance(90) ? 12 : 200) * multiple);
  };
  for (unsigned run = 0; run < 12; ++run) {
    const uint32_t mode = static_cast<uint32_t>(random.next()) & 0x7ff;
    const uint32_t weights_unit = (mode & 3) == weights::kInt8 ? 8 : 32;
    // Many column tiles, whose words lie one behind the other.
    const bool together = (mode & 3) == weights::kInt8 && random.chance(40);
    const uint32_t x_unit = (mode & 3) == weights::kSparse ? 32 : 8;
    list.push_back({op::kActivations, place(x_unit), stride(8) << 16 | stride(x_unit)});
    list.push_back({op::kWeights, place(weights_unit), stride(weights_unit) << 16 | stride(8)});
    const uint32_t column_stride = together ? 8 : random.chance(20) ? 0 - stride(32) : stride(32);
    list.push_back({op::kColumns, column_stride, stride(64)});
    list.push_back({op::kGroups, place(16), stride(16) << 8 | static_cast<uint32_t>(random.between(1, 5))});
    list.push_back({op::kOutput, place(32), stride(32)});
    list.push_back({op::kFactors, place(32), place(32)});
    list.push_back({op::kRows, place(32), 0});
    list.push_back({op::kClamp, 0xc0000000, 0x42000000});
    const auto rows = static_cast<uint32_t>(random.between(1, random.chance(50) ? 5 : together ? 12 : 60));
    const uint64_t most = together ? 20 : 4;
    const auto tiles = static_cast<uint32_t>(random.between(1, most));
    const auto k_tiles = static_cast<uint32_t>(random.between(1, random.chance(80) ? 9 : 300));
    list.push_back(
        {op::kSize, tiles << 16 | k_tiles, static_cast<uint32_t>(random.between(1, most)) << 16 | rows});
    list.push_back({op::kRun, mode | (random.chance(80) ? 1u << 5 : 0), 0});
  }
  return list;
}

TEST_CASE("simd: the systolic unit") {
  verif::Random random(test_seed());
  size_t runs = 0;
  size_t faults = 0;
  for (unsigned round = 0; round < 150; ++round) {
    const auto ldm = memory(random);
    const auto settings = systolic_settings(random);
    const auto count = [](const Systolic& unit, std::vector<uint64_t>& counts) {
      counts.push_back(unit.rows());
      for (unsigned i = 0; i < 2 * Systolic::kRows * Systolic::kTile; ++i) {
        const unsigned row = i / Systolic::kTile % Systolic::kRows;
        counts.push_back(static_cast<uint32_t>(unit.sum(i / 2048, row, i % Systolic::kTile)));
      }
    };
    const auto plain = Traces<Systolic>::run(simd::Level::kPlain, ldm, settings, count);
    CHECK(plain == Traces<Systolic>::run(simd::Level::kAvx2, ldm, settings, count));
    CHECK(plain == Traces<Systolic>::run(simd::Level::kAvx512, ldm, settings, count));
    faults += plain.faults.size();
    for (size_t i = 0; i < settings.size(); ++i) {
      if (settings[i].op == systolic_op::kRun && plain.counts[i] == Answer::kDone) ++runs;
    }
  }
  CHECK(runs > 300);
  CHECK(faults > 5);
  CHECK(faults < runs / 2);
}

std::vector<Setting> vector_settings(verif::Random& random) {
  namespace op = vector_op;
  std::vector<Setting> list;
  for (unsigned run = 0; run < 12; ++run) {
    // All sizes of numbers fit to multiples of 32.
    for (const uint8_t operand : {op::kA, op::kB, op::kC, op::kResult}) {
      const bool is_result = operand == op::kResult;
      const auto kind = is_result ? (random.chance(80) ? 0 : 3) : random.below(3);
      uint32_t word =
          static_cast<uint32_t>(random.below(20) * 32 + (random.chance(20) ? 0x38000 : 0)) & 0x3ffe0;
      word |= static_cast<uint32_t>(random.below(4)) << 18 | static_cast<uint32_t>(kind) << 20;
      if (!is_result) word |= static_cast<uint32_t>(random.below(4)) << 22;
      const uint64_t bytes = random.chance(95) ? kLdmBytes / 2 : kLdmBytes;
      const uint32_t place = kLdmBase + static_cast<uint32_t>(random.below(bytes / 32) * 32);
      list.push_back({operand, kind == 2 ? static_cast<uint32_t>(random.next()) : place, word});
    }
    const auto reductions = static_cast<uint32_t>(random.below(random.chance(90) ? 0x7000 : 0x8000) * 4);
    list.push_back({op::kReduce, kLdmBase + reductions, static_cast<uint32_t>(random.below(8) * 4) - 8});
    list.push_back({op::kSize, static_cast<uint32_t>(random.between(1, random.chance(50) ? 20 : 400)),
                    static_cast<uint32_t>(random.between(1, random.chance(90) ? 5 : 40))});
    const auto special = static_cast<uint32_t>(random.chance(70) ? 0 : random.between(1, 4));
    list.push_back(
        {op::kRun, static_cast<uint32_t>(random.below(8) | special << 3 | random.below(4) << 6), 0});
  }
  return list;
}

TEST_CASE("simd: the vector unit") {
  verif::Random random(test_seed());
  size_t runs = 0;
  size_t faults = 0;
  for (unsigned round = 0; round < 300; ++round) {
    const auto ldm = memory(random);
    const auto settings = vector_settings(random);
    const auto count = [](const Vector& unit, std::vector<uint64_t>& counts) {
      counts.push_back(unit.groups());
    };
    const auto plain = Traces<Vector>::run(simd::Level::kPlain, ldm, settings, count);
    CHECK(plain == Traces<Vector>::run(simd::Level::kAvx2, ldm, settings, count));
    CHECK(plain == Traces<Vector>::run(simd::Level::kAvx512, ldm, settings, count));
    faults += plain.faults.size();
    for (size_t i = 0; i < settings.size(); ++i) {
      if (settings[i].op == vector_op::kRun && plain.counts[i] == Answer::kDone) ++runs;
    }
  }
  CHECK(runs > 1000);
  CHECK(faults > 20);
  CHECK(faults < runs / 2);
}

}  // namespace
}  // namespace swai::iss::cpe
