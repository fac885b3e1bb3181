// SPDX-License-Identifier: Apache-2.0
// Who may touch user pages (SUM), and what executable pages allow (MXR).
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

.macro TRY number, bits, mode, cause, insn:vararg
  CASE \number
  WRITE_CSR mstatus, \bits
  RUN \mode, (\mode ^ 1) * USER_OFFSET
1: \insn
  END_RUN
  EXPECT_CAUSE \cause
.endm

#define FINE_S CAUSE_ECALL_S
#define FINE_U CAUSE_ECALL_U

TEST_START
  PAGING_ON
  SET_ENTRY test_level0, 0, data, PTE_RW | PTE_U
  SET_ENTRY test_level0, 1, data, PTE_V | PTE_X | PTE_A | PTE_D
  SET_ENTRY test_level0, 2, data, PTE_V | PTE_X | PTE_U | PTE_A | PTE_D
  SET_ENTRY test_level0, 3, data, PTE_RW
  li s0, TEST_VA
  li s1, TEST_VA + PAGE
  li s2, TEST_VA + 2 * PAGE
  li s3, TEST_VA + 3 * PAGE
  // User page
  TRY 1, 0, MODE_S, CAUSE_LOAD_PAGE, lb a0, 0(s0)
  TRY 2, 0, MODE_S, CAUSE_STORE_PAGE, sb a0, 0(s0)
  TRY 3, 0, MODE_S, CAUSE_STORE_PAGE, amoor.w a0, zero, (s0)
  TRY 4, STATUS_SUM, MODE_S, FINE_S, lb a0, 0(s0)
  TRY 5, STATUS_SUM, MODE_S, FINE_S, sb a0, 0(s0)
  TRY 6, STATUS_SUM, MODE_S, FINE_S, amoor.w a0, zero, (s0)
  TRY 7, 0, MODE_U, FINE_U, lb a0, 0(s0)
  TRY 8, 0, MODE_U, FINE_U, sb a0, 0(s0)
  TRY 9, 0, MODE_S, FINE_S, lb a0, 0(s3)
  TRY 10, STATUS_SUM, MODE_U, CAUSE_LOAD_PAGE, lb a0, 0(s3)
  TRY 11, STATUS_SUM, MODE_U, CAUSE_STORE_PAGE, sb a0, 0(s3)
  // Executable only
  TRY 20, 0, MODE_S, CAUSE_LOAD_PAGE, lb a0, 0(s1)
  TRY 21, STATUS_MXR, MODE_S, FINE_S, lb a0, 0(s1)
  TRY 22, STATUS_MXR, MODE_S, CAUSE_STORE_PAGE, sb a0, 0(s1)
  TRY 23, STATUS_MXR, MODE_S, FINE_S, lr.w a0, (s1)
  TRY 24, 0, MODE_U, CAUSE_LOAD_PAGE, lb a0, 0(s2)
  TRY 25, STATUS_MXR, MODE_U, FINE_U, lb a0, 0(s2)
  TRY 26, STATUS_MXR, MODE_S, CAUSE_LOAD_PAGE, lb a0, 0(s2)
  TRY 27, STATUS_SUM, MODE_S, CAUSE_LOAD_PAGE, lb a0, 0(s2)
  TRY 28, (STATUS_SUM | STATUS_MXR), MODE_S, FINE_S, lb a0, 0(s2)
  CASE 29  // sstatus changes take effect at the next instruction
  WRITE_CSR mstatus, 0
  li s4, STATUS_SUM
  RUN MODE_S
  csrs sstatus, s4
  lw a0, 0(s0)
  csrc sstatus, s4
1: lw a0, 0(s0)
  END_RUN
  EXPECT_TRAP CAUSE_LOAD_PAGE, TEST_VA, 1b
  CASE 30  // supervisor mode never executes user pages, whatever SUM says
  WRITE_CSR mstatus, (STATUS_SUM | STATUS_MXR)
  li s4, TEST_VA + 2 * PAGE
  RUN MODE_S
  jr s4
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_PAGE
  EXPECT_TVAL TEST_VA + 2 * PAGE
  CASE 31  // nor user mode supervisor pages
  li s4, TEST_VA + PAGE
  RUN MODE_U, USER_OFFSET
  jr s4
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_PAGE
  EXPECT_TVAL TEST_VA + PAGE
TEST_END
PAGING_DATA
  .balign PAGE
data:
  .zero 64
