// SPDX-License-Identifier: Apache-2.0
// Every compressed instruction, with the ends of its immediate's range; hints; and mixtures with full ones.
#include "verif/rtl/mpe/directed/test.h"

// One instruction that changes `register`. Its length is checked, too.
.macro CHANGES number, register, before, after, insn:vararg
  CASE \number
  li \register, \before
  .option push
  .option rvc
1: \insn
2:
  .option pop
  .if 2b - 1b - 2
  .error "not compressed"
  .endif
  EXPECT \register, \after
.endm

.macro STORES number, after, insn:vararg
  CASE \number
  li a0, -1
  sd a0, 0(s1)
  li a0, 0x1122334455667788
1: \insn
2:
  .if 2b - 1b - 2
  .error "not compressed"
  .endif
  ld a0, 0(s1)
  EXPECT a0, \after
.endm

#define BIG 0x0123456789ABCDEF

TEST_START
  la s1, data
  CHANGES 1, a0, 10, 41, c.addi a0, 31
  CHANGES 2, t3, 10, -22, c.addi t3, -32
  CHANGES 3, a0, 0x7FFFFFFF, 0xFFFFFFFF80000000, c.addiw a0, 1
  CHANGES 4, s7, 0x123456780000001F, -1, c.addiw s7, -32
  CHANGES 5, a0, BIG, 0xFFFFFFFF89ABCDEF, c.addiw a0, 0  // sext.w
  CHANGES 6, a0, BIG, 31, c.li a0, 31
  CHANGES 7, t6, BIG, -32, c.li t6, -32
  CHANGES 8, a0, BIG, 0x1F000, c.lui a0, 31
  CHANGES 9, ra, BIG, 0xFFFFFFFFFFFE0000, c.lui ra, 0xFFFE0
  CHANGES 10, a0, BIG, 0x1000, c.lui a0, 1
  CHANGES 11, sp, 0x10000, 0x10000 + 496, c.addi16sp sp, 496
  CHANGES 12, sp, 0x10000, 0x10000 - 512, c.addi16sp sp, -512
  CHANGES 13, sp, 0x10000, 0x10010, c.addi16sp sp, 16
  CHANGES 14, a0, 1, 1 << 63, c.slli a0, 63
  CHANGES 15, s10, BIG, 0x2468ACF13579BDE, c.slli s10, 1
  CHANGES 16, a0, BIG, 0x89ABCDEF00000000, c.slli a0, 32
  CHANGES 17, a0, -1, 1, c.srli a0, 63
  CHANGES 18, s0, 0x8000000000000000, 0x80000000, c.srli s0, 32
  CHANGES 19, a0, 0x8000000000000000, -1, c.srai a0, 63
  CHANGES 20, a5, 0x8000000000000000, 0xFFFFFFFF80000000, c.srai a5, 32
  CHANGES 21, a0, BIG, 0x0F, c.andi a0, 31
  CHANGES 22, a1, BIG, 0x0123456789ABCDE0, c.andi a1, -32
  li a2, 0x1111111111111111
  li t4, 0x1111111111111111
  CHANGES 31, a0, BIG, BIG - 0x1111111111111111, c.sub a0, a2
  CHANGES 32, a0, BIG, 0x1032547698BADCFE, c.xor a0, a2
  CHANGES 33, a0, BIG, 0x1133557799BBDDFF, c.or a0, a2
  CHANGES 34, a0, BIG, 0x0101010101010101, c.and a0, a2
  CHANGES 35, a0, BIG, 0x789ABCDE, c.subw a0, a2
  CHANGES 36, a0, BIG, 0xFFFFFFFF9ABCDF00, c.addw a0, a2
  CHANGES 37, a0, BIG, 0x1111111111111111, c.mv a0, a2
  CHANGES 38, t5, BIG, 0x1111111111111111, c.mv t5, t4
  CHANGES 39, t5, BIG, BIG + 0x1111111111111111, c.add t5, t4
  CHANGES 40, a0, BIG, 2 * BIG, c.add a0, a0
  li sp, 0x10000
  CHANGES 41, a0, 0, 0x10004, c.addi4spn a0, sp, 4
  CHANGES 42, s0, 0, 0x10000 + 1020, c.addi4spn s0, sp, 1020
  CHANGES 43, a5, 0, 0x10000 + 512, c.addi4spn a5, sp, 512
  // Loads and stores
  la a3, words
  la sp, words
  CHANGES 50, a0, 0, 0xFFFFFFFF89ABCDEF, c.lw a0, 0(a3)
  CHANGES 51, a0, 0, 0x01234567, c.lw a0, 4(a3)
  CHANGES 52, a0, 0, 124, c.lw a0, 124(a3)
  CHANGES 53, s0, 0, 64, c.lw s0, 64(a3)
  CHANGES 54, a0, 0, BIG, c.ld a0, 0(a3)
  CHANGES 55, a0, 0, 248 | 252 << 32, c.ld a0, 248(a3)
  CHANGES 56, a5, 0, 128 | 132 << 32, c.ld a5, 128(a3)
  CHANGES 57, t3, 0, 252, c.lwsp t3, 252(sp)
  CHANGES 58, a0, 0, 0xFFFFFFFF89ABCDEF, c.lwsp a0, 0(sp)
  CHANGES 59, t3, 0, 504 | 508 << 32, c.ldsp t3, 504(sp)
  CHANGES 60, ra, 0, 256 | 260 << 32, c.ldsp ra, 256(sp)
  STORES 61, 0xFFFFFFFF55667788, c.sw a0, 0(s1)
  STORES 62, 0x55667788FFFFFFFF, c.sw a0, 4(s1)
  STORES 63, 0x1122334455667788, c.sd a0, 0(s1)
  addi s0, s1, -124
  STORES 64, 0xFFFFFFFF55667788, c.sw a0, 124(s0)
  addi s0, s1, -248
  STORES 65, 0x1122334455667788, c.sd a0, 248(s0)
  addi sp, s1, -252
  STORES 66, 0xFFFFFFFF55667788, c.swsp a0, 252(sp)
  addi sp, s1, -504
  STORES 67, 0x1122334455667788, c.sdsp a0, 504(sp)
  mv sp, s1
  STORES 68, 0x0000000000000000, c.sdsp zero, 0(sp)
  // Branches, both ways
  CASE 70
  li a0, 0
  li a1, 0
  c.beqz a0, 1f
  j fail
