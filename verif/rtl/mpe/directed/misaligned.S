// SPDX-License-Identifier: Apache-2.0
// Misaligned loads and stores: every size at every offset around the end of a word, a line and a page. Each is compared with
// the bytes.
#include "verif/rtl/mpe/directed/test.h"

// s1: address. Loads with an instruction and builds the same from bytes, most significant first, with the last
// extended by `top`.
.macro COMPARE_LOAD insn, top, bytes
  \insn a0, 0(s1)
  \top a1, (\bytes - 1)(s1)
  .set index, \bytes - 2
  .rept \bytes - 1
  lbu a2, index(s1)
  slli a1, a1, 8
  or a1, a1, a2
  .set index, index - 1
  .endr
  bne a0, a1, fail
  addi gp, gp, 1
.endm

// Stores, then compares the bytes, and those before and after.
.macro COMPARE_STORE insn, bytes
  lbu a3, -1(s1)
  lbu a4, \bytes(s1)
  addi s3, s3, 0x35
  xor s2, s2, s3
  \insn s2, 0(s1)
  mv a0, s2
  .set index, 0
  .rept \bytes
  lbu a1, index(s1)
  andi a2, a0, 0xFF
  bne a1, a2, fail
  srli a0, a0, 8
  .set index, index + 1
  .endr
  lbu a1, -1(s1)
  bne a1, a3, fail
  lbu a1, \bytes(s1)
  bne a1, a4, fail
  addi gp, gp, 1
.endm

// Store and load of different sizes that overlap, back to back.
.macro FORWARD store, load, distance
  \store s2, 0(s1)
  \load a0, \distance(s1)
  fence
  \load a1, \distance(s1)
  bne a0, a1, fail
  addi gp, gp, 1
.endm

TEST_START
  la s0, places
  li s3, 0
  li s2, 0x0123456789ABCDEF
1:
  ld s4, 0(s0)
  beqz s4, 9f
  li s5, -9
2:
  // Case: ten times the place's number and on, by address.
  add s1, s4, s5
  slli gp, s5, 8
  andi gp, gp, 0x7FF
  COMPARE_LOAD lh, lb, 2
  COMPARE_LOAD lhu, lbu, 2
  COMPARE_LOAD lw, lb, 4
  COMPARE_LOAD lwu, lbu, 4
  COMPARE_LOAD ld, lb, 8
  COMPARE_STORE sh, 2
  COMPARE_STORE sw, 4
  COMPARE_STORE sd, 8
  FORWARD sd, ld, 1
  FORWARD sd, lw, 3
  FORWARD sw, ld, -3
  FORWARD sb, ld, -7
  FORWARD sh, lw, -1
  FORWARD sd, lh, 7
  addi s5, s5, 1
  li t0, 10
  bne s5, t0, 2b
  addi s0, s0, 8
  j 1b
9:
TEST_END
  .section .rodata
  .balign 8
places:
  .dword area + 64, area + 128 + 8, area + 4096, area + 2 * 4096 + 60, area + 3 * 4096, 0
  .data
  .balign 4096
area:
  .set value, 1
  .rept 4096
  .dword value * 0x9E3779B97F4A7C15
  .set value, value + 1
  .endr
