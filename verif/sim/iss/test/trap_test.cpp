// SPDX-License-Identifier: Apache-2.0
// Exceptions, interrupts, NMI, and what returns from them.
#include <doctest/doctest.h>

#include <array>

#include "verif/sim/iss/test/bench.hpp"

namespace swai::iss {
namespace {

constexpr Lines kAllLines = {.m_software = true, .m_timer = true, .m_external = true, .s_external = true};
constexpr uint64_t kAll = 0xaaa;
constexpr uint64_t interrupt(uint64_t code) { return cause::kInterrupt | code; }

TEST_CASE("reset") {
  Bench bench;
  bench.hart.reset();
  CHECK(bench.hart.pc() == Bench::kCode);
  CHECK(bench.hart.privilege() == Privilege::kMachine);
  CHECK(bench.get_csr(csr::kMstatus) == 0xa'0000'0000);
  CHECK(bench.get_csr(csr::kMtvec) == 0);
  CHECK(bench.get_csr(csr::kMisa) == 0x8000'0000'0094'1105);
  CHECK(bench.get_csr(csr::kMimpid) == 1);
}

TEST_CASE("an exception: record, CSRs, delegation") {
  Bench bench;
  bench.set_csr(csr::kMstatus, mstatus::kMie);
  Retirement record = bench.run(enc::kEbreak);
  CHECK(record.trap);
  CHECK(record.cause == cause::kBreakpoint);
  CHECK(record.tval == Bench::kCode);
  CHECK(record.next_pc == Bench::kHandler);
  CHECK(record.mode == Privilege::kMachine);
  CHECK(bench.hart.csrs().mepc == Bench::kCode);
  CHECK(bench.hart.csrs().mstatus == (0xa'0000'0000 | mstatus::kMpie | mstatus::kMpp));

  bench.set_csr(csr::kMedeleg, ~uint64_t{0});
  CHECK(bench.get_csr(csr::kMedeleg) == 0xb3ff);
  bench.hart.set_pc(Bench::kCode);
  CHECK(bench.run(enc::kEcall).next_pc == Bench::kHandler);  // from machine mode never delegated
  bench.set_csr(csr::kMstatus, mstatus::kSie);
  bench.enter(Privilege::kUser);
  record = bench.run(enc::kEcall);
  CHECK(record.cause == 8);
  CHECK(record.mode == Privilege::kUser);
  CHECK(record.next_pc == Bench::kSupervisorHandler);
  CHECK(bench.hart.privilege() == Privilege::kSupervisor);
  CHECK(bench.hart.csrs().sepc == Bench::kCode);
  CHECK((bench.hart.csrs().mstatus & (mstatus::kSpp | mstatus::kSie | mstatus::kSpie)) == mstatus::kSpie);
  bench.hart.set_pc(Bench::kCode);
  record = bench.run(0xffff'ffff);
  CHECK(record.cause == cause::kIllegal);
  CHECK(record.tval == 0xffff'ffff);
  CHECK((bench.hart.csrs().mstatus & mstatus::kSpp) != 0);
  bench.hart.set_pc(Bench::kCode);
  record = bench.run(0xffff'0000);  // the upper half does not belong to it
  CHECK(record.insn == 0);
  CHECK(record.tval == 0);
}

TEST_CASE("interrupts: priority") {
  Bench bench;
  bench.hart.set_lines(kAllLines);
  bench.set_csr(csr::kMip, ~uint64_t{0});
  CHECK(bench.hart.mip() == kAll);
  bench.set_csr(csr::kMie, ~uint64_t{0});
  CHECK(bench.get_csr(csr::kMie) == kAll);
  CHECK_FALSE(bench.hart.enabled_interrupt());
  bench.set_csr(csr::kMstatus, mstatus::kMie);
  for (const unsigned code : {11u, 3u, 7u, 9u, 1u, 5u}) {
    CHECK(bench.hart.enabled_interrupt() == interrupt(code));
    const Retirement record = bench.hart.step();
    CHECK(record.intr);
    CHECK_FALSE(record.trap);
    CHECK(record.insn == 0);
    CHECK(record.cause == interrupt(code));
    CHECK(record.tval == 0);
    CHECK(record.next_pc == Bench::kHandler);
    CHECK_FALSE(bench.hart.enabled_interrupt());
    bench.set_csr(csr::kMie, bench.get_csr(csr::kMie) & ~(uint64_t{1} << code));
    bench.set_csr(csr::kMstatus, mstatus::kMie);
  }
}

TEST_CASE("interrupts: which level sees which, and machine's go first") {
  Bench bench;
  bench.set_csr(csr::kMideleg, ~uint64_t{0});
  CHECK(bench.get_csr(csr::kMideleg) == 0x222);
  bench.set_csr(csr::kMie, kAll);
  bench.set_csr(csr::kMip, irq::kSsi);
  bench.set_csr(csr::kMstatus, mstatus::kMie | mstatus::kSie);
  CHECK_FALSE(bench.hart.enabled_interrupt());  // delegated: never in machine mode
  bench.hart.set_lines({.m_timer = true});
  CHECK(bench.hart.enabled_interrupt() == interrupt(7));
  bench.hart.set_lines({});
  bench.set_csr(csr::kMstatus, 0);
  bench.enter(Privilege::kSupervisor);
  bench.hart.set_lines({.m_timer = true, .s_external = true});
  CHECK(bench.hart.enabled_interrupt() == interrupt(7));  // enabled in lower modes whatever MIE says
  bench.hart.set_lines({.s_external = true});
  CHECK_FALSE(bench.hart.enabled_interrupt());  // SIE is off
  bench.run(enc::csrrsi(0, csr::kSstatus, 2));
  CHECK(bench.hart.enabled_interrupt() == interrupt(9));
  const Retirement record = bench.hart.step();
  CHECK(record.next_pc == Bench::kSupervisorHandler);
  CHECK(bench.hart.csrs().scause == interrupt(9));
  bench.enter(Privilege::kUser);
  CHECK(bench.hart.enabled_interrupt() == interrupt(9));  // in user mode whatever SIE says
}

TEST_CASE("vectored mode: interrupts have entries, exceptions go to the base") {
  Bench bench;
  bench.set_csr(csr::kMtvec, Bench::kHandler | 3);
  CHECK(bench.get_csr(csr::kMtvec) == (Bench::kHandler | 1));
  bench.set_csr(csr::kMie, kAll);
  bench.set_csr(csr::kMstatus, mstatus::kMie);
  bench.hart.set_lines({.m_external = true});
  CHECK(bench.hart.step().next_pc == Bench::kHandler + 4 * 11);
  bench.hart.set_pc(Bench::kCode);
  CHECK(bench.run(enc::kEcall).next_pc == Bench::kHandler);
}

TEST_CASE("NMI: before any interrupt, through any mask, to its own address") {
  Bench bench;
  bench.set_csr(csr::kMtvec, Bench::kHandler | 1);
  bench.set_csr(csr::kMie, kAll);
  bench.set_csr(csr::kMideleg, kAll);
  bench.hart.set_lines(kAllLines);
  bench.enter(Privilege::kSupervisor);
  bench.hart.raise_nmi();
  const Retirement record = bench.hart.step();
  CHECK(record.intr);
  CHECK(record.cause == cause::kNmi);
  CHECK(record.next_pc == Bench::kNmi);
  CHECK(bench.hart.csrs().mcause == cause::kNmi);
  CHECK(bench.hart.csrs().mepc == Bench::kCode);
  CHECK(bench.hart.privilege() == Privilege::kMachine);
  CHECK_FALSE(bench.run(enc::kNop).intr);  // once
}

TEST_CASE("wfi waits for what mie names, whatever mstatus says") {
  Bench bench;
  bench.set_csr(csr::kMie, irq::kMti);
  CHECK_FALSE(bench.run(enc::kWfi).trap);
  CHECK(bench.hart.waiting());
  CHECK(bench.hart.run(100) == 0);
  bench.hart.set_lines({.m_external = true});
  CHECK(bench.hart.waiting());
  bench.hart.set_lines({.m_timer = true});
  CHECK_FALSE(bench.hart.waiting());
  const Retirement record = bench.run(enc::kNop);
  CHECK(record.pc == Bench::kCode + 4);
  CHECK_FALSE(record.intr);
  bench.hart.set_lines({});
  bench.run(enc::kWfi);
  bench.hart.raise_nmi();
  CHECK_FALSE(bench.hart.waiting());
  CHECK(bench.hart.step().cause == cause::kNmi);
}

TEST_CASE("what each mode may not do") {
  Bench bench;
  constexpr std::array kModes = {Privilege::kUser, Privilege::kSupervisor, Privilege::kMachine};
  const auto illegal = [&](uint32_t insn, uint64_t status) {
    std::string who;
    for (const Privilege mode : kModes) {
      bench.set_csr(csr::kMstatus, status);
      bench.set_csr(csr::kSepc, Bench::kCode);
      bench.enter(mode);
      const Retirement record = bench.run(insn);
      CHECK((!record.trap || record.cause == cause::kIllegal));
      if (record.trap) who += "US?M"[static_cast<unsigned>(mode)];
    }
    return who;
  };
  CHECK(illegal(enc::kMret, 0) == "US");
  CHECK(illegal(enc::kSret, 0) == "U");
  CHECK(illegal(enc::kSret, mstatus::kTsr) == "US");
  CHECK(illegal(enc::kWfi, 0) == "U");
  CHECK(illegal(enc::kWfi, mstatus::kTw) == "US");
  CHECK(illegal(enc::sfence_vma(1, 2), 0) == "U");
  CHECK(illegal(enc::sfence_vma(0, 0), mstatus::kTvm) == "US");
  CHECK(illegal(enc::csrr(1, csr::kSatp), 0) == "U");
  CHECK(illegal(enc::csrr(1, csr::kSatp), mstatus::kTvm) == "US");
  CHECK(illegal(enc::csrr(1, csr::kSstatus), mstatus::kTvm) == "U");
  CHECK(illegal(enc::csrr(1, csr::kMstatus), 0) == "US");
  CHECK(illegal(enc::csrr(1, csr::kMhartid), 0) == "US");
  CHECK(illegal(enc::csrw(csr::kMhartid, 1), 0) == "USM");
  CHECK(illegal(enc::csrrsi(1, csr::kCycle, 1), 0) == "USM");
  CHECK(illegal(enc::kFenceI, 0).empty());
}

TEST_CASE("mret and sret") {
  Bench bench;
  bench.set_csr(csr::kMepc, Bench::kData + 3);
  CHECK(bench.get_csr(csr::kMepc) == Bench::kData + 2);
  bench.set_csr(csr::kMstatus, uint64_t{1} << mstatus::kMppShift | mstatus::kMpie);
  CHECK(bench.run(enc::kMret).next_pc == Bench::kData + 2);
  CHECK(bench.hart.privilege() == Privilege::kSupervisor);
  CHECK(bench.hart.csrs().mstatus == (0xa'0000'0000 | mstatus::kMie | mstatus::kMpie));
  bench.set_csr(csr::kSepc, Bench::kCode);
  bench.hart.reset();
  bench.set_csr(csr::kSepc, Bench::kData);
  bench.set_csr(csr::kMstatus, mstatus::kSpp | mstatus::kMprv);
  CHECK(bench.run(enc::kSret).next_pc == Bench::kData);
  CHECK(bench.hart.privilege() == Privilege::kSupervisor);
  CHECK(bench.hart.csrs().mstatus == (0xa'0000'0000 | mstatus::kSpie));
}

TEST_CASE("a handler that cannot be executed is noticed") {
  Bench bench;
  bench.set_csr(csr::kMtvec, kVacant);
  bench.poke(Bench::kCode, enc::kEcall);
  CHECK(bench.hart.run(1000) == 3);
  CHECK(bench.hart.stuck());
}

}  // namespace
}  // namespace swai::iss
