// SPDX-License-Identifier: Apache-2.0
// Instructions with more than one thing wrong: which exception is reported.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

.macro FIRST number, cause, address, insn:vararg
  CASE \number
  li s0, \address
  RUN MODE_S
1: \insn
  END_RUN
  EXPECT_TRAP \cause, \address, 1b
.endm

.macro FETCH_FIRST number, cause, tval, address
  CASE \number
  li s0, \address
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE \cause
  EXPECT_TVAL \tval
  LOAD_RECORD t5, RECORD_EPC
  EXPECT t5, \address
.endm

#define IO_VA (TEST_VA + PAGE)
#define NO_RIGHTS (PTE_V | PTE_X | PTE_A | PTE_D)

TEST_START
  PAGING_ON
  // Rights come before what is there: a page without them that leads nowhere, and one that leads to IO.
  SET_ENTRY_NUMBER test_level0, 0, VACANT, NO_RIGHTS
  FIRST 1, CAUSE_LOAD_PAGE, TEST_VA, ld a0, 0(s0)
  FIRST 2, CAUSE_STORE_PAGE, TEST_VA, sd a0, 0(s0)
  FIRST 3, CAUSE_STORE_PAGE, TEST_VA, amoadd.d a0, a1, (s0)
  FIRST 4, CAUSE_LOAD_PAGE, TEST_VA, lr.d a0, (s0)
  SET_ENTRY_NUMBER test_level0, 0, VACANT, PTE_RW
  FETCH_FIRST 5, CAUSE_FETCH_PAGE, TEST_VA, TEST_VA
  SET_ENTRY_NUMBER test_level0, 1, CLINT_MTIMECMP, NO_RIGHTS
  FIRST 6, CAUSE_LOAD_PAGE, IO_VA + 1, lw a0, 0(s0)
  FIRST 7, CAUSE_STORE_PAGE, IO_VA + 2, sw a0, 0(s0)
  SET_ENTRY_NUMBER test_level0, 1, CLINT_MTIMECMP, PTE_RW
  FIRST 8, CAUSE_LOAD_MISALIGNED, IO_VA + 1, lw a0, 0(s0)
  FIRST 9, CAUSE_STORE_MISALIGNED, IO_VA + 2, sw a0, 0(s0)
  // Atomics have to be aligned before anything else is looked at.
  FIRST 10, CAUSE_STORE_MISALIGNED, TEST_VA + 2 * PAGE + 1, amoadd.w a0, a1, (s0)
  FIRST 11, CAUSE_LOAD_MISALIGNED, TEST_VA + 2 * PAGE + 4, lr.d a0, (s0)
  FIRST 12, CAUSE_STORE_MISALIGNED, TEST_VA + 2 * PAGE + 2, sc.w a0, a1, (s0)
  FIRST 13, CAUSE_STORE_MISALIGNED, IO_VA + 1, amoswap.w a0, a1, (s0)
  // An address that is not canonical is a page fault even where its low bits name IO or nothing.
  FIRST 14, CAUSE_LOAD_PAGE, (1 << 62) + 0x1000, ld a0, 0(s0)
  // A fetch that fails comes before what the instruction would have been.
  SET_ENTRY test_level0, 4, half_illegal, PTE_RWX
  SET_ENTRY test_level0, 5, half_illegal, 0
  FETCH_FIRST 20, CAUSE_FETCH_PAGE, TEST_VA + 5 * PAGE, TEST_VA + 5 * PAGE - 2
  // An instruction that is illegal in this mode is illegal whatever its address.
  CASE 30
  li s0, TEST_VA + 2 * PAGE
  RUN MODE_S
1: cbo.flush 0(s0)
  END_RUN
  EXPECT_TRAP CAUSE_ILLEGAL, 0x0024200F, 1b
TEST_END
PAGING_DATA
  .section .tables
  .balign PAGE
half_illegal:
  .zero PAGE - 2
  .2byte 0xFFFF
