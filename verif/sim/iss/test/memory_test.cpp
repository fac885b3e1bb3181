// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, fetches and address translation where they are hard.
#include <doctest/doctest.h>

#include "verif/sim/iss/test/bench.hpp"

namespace swai::iss {
namespace {

constexpr unsigned kA = 10;  // address
constexpr unsigned kV = 11;  // value
constexpr uint64_t kPattern = 0x8877'6655'4433'2211;

struct Paged : Bench {
  Paged() { enable_paging(); }

  Retirement load(uint64_t vaddr) {
    hart.set_reg(kA, vaddr);
    return run(enc::ld(kV, kA, 0));
  }
  Retirement store(uint64_t vaddr, uint64_t value = kPattern) {
    hart.set_reg(kA, vaddr);
    hart.set_reg(kV, value);
    return run(enc::sd(kV, kA, 0));
  }
  void supervisor() { enter(Privilege::kSupervisor); }
  void user() { enter(Privilege::kUser, kUserCode); }
  void status(uint64_t bits) { set_csr(csr::kMstatus, bits); }
};

void check_trap(const Retirement& record, uint64_t cause, uint64_t tval) {
  CHECK(record.trap);
  CHECK(record.cause == cause);
  CHECK(record.tval == tval);
  CHECK(record.rd == 0);
  CHECK(record.mem_rmask == 0);
  CHECK(record.mem_wmask == 0);
}

TEST_CASE("loads extend as they should and are recorded raw") {
  Bench bench;
  bench.poke(Bench::kData, kPattern | uint64_t{0x80} << 8);
  bench.hart.set_reg(kA, Bench::kData);
  const Retirement record = bench.run(enc::lb(kV, kA, 1));
  CHECK(bench.hart.reg(kV) == 0xffff'ffff'ffff'ffa2);
  CHECK(record.mem_addr == Bench::kData + 1);
  CHECK(record.mem_rmask == 1);
  CHECK(record.mem_rdata == 0xa2);
  CHECK(record.mem_wmask == 0);
  bench.run(enc::lhu(kV, kA, 1));
  CHECK(bench.hart.reg(kV) == 0x33a2);
  bench.run(enc::lw(kV, kA, 4));
  CHECK(bench.hart.reg(kV) == 0xffff'ffff'8877'6655);
}

TEST_CASE("a load into x0 still loads, and leaves x0 zero") {
  Bench bench;
  bench.hart.set_reg(kA, Bench::kData);
  bench.poke(Bench::kData, kPattern);
  const Retirement record = bench.run(enc::ld(0, kA, 0));
  CHECK(record.rd == 0);
  CHECK(record.mem_rmask == 0xff);
  CHECK(bench.hart.reg(0) == 0);
  bench.hart.set_reg(kA, kVacant);
  check_trap(bench.run(enc::ld(0, kA, 0)), cause::kLoadAccess, kVacant);
}

TEST_CASE("misaligned accesses to memory work, also from page to page") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kRw);
  bench.map(1, Bench::kData + 0x5000, pte::kRw);
  bench.supervisor();
  for (unsigned before = 1; before < 8; ++before) {
    CAPTURE(before);
    const uint64_t address = Bench::kVirtual + kPageBytes - before;
    const Retirement written = bench.store(address);
    CHECK_FALSE(written.trap);
    CHECK(written.mem_wmask == 0xff);
    CHECK(written.mem_wdata == kPattern);
    const uint64_t low = bench.peek(Bench::kData + kPageBytes - 8) >> (64 - 8 * before);
    const uint64_t high = bench.peek(Bench::kData + 0x5000) & ((uint64_t{1} << (8 * (8 - before))) - 1);
    CHECK((low | high << (8 * before)) == kPattern);
    CHECK_FALSE(bench.load(address).trap);
    CHECK(bench.hart.reg(kV) == kPattern);
  }
}

TEST_CASE("a straddling access reports the part that faults, the first one first, and writes nothing") {
  Paged bench;
  const uint64_t address = Bench::kVirtual + kPageBytes - 3;
  const uint64_t second = Bench::kVirtual + kPageBytes;
  bench.supervisor();
  SUBCASE("second part") {
    bench.map(0, Bench::kData, pte::kRw);
    bench.map(1, Bench::kData + 0x5000, pte::kV | pte::kR | pte::kA);
    check_trap(bench.store(address), cause::kStorePage, second);
    CHECK(bench.peek(Bench::kData + kPageBytes - 8) == 0);
    bench.supervisor();
    bench.map(1, 0, 0);
    check_trap(bench.load(address), cause::kLoadPage, second);
    bench.supervisor();
    bench.map(1, kUnbacked, pte::kRw);
    check_trap(bench.store(address), cause::kStoreAccess, second);
    CHECK(bench.peek(Bench::kData + kPageBytes - 8) == 0);
  }
  SUBCASE("both") {
    bench.map(0, 0, 0);
    bench.map(1, 0, 0);
    check_trap(bench.store(address), cause::kStorePage, address);
    bench.supervisor();
    check_trap(bench.load(address), cause::kLoadPage, address);
  }
  SUBCASE("first part") {
    bench.map(0, kUnbacked, pte::kRw);
    bench.map(1, Bench::kData + 0x5000, pte::kRw);
    check_trap(bench.store(address), cause::kStoreAccess, address);
    CHECK(bench.peek(Bench::kData + 0x5000) == 0);
  }
  SUBCASE("second part in IO") {
    bench.map(0, Bench::kData, pte::kRw);
    bench.map(1, kIo, pte::kRw);
    check_trap(bench.store(address), cause::kStoreMisaligned, second);
    CHECK(bench.peek(Bench::kData + kPageBytes - 8) == 0);
  }
}

TEST_CASE("IO wants aligned accesses") {
  Bench bench;
  bench.memory.io_value = 0x1234;
  bench.hart.set_reg(kA, kIo);
  CHECK(bench.run(enc::ld(kV, kA, 0)).mem_rdata == 0x1234);
  check_trap(bench.run(enc::ld(kV, kA, 4)), cause::kLoadMisaligned, kIo + 4);
  bench.hart.set_pc(Bench::kCode);
  check_trap(bench.run(enc::sh(kV, kA, 1)), cause::kStoreMisaligned, kIo + 1);
  bench.hart.set_pc(Bench::kCode);
  CHECK_FALSE(bench.run(enc::lb(kV, kA, 7)).trap);
  bench.hart.set_reg(kA, kEmptyIo);
  check_trap(bench.run(enc::ld(kV, kA, 0)), cause::kLoadAccess, kEmptyIo);
  bench.hart.set_pc(Bench::kCode);
  const Retirement posted = bench.run(enc::sd(kV, kA, 0));  // nobody waits for the answer
  CHECK_FALSE(posted.trap);
  CHECK(posted.mem_wmask == 0xff);
}

TEST_CASE("stores through an uncached page are posted: nobody there is no exception") {
  Paged bench;
  bench.set_csr(csr::kMenvcfg, envcfg::kPbmte);
  bench.map(0, kUnbacked, pte::kRw | uint64_t{1} << 61);
  bench.map(1, Bench::kData, pte::kRw | uint64_t{1} << 61);
  bench.supervisor();
  CHECK_FALSE(bench.store(Bench::kVirtual).trap);
  CHECK_FALSE(bench.store(Bench::kVirtual + kPageBytes - 3).trap);
  CHECK(bench.peek(Bench::kData) == kPattern >> 24);
  check_trap(bench.load(Bench::kVirtual), cause::kLoadAccess, Bench::kVirtual);
}

TEST_CASE("who is not there gives access faults") {
  Bench bench;
  for (const uint64_t address : {uint64_t{0}, kVacant, kUnbacked, uint64_t{1} << 40, ~uint64_t{7}}) {
    CAPTURE(address);
    bench.hart.set_pc(Bench::kCode);
    bench.hart.set_reg(kA, address);
    check_trap(bench.run(enc::ld(kV, kA, 0)), cause::kLoadAccess, address);
    bench.hart.set_pc(Bench::kCode);
    check_trap(bench.run(enc::sd(kV, kA, 0)), cause::kStoreAccess, address);
    bench.hart.set_pc(address);
    check_trap(bench.hart.step(), cause::kFetchAccess, address);
  }
  bench.hart.set_pc(kIo);
  check_trap(bench.hart.step(), cause::kFetchAccess, kIo);
}

TEST_CASE(
    "fetches across pages: the half that faults is reported, a short instruction needs only its own page") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kV | pte::kX | pte::kA);
  const uint64_t last = Bench::kVirtual + kPageBytes - 2;
  SUBCASE("long instruction") {
    bench.poke(Bench::kData + kPageBytes - 2, uint16_t{enc::kNop & 0xffff});
    bench.enter(Privilege::kSupervisor, last);
    check_trap(bench.hart.step(), cause::kFetchPage, last + 2);
    CHECK(bench.hart.csrs().mepc == last);
    bench.map(1, Bench::kData + 0x5000, pte::kV | pte::kX | pte::kA);
    bench.poke(Bench::kData + 0x5000, uint16_t{enc::kNop >> 16});
    bench.enter(Privilege::kSupervisor, last);
    const Retirement record = bench.hart.step();
    CHECK_FALSE(record.trap);
    CHECK(record.insn == enc::kNop);
    CHECK(record.next_pc == last + 4);
  }
  SUBCASE("short instruction") {
    bench.poke(Bench::kData + kPageBytes - 2, uint16_t{0x0001});
    bench.enter(Privilege::kSupervisor, last);
    CHECK_FALSE(bench.hart.step().trap);
    check_trap(bench.hart.step(), cause::kFetchPage, last + 2);
  }
}

