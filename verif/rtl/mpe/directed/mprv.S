// SPDX-License-Identifier: Apache-2.0
// MPRV: loads and stores of machine mode with the translation and the rights of MPP; fetches as ever.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

// One access in machine mode with MPRV set and MPP as given.
.macro AS mode, bits, insn:vararg
  la t6, trap_record
  li t5, -1
  sd t5, RECORD_CAUSE(t6)
  la s11, 3f
  li t4, STATUS_MPRV | (\mode << 11) | \bits
  CLEAR_CSR mstatus, (STATUS_MPP | STATUS_SUM | STATUS_MXR)
  csrs mstatus, t4
1: \insn
3:
  CLEAR_CSR mstatus, (STATUS_MPRV | STATUS_SUM | STATUS_MXR)
.endm

.macro ALLOWED number, mode, bits, insn:vararg
  CASE \number
  AS \mode, \bits, \insn
  EXPECT_CAUSE -1
.endm

.macro REFUSED number, cause, mode, bits, insn:vararg
  CASE \number
  AS \mode, \bits, \insn
  EXPECT_CAUSE \cause
  LOAD_RECORD t5, RECORD_TVAL
  bne t5, s0, fail
  EXPECT_EPC 1b
.endm

TEST_START
  PAGING_ON
  SET_ENTRY test_level0, 0, data, PTE_RW
  SET_ENTRY test_level0, 1, data, PTE_RW | PTE_U
  SET_ENTRY test_level0, 2, data, PTE_V | PTE_X | PTE_A
  SET_ENTRY test_level0, 3, data, PTE_V | PTE_R | PTE_A | PTE_D
  li s0, TEST_VA
  ALLOWED 1, MODE_S, 0, lw a0, 0(s0)
  EXPECT a0, 0x11223344
  REFUSED 2, CAUSE_LOAD_PAGE, MODE_U, 0, lw a0, 0(s0)
  REFUSED 3, CAUSE_STORE_PAGE, MODE_U, 0, sw a0, 0(s0)
  REFUSED 4, CAUSE_LOAD_ACCESS, MODE_M, 0, lw a0, 0(s0)
  li s0, TEST_VA + PAGE
  ALLOWED 5, MODE_U, 0, lw a0, 0(s0)
  EXPECT a0, 0x11223344
  ALLOWED 6, MODE_U, 0, sw a0, 8(s0)
  REFUSED 7, CAUSE_LOAD_PAGE, MODE_S, 0, lw a0, 0(s0)
  REFUSED 8, CAUSE_STORE_PAGE, MODE_S, 0, amoadd.w a0, a1, (s0)
  ALLOWED 9, MODE_S, STATUS_SUM, lw a0, 0(s0)
  ALLOWED 10, MODE_S, STATUS_SUM, sd a0, 8(s0)
  li s0, TEST_VA + 2 * PAGE
  REFUSED 11, CAUSE_LOAD_PAGE, MODE_S, 0, lw a0, 0(s0)
  ALLOWED 12, MODE_S, STATUS_MXR, lw a0, 0(s0)
  EXPECT a0, 0x11223344
  REFUSED 13, CAUSE_STORE_PAGE, MODE_S, STATUS_MXR, sw a0, 0(s0)
  li s0, TEST_VA + 3 * PAGE
  REFUSED 14, CAUSE_STORE_PAGE, MODE_S, 0, sw a0, 0(s0)
  REFUSED 15, CAUSE_STORE_PAGE, MODE_S, 0, amoadd.w a0, a1, (s0)
  REFUSED 16, CAUSE_LOAD_PAGE, MODE_U, 0, lr.w a0, (s0)
  CASE 17  // a trap out of such code has MPP = M: the handler is not affected
  LOAD_RECORD a0, RECORD_STATUS
  li a1, STATUS_MPP | STATUS_MPRV
  and a0, a0, a1
  EXPECT a0, STATUS_MPP | STATUS_MPRV
  CASE 18  // without translation, only rights remain, and there are none
  csrw satp, zero
  la s0, data
  AS MODE_U, 0, lw a0, 0(s0)
  EXPECT_CAUSE -1
  EXPECT a0, 0x11223344
TEST_END
PAGING_DATA
  .balign PAGE
data:
  .dword 0x5566778811223344, 0
