// SPDX-License-Identifier: Apache-2.0
// The decode table against itself and against encodings made elsewhere.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "sim/iss/mpe/insn.hpp"
#include "sim/iss/mpe/trace.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::iss {
namespace {

TEST_CASE("no two rows of the table claim the same bits") {
  const auto table = insn_table();
  for (size_t a = 0; a < table.size(); ++a) {
    for (size_t b = a + 1; b < table.size(); ++b) {
      CAPTURE(table[a].name);
      CAPTURE(table[b].name);
      CHECK(((table[a].match ^ table[b].match) & table[a].mask & table[b].mask) != 0);
    }
  }
}

TEST_CASE("every row is found, whatever its operands") {
  std::mt19937 random(static_cast<uint32_t>(test_seed()));
  for (const InsnInfo& info : insn_table()) {
    for (int i = 0; i < 100; ++i) {
      const uint32_t bits = (static_cast<uint32_t>(random()) & ~info.mask) | info.match;
      const Insn insn = decode(bits);
      REQUIRE(insn.info == &info);
      CHECK(insn.bits == bits);
      CHECK(insn.length == 4);
    }
  }
}

TEST_CASE("what is no instruction is illegal") {
  for (const uint32_t bits : {
           0x0000'0000u, 0xffff'ffffu,
           0x0000'7003u,  // load of a width that does not exist
           0x0000'4023u,  // store likewise
           0x0000'2063u,  // branch without a condition
           0x0200'101bu,  // slliw by 32
           0x0400'1013u,  // slli by 64
           0x1010'a02fu,  // lr.w with rs2
           0x0000'602fu,  // atomic of a width that does not exist
           0x0814'403bu,  // packw, which is zext.h only with rs2 = 0
           0x0000'4073u,  // CSR instruction without an operation
           0x0020'0073u,  // uret
           0x0030'200fu,  // between cbo.flush and cbo.zero
           0x0000'208fu,  // cbo.inval with rd
           0x0000'300fu,
           0x1200'00f3u,  // sfence.vma with rd
           0x7000'0053u,  // floating point
           0xf800'400bu,  // th.ldd
           0xe000'500bu,  // th.swd
       }) {
    CAPTURE(bits);
    CHECK(decode(bits).info == nullptr);
  }
}

struct Sample {
  uint32_t bits;
  const char* text;
};

// Encoded by the GNU assembler; extreme immediates, so that every bit of every field is seen.
TEST_CASE("compressed instructions stand for what they should") {
  static constexpr Sample kSamples[] = {
      // clang-format off
      {0x1fe8, "addi a0, sp, 1020"},
      {0x0040, "addi s0, sp, 4"},
      {0x5cfc, "lw a5, 124(s1)"},
      {0x43a0, "lw s0, 64(a5)"},
      {0x7c7c, "ld a5, 248(s0)"},
      {0x6324, "ld s1, 64(a4)"},
      {0xdcfc, "sw a5, 124(s1)"},
      {0xc3c0, "sw s0, 4(a5)"},
      {0xfc7c, "sd a5, 248(s0)"},
      {0xe344, "sd s1, 128(a4)"},
      {0x0001, "addi zero, zero, 0"},
      {0x0ffd, "addi t6, t6, 31"},
      {0x1081, "addi ra, ra, -32"},
      {0x3f81, "addiw t6, t6, -32"},
      {0x2401, "addiw s0, s0, 0"},
      {0x5ffd, "addi t6, zero, -1"},
      {0x40fd, "addi ra, zero, 31"},
      {0x617d, "addi sp, sp, 496"},
      {0x7101, "addi sp, sp, -512"},
      {0x6141, "addi sp, sp, 16"},
      {0x7f81, "lui t6, 0xfffe0"},
      {0x60fd, "lui ra, 0x1f"},
      {0x93fd, "srli a5, a5, 63"},
      {0x9401, "srai s0, s0, 32"},
      {0x8485, "srai s1, s1, 1"},
      {0x9b81, "andi a5, a5, -32"},
      {0x887d, "andi s0, s0, 31"},
      {0x8f81, "sub a5, a5, s0"},
      {0x8c3d, "xor s0, s0, a5"},
      {0x8d4d, "or a0, a0, a1"},
      {0x8e75, "and a2, a2, a3"},
      {0x9f1d, "subw a4, a4, a5"},
      {0x9ca1, "addw s1, s1, s0"},
      {0x8f82, "jalr zero, 0(t6)"},
      {0x9082, "jalr ra, 0(ra)"},
      {0x8f86, "add t6, zero, ra"},
      {0x90fe, "add ra, ra, t6"},
      {0x9002, "ebreak"},
      {0x1ffe, "slli t6, t6, 63"},
      {0x5ffe, "lw t6, 252(sp)"},
      {0x4086, "lw ra, 64(sp)"},
      {0x7ffe, "ld t6, 504(sp)"},
      {0x6086, "ld ra, 64(sp)"},
      {0xdffe, "sw t6, 252(sp)"},
      {0xc086, "sw ra, 64(sp)"},
      {0xfffe, "sd t6, 504(sp)"},
      {0xe086, "sd ra, 64(sp)"},
      {0xaffd, "jal zero, 0x800007fe"},
      {0xb001, "jal zero, 0x7ffff800"},
      {0xa009, "jal zero, 0x80000002"},
      {0xa011, "jal zero, 0x80000004"},
      {0xa021, "jal zero, 0x80000008"},
      {0xa801, "jal zero, 0x80000010"},
      {0xa005, "jal zero, 0x80000020"},
      {0xa081, "jal zero, 0x80000040"},
      {0xa041, "jal zero, 0x80000080"},
      {0xa201, "jal zero, 0x80000100"},
      {0xa401, "jal zero, 0x80000200"},
      {0xa101, "jal zero, 0x80000400"},
      {0xcffd, "beq a5, zero, 0x800000fe"},
      {0xd381, "beq a5, zero, 0x7fffff00"},
      {0xc389, "beq a5, zero, 0x80000002"},
      {0xc391, "beq a5, zero, 0x80000004"},
      {0xc781, "beq a5, zero, 0x80000008"},
      {0xcb81, "beq a5, zero, 0x80000010"},
      {0xc385, "beq a5, zero, 0x80000020"},
      {0xc3a1, "beq a5, zero, 0x80000040"},
      {0xc3c1, "beq a5, zero, 0x80000080"},
      {0xfc7d, "bne s0, zero, 0x7ffffffe"},
      // clang-format on
  };
  for (const Sample& sample : kSamples) {
    CAPTURE(sample.bits);
    CHECK(disassemble(sample.bits, 0x8000'0000) == sample.text);
    CHECK(decode(sample.bits).length == 2);
  }
}

TEST_CASE("reserved compressed encodings are illegal") {
  for (const uint32_t bits : {
           0x0000u, 0x0004u,           // c.addi4spn without an immediate
           0x2000u, 0xa000u,           // c.fld, c.fsd
           0x8000u, 0x2001u, 0x2005u,  // c.addiw with x0
           0x6081u,                    // c.lui without an immediate
           0x6101u,                    // c.addi16sp without an immediate
           0x9c41u, 0x9c61u, 0x9c45u,  // beyond c.subw and c.addw
           0x4002u, 0x4042u,           // c.lwsp into x0
           0x6002u, 0x6022u,           // c.ldsp into x0
           0x8002u,                    // c.jr x0
           0x2002u, 0xa002u,           // c.fldsp, c.fsdsp
       }) {
    CAPTURE(bits);
    CHECK(decode(bits).info == nullptr);
  }
}

TEST_CASE("hints are no-operations, not illegal") {
  for (const uint32_t bits : {
           0x0001u, 0x0005u,  // c.nop, with an immediate
           0x0081u,           // c.addi ra, 0
           0x4005u,           // c.li x0
           0x6005u,           // c.lui x0
           0x0006u,           // c.slli x0
           0x0082u,           // c.slli by 0
           0x8006u,           // c.mv x0
           0x9006u,           // c.add x0
           0x0010'6013u,      // prefetch.r
       }) {
    CAPTURE(bits);
    CHECK(decode(bits).info != nullptr);
  }
}

TEST_CASE("disassembly") {
  static constexpr Sample kSamples[] = {
      // clang-format off
      {0xfeb6550b, "th.sdd a0, a1, (a2), 3, 4"},
      {0xf8f0d00b, "th.sdd zero, a5, (ra), 0, 4"},
      {0xffffffb7, "lui t6, 0xfffff"},
      {0x00001097, "auipc ra, 0x1"},
      {0x7ffff0ef, "jal ra, 0x800ffffe"},
      {0x8000006f, "jal zero, 0x7ff00000"},
      {0x0010006f, "jal zero, 0x80000800"},
      {0x800f80e7, "jalr ra, -2048(t6)"},
      {0x7e1f8fe3, "beq t6, ra, 0x80000ffe"},
      {0x81f07063, "bgeu zero, t6, 0x7ffff000"},
      {0x00b540e3, "blt a0, a1, 0x80000800"},
      {0x81f0b023, "sd t6, -2048(ra)"},
      {0x7e1f8fa3, "sb ra, 2047(t6)"},
      {0xfff0cf83, "lbu t6, -1(ra)"},
      {0x43f0df93, "srai t6, ra, 63"},
      {0x61f0df9b, "roriw t6, ra, 31"},
      {0x0bf09f9b, "slli.uw t6, ra, 63"},
      {0xe6113faf, "amomaxu.d t6, ra, (sp)"},
      {0x1400bfaf, "lr.d t6, (ra)"},
      {0x18112faf, "sc.w t6, ra, (sp)"},
      {0x32009ff3, "csrrw t6, mcountinhibit, ra"},
      {0xc1fff073, "csrrci zero, hpmcounter31, 31"},
      {0x7b002573, "csrrs a0, 0x7b0, zero"},
      {0x32302573, "csrrs a0, mhpmevent3, zero"},
      {0xb0a02573, "csrrs a0, mhpmcounter10, zero"},
      {0x2870df93, "orc.b t6, ra"},
      {0x0800cfbb, "zext.h t6, ra"},
      {0x6b8fd093, "rev8 ra, t6"},
      {0x602f909b, "cpopw ra, t6"},
      {0x121f8073, "sfence.vma t6, ra"},
      {0x0ff0000f, "fence"},
      {0x0000100f, "fence.i"},
      {0x30200073, "mret"},
      {0x10200073, "sret"},
      {0x10500073, "wfi"},
      {0x00000073, "ecall"},
      {0x002fa00f, "cbo.flush (t6)"},
      {0x0000a00f, "cbo.inval (ra)"},
      {0x0015200f, "cbo.clean (a0)"},
      {0x0045200f, "cbo.zero (a0)"},
      // clang-format on
  };
  for (const Sample& sample : kSamples) {
    CAPTURE(sample.bits);
    CHECK(disassemble(sample.bits, 0x8000'0000) == sample.text);
  }
}

TEST_CASE("trace lines") {
  Retirement record{.pc = 0x8000'0000, .next_pc = 0x8000'0002, .insn = 0x0505, .rd = 10, .rd_wdata = 7};
  CHECK(trace_line(record) ==
        "M 0000000080000000     0505 addi a0, a0, 1                   a0=0000000000000007");
  record = {.pc = 0xffff'ffff'c000'0000,
            .insn = 0x0005'2583,
            .mode = Privilege::kSupervisor,
            .rd = 11,
            .rd_wdata = 5};
  record.mem_addr = 0x1234;
  record.mem_rmask = 0xf;
  record.mem_rdata = 5;
  CHECK(
      trace_line(record) ==
      "S ffffffffc0000000 00052583 lw a1, 0(a0)                     a1=0000000000000005 [1234] -> 00000005");
  record = {.pc = 0x10, .insn = 0x0085'1023, .mode = Privilege::kUser};
  record.mem_addr = 0x1234;
  record.mem_wmask = 3;
  record.mem_wdata = 0xabc;
  CHECK(trace_line(record) == "U 0000000000000010 00851023 sh s0, 0(a0)                     [1234] <- 0abc");
  record = {.pc = 0x10, .insn = 0xfeb6'550b};
  record.mem_addr = 0x1230;
  record.mem_wmask = 0xffff;
  record.mem_wdata = 0xabc;
  record.mem_wdata_high = 0xd;
  CHECK(trace_line(record) ==
        "M 0000000000000010 feb6550b th.sdd a0, a1, (a2), 3, 4        [1230] <- "
        "000000000000000d0000000000000abc");
  record = {.pc = 0x10, .next_pc = 0x80, .insn = 0x73, .trap = true, .cause = 11};
  CHECK(
      trace_line(record) ==
      "M 0000000000000010 00000073 ecall                            ecall from machine mode (tval 0) -> 80");
  record = {.pc = 0x10, .next_pc = 0x80, .intr = true, .cause = cause::kInterrupt | 7};
  CHECK(trace_line(record) == "M 0000000000000010           machine timer interrupt -> 80");
  CHECK(cause_name(cause::kNmi) == "NMI");
  CHECK(cause_name(99) == "cause 0x63");
}

}  // namespace
}  // namespace swai::iss