TEST_CASE("jalr clears the lowest bit, and may write the register that it jumps to") {
  Bench bench;
  bench.hart.set_reg(kA, Bench::kData + 2);
  const Retirement record = bench.run(enc::jalr(kA, kA, 5));
  CHECK(record.next_pc == Bench::kData + 6);
  CHECK(record.rd_wdata == Bench::kCode + 4);
}

TEST_CASE("changed code is executed") {
  Bench bench;
  bench.poke(Bench::kCode, enc::addi(kV, 0, 1));
  bench.hart.step();
  bench.hart.set_pc(Bench::kCode);
  bench.poke(Bench::kCode, enc::addi(kV, 0, 2));
  bench.hart.step();
  CHECK(bench.hart.reg(kV) == 2);
}

TEST_CASE("page-table entries that must fault") {
  Paged bench;
  bench.set_csr(csr::kMenvcfg, envcfg::kPbmte);
  bench.supervisor();
  const uint64_t ppn = (Bench::kData >> 12) << 10;
  const auto faults = [&](uint64_t entry) {
    bench.map_raw(0, entry);
    const Retirement record = bench.load(Bench::kVirtual);
    const bool faulted = record.trap;
    if (faulted) {
      CHECK(record.cause == cause::kLoadPage);
      CHECK(record.tval == Bench::kVirtual);
      bench.supervisor();
    }
    return faulted;
  };
  CHECK_FALSE(faults(ppn | pte::kRw));
  CHECK(faults(ppn | (pte::kRw & ~pte::kV)));
  CHECK(faults(ppn | (pte::kRw & ~pte::kA)));
  CHECK(faults(ppn | (pte::kRw & ~pte::kR)));
  CHECK(faults(ppn | pte::kRw | pte::kU));
  for (unsigned bit = 54; bit <= 60; ++bit) CHECK(faults(ppn | pte::kRw | uint64_t{1} << bit));
  CHECK(faults(ppn | pte::kRw | uint64_t{1} << 63));
  CHECK_FALSE(faults(ppn | pte::kRw | uint64_t{1} << 61));
  CHECK_FALSE(faults(ppn | pte::kRw | uint64_t{2} << 61));
  CHECK(faults(ppn | pte::kRw | uint64_t{3} << 61));
  CHECK(faults(ppn | pte::kV));  // a pointer in the last level
  bench.set_csr(csr::kMenvcfg, 0);
  bench.supervisor();
  CHECK(faults(ppn | pte::kRw | uint64_t{1} << 61));
}