1: c.bnez a0, 2f
  c.li a1, 1
2: EXPECT a1, 1
  li s0, 5
  c.bnez s0, 1f
  j fail
1: c.beqz s0, 2f
  c.li a1, 2
2: EXPECT a1, 2
  CASE 71
  li a5, 10
  li a0, 0
1: c.addi a0, 3
  c.addi a5, -1
  c.bnez a5, 1b
  EXPECT a0, 30
  CASE 72  // the ends of the range
  c.li a0, 0
  c.j 2f
1: c.addi a0, 1
  c.j 3f
  .zero 240
2: c.beqz a0, 1b
  j fail
3: EXPECT a0, 1
  CASE 73
  c.li a0, 0
  j 2f
1: c.addi a0, 1
  j 3f
  .zero 2030
2: c.j 1b
3: EXPECT a0, 1
  // Hints change nothing
  .macro HINT number, half
  CASE \number
  li a0, BIG
  li s0, BIG
  .2byte \half
  EXPECT a0, BIG
  EXPECT s0, BIG
  EXPECT zero, 0
  .endm
  HINT 80, 0x0001  // c.nop
  HINT 81, 0x107D  // c.nop -1
  HINT 82, 0x4005  // c.li x0, 1
  HINT 83, 0x6005  // c.lui x0, 1
  HINT 84, 0x802A  // c.mv x0, a0
  HINT 85, 0x902A  // c.add x0, a0
  HINT 86, 0x1002  // c.slli x0, 32
  HINT 87, 0x0502  // c.slli a0, 0
  HINT 88, 0x8001  // c.srli s0, 0
  HINT 89, 0x8401  // c.srai s0, 0
  HINT 90, 0x0501  // c.addi a0, 0
  CASE 91  // full instructions at odd halfwords, in a row
  .balign 4
  c.nop
  .option norvc
  li a0, 1
  addi a0, a0, 2
  slli a0, a0, 4
  .option rvc
  c.addi a0, 1
  EXPECT a0, 49
TEST_END
  .data
  .balign 64
words:
  .dword BIG
  .set value, 8
  .rept 126
  .4byte value
  .set value, value + 4
  .endr
  .balign 64
  .zero 512
data:
  .zero 64
