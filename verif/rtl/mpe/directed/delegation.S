// SPDX-License-Identifier: Apache-2.0
// Which mode an exception goes to, and what the trap and the return do to the privilege stack.
#include "verif/rtl/mpe/directed/test.h"

// Runs an instruction in a mode with the given delegation, and expects a cause in a mode.
.macro DELEGATED number, delegation, mode, cause, level, insn:vararg
  CASE \number
  WRITE_CSR medeleg, \delegation
  RUN \mode
1: \insn
  END_RUN
  EXPECT_CAUSE \cause
  EXPECT_LEVEL \level
  EXPECT_EPC 1b
.endm

TEST_START
  .option norvc
  la s0, data
  li s1, VACANT
  li s2, IO_SPACE
  .irp mode, MODE_U, MODE_S
  .set first, \mode * 100
  // Not delegated: machine mode.
  DELEGATED (first + 1), 0, \mode, CAUSE_ILLEGAL, MODE_M, csrr a0, mstatus
  DELEGATED (first + 2), 0, \mode, CAUSE_BREAKPOINT, MODE_M, ebreak
  DELEGATED (first + 3), 0, \mode, (8 + \mode), MODE_M, ecall
  // Everything else is delegated: still machine mode.
  DELEGATED (first + 4), ~(1 << CAUSE_ILLEGAL), \mode, CAUSE_ILLEGAL, MODE_M, csrr a0, mstatus
  DELEGATED (first + 5), ~(1 << CAUSE_BREAKPOINT), \mode, CAUSE_BREAKPOINT, MODE_M, ebreak
  // Delegated, one by one. The handler itself returns by ecall, or by ebreak.
  DELEGATED (first + 10), (1 << CAUSE_ILLEGAL), \mode, CAUSE_ILLEGAL, MODE_S, csrr a0, mstatus
  DELEGATED (first + 11), (1 << CAUSE_BREAKPOINT), \mode, CAUSE_BREAKPOINT, MODE_S, ebreak
  DELEGATED (first + 12), (1 << CAUSE_LOAD_MISALIGNED), \mode, CAUSE_LOAD_MISALIGNED, MODE_S, lw a0, 1(s2)
  DELEGATED (first + 13), (1 << CAUSE_LOAD_ACCESS), \mode, CAUSE_LOAD_ACCESS, MODE_S, lw a0, 0(s1)
  DELEGATED (first + 14), (1 << CAUSE_STORE_MISALIGNED), \mode, CAUSE_STORE_MISALIGNED, MODE_S, sw a0, 1(s2)
  DELEGATED (first + 15), (1 << CAUSE_STORE_ACCESS), \mode, CAUSE_STORE_ACCESS, MODE_S, sw a0, 0(s1)
  DELEGATED (first + 16), (1 << (8 + \mode)), \mode, (8 + \mode), MODE_S, ecall
  DELEGATED (first + 17), ((1 << (8 + \mode)) | (1 << CAUSE_ECALL_S)), \mode, (8 + \mode), MODE_S, ecall
  .endr
  CASE 300  // fetch access fault
  .irp delegation, 0, 2
  WRITE_CSR medeleg, \delegation
  RUN MODE_U
  jr s1
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_ACCESS
  EXPECT_TVAL VACANT
  LOAD_RECORD t5, RECORD_EPC
  EXPECT t5, VACANT
  EXPECT_LEVEL (MODE_M - \delegation)
  .endr
  // Machine mode's own traps are never delegated.
  DELEGATED 310, -1, MODE_M, CAUSE_ILLEGAL, MODE_M, csrw mhartid, a0
  DELEGATED 311, -1, MODE_M, CAUSE_BREAKPOINT, MODE_M, ebreak
  DELEGATED 312, -1, MODE_M, CAUSE_ECALL_M, MODE_M, ecall
  DELEGATED 313, -1, MODE_M, CAUSE_LOAD_ACCESS, MODE_M, lb a0, 0(s1)
  WRITE_CSR medeleg, 0

  // The stack of privileges and interrupt enables, M: MPP, MPIE <- MIE, MIE <- 0.
  WRITE_CSR mie, 0
  .irp mode, MODE_U, MODE_S, MODE_M
  .irp enabled, 0, 1
  CASE 320 + \mode * 2 + \enabled
  WRITE_CSR mstatus, (\enabled * STATUS_MPIE) | STATUS_SPIE | STATUS_SPP
  RUN \mode
  ecall
  END_RUN
  LOAD_RECORD a0, RECORD_STATUS
  EXPECT a0, 0xA00000000 | (\enabled * STATUS_MPIE) | STATUS_SPIE | STATUS_SPP | (\mode << 11)
  .endr
  .endr
  // mret: MIE <- MPIE, MPIE <- 1, MPP <- U; MPRV is cleared on the way down only.
  CASE 330
  WRITE_CSR mstatus, STATUS_MPRV
  RUN MODE_M
  csrr a0, mstatus
  END_RUN
  EXPECT a0, 0xA00000000 | STATUS_MPIE | STATUS_MPRV
  CASE 331
  WRITE_CSR mstatus, STATUS_MPRV | STATUS_MPIE
  RUN MODE_S
  ecall
  END_RUN
  LOAD_RECORD a0, RECORD_STATUS
  EXPECT a0, 0xA00000000 | STATUS_MPIE | STATUS_MPP_S
  // S: SPP, SPIE <- SIE, SIE <- 0.
  WRITE_CSR medeleg, (1 << CAUSE_BREAKPOINT)
  .irp mode, MODE_U, MODE_S
  .irp enabled, 0, 1
  CASE 340 + \mode * 2 + \enabled
  WRITE_CSR mstatus, (\enabled * STATUS_SIE)
  RUN \mode
  ebreak
  END_RUN
  LOAD_RECORD a0, RECORD_STATUS
  EXPECT a0, 0x200000000 | (\enabled * STATUS_SPIE) | (\mode * STATUS_SPP)
  .endr
  .endr
  // sret to S and to U: SIE <- SPIE, SPIE <- 1, SPP <- U. From machine mode it clears MPRV too.
  CASE 350
  WRITE_CSR mstatus, STATUS_SPP
  RUN MODE_S
  la t0, 2f
  csrw sepc, t0
  sret
  j fail
2: csrr a0, sstatus
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0x200000000 | STATUS_SPIE
  CASE 351
  WRITE_CSR mstatus, STATUS_SPIE
  RUN MODE_S
  la t0, 2f
  csrw sepc, t0
  sret
  j fail
2: nop
  END_RUN
  EXPECT_NO_TRAP MODE_U
  csrr a0, mstatus
  li a1, STATUS_SIE | STATUS_SPIE | STATUS_SPP
  and a0, a0, a1
  EXPECT a0, STATUS_SIE | STATUS_SPIE
  CASE 352
  WRITE_CSR mstatus, STATUS_MPRV | STATUS_SPP
  la s11, 3f
  la t0, 2f
  csrw sepc, t0
  sret
2: ecall
3:
  EXPECT_CAUSE CAUSE_ECALL_S
  csrr a0, mstatus
  li a1, STATUS_MPRV
  and a0, a0, a1
  EXPECT a0, 0
  CASE 353  // mret and sret to addresses of two bytes' alignment
  .option rvc
  la t0, 2f
  csrw mepc, t0
  WRITE_CSR mstatus, STATUS_MPP
  mret
  .balign 4
  c.nop
2: c.li a0, 3
  EXPECT a0, 3
TEST_END
  .data
  .balign 8
data:
  .dword 0