TEST_CASE("pointers to tables with leaf bits, superpages that are misaligned, tables out of reach") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kRw);
  bench.supervisor();
  const uint64_t middle = Bench::kTables + 0x1000 + 8 * 2;
  const uint64_t pointer = ((Bench::kTables + 0x2000) >> 12) << 10 | pte::kV;
  const auto cause = [&](uint64_t entry) {
    bench.poke(middle, entry);
    bench.hart.flush_translations();
    const Retirement record = bench.load(Bench::kVirtual);
    if (record.trap) bench.supervisor();
    return record.cause;
  };
  CHECK(cause(pointer) == 0);
  CHECK(cause(pointer | pte::kA) == cause::kLoadPage);
  CHECK(cause(pointer | pte::kD) == cause::kLoadPage);
  CHECK(cause(pointer | pte::kU) == cause::kLoadPage);
  CHECK(cause((kVacant >> 12) << 10 | pte::kV) == cause::kLoadAccess);
  CHECK(cause((kIo >> 12) << 10 | pte::kV) == cause::kLoadAccess);
  CHECK(cause((kUnbacked >> 12) << 10 | pte::kV) == cause::kLoadAccess);
  CHECK(cause((uint64_t{1} << 28) << 10 | pte::kV) == cause::kLoadAccess);
  CHECK(cause((kRam >> 12) << 10 | pte::kRw) == 0);  // 2 MiB
  CHECK(cause((Bench::kData >> 12) << 10 | pte::kRw) == cause::kLoadPage);
}

