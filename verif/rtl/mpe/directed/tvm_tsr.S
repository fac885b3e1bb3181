// SPDX-License-Identifier: Apache-2.0
// TVM and TSR: satp, sfence.vma and sret in supervisor mode become illegal; and who may use them anyway.
#include "verif/rtl/mpe/directed/test.h"

.macro ILLEGAL_IN number, mode, insn:vararg
  CASE \number
  RUN \mode
1: \insn
  END_RUN
  EXPECT_CAUSE CAUSE_ILLEGAL
  EXPECT_EPC 1b
  LOAD_RECORD a0, RECORD_TVAL
  lwu a1, 1b
  bne a0, a1, fail
.endm

.macro LEGAL_IN number, mode, insn:vararg
  CASE \number
  RUN \mode
  \insn
  END_RUN
  EXPECT_NO_TRAP \mode
.endm

TEST_START
  .option norvc
  WRITE_CSR mstatus, 0
  LEGAL_IN 1, MODE_S, csrr a0, satp
  LEGAL_IN 2, MODE_S, csrw satp, zero
  LEGAL_IN 3, MODE_S, sfence.vma
  LEGAL_IN 4, MODE_S, sfence.vma a0, a1
  ILLEGAL_IN 5, MODE_U, csrr a0, satp
  ILLEGAL_IN 6, MODE_U, sfence.vma
  ILLEGAL_IN 7, MODE_U, sret
  ILLEGAL_IN 8, MODE_U, mret
  ILLEGAL_IN 9, MODE_S, mret
  WRITE_CSR mstatus, STATUS_TVM
  ILLEGAL_IN 11, MODE_S, csrr a0, satp
  ILLEGAL_IN 12, MODE_S, csrw satp, zero
  ILLEGAL_IN 13, MODE_S, csrrs a0, satp, a1
  ILLEGAL_IN 14, MODE_S, sfence.vma
  ILLEGAL_IN 15, MODE_S, sfence.vma a0, a1
  ILLEGAL_IN 16, MODE_U, sfence.vma
  LEGAL_IN 17, MODE_M, csrr a0, satp
  LEGAL_IN 18, MODE_M, csrw satp, zero
  LEGAL_IN 19, MODE_M, sfence.vma
  LEGAL_IN 20, MODE_S, csrr a0, sstatus
  LEGAL_IN 21, MODE_S, fence.i
  WRITE_CSR mstatus, STATUS_TSR
  ILLEGAL_IN 31, MODE_S, sret
  ILLEGAL_IN 32, MODE_U, sret
  LEGAL_IN 33, MODE_S, csrr a0, satp
  LEGAL_IN 34, MODE_S, sfence.vma
  CASE 35  // sret in machine mode does not mind
  la s11, 3f
  la t0, 2f
  csrw sepc, t0
  WRITE_CSR mstatus, STATUS_TSR | STATUS_SPP
  sret
2: ecall
3: EXPECT_CAUSE CAUSE_ECALL_S
  CASE 36  // TSR is cleared: sret works again
  WRITE_CSR mstatus, 0
  RUN MODE_S
  la t0, 2f
  csrw sepc, t0
  sret
2: nop
  END_RUN
  EXPECT_NO_TRAP MODE_U
TEST_END
