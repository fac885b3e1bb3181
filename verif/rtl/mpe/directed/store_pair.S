// SPDX-License-Identifier: Apache-2.0
// th.sdd: two registers to 16 aligned bytes, or nothing at all.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

#define MENVCFG 0x30A
#define PBMTE (1 << 62)
#define LOW 0x1122334455667788
#define HIGH 0x99AABBCCDDEEFF00
#define EMPTY 0x5555555555555555

  .option arch, +xtheadmempair

// Stores to a page of its own after preparing two words there, and compares them and their neighbours.
.macro STORES number, mode, address, pair, low, high, low_value, high_value
  CASE \number
  la s1, memory
  li t5, EMPTY
  .set index, 0
  .rept 10
  sd t5, index(s1)
  .set index, index + 8
  .endr
  fence
  li s0, \address
  li a0, LOW
  li a1, HIGH
  RUN \mode
  th.sdd \low, \high, (s0), \pair, 4
  END_RUN
  EXPECT_NO_TRAP \mode
  cbo.flush 0(s1)
  .if \pair > 0
  ld t5, (\pair * 16 - 8)(s1)
  EXPECT t5, EMPTY
  .endif
  ld t5, (\pair * 16)(s1)
  EXPECT t5, \low_value
  ld t5, (\pair * 16 + 8)(s1)
  EXPECT t5, \high_value
  ld t5, (\pair * 16 + 16)(s1)
  EXPECT t5, EMPTY
.endm

.macro FAULTS number, mode, address, pair, cause
  CASE \number
  la s1, memory
  sd zero, 0(s1)
  sd zero, 8(s1)
  sd zero, 16(s1)
  li s0, \address
  li a0, LOW
  li a1, HIGH
  RUN \mode
1: th.sdd a0, a1, (s0), \pair, 4
  END_RUN
  EXPECT_TRAP \cause, \address + 16 * \pair, 1b
  ld a2, 0(s1)
  ld a3, 8(s1)
  ld a4, 16(s1)
  or a2, a2, a3
  or a2, a2, a4
  EXPECT a2, 0
.endm

#define CACHED TEST_VA
#define NC (TEST_VA + PAGE)
#define READ_ONLY (TEST_VA + 2 * PAGE)
#define NOBODY (TEST_VA + 3 * PAGE)
#define TIMER 0x2004000

TEST_START
  // In machine mode, then the late operands: loaded, multiplied, computed just before; the value before is still in the registers.
  CASE 1
  la s1, memory
  li a0, LOW
  li a1, HIGH
  sd a0, 32(s1)
  sd a1, 40(s1)
  ld a2, 32(s1)
  th.sdd a2, a1, (s1), 0, 4
  ld a3, 40(s1)
  th.sdd a0, a3, (s1), 1, 4
  li a4, 3
  mul a5, a0, a4
  th.sdd a5, a5, (s1), 3, 4
  addi a4, a4, 5
  th.sdd a4, s1, (s1), 2, 4
  ld t0, 0(s1)
  ld t1, 8(s1)
  ld t2, 16(s1)
  ld t3, 24(s1)
  EXPECT t0, LOW
  EXPECT t1, HIGH
  EXPECT t2, LOW
  EXPECT t3, HIGH
  ld t0, 48(s1)
  ld t1, 56(s1)
  EXPECT_REGISTERS t0, a5
  EXPECT_REGISTERS t1, a5
  ld t0, 32(s1)
  ld t1, 40(s1)
  EXPECT t0, 8
  EXPECT_REGISTERS t1, s1
  // Bytes of younger and older stores, and loads across the two words, while all of them wait.
  CASE 2
  li a2, 0x77
  sd zero, 0(s1)
  th.sdd a0, a1, (s1), 0, 4
  sb a2, 7(s1)
  lbu t0, 7(s1)
  lbu t1, 8(s1)
  lw t2, 6(s1)
  ld t3, 4(s1)
  EXPECT t0, 0x77
  EXPECT t1, 0x00
  EXPECT t2, 0xFFFFFFFFFF007722
  EXPECT t3, 0xDDEEFF0077223344

  PAGING_ON
  WRITE_CSR MENVCFG, PBMTE
  SET_ENTRY test_level0, 0, memory, PTE_RWX
  SET_ENTRY test_level0, 1, memory, PTE_RWX | PTE_NC
  SET_ENTRY test_level0, 2, memory, PTE_V | PTE_R | PTE_A
  SET_ENTRY test_level0, 3, memory, 0
  STORES 10, MODE_S, CACHED, 0, a0, a1, LOW, HIGH
  STORES 11, MODE_S, CACHED, 1, a0, a1, LOW, HIGH
  STORES 12, MODE_S, CACHED, 2, a1, a0, HIGH, LOW
  STORES 13, MODE_S, CACHED, 3, a0, a0, LOW, LOW
  STORES 14, MODE_S, CACHED, 3, zero, a0, 0, LOW
  STORES 20, MODE_S, NC, 0, a0, a1, LOW, HIGH
  STORES 21, MODE_S, NC, 1, a0, zero, LOW, 0
  STORES 22, MODE_S, NC, 3, a1, a0, HIGH, LOW
  FAULTS 30, MODE_S, CACHED + 8, 0, CAUSE_STORE_MISALIGNED
  FAULTS 31, MODE_S, CACHED + 1, 1, CAUSE_STORE_MISALIGNED
  FAULTS 32, MODE_S, NC + 4, 0, CAUSE_STORE_MISALIGNED
  FAULTS 33, MODE_S, READ_ONLY, 0, CAUSE_STORE_PAGE
  FAULTS 34, MODE_S, NOBODY, 3, CAUSE_STORE_PAGE
  FAULTS 35, MODE_S, NOBODY + 8, 0, CAUSE_STORE_MISALIGNED
  FAULTS 36, MODE_M, TIMER, 0, CAUSE_STORE_ACCESS
  FAULTS 37, MODE_M, TIMER + 8, 0, CAUSE_STORE_MISALIGNED
  FAULTS 38, MODE_M, 0x1000000000, 0, CAUSE_STORE_ACCESS
TEST_END
PAGING_DATA
  .section .tables
  .balign PAGE
memory:
  .zero PAGE