TEST_CASE("physical addresses beyond 40 bits, virtual ones that are not canonical") {
  Paged bench;
  bench.supervisor();
  bench.map(0, uint64_t{1} << 40, pte::kRw);
  check_trap(bench.load(Bench::kVirtual), cause::kLoadAccess, Bench::kVirtual);
  bench.supervisor();
  const uint64_t beyond = uint64_t{1} << 38;
  for (const unsigned slot : {255u, 256u}) {
    bench.poke(Bench::kTables + 8 * slot, (kRam >> 12) << 10 | pte::kRwx);
  }
  check_trap(bench.load(beyond), cause::kLoadPage, beyond);
  bench.supervisor();
  const uint64_t below = ~(beyond - 1) - 8;
  check_trap(bench.store(below), cause::kStorePage, below);
  bench.supervisor();
  bench.hart.set_reg(kA, beyond);
  const Retirement jump = bench.run(enc::jalr(0, kA, 0));
  CHECK_FALSE(jump.trap);
  check_trap(bench.hart.step(), cause::kFetchPage, beyond);
}

TEST_CASE("dirty bit, SUM, MXR, user pages") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kV | pte::kR | pte::kW | pte::kA);
  bench.map(1, Bench::kData, pte::kRwx | pte::kU);
  bench.map(2, Bench::kData, pte::kV | pte::kX | pte::kA);
  const uint64_t user_page = Bench::kVirtual + kPageBytes;
  const uint64_t code_page = Bench::kVirtual + 2 * kPageBytes;
  bench.supervisor();
  CHECK_FALSE(bench.load(Bench::kVirtual).trap);
  check_trap(bench.store(Bench::kVirtual), cause::kStorePage, Bench::kVirtual);

  bench.supervisor();
  check_trap(bench.load(user_page), cause::kLoadPage, user_page);
  bench.status(mstatus::kSum);
  bench.supervisor();
  CHECK_FALSE(bench.load(user_page).trap);
  bench.hart.set_pc(user_page);
  check_trap(bench.hart.step(), cause::kFetchPage, user_page);

  bench.supervisor();
  check_trap(bench.load(code_page), cause::kLoadPage, code_page);
  bench.status(mstatus::kMxr);
  bench.supervisor();
  CHECK_FALSE(bench.load(code_page).trap);
  check_trap(bench.store(code_page), cause::kStorePage, code_page);

  bench.user();
  CHECK_FALSE(bench.store(user_page).trap);
  check_trap(bench.load(Bench::kVirtual), cause::kLoadPage, Bench::kVirtual);
}

