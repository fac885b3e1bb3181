// SPDX-License-Identifier: Apache-2.0
// Loads and stores: every size, extension, offset, and order of neighbours.
#include "verif/rtl/mpe/directed/test.h"

.macro LOAD number, insn, offset, expected
  CASE \number
  \insn a0, \offset(s0)
  EXPECT a0, \expected
.endm

// Stores into a word of known content.
.macro STORE number, insn, offset, expected
  CASE \number
  li a0, 0x1111111111111111
  sd a0, 0(s1)
  li a1, 0xFEDCBA9876543210
  \insn a1, \offset(s1)
  ld a2, 0(s1)
  EXPECT a2, \expected
.endm

TEST_START
  la s0, pattern
  la s1, scratch
  LOAD 1, lb, 0, 0xFFFFFFFFFFFFFF88
  LOAD 2, lb, 7, 0x11
  LOAD 3, lbu, 0, 0x88
  LOAD 4, lbu, 3, 0x55
  LOAD 5, lh, 0, 0x7788
  LOAD 6, lh, 8, 0xFFFFFFFFFFFF9988
  LOAD 7, lhu, 8, 0x9988
  LOAD 8, lhu, 6, 0x1122
  LOAD 9, lw, 0, 0x55667788
  LOAD 10, lw, 12, 0xFFFFFFFFFFEEDDCC
  LOAD 11, lwu, 12, 0xFFEEDDCC
  LOAD 12, lwu, 4, 0x11223344
  LOAD 13, ld, 0, 0x1122334455667788
  LOAD 14, ld, 8, 0xFFEEDDCCBBAA9988
  STORE 21, sb, 0, 0x1111111111111110
  STORE 22, sb, 5, 0x1111101111111111
  STORE 23, sb, 7, 0x1011111111111111
  STORE 24, sh, 0, 0x1111111111113210
  STORE 25, sh, 6, 0x3210111111111111
  STORE 26, sw, 0, 0x1111111176543210
  STORE 27, sw, 4, 0x7654321011111111
  STORE 28, sd, 0, 0xFEDCBA9876543210
  CASE 31  // the ends of the offset's range
  li t0, 2048
  add s2, s0, t0
  ld a0, -2048(s2)
  EXPECT a0, 0x1122334455667788
  addi s2, s0, -2047
  lb a0, 2047(s2)
  EXPECT a0, 0xFFFFFFFFFFFFFF88
  li t0, 2048
  add s2, s1, t0
  li a1, 77
  sd a1, -2048(s2)
  ld a0, 0(s1)
  EXPECT a0, 77
  CASE 32  // the base register is the destination; a pointer is chased
  la a0, chain
  ld a0, 0(a0)
  ld a0, 0(a0)
  ld a0, 0(a0)
  ld a0, 0(a0)
  EXPECT a0, 4711
  CASE 33  // into x0
  ld zero, 0(s0)
  EXPECT zero, 0
  CASE 34  // use right behind the load: as operand, as address, as data, as condition
  ld a0, 0(s0)
  add a0, a0, a0
  EXPECT a0, 0x22446688AACCEF10
  ld a0, 0(s0)
  sd a0, 8(s1)
  ld a1, 8(s1)
  EXPECT a1, 0x1122334455667788
  lbu a0, 3(s0)
  beqz a0, fail
  lw a0, 0(s0)
  mul a1, a0, a0
  EXPECT a1, 0x1C7D3463C82FB840
  CASE 35  // a load behind stores of its parts
  sd zero, 16(s1)
  li a0, 0xAB
  sb a0, 16(s1)
  li a1, 0xCDEF
  sh a1, 18(s1)
  li a2, 0x12345678
  sw a2, 20(s1)
  ld a3, 16(s1)
  EXPECT a3, 0x12345678CDEF00AB
  sb zero, 23(s1)
  lw a3, 20(s1)
  EXPECT a3, 0x345678
  CASE 36  // loads of parts behind one store
  li a0, 0x8182838485868788
  sd a0, 24(s1)
  lb a1, 31(s1)
  EXPECT a1, 0xFFFFFFFFFFFFFF81
  sd a0, 24(s1)
  lhu a1, 26(s1)
  EXPECT a1, 0x8586
  sd a0, 24(s1)
  lw a1, 28(s1)
  EXPECT a1, 0xFFFFFFFF81828384
  CASE 37  // a row of stores, more than any store buffer holds, and its sum
  li a0, 0
  mv a1, s1
  .rept 40
  sd a0, 0(a1)
  addi a0, a0, 3
  addi a1, a1, 8
  .endr
  li a2, 0
  mv a1, s1
  .rept 40
  ld a0, 0(a1)
  add a2, a2, a0
  addi a1, a1, 8
  .endr
  EXPECT a2, 3 * 39 * 40 / 2
  CASE 38  // lines that compete for one place in the cache, dirty all of them
  la a1, large
  li a3, 4096
  .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  li a0, \n * 0x101
  sd a0, 8(a1)
  add a1, a1, a3
  .endr
  la a1, large
  .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  ld a0, 8(a1)
  EXPECT a0, \n * 0x101
  add a1, a1, a3
  .endr
TEST_END
  .data
  .balign 64
pattern:
  .dword 0x1122334455667788, 0xFFEEDDCCBBAA9988
chain:
  .dword link2
link1:
  .dword 4711
link2:
  .dword link3
link3:
  .dword link1
  .bss
  .balign 4096
scratch:
  .zero 4096
large:
  .zero 10 * 4096
