// SPDX-License-Identifier: Apache-2.0
// What CSRs keep of what is written, counters, and the hooks for lockstep.
#include <doctest/doctest.h>

#include <random>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/iss/test/bench.hpp"

namespace swai::iss {
namespace {

struct Kept {
  unsigned number;
  uint64_t ones;  // what reads back after all ones were written
  uint64_t zeros = 0;
};

TEST_CASE("writable bits") {
  static constexpr uint64_t kFull = ~uint64_t{0};
  static constexpr Kept kRegisters[] = {
      {csr::kMstatus, 0xa'007e'19aa, 0xa'0000'0000},
      {csr::kSstatus, 0x2'000c'0122, 0x2'0000'0000},
      {csr::kMisa, 0x8000'0000'0094'1105, 0x8000'0000'0094'1105},
      {csr::kMedeleg, 0xb3ff},
      {csr::kMideleg, 0x222},
      {csr::kMie, 0xaaa},
      {csr::kMtvec, kFull - 2},
      {csr::kStvec, kFull - 2},
      {csr::kMcounteren, 0xffff'ffff},
      {csr::kScounteren, 0xffff'ffff},
      {csr::kMenvcfg, 0x4000'0000'0000'00f1},
      {csr::kSenvcfg, 0xf1},
      {csr::kMcountinhibit, 0x7fd},
      {csr::kMscratch, kFull},
      {csr::kSscratch, kFull},
      {csr::kMepc, kFull - 1},
      {csr::kSepc, kFull - 1},
      {csr::kMcause, kFull},
      {csr::kScause, kFull},
      {csr::kMtval, kFull},
      {csr::kStval, kFull},
      {csr::kMip, 0x222},
      {csr::kMhpmevent3, 0xf},
      {csr::kMhpmevent3 + 7, 0xf},
      {csr::kMhpmevent3 + 8, 0},
      {csr::kMhpmevent31, 0},
      {csr::kMcycle + 10, kFull},
      {csr::kMcycle + 11, 0},
      {csr::kMhpmcounter31, 0},
      {csr::kTselect, 0},
      {csr::kTdata3, 0},
  };
  for (const Kept& one : kRegisters) {
    CAPTURE(one.number);
    Bench bench;
    bench.set_csr(one.number, kFull);
    CHECK(bench.get_csr(one.number) == one.ones);
    bench.set_csr(one.number, 0);
    CHECK(bench.get_csr(one.number) == one.zeros);
  }
}

TEST_CASE("fields with reserved values keep the old one") {
  Bench bench;
  bench.set_csr(csr::kMstatus, mstatus::kMpp);
  bench.set_csr(csr::kMstatus, uint64_t{2} << mstatus::kMppShift | mstatus::kSum);
  CHECK(bench.get_csr(csr::kMstatus) == (0xa'0000'0000 | mstatus::kMpp | mstatus::kSum));
  bench.set_csr(csr::kMenvcfg, 0x30);
  bench.set_csr(csr::kMenvcfg, 0x61);
  CHECK(bench.get_csr(csr::kMenvcfg) == 0x71);
  const uint64_t satp = uint64_t{8} << 60 | 0xfff'ffff'ffff;
  bench.set_csr(csr::kSatp, ~uint64_t{0} ^ uint64_t{7} << 60);
  CHECK(bench.get_csr(csr::kSatp) == satp);  // no ASID bits
  bench.set_csr(csr::kSatp, uint64_t{9} << 60 | 5);
  CHECK(bench.get_csr(csr::kSatp) == satp);
  bench.set_csr(csr::kSatp, 5);
  CHECK(bench.get_csr(csr::kSatp) == 5);
}

TEST_CASE("only these CSRs exist") {
  Bench bench;
  unsigned count = 0;
  for (unsigned number = 0; number < 4096; ++number) count += bench.hart.peek_csr(number).has_value();
  // 11 of the supervisor, 14 of the machine, 29 event selectors, 4 triggers, 31 + 32 counters, 5 of identity
  CHECK(count == 11 + 14 + 29 + 4 + 31 + 32 + 5);
  for (const unsigned number :
       {0x3a0u, 0x3b0u, 0x7b0u, 0x7b2u, 0xb01u, 0x310u, 0x321u, 0x34au, 0x747u, 0x003u, 0x5a8u}) {
    CAPTURE(number);
    bench.hart.set_pc(Bench::kCode);
    const Retirement record = bench.run(enc::csrr(1, number));
    CHECK(record.cause == cause::kIllegal);
    CHECK(record.tval == enc::csrr(1, number));
  }
}

TEST_CASE("supervisor views") {
  Bench bench;
  bench.set_csr(csr::kMie, 0xaaa);
  bench.set_csr(csr::kMideleg, irq::kSsi | irq::kSei);
  CHECK(bench.get_csr(csr::kSie) == (irq::kSsi | irq::kSei));
  bench.set_csr(csr::kSie, 0);
  CHECK(bench.get_csr(csr::kMie) == (0xaaa & ~(irq::kSsi | irq::kSei)));
  bench.set_csr(csr::kSip, 0xaaa);
  CHECK(bench.get_csr(csr::kMip) == irq::kSsi);
  bench.set_csr(csr::kMideleg, 0);
  bench.set_csr(csr::kSip, 0);
  CHECK(bench.get_csr(csr::kMip) == irq::kSsi);
  CHECK(bench.get_csr(csr::kSip) == 0);
}

TEST_CASE("a line that shows in mip is not written back into the software bit") {
  Bench bench;
  bench.hart.set_lines({.s_external = true});
  bench.run(enc::csrrsi(10, csr::kMip, 2));
  CHECK(bench.hart.reg(10) == irq::kSei);
  bench.hart.set_lines({});
  CHECK(bench.get_csr(csr::kMip) == irq::kSsi);
}

TEST_CASE("csrrs and csrrc with x0 do not write, csrrw with x0 as rd does") {
  Bench bench;
  CHECK_FALSE(bench.run(enc::csrr(1, csr::kMhartid)).trap);
  CHECK_FALSE(bench.run(enc::csrrc(1, csr::kMhartid, 0)).trap);
  CHECK_FALSE(bench.run(enc::csrrci(1, csr::kMhartid, 0)).trap);
  bench.hart.set_reg(5, 0);
  CHECK(bench.run(enc::csrrs(1, csr::kMhartid, 5)).trap);  // the register counts, not its value
  bench.set_csr(csr::kMscratch, 0x10);
  bench.hart.set_pc(Bench::kCode);
  const Retirement record = bench.run(enc::csrrwi(0, csr::kMscratch, 3));
  CHECK(record.rd == 0);
  CHECK(bench.get_csr(csr::kMscratch) == 3);
}

TEST_CASE("minstret counts what retires; what is written is what the next instruction reads") {
  Bench bench;
  bench.hart.set_reg(5, 100);
  bench.run(enc::csrw(csr::kMinstret, 5));
  CHECK(bench.hart.csrs().minstret == 100);
  bench.run(enc::csrr(10, csr::kMinstret));
  CHECK(bench.hart.reg(10) == 100);
  bench.run(enc::csrr(10, csr::kCycle + 2));
  CHECK(bench.hart.reg(10) == 101);
  bench.run(enc::kEcall);  // does not retire
  CHECK(bench.hart.csrs().minstret == 102);
  bench.hart.set_pc(Bench::kCode);
  bench.run(enc::csrrwi(0, csr::kMcountinhibit, 4));  // still counted itself
  CHECK(bench.hart.csrs().minstret == 103);
  bench.run(enc::kNop);
  CHECK(bench.hart.csrs().minstret == 103);
  bench.run(enc::csrrwi(0, csr::kMcountinhibit, 0));
  CHECK(bench.hart.csrs().minstret == 103);
  bench.run(enc::kNop);
  CHECK(bench.hart.csrs().minstret == 104);
}

TEST_CASE("mcycle stands still while inhibited") {
  Bench bench;
  bench.run(enc::csrrwi(0, csr::kMcountinhibit, 1));
  const uint64_t then = bench.get_csr(csr::kMcycle);
  bench.run(enc::kNop);
  CHECK(bench.get_csr(csr::kMcycle) == then);
  bench.run(enc::csrrwi(0, csr::kMcountinhibit, 0));
  bench.run(enc::kNop);
  CHECK(bench.get_csr(csr::kMcycle) > then);
}

TEST_CASE("who may read counters") {
  Bench bench;
  const auto readable = [&](uint64_t mcounteren, uint64_t scounteren) {
    std::string who;
    for (const Privilege mode : {Privilege::kUser, Privilege::kSupervisor, Privilege::kMachine}) {
      bench.set_csr(csr::kMcounteren, mcounteren);
      bench.set_csr(csr::kScounteren, scounteren);
      bench.enter(mode);
      if (!bench.run(enc::csrr(1, csr::kHpmcounter31)).trap) who += "US?M"[static_cast<unsigned>(mode)];
    }
    return who;
  };
  const uint64_t bit = uint64_t{1} << 31;
  CHECK(readable(0, bit) == "M");
  CHECK(readable(bit, 0) == "SM");
  CHECK(readable(bit, bit) == "USM");
  CHECK(readable(~bit, ~bit) == "M");
}

TEST_CASE("lockstep: what a model cannot know comes from the record") {
  Bench bench(Interrupts::kWhenTold);
  const auto run = [&](uint32_t insn, const Supply& supply) {
    bench.poke(bench.hart.pc(), insn);
    return bench.hart.step(supply);
  };
  CHECK(run(enc::csrr(10, csr::kCycle), {.rd_wdata = 1234}).rd_wdata == 1234);
  CHECK(run(enc::csrr(10, csr::kTime), {.rd_wdata = 99}).rd_wdata == 99);
  const uint64_t retired = bench.hart.csrs().minstret;
  CHECK(run(enc::csrr(10, csr::kMinstret), {.rd_wdata = 99}).rd_wdata == retired);  // known
  bench.hart.set_reg(10, kIo);
  CHECK(run(enc::lw(11, 10, 0), {.mem_rdata = 0xffff'ffff'8765'4321}).rd_wdata == 0xffff'ffff'8765'4321);
  bench.hart.set_reg(10, Bench::kData);
  CHECK(run(enc::lw(11, 10, 0), {.mem_rdata = 77}).rd_wdata == 0);  // memory is known
  CHECK(run(enc::csrr(11, csr::kMip), {.rd_wdata = 0, .mip = irq::kMti}).rd_wdata == irq::kMti);
  CHECK(run(enc::csrr(11, csr::kMip), {.rd_wdata = 0, .mip = irq::kSsi}).rd_wdata ==
        0);  // software's own bit is known
}

TEST_CASE("lockstep: event counters are unknown while they count, and known when they stand still") {
  Bench bench(Interrupts::kWhenTold);
  const auto run = [&](uint32_t insn, uint64_t rd_wdata) {
    bench.poke(bench.hart.pc(), insn);
    return bench.hart.step({.rd_wdata = rd_wdata}).rd_wdata;
  };
  constexpr unsigned kCounter = csr::kMcycle + 3;
  CHECK(run(enc::csrr(10, kCounter), 5) == 0);  // no event selected
  run(enc::csrrwi(0, csr::kMhpmevent3, 7), 0);
  CHECK(run(enc::csrr(10, kCounter), 5) == 5);
  CHECK(run(enc::csrr(10, kCounter), 8) == 8);
  run(enc::csrrsi(0, csr::kMcountinhibit, 8), 0);
  CHECK(run(enc::csrr(10, kCounter), 9) == 9);  // it stopped somewhere
  CHECK(run(enc::csrr(10, kCounter), 10) == 9);
  run(enc::csrrwi(0, kCounter, 3), 0);
  CHECK(run(enc::csrr(10, kCounter), 10) == 3);
}

TEST_CASE("lockstep: interrupts are taken when told, and disagreement is reported") {
  Bench bench(Interrupts::kWhenTold);
  constexpr uint64_t kTimer = cause::kInterrupt | 7;
  Retirement record;
  bench.set_csr(csr::kMie, 0xaaa);
  bench.set_csr(csr::kMstatus, mstatus::kMie);
  bench.poke(Bench::kCode, enc::kNop);
  CHECK_FALSE(bench.hart.step({.mip = irq::kMti}).intr);
  CHECK(bench.hart.enabled_interrupt() == kTimer);
  CHECK_FALSE(bench.hart.take_interrupt(kTimer, {.mip = irq::kMti}, record));
  CHECK(record.intr);
  CHECK(record.pc == Bench::kCode + 4);
  CHECK(record.mip == irq::kMti);
  CHECK(record.next_pc == Bench::kHandler);

  CHECK(bench.hart.take_interrupt(kTimer, {.mip = irq::kMti}, record));  // disabled now
  bench.set_csr(csr::kMstatus, mstatus::kMie);
  CHECK(bench.hart.take_interrupt(kTimer, {}, record));  // not pending
  bench.set_csr(csr::kMstatus, mstatus::kMie);
  CHECK(bench.hart.take_interrupt(kTimer, {.mip = irq::kMti | irq::kMei}, record));  // another goes first
  bench.set_csr(csr::kMstatus, mstatus::kMie);
  CHECK(bench.hart.take_interrupt(cause::kNmi, {}, record));  // no NMI
  bench.hart.raise_nmi();
  CHECK(bench.hart.take_interrupt(kTimer, {.mip = irq::kMti}, record));  // the NMI goes first
  CHECK_FALSE(bench.hart.take_interrupt(cause::kNmi, {}, record));
  const uint64_t pc = bench.hart.pc();
  CHECK(bench.hart.take_interrupt(cause::kInterrupt | 2, {}, record));
  CHECK(bench.hart.take_interrupt(7, {}, record));
  CHECK(bench.hart.pc() == pc);  // there is no such interrupt
}

TEST_CASE("lockstep: wfi does not wait") {
  Bench bench(Interrupts::kWhenTold);
  bench.run(enc::kWfi);
  CHECK_FALSE(bench.hart.waiting());
}

TEST_CASE("run() does what step() does") {
  std::mt19937 random(static_cast<uint32_t>(test_seed()));
  for (int round = 0; round < 200; ++round) {
    Bench one;
    Bench other;
    for (uint64_t at = 0; at < 256; at += 4) {
      const auto bits = static_cast<uint32_t>(random());
      one.poke(Bench::kCode + at, bits);
      other.poke(Bench::kCode + at, bits);
    }
    for (unsigned n = 1; n < 32; ++n) {
      const uint64_t value = random() % 2 ? Bench::kData + random() % 4096 : random();
      one.hart.set_reg(n, value);
      other.hart.set_reg(n, value);
    }
    const uint64_t steps = one.hart.run(30);
    for (uint64_t i = 0; i < steps; ++i) other.hart.step();
    CHECK(one.hart.pc() == other.hart.pc());
    for (unsigned n = 0; n < 32; ++n) CHECK(one.hart.reg(n) == other.hart.reg(n));
    for (const auto& [name, field] : kCsrFields) CHECK(one.hart.csrs().*field == other.hart.csrs().*field);
    CHECK(one.memory.ram == other.memory.ram);
  }
}

}  // namespace
}  // namespace swai::iss