TEST_CASE("MPRV: machine mode loads and stores as another mode, and fetches as itself") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kRw | pte::kU);
  bench.poke(Bench::kData, kPattern);
  bench.hart.set_pc(Bench::kCode);
  bench.status(mstatus::kMprv);  // MPP = user
  CHECK_FALSE(bench.load(Bench::kVirtual).trap);
  CHECK(bench.hart.reg(kV) == kPattern);
  bench.status(mstatus::kMprv | uint64_t{1} << mstatus::kMppShift);
  check_trap(bench.load(Bench::kVirtual), cause::kLoadPage, Bench::kVirtual);
  bench.hart.set_pc(Bench::kCode);
  bench.status(mstatus::kMprv | mstatus::kMpp);
  check_trap(bench.load(Bench::kVirtual), cause::kLoadAccess, Bench::kVirtual);
  // A return to machine mode keeps it, one to a lower mode clears it.
  bench.status(mstatus::kMprv | mstatus::kMpp);
  bench.hart.set_pc(Bench::kCode);
  bench.run(enc::kMret);
  CHECK((bench.hart.csrs().mstatus & mstatus::kMprv) != 0);
  bench.supervisor();
  CHECK((bench.hart.csrs().mstatus & mstatus::kMprv) == 0);
}

TEST_CASE("translations are kept until sfence.vma, per privilege and SUM") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kRw);
  bench.supervisor();
  bench.poke(Bench::kData, uint64_t{1});
  bench.poke(Bench::kData + 0x1000, uint64_t{2});
  bench.load(Bench::kVirtual);
  bench.poke(Bench::kTables + 0x2000, ((Bench::kData + 0x1000) >> 12) << 10 | pte::kRw);
  bench.run(enc::sfence_vma(0, 0));
  bench.load(Bench::kVirtual);
  CHECK(bench.hart.reg(kV) == 2);
}

