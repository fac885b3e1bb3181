// SPDX-License-Identifier: Apache-2.0
// Random programs on whole groups: they leave what they should, whoever runs first.
#include "verif/sim/iss/cpe/random/group_program.hpp"
#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

constexpr uint16_t kFirstSegment = 16;

struct RandomGroup {
  SparseMemory memory;
  Group group;

  RandomGroup(unsigned rows, unsigned columns, uint64_t turn)
      : group(rows, columns, memory, {.turn = turn}) {}

  static uint64_t base(unsigned number) { return kHbmBase + uint64_t{number} * 0x10'0000; }
  void set(unsigned number, uint64_t bytes, uint8_t permissions) {
    const uint64_t word = segment::encode({base(number), (bytes + 0xfff) & ~uint64_t{0xfff}, permissions});
    memory.poke(kHbmBase + 8 * number, {reinterpret_cast<const uint8_t*>(&word), sizeof word});
  }
  Result run(const GroupProgram& program) {
    using segment::kExecute, segment::kRead, segment::kWrite;
    memory.poke(base(1), {reinterpret_cast<const uint8_t*>(kPlainDaemon.data()), sizeof kPlainDaemon});
    memory.poke(base(2),
                {reinterpret_cast<const uint8_t*>(program.code().data()), 4 * program.code().size()});
    set(1, 0x1000, kRead | kExecute);
    set(2, 4 * program.code().size(), kRead | kExecute);
    for (unsigned i = 0; i < group.size(); ++i) {
      set(kFirstSegment + i, program.segment_bytes(), kRead | kWrite);
      memory.poke(base(kFirstSegment + i), program.before(i));
      std::ranges::fill(group.ldm(i), uint8_t{0xcc});
    }
    group.set_segment_table(kHbmBase, kFirstSegment + group.size());
    group.boot({.segment = 1});
    return group.launch({.pc = kKernel, .mask = program.mask(), .code_segment = 2});
  }
  void check(const GroupProgram& program) {
    std::vector<uint8_t> bytes(program.segment_bytes());
    for (unsigned i = 0; i < group.size(); ++i) {
      CAPTURE(i);
      memory.peek(base(kFirstSegment + i), bytes);
      CHECK(bytes == program.after(i));
    }
  }
};

TEST_CASE("random programs on whole groups") {
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 40; ++round) {
    const bool large = round % 4 == 0;
    const auto rows = large ? 4 : static_cast<unsigned>(random.between(1, 4));
    const auto columns = large ? 8 : static_cast<unsigned>(random.between(1, 8));
    auto mask = static_cast<uint32_t>(random.chance(50) ? ~uint64_t{0} : random.next() | 1);
    const GroupProgram program({.rows = rows,
                                .columns = columns,
                                .mask = mask,
                                .events = static_cast<unsigned>(random.between(20, large ? 1500 : 300)),
                                .ldm_bytes = 2048u << random.below(4),
                                .first_segment = kFirstSegment,
                                .seed = random.next(),
                                .compute = random.chance(70)});
    CAPTURE(rows);
    CAPTURE(columns);
    CAPTURE(program.mask());
    std::vector<uint64_t> instructions;
    for (const uint64_t turn : {uint64_t{1}, random.between(2, 50), uint64_t{100'000}}) {
      CAPTURE(turn);
      RandomGroup bench(rows, columns, turn);
      const Result result = bench.run(program);
      REQUIRE_MESSAGE(result.ok(), text(result.ending), " ", result.states.empty() ? "" : result.states[0]);
      bench.check(program);
      if (instructions.empty()) instructions = result.instructions;
      CHECK(result.instructions == instructions);
    }
  }
}

// Anything at all: words that are mostly instructions, many of them commands, registers that are mostly
// addresses.
Assembler garbage(verif::Random& random) {
  Assembler code;
  const auto reg = [&] { return static_cast<uint32_t>(random.between(5, 15)); };
  for (unsigned i = 5; i < 16; ++i) {
    static constexpr uint32_t kBases[] = {kLdmBase,    kLdmBase, kWindow, kKernel, kArguments,
                                          0x4000'0000, 0,        1,       1 << 24};
    code.li(i, kBases[random.below(std::size(kBases))] + static_cast<uint32_t>(32 * random.below(64)));
  }
  code.window(Bench::pointer(static_cast<uint16_t>(random.below(Bench::kEntries + 1)), random.below(0x2000)));
  for (unsigned i = 0; i < 60; ++i) {
    const auto any = static_cast<uint32_t>(random.next());
    switch (random.below(6)) {
      case 0:
        code({any});
        break;
      case 1:
        code(
            {(any & 0xfe00'7000) | 0x33 | enc::with_rd(reg()) | enc::with_rs1(reg()) | enc::with_rs2(reg())});
        break;
      case 2:
        code({(any & 0x0ff0'7000) | 0x03 | enc::with_rd(reg()) | enc::with_rs1(reg())});
        break;
      case 3:
        code({enc::sw(reg(), reg(), static_cast<int32_t>(random.below(64)) * 4)});
        break;
      default:
        code({custom(static_cast<unsigned>(random.chance(80) ? random.below(4) : random.between(8, 9)),
                     static_cast<unsigned>(random.below(random.chance(90) ? 6 : 128)), reg(), reg(), reg())});
        break;
    }
  }
  return code.ret();
}

TEST_CASE("whatever CPEs do, the launch ends, and the group takes the next one") {
  Bench bench(2, 4);
  bench.group.set_limit(2000);
  unsigned endings[5] = {};
  for (unsigned round = 0; round < 400; ++round) {
    std::vector<Assembler> codes;
    for (unsigned i = 0; i < 8; ++i) {
      codes.push_back(bench.random.chance(30) ? Assembler().ret() : garbage(bench.random));
    }
    bench.codes(codes);
    const auto mask = static_cast<uint32_t>(bench.random.between(1, 255));
    const Result result = bench.launch(mask);
    ++endings[static_cast<unsigned>(result.ending)];
    CHECK((result.failed & ~mask) == 0);
    CHECK((result.failed == 0) == result.ok());
    for (unsigned i = 0; i < 8; ++i) {
      CHECK((result.faults[i].cause != Cause::kNone) == ((result.failed >> i & 1) != 0));
    }
    if (!result.ok()) CHECK(result.states.size() == 8);
    bench.codes(std::vector<Assembler>(8, Assembler().sync(1).sync(2).sync(4).ret()));
    CHECK(bench.launch().ok());
  }
  CHECK(endings[static_cast<unsigned>(Ending::kFailed)] > 100);
  CHECK(endings[static_cast<unsigned>(Ending::kDeadlock)] > 20);
}

}  // namespace
}  // namespace swai::iss::cpe
