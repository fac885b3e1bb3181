// SPDX-License-Identifier: Apache-2.0
// cbo.zero: the 64 bytes around an address become zero, or nothing does. That it reads no memory for it: cbo_effects.S.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

#define MENVCFG 0x30A
#define SENVCFG 0x10A
#define PBMTE (1 << 62)
#define CBZE 0x80
#define CBCFE_CBIE 0x70
#define LINE 64
#define WAY 4096

// Three lines of ones, cached and dirty, or in memory alone.
.macro ONES
  la a1, lines
  li a0, -1
  addi a2, a1, 3 * LINE
7: sd a0, 0(a1)
  addi a1, a1, 8
  bltu a1, a2, 7b
.endm
.macro FLUSH_ALL
  la a1, lines
  cbo.flush 0(a1)
  addi a1, a1, LINE
  cbo.flush 0(a1)
  addi a1, a1, LINE
  cbo.flush 0(a1)
  fence
.endm
// a3: all bits of the middle line; a4: those that all words around it have.
.macro LOOK
  la a1, lines
  li a3, 0
  li a4, -1
  .set word, 0
  .rept 8
  ld a0, word(a1)
  and a4, a4, a0
  ld a0, LINE + word(a1)
  or a3, a3, a0
  ld a0, 2 * LINE + word(a1)
  and a4, a4, a0
  .set word, word + 8
  .endr
.endm

.macro ZEROES number, mode, offset, cached
  CASE \number
  ONES
  .if !\cached
  FLUSH_ALL
  .endif
  la s0, lines + LINE + \offset
  RUN \mode
  cbo.zero 0(s0)
  END_RUN
  EXPECT_NO_TRAP \mode
  LOOK
  EXPECT a3, 0
  EXPECT a4, -1
  FLUSH_ALL
  LOOK
  EXPECT a3, 0
  EXPECT a4, -1
.endm

.macro LEGALITY number, mode, menvcfg, senvcfg, legal
  CASE \number
  WRITE_CSR MENVCFG, \menvcfg
  WRITE_CSR SENVCFG, \senvcfg
  la s0, lines
  RUN \mode
1: cbo.zero 0(s0)
  END_RUN
  .if \legal
  EXPECT_NO_TRAP \mode
  .else
  EXPECT_CAUSE CAUSE_ILLEGAL
  EXPECT_TVAL 0x0044200F
  .endif
.endm

.macro FAULT number, cause, address
  CASE \number
  li s2, \address
  RUN MODE_S
1: cbo.zero 0(s2)
  END_RUN
  EXPECT_TRAP \cause, \address, 1b
  LOOK
  EXPECT a3, -1
.endm

TEST_START
  WRITE_CSR MENVCFG, CBZE
  WRITE_CSR SENVCFG, CBZE
  ZEROES 1, MODE_M, 0, 1
  ZEROES 2, MODE_M, 0, 0
  ZEROES 3, MODE_S, 63, 1
  ZEROES 4, MODE_U, 17, 0
  CASE 5  // among stores
  ONES
  la s0, lines + LINE
  li a0, 5
  sd a0, 0(s0)
  sd a0, 8(s0)
  cbo.zero 0(s0)
  sd a0, 16(s0)
  ld a1, 0(s0)
  ld a2, 16(s0)
  ld a3, 24(s0)
  EXPECT a1, 0
  EXPECT a2, 5
  EXPECT a3, 0
  CASE 6  // one behind the other, each cleaned
  ONES
  la s0, lines
  cbo.zero 0(s0)
  sd a0, 0(s0)
  cbo.clean 0(s0)
  cbo.zero 0(s0)
  cbo.clean 0(s0)
  addi s1, s0, LINE
  cbo.zero 0(s1)
  cbo.clean 0(s1)
  fence
  cbo.inval 0(s0)
  cbo.inval 0(s1)
  ld a1, 0(s0)
  ld a2, 0(s1)
  ld a3, 2 * LINE(s0)
  EXPECT a1, 0
  EXPECT a2, 0
  EXPECT a3, -1
  CASE 7  // in place of lines that have to leave
  la s0, ways
  li a1, WAY
  li a2, 6
  mv a3, s0
7: sd a2, 0(a3)
  add a3, a3, a1
  addi a2, a2, -1
  bnez a2, 7b
  li a2, 6
  mv a3, s0
8: addi a4, a3, LINE * 8  // another set, four of six find no room
  cbo.zero 0(a4)
  sd a2, 8(a4)
  addi a5, a3, 16
  cbo.zero 0(a5)
  sd a2, 8(a3)
  add a3, a3, a1
  addi a2, a2, -1
  bnez a2, 8b
  li a2, 6
  mv a3, s0
9: ld a4, 0(a3)
  ld a5, 8(a3)
  ld a6, LINE * 8 + 8(a3)
  EXPECT a4, 0
  EXPECT_REGISTERS a5, a2
  EXPECT_REGISTERS a6, a2
  add a3, a3, a1
  addi a2, a2, -1
  bnez a2, 9b

  // The right to write; memory that is cached.
  PAGING_ON
  WRITE_CSR MENVCFG, PBMTE | CBZE
  SET_ENTRY test_level0, 0, lines, PTE_RW
  SET_ENTRY test_level0, 1, lines, PTE_RW | PTE_NC
  SET_ENTRY test_level0, 2, lines, PTE_V | PTE_R | PTE_A
  SET_ENTRY test_level0, 3, lines, PTE_RW & ~PTE_D
  SET_ENTRY_NUMBER test_level0, 7, VACANT, PTE_RW
  SET_ENTRY_NUMBER test_level0, 8, IO_SPACE, PTE_RW
  ONES
  FAULT 21, CAUSE_STORE_PAGE, TEST_VA + 2 * PAGE + LINE
  FAULT 22, CAUSE_STORE_PAGE, TEST_VA + 3 * PAGE + LINE + 5
  FAULT 23, CAUSE_STORE_PAGE, TEST_VA + 4 * PAGE
  FAULT 24, CAUSE_STORE_ACCESS, TEST_VA + 7 * PAGE + 1
  FAULT 25, CAUSE_STORE_ACCESS, TEST_VA + 8 * PAGE
  FAULT 26, CAUSE_STORE_ACCESS, TEST_VA + PAGE + LINE
  CASE 27
  li s2, TEST_VA + LINE
  RUN MODE_S
  cbo.zero 0(s2)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  LOOK
  EXPECT a3, 0
  EXPECT a4, -1

  csrw satp, zero
  LEGALITY 31, MODE_S, CBCFE_CBIE, CBZE, 0
  LEGALITY 32, MODE_S, CBZE, 0, 1
  LEGALITY 33, MODE_U, CBZE, CBCFE_CBIE, 0
  LEGALITY 34, MODE_U, 0, CBZE, 0
  LEGALITY 35, MODE_U, CBZE, CBZE, 1
  LEGALITY 36, MODE_M, 0, 0, 1
TEST_END
PAGING_DATA
  .balign PAGE
lines:
  .zero PAGE
ways:
  .zero 6 * WAY