TEST_CASE("LR and SC") {
  Bench bench;
  constexpr uint32_t kLr = 0x1000'302f | kA << 15 | kV << 7;
  constexpr uint32_t kSc = 0x1800'302f | kA << 15 | kV << 20 | 12 << 7;
  bench.poke(Bench::kData, kPattern);
  bench.hart.set_reg(kA, Bench::kData);
  const auto reserve = [&] {
    bench.hart.set_reg(kA, Bench::kData);
    const Retirement record = bench.run(kLr);
    CHECK(record.mem_rmask == 0xff);
    CHECK(record.mem_wmask == 0);
  };
  const auto conditional = [&](uint64_t address) {
    bench.hart.set_reg(kA, address);
    return bench.run(kSc);
  };

  SUBCASE("success, once") {
    reserve();
    CHECK(bench.hart.reg(kV) == kPattern);
    const Retirement record = conditional(Bench::kData);
    CHECK(record.rd_wdata == 0);
    CHECK(record.mem_rmask == 0);
    CHECK(record.mem_wmask == 0xff);
    const Retirement again = conditional(Bench::kData);
    CHECK(again.rd_wdata == 1);
    CHECK(again.mem_wmask == 0);
  }
  SUBCASE("anywhere in the same 64 bytes, in spite of other stores") {
    reserve();
    bench.run(enc::sd(kV, kA, 0));
    CHECK(conditional(Bench::kData + 56).rd_wdata == 0);
    reserve();
    CHECK(conditional(Bench::kData + 64).rd_wdata == 1);
    CHECK(conditional(Bench::kData).rd_wdata == 1);
  }
  SUBCASE("a trap, or a return from one, ends the reservation") {
    reserve();
    bench.run(enc::kEcall);
    bench.hart.set_pc(Bench::kCode);
    CHECK(conditional(Bench::kData).rd_wdata == 1);
    reserve();
    bench.set_csr(csr::kMepc, Bench::kCode);
    bench.set_csr(csr::kMstatus, mstatus::kMpp);
    bench.run(enc::kMret);
    CHECK(conditional(Bench::kData).rd_wdata == 1);
  }
  SUBCASE("misaligned, IO, nobody there: faults, with and without a reservation") {
    bench.hart.set_reg(kA, Bench::kData + 4);
    check_trap(bench.run(kLr), cause::kLoadMisaligned, Bench::kData + 4);
    bench.hart.set_pc(Bench::kCode);
    check_trap(conditional(Bench::kData + 4), cause::kStoreMisaligned, Bench::kData + 4);
    bench.hart.set_pc(Bench::kCode);
    bench.hart.set_reg(kA, kIo);
    check_trap(bench.run(kLr), cause::kLoadAccess, kIo);
    bench.hart.set_pc(Bench::kCode);
    check_trap(conditional(kIo), cause::kStoreAccess, kIo);
    bench.hart.set_pc(Bench::kCode);
    check_trap(conditional(kVacant), cause::kStoreAccess, kVacant);
  }
}

