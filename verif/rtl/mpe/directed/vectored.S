// SPDX-License-Identifier: Apache-2.0
// Direct and vectored trap entry, in both modes.
#include "verif/rtl/mpe/directed/test.h"

// Makes an interrupt pending (a bit of mip that software can write), lets it in, and expects the entry taken.
.macro TAKE number, bit, mode, entry
  CASE \number
  li s1, -1
  la s11, 99f
  CLEAR_CSR mstatus, STATUS_MPP
  SET_CSR mstatus, (\mode << 11) | STATUS_MPIE
  la t5, 98f
  csrw mepc, t5
  WRITE_CSR mie, (1 << \bit)
  WRITE_CSR mip, (1 << \bit)
  mret
98:
  j fail
99:
  EXPECT s1, \entry
  WRITE_CSR mip, 0
.endm

TEST_START
  la s0, vectors_m
  csrw mtvec, s0
  TAKE 1, IRQ_SSI, MODE_S, 0
  TAKE 2, IRQ_SEI, MODE_M, 0
  addi s0, s0, 1
  csrw mtvec, s0
  TAKE 3, IRQ_SSI, MODE_M, 1
  TAKE 4, IRQ_STI, MODE_S, 5
  TAKE 5, IRQ_SEI, MODE_U, 9
  CASE 6  // exceptions go to the base in either mode
  li s1, -1
  la s11, 99f
  ecall
99:
  EXPECT s1, 0
  CASE 7  // software and timer interrupts of machine mode
  li t0, CLINT_MSIP
  li t1, 1
  sw t1, 0(t0)
  li s1, -1
  la s11, 99f
  WRITE_CSR mie, (1 << IRQ_MSI)
  csrsi mstatus, STATUS_MIE
  .rept 100
  nop
  .endr
  j fail
99:
  EXPECT s1, 3
  li t0, CLINT_MSIP
  sw zero, 0(t0)
  CASE 8
  li t0, CLINT_MTIMECMP
  sd zero, 0(t0)
  li s1, -1
  la s11, 99f
  WRITE_CSR mie, (1 << IRQ_MTI)
  csrsi mstatus, STATUS_MIE
  .rept 100
  nop
  .endr
  j fail
99:
  EXPECT s1, 7
  li t0, CLINT_MTIMECMP
  li t1, -1
  sd t1, 0(t0)
  // Supervisor mode.
  WRITE_CSR mideleg, 0x222
  la s0, vectors_s
  csrw stvec, s0
  TAKE 11, IRQ_SSI, MODE_U, 100
  addi s0, s0, 1
  csrw stvec, s0
  TAKE 12, IRQ_SSI, MODE_U, 101
  TAKE 13, IRQ_STI, MODE_U, 105
  TAKE 14, IRQ_SEI, MODE_U, 109
  CASE 15
  li s1, -1
  WRITE_CSR medeleg, (1 << CAUSE_ILLEGAL)
  RUN MODE_U
  csrr a0, mstatus
  END_RUN
  EXPECT s1, 100
TEST_END

// Each entry says in s1 which one it is: 0 to 15 in machine mode, 100 to 115 in supervisor mode.
.macro ENTRIES name, base
  .option push
  .option norvc
  .balign 256
\name:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  j \name\()_\number
  .endr
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
\name\()_\number:
  li t5, \base + \number
  j \name\()_end
  .endr
  .option pop
.endm

ENTRIES vectors_m, 0
vectors_m_end:
  bgez s1, 1f  // from the supervisor handler
  mv s1, t5
1:
  jr s11

ENTRIES vectors_s, 100
vectors_s_end:
  mv s1, t5
  ecall
