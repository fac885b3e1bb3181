// SPDX-License-Identifier: Apache-2.0
// Launches on a whole group: what kernels see, what stops them, what is left afterwards.
#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

namespace csr = swai::cpe::isa::csr;
using enc::addi, enc::csrr, enc::jalr, enc::lw, enc::sb, enc::sh, enc::sw;

constexpr uint32_t kLdm = kLdmBase;

TEST_CASE("a launch: mask, argument, identity; only those of the mask run") {
  Bench bench(4, 8);
  for (unsigned round = 0; round < 20; ++round) {
    Assembler code;
    code.li(kT0,
            kLdm)({sw(kA0, kT0, 0), csrr(kA1, csr::kMhartid), sw(kA1, kT0, 4), csrr(kA1, csr::kLaunchMask),
                   sw(kA1, kT0, 8), csrr(kA1, csr::kCpeConfig), sw(kA1, kT0, 12), sw(2, kT0, 16)})
        .ret();
    bench.code(code);
    for (unsigned i = 0; i < 32; ++i) std::ranges::fill(bench.group.ldm(i), uint8_t{0xaa});
    const auto mask = static_cast<uint32_t>(bench.random.next());
    const auto argument = static_cast<uint32_t>(bench.random.next());
    const Result result = bench.group.launch(bench.request(mask, argument));
    REQUIRE(result.ok());
    CHECK(result.failed == 0);
    CHECK(result.states.empty());
    for (unsigned i = 0; i < 32; ++i) {
      const bool in = (mask >> i & 1) != 0;
      CHECK(result.instructions[i] == (in ? 14 : 0));
      CHECK(result.faults[i] == Fault{});
      CHECK(bench.word(i, 0) == (in ? argument : 0xaaaa'aaaa));
      CHECK(bench.word(i, 4) == (in ? (i / 8) << 3 | i % 8 : 0xaaaa'aaaa));
      CHECK(bench.word(i, 8) == (in ? mask : 0xaaaa'aaaa));
      CHECK(bench.word(i, 12) == (in ? 0x0080'0804 : 0xaaaa'aaaa));
      CHECK(bench.word(i, 16) == (in ? 0x1002'0000 : 0xaaaa'aaaa));
    }
  }
  CHECK(bench.launch(0).ok());
}

TEST_CASE("what is set for a transfer ends with the launch") {
  Bench bench;
  const auto content = bench.noise(256);
  bench.poke(Bench::base(Bench::kData), content);
  bench.code(Assembler().global(Bench::pointer(Bench::kData, 0x1000)).shape(3, 64, 512).ret());
  REQUIRE(bench.launch().ok());
  for (unsigned i = 0; i < bench.group.size(); ++i) std::ranges::fill(bench.group.ldm(i), uint8_t{0xaa});
  bench.code(
      Assembler().global(Bench::pointer(Bench::kData, 0)).command(unit::kDma, dma_op::kLoad, kLdm, 64).ret());
  REQUIRE(bench.launch().ok());
  for (unsigned i = 0; i < bench.group.size(); ++i) {
    const auto ldm = bench.group.ldm(i);
    CHECK(std::equal(content.begin(), content.begin() + 64, ldm.begin()));
    CHECK(std::all_of(ldm.begin() + 64, ldm.begin() + 256, [](uint8_t byte) { return byte == 0xaa; }));
  }
  bench.code(Assembler().command(unit::kDma, dma_op::kLoad, kLdm, 64).ret());
  const Result result = bench.launch();
  CHECK(result.failed == bench.all());
  for (unsigned i = 0; i < bench.group.size(); ++i) {
    CHECK(result.faults[i].cause == Cause::kNoSegment);
    CHECK(result.faults[i].segment == 0);
    CHECK(result.faults[i].offset == 0);
  }
}

TEST_CASE("a launch of CPEs that do not run is refused") {
  Bench bench;
  bench.code(Assembler().ret());
  CHECK(bench.launch(0x10).ending == Ending::kRefused);
  bench.group.disable(0b0100);
  CHECK(bench.group.stopped() == 0b0100);
  CHECK(bench.launch(0b0110).ending == Ending::kRefused);
  CHECK(bench.launch(0b1011).ok());
  CHECK(bench.group.describe(2) == "in reset");
  bench.group.boot({.segment = Bench::kDaemon}, 0b0100);
  CHECK(bench.launch().ok());
}

// Code and the fault in which it ends.
struct Wrong {
  std::string name;
  Assembler code;
  Cause cause;
  Access access = Access::kNone;
  uint16_t segment = kNoSegment;
  uint64_t offset = 0;
  bool dma = false;
};

// The last word of the code is the culprit.
std::vector<Wrong> wrongs() {
  const auto pointer = Bench::pointer;
  const uint64_t limit = Bench::kDataBytes;
  std::vector<Wrong> list;
  const auto add = [&](Wrong wrong) { list.push_back(std::move(wrong)); };
  const auto window = [](uint64_t to, uint32_t address, bool write) {
    Assembler code;
    code.window(to).li(kT0, address)({write ? sw(kA0, kT0, 0) : lw(kA0, kT0, 0)});
    return code;
  };
  const auto dma = [](uint64_t to, bool store, uint32_t bytes) {
    return Assembler().global(to).command(unit::kDma, store ? dma_op::kStore : dma_op::kLoad, kLdm, bytes);
  };
  add({"illegal", Assembler()({0}), Cause::kIllegal});
  add({"illegal CSR", Assembler()({csrr(kA0, 0x300)}), Cause::kIllegal});
  add({"fence.i", Assembler()({enc::kFenceI}), Cause::kIllegal});
  add({"ebreak", Assembler()({enc::kEbreak}), Cause::kBreakpoint});
  add({"ecall", Assembler()({enc::kEcall}), Cause::kBreakpoint});
  add({"misaligned", Assembler().li(kT0, kLdm + 2)({lw(kA0, kT0, 0)}), Cause::kMisaligned, Access::kRead,
       kNoSegment, kLdm + 2});
  add({"vacant load", Assembler().li(kT0, 0x2000'0000)({lw(kA0, kT0, 4)}), Cause::kVacant, Access::kRead,
       kNoSegment, 0x2000'0004});
  add({"beyond the LDM", Assembler().li(kT0, kLdm + kLdmBytes)({sb(kA0, kT0, 0)}), Cause::kVacant,
       Access::kWrite, kNoSegment, kLdm + kLdmBytes});
  add({"no such unit", Assembler()({custom(9, 0, kA0)}), Cause::kCommand});
  add({"no such operation", Assembler()({custom(unit::kControl, 9, kA0)}), Cause::kCommand});
  add({"two scopes", Assembler().sync(3), Cause::kCommand});
  add({"a launch in a launch", Assembler()({custom(unit::kControl, control_op::kLaunch, kA0)}),
       Cause::kCommand});
  add({"the end of a launch, which is the daemon's to say",
       Assembler()({custom(unit::kControl, control_op::kDone, 0)}), Cause::kCommand});
  add({"DMA of nothing", dma(pointer(Bench::kData, 0), false, 0), Cause::kCommand});
  add({"send to nobody", Assembler().command(unit::kRow, channel_op::kSend, kLdm, 32), Cause::kCommand});
  // Data window
  add({"window, no segment", window(pointer(Bench::kEntries, 4), kWindow, false), Cause::kNoSegment,
       Access::kRead, Bench::kEntries, 4});
  add({"window, invalid entry", window(pointer(Bench::kInvalid, 0), kWindow, true), Cause::kNoSegment,
       Access::kWrite, Bench::kInvalid, 0});
  add({"window, owner", window(pointer(Bench::kForeign, 0x20), kWindow + 8, false), Cause::kOwner,
       Access::kRead, Bench::kForeign, 0x28});
  add({"window, permission", window(pointer(Bench::kReadOnly, 0), kWindow + 0x100, true), Cause::kPermission,
       Access::kWrite, Bench::kReadOnly, 0x100});
  add({"window, limit", window(pointer(Bench::kData, limit - 16), kWindow + 16, false), Cause::kLimit,
       Access::kRead, Bench::kData, limit});
  add({"window, across the limit", window(pointer(Bench::kData, limit - 2), kWindow, true), Cause::kLimit,
       Access::kWrite, Bench::kData, limit - 2});
  add({"window, end of all offsets", window(pointer(Bench::kData, segment::kOffsetMask - 1), kWindow, false),
       Cause::kLimit, Access::kRead, Bench::kData, segment::kOffsetMask - 1});
  add({"window, nobody there", window(pointer(Bench::kNobody, 0), kWindow, true), Cause::kBus, Access::kWrite,
       Bench::kNobody, 0});
  add({"window, poison", window(pointer(Bench::kData, 0x8000), kWindow + 4, false), Cause::kPoison,
       Access::kRead, Bench::kData, 0x8004});
  add({"window, poison in the upper line", window(pointer(Bench::kData, 0x7ffe), kWindow, false),
       Cause::kPoison, Access::kRead, Bench::kData, 0x7ffe});
  add({"store to code", Assembler().li(kT0, kKernel + 0x40)({sw(kA0, kT0, 0)}), Cause::kPermission,
       Access::kWrite, Bench::kCode, 0x40});
  add({"store to the daemon", Assembler().li(kT0, 0x4000'0000)({sw(kA0, kT0, 0)}), Cause::kPermission,
       Access::kWrite, Bench::kDaemon, 0});
  add({"beyond the arguments", Assembler().li(kT0, kArguments + 0x1000)({lw(kA0, kT0, 0)}), Cause::kLimit,
       Access::kRead, Bench::kArgument, 0x1000});
  // DMA
  add({"DMA, no segment", dma(pointer(0xffff, 0), true, 100), Cause::kNoSegment, Access::kWrite, 0xffff, 0,
       true});
  add({"DMA, owner", dma(pointer(Bench::kForeign, 4), false, 4), Cause::kOwner, Access::kRead,
       Bench::kForeign, 4, true});
  add({"DMA, permission", dma(pointer(Bench::kReadOnly, 1), true, 4), Cause::kPermission, Access::kWrite,
       Bench::kReadOnly, 1, true});
  add({"DMA, limit", dma(pointer(Bench::kData, limit - 100), true, 200), Cause::kLimit, Access::kWrite,
       Bench::kData, limit, true});
  add({"DMA, nobody there", dma(pointer(Bench::kNobody, 0x30), false, 64), Cause::kBus, Access::kRead,
       Bench::kNobody, 0x30, true});
  add({"DMA, poison", dma(pointer(Bench::kData, 0x7f01), false, 1000), Cause::kPoison, Access::kRead,
       Bench::kData, 0x8000, true});
  return list;
}

TEST_CASE("every cause of a fault, its record, and life afterwards") {
  Bench bench;
  bench.memory.poison(Bench::base(Bench::kData) + 0x8000);
  for (const Wrong& wrong : wrongs()) {
    CAPTURE(wrong.name);
    const auto culprit = static_cast<unsigned>(bench.random.below(4));
    Assembler fine;
    fine.li(kT0, kLdm + 0x100)({sw(kA0, kT0, 0)}).ret();
    std::vector<Assembler> codes(4, fine);
    codes[culprit] = wrong.code;
    codes[culprit].ret();
    for (unsigned i = 0; i < 4; ++i) std::ranges::fill(bench.group.ldm(i), uint8_t{0});
    bench.codes(codes);
    bench.group.clear_faults();
    const Result result = bench.launch();
    const Fault expected{.cause = wrong.cause,
                         .access = wrong.access,
                         .dma = wrong.dma,
                         .pc = kKernel + (culprit + 1) * Bench::kCodeOfCpe + wrong.code.here() - 4,
                         .segment = wrong.segment,
                         .offset = wrong.offset};
    REQUIRE(result.ending == Ending::kFailed);
    CHECK(result.failed == 1u << culprit);
    CHECK(text(result.faults[culprit]) == text(expected));
    CHECK(result.faults[culprit] == expected);
    CHECK(bench.group.fault(culprit) == expected);
    CHECK(result.states[culprit] == "stopped: " + text(expected));
    for (unsigned i = 0; i < 4; ++i) {
      if (i == culprit) continue;
      CHECK(result.faults[i] == Fault{});
      CHECK(bench.group.fault(i) == Fault{});
      CHECK(bench.word(i, 0x100) == kArguments);
    }
    // The group takes the next launch.
    bench.codes(std::vector<Assembler>(4, fine));
    CHECK(bench.launch().ok());
    CHECK(bench.word(culprit, 0x100) == kArguments);
  }
}

TEST_CASE("jumps to nowhere: the record tells the address, the pc is the same") {
  Bench bench;
  struct Case {
    uint32_t to;
    Cause cause;
  };
  for (const auto& [to, cause] : std::initializer_list<Case>{{0, Cause::kVacant},
                                                             {kLdm, Cause::kVacant},
                                                             {kWindow, Cause::kVacant},
                                                             {0x4000'1000, Cause::kLimit},
                                                             {kKernel + 0x20'0000, Cause::kLimit}}) {
    bench.code(Assembler().li(kT0, to)({jalr(0, kT0, 0)}));
    const Result result = bench.launch(1);
    CHECK(result.faults[0] == Fault{.cause = cause, .access = Access::kFetch, .pc = to, .offset = to});
  }
  // Code that may not be executed, of another context, or not there at all.
  Launch launch = bench.request(1);
  launch.code_segment = Bench::kData;
  CHECK(bench.group.launch(launch).faults[0].cause == Cause::kPermission);
  launch.code_segment = Bench::kForeign;
  CHECK(bench.group.launch(launch).faults[0].cause == Cause::kOwner);
  launch.code_segment = 0;
  CHECK(bench.group.launch(launch).faults[0].cause == Cause::kNoSegment);
  launch.code_segment = Bench::kCode;
  bench.code(Assembler().ret());
  CHECK(bench.group.launch(launch).ok());
}

TEST_CASE("a segment is for its context") {
  Bench bench;
  bench.code(Assembler().window(Bench::pointer(Bench::kOwn, 0)).li(kT0, kWindow)({sw(kA0, kT0, 0)}).ret());
  CHECK(bench.launch(1).ok());
  Launch launch = bench.request(1);
  launch.context = Bench::kContext + 1;
  CHECK(bench.group.launch(launch).faults[0].cause == Cause::kOwner);
  CHECK(bench.launch(1).ok());
}

TEST_CASE("code is kept until it is invalidated, or another context or segment runs") {
  Bench bench;
  // Clear of what the daemon's code may push out.
  constexpr uint32_t kAt = 0x400;
  const auto put = [&](uint32_t value) {
    bench.poke(Bench::base(Bench::kCode) + kAt,
               Assembler().li(kT0, kLdm).li(kA1, value)({sw(kA1, kT0, 0)}).ret().words());
  };
  Launch launch = bench.request(1);
  launch.pc += kAt;
  const auto run = [&] {
    REQUIRE(bench.group.launch(launch).ok());
    return bench.word(0, 0);
  };
  put(1);
  CHECK(run() == 1);
  put(2);
  CHECK(run() == 1);
  bench.group.invalidate_code();
  CHECK(run() == 2);
  put(3);
  launch.context = 0;
  CHECK(run() == 3);
}

TEST_CASE("data window and arguments: sizes, alignments, both directions") {
  Bench bench;
  const std::vector<uint8_t> content = bench.noise(256);
  for (unsigned round = 0; round < 300; ++round) {
    bench.poke(Bench::base(Bench::kData), content);
    bench.poke(Bench::base(Bench::kArgument), content);
    const uint64_t pointer = bench.random.below(128);
    const unsigned size = 1u << bench.random.below(3);
    const auto at = static_cast<uint32_t>(bench.random.below(64) & ~uint64_t{size - 1});
    const bool arguments = bench.random.chance(30);
    const bool write = bench.random.chance(50);
    const auto value = static_cast<uint32_t>(bench.random.next());
    Assembler code;
    code.window(Bench::pointer(Bench::kData, pointer))
        .li(kT0, (arguments ? kArguments : kWindow) + at)
        .li(kA1, value);
    if (write) {
      code({size == 1 ? sb(kA1, kT0, 0) : size == 2 ? sh(kA1, kT0, 0) : sw(kA1, kT0, 0)});
    } else {
      code({size == 1 ? enc::lbu(kA1, kT0, 0) : size == 2 ? enc::lhu(kA1, kT0, 0) : lw(kA1, kT0, 0)});
    }
    code.li(kT0, kLdm)({sw(kA1, kT0, 0)}).ret();
    bench.code(code);
    REQUIRE(bench.launch(1).ok());
    std::vector<uint8_t> expected = content;
    const uint64_t offset = arguments ? at : pointer + at;
    uint32_t read = 0;
    std::memcpy(&read, &content[offset], size);
    if (write) std::memcpy(&expected[offset], &value, size);
    CHECK(bench.peek(Bench::base(arguments ? Bench::kArgument : Bench::kData), 256) == expected);
    CHECK(bench.word(0, 0) == (write ? value : read));
  }
}

TEST_CASE("deadlocks are told from work, and explained") {
  Bench bench;
  const Assembler fine = Assembler().ret();
  using namespace channel_op;
  struct Case {
    std::vector<Assembler> codes;
    unsigned cpe;
    std::string state;  // after "waits at 0x........ "
  };
  const std::vector<Case> cases = {
      {{Assembler().command(unit::kDma, dma_op::kWait, 3), fine, fine, fine},
       0,
       "for DMA transfer 3, but has begun only 0"},
      {{fine, Assembler().sync(4), Assembler().sync(4), fine},
       1,
       "to synchronise with all CPEs; missing: 0, 3"},
      {{fine, fine, Assembler().sync(1), Assembler().sync(2)}, 2, "to synchronise with its row; missing: 3"},
      {{Assembler().command(unit::kRow, kSend, kLdm, 2 << 24 | 64).command(unit::kRow, kWaitSend, 1), fine,
        fine, fine},
       0,
       "on its row channel, send 1 to 1 has 64 bytes left, 1 does not receive it"},
      {{fine, fine, fine, Assembler().command(unit::kColumn, kReceive, kLdm, 0 << 24 | 64).ret()},
       3,
       "to end, column channel: receive 1 from 0 has 64 bytes left, which sends nothing"},
      {{fine, fine, fine, Assembler().command(unit::kColumn, kWaitReceive, 1).ret()},
       3,
       "on its column channel, for transfer 1, which has not begun"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.state);
    bench.codes(one.codes);
    const Result result = bench.launch();
    CHECK(result.ending == Ending::kDeadlock);
    REQUIRE(result.states.size() == 4);
    CHECK(result.states[one.cpe].starts_with("waits at 0x"));
    CHECK(result.states[one.cpe].substr(20) == one.state);
    CHECK((result.failed >> one.cpe & 1) == 1);
    const Fault& fault = result.faults[one.cpe];
    CHECK(fault.cause == Cause::kWatchdog);
    CHECK(fault.access == Access::kNone);
    CHECK(fault.segment == kNoSegment);
    bench.codes(std::vector<Assembler>(4, fine));
    CHECK(bench.launch().ok());
  }
}

TEST_CASE("a CPE that fails leaves the others waiting: that is a deadlock, with its record kept") {
  Bench bench;
  bench.codes({Assembler()({0}), Assembler().sync(1).ret(), Assembler().ret(), Assembler().ret()});
  const Result result = bench.launch();
  CHECK(result.ending == Ending::kDeadlock);
  CHECK(result.failed == 0b0011);
  CHECK(result.faults[0].cause == Cause::kIllegal);
  CHECK(result.faults[1].cause == Cause::kWatchdog);
  CHECK(result.states[1].ends_with("to synchronise with its row; missing: 0"));
  bench.codes(std::vector<Assembler>(4, Assembler().sync(4).ret()));
  CHECK(bench.launch().ok());
  // The first record of a CPE stays until it is cleared.
  bench.codes(std::vector<Assembler>(4, Assembler()({enc::kEbreak})));
  CHECK(bench.launch().faults[0].cause == Cause::kBreakpoint);
  CHECK(bench.group.fault(0).cause == Cause::kIllegal);
  CHECK(bench.group.fault(2).cause == Cause::kBreakpoint);
  bench.group.clear_faults();
  CHECK(bench.group.fault(0).cause == Cause::kNone);
}

TEST_CASE("the limit of instructions ends what does not end by itself") {
  for (const uint64_t turn : {1, 7, 256, 1'000'000}) {
    Bench bench(2, 2, turn);
    bench.group.set_limit(1000);
    bench.codes(
        {Assembler()({0x0000'006f}), Assembler().ret(), Assembler().sync(4).ret(), Assembler().ret()});
    const Result result = bench.launch();
    CHECK(result.ending == Ending::kLimit);
    CHECK(result.failed == 0b0101);
    CHECK(result.faults[0] == Fault{.cause = Cause::kWatchdog, .pc = kKernel + Bench::kCodeOfCpe});
    CHECK(result.faults[2].cause == Cause::kWatchdog);
    CHECK(result.instructions[0] >= 990);
    CHECK(result.instructions[0] <= 1000);
    CHECK(result.states[0] == "runs at 0x50008000");
    bench.code(Assembler().ret());
    CHECK(bench.launch().ok());
  }
}

TEST_CASE("a daemon that faults is started three more times, then given up") {
  Bench bench;
  bench.group.clear_faults();
  const std::array<uint32_t, 1> broken = {0};
  bench.poke(Bench::base(Bench::kDaemon) + 0x100, broken);
  bench.code(Assembler().ret());
  bench.group.boot({.pc = 0x4000'0100, .segment = Bench::kDaemon}, 0b0010);
  const Result result = bench.launch();
  CHECK(result.ending == Ending::kFailed);
  CHECK(result.failed == 0b0010);
  CHECK(result.faults[1] == Fault{.cause = Cause::kIllegal, .pc = 0x4000'0100});
  CHECK(bench.group.stopped() == 0b0010);
  CHECK(bench.group.describe(1) == "given up: stopped: illegal instruction, pc 0x40000100");
  CHECK(bench.launch().ending == Ending::kRefused);
  bench.group.boot({.segment = Bench::kDaemon});
  CHECK(bench.launch().ok());
  // After the end of a launch it is the daemon again that faults.
  std::vector<uint32_t> words(kPlainDaemon.begin(), kPlainDaemon.end());
  words.back() = 0;
  bench.poke(Bench::base(Bench::kDaemon), words);
  bench.group.boot({.segment = Bench::kDaemon});
  bench.group.clear_faults();
  for (unsigned i = 0; i < 10; ++i) CHECK(bench.launch().ok());
  CHECK(bench.group.fault(0).pc == 0x4000'0014);
}

TEST_CASE("registers and local memory stay, tickets begin anew after a failure") {
  Bench bench;
  bench.code(Assembler()
                 .li(kT0, kLdm)({sw(kA0, kT0, 0)})
                 .global(Bench::pointer(Bench::kData, 0))
                 .command(unit::kDma, dma_op::kLoad, kLdm + 64, 4, kA1)({sw(kA1, kT0, 4)})
                 .ret());
  CHECK(bench.launch(1).ok());
  CHECK(bench.launch(1).ok());
  CHECK(bench.word(0, 4) == 2);
  CHECK(bench.group.cpe(0).dma().bytes_loaded() == 8);
  bench.code(Assembler()({0}));
  CHECK_FALSE(bench.launch(1).ok());
  CHECK(bench.word(0, 4) == 2);
  bench.code(Assembler()
                 .li(kT0, kLdm)
                 .global(Bench::pointer(Bench::kData, 0))
                 .command(unit::kDma, dma_op::kLoad, kLdm + 64, 4, kA1)({sw(kA1, kT0, 4)})
                 .ret());
  CHECK(bench.launch(1).ok());
  CHECK(bench.word(0, 4) == 1);
}

TEST_CASE("the observer sees every instruction, in the order of execution") {
  Bench bench;
  bench.code(Assembler().li(kT0, kLdm)({sw(kA0, kT0, 0)}).ret());
  CHECK(bench.launch().ok());  // everybody waits for the next one
  std::vector<std::string> lines;
  bench.group.set_observer(
      [&](unsigned cpe, const Retirement& record) { lines.push_back(trace_line(cpe, record)); });
  const Result result = bench.launch(0b1000);
  CHECK(result.ok());
  // Behind those that count come the one that ends the launch and the daemon's jump.
  REQUIRE(lines.size() == result.instructions[3] + 2);
  CHECK(lines[2] == " 3 4000000c 000280e7 x1=40000010");
  CHECK(lines[5] == " 3 50000008 00a2a023 [10000000] <- c0000000");
}

}  // namespace
}  // namespace swai::iss::cpe