TEST_CASE("atomics: words are sign-extended, faults are a store's, IO is refused") {
  Bench bench;
  constexpr uint32_t kMaxuW = 0xe000'202f | kA << 15 | kV << 20 | 12 << 7;
  bench.poke(Bench::kData, uint64_t{0x1111'1111'8000'0000});
  bench.hart.set_reg(kA, Bench::kData);
  bench.hart.set_reg(kV, 0xffff'ffff'7fff'ffff);
  const Retirement record = bench.run(kMaxuW);
  CHECK(record.rd_wdata == 0xffff'ffff'8000'0000);
  CHECK(record.mem_rmask == 0x0f);
  CHECK(record.mem_wmask == 0x0f);
  CHECK(record.mem_rdata == 0x8000'0000);
  CHECK(record.mem_wdata == 0x8000'0000);
  CHECK(bench.peek(Bench::kData) == 0x1111'1111'8000'0000);
  bench.hart.set_reg(kA, Bench::kData + 2);
  check_trap(bench.run(kMaxuW), cause::kStoreMisaligned, Bench::kData + 2);
  bench.hart.set_pc(Bench::kCode);
  bench.hart.set_reg(kA, kIo);
  check_trap(bench.run(kMaxuW), cause::kStoreAccess, kIo);

  Paged paged;
  paged.map(0, Bench::kData, pte::kV | pte::kR | pte::kA);
  paged.supervisor();
  paged.hart.set_reg(kA, Bench::kVirtual);
  check_trap(paged.run(kMaxuW), cause::kStorePage, Bench::kVirtual);
}

TEST_CASE("cache operations: rights, privileges, faults") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kV | pte::kR | pte::kA);
  bench.map(1, Bench::kData, pte::kV | pte::kX | pte::kA);
  bench.map(2, kIo, pte::kRw);
  const auto cause = [&](uint32_t kind, uint64_t address, Privilege mode = Privilege::kSupervisor) {
    if (mode == Privilege::kUser) {
      bench.user();
    } else {
      bench.supervisor();
    }
    bench.hart.set_reg(kA, address);
    const Retirement record = bench.run(enc::cbo(kind, kA));
    if (record.trap && record.cause != cause::kIllegal) CHECK(record.tval == address);
    return record.cause;
  };
  CHECK(cause(enc::kCboClean, Bench::kVirtual) == cause::kIllegal);
  CHECK(cause(enc::kCboInval, Bench::kVirtual) == cause::kIllegal);
  bench.set_csr(csr::kMenvcfg, envcfg::kCbcfe);
  CHECK(cause(enc::kCboClean, Bench::kVirtual) == 0);
  CHECK(cause(enc::kCboFlush, Bench::kVirtual + 7) == 0);
  CHECK(cause(enc::kCboInval, Bench::kVirtual) == cause::kIllegal);
  CHECK(cause(enc::kCboClean, Bench::kVirtual + 4096) == cause::kStorePage);
  CHECK(cause(enc::kCboClean, Bench::kVirtual + 2 * 4096) == 0);
  CHECK(cause(enc::kCboClean, Bench::kVirtual + 3 * 4096 + 5) == cause::kStorePage);
  CHECK(cause(enc::kCboClean, Bench::kUserCode, Privilege::kUser) == cause::kIllegal);
  bench.set_csr(csr::kMenvcfg, uint64_t{1} << envcfg::kCbieShift);
  CHECK(cause(enc::kCboInval, Bench::kVirtual) == 0);
  CHECK(cause(enc::kCboInval, Bench::kUserCode, Privilege::kUser) == cause::kIllegal);
  bench.set_csr(csr::kSenvcfg, uint64_t{3} << envcfg::kCbieShift);
  CHECK(cause(enc::kCboInval, Bench::kUserCode, Privilege::kUser) == 0);
  CHECK(cause(enc::kCboInval, Bench::kCode, Privilege::kUser) == cause::kStorePage);
  Bench machine;
  machine.hart.set_reg(kA, kUnbacked);
  CHECK_FALSE(machine.run(enc::cbo(enc::kCboClean, kA)).trap);
  machine.hart.set_reg(kA, kVacant);
  check_trap(machine.run(enc::cbo(enc::kCboInval, kA)), cause::kStoreAccess, kVacant);
}

TEST_CASE("cbo.zero: a line of memory that may be written, or nothing") {
  Paged bench;
  bench.map(0, Bench::kData, pte::kRw);
  bench.map(1, Bench::kData, pte::kV | pte::kR | pte::kA);
  bench.map(2, kIo, pte::kRw);
  bench.map(3, Bench::kData, pte::kRw | uint64_t{1} << 61);
  bench.set_csr(csr::kMenvcfg, envcfg::kPbmte | envcfg::kCbcfe);
  const auto cause = [&](uint64_t address) {
    bench.supervisor();
    bench.hart.set_reg(kA, address);
    const Retirement record = bench.run(enc::cbo(enc::kCboZero, kA));
    if (record.trap && record.cause != cause::kIllegal) CHECK(record.tval == address);
    return record.cause;
  };
  for (uint64_t at = 0; at < 192; at += 8) bench.poke(Bench::kData + at, ~uint64_t{0});
  CHECK(cause(Bench::kVirtual) == cause::kIllegal);
  bench.set_csr(csr::kMenvcfg, envcfg::kPbmte | envcfg::kCbze);
  CHECK(cause(Bench::kVirtual + 4096) == cause::kStorePage);
  CHECK(cause(Bench::kVirtual + 2 * 4096 + 9) == cause::kStoreAccess);
  CHECK(cause(Bench::kVirtual + 3 * 4096) == cause::kStoreAccess);
  for (uint64_t at = 0; at < 192; at += 8) CHECK(bench.peek<uint64_t>(Bench::kData + at) == ~uint64_t{0});
  CHECK(cause(Bench::kVirtual + 64 + 37) == 0);
  for (uint64_t at = 0; at < 192; at += 8)
    CHECK(bench.peek<uint64_t>(Bench::kData + at) == (at / 64 == 1 ? 0 : ~uint64_t{0}));
}

}  // namespace
}  // namespace swai::iss
