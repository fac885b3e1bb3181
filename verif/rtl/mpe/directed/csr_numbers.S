// SPDX-License-Identifier: Apache-2.0
// All 4096 CSR numbers, read in machine, supervisor and user mode: which exist, and who may read them.
#include "verif/rtl/mpe/directed/test.h"

TEST_START
  WRITE_CSR mcounteren, -1
  WRITE_CSR scounteren, -1
  la t6, count_traps
  csrw mtvec, t6
  // s0: the mode. Reads of everything, one after the other; those that trap leave a mark in a byte each.
  .irp mode, MODE_U, MODE_S, MODE_M
  li s0, \mode
  la s2, marks
  la s11, 1f
  CLEAR_CSR mstatus, STATUS_MPP
  SET_CSR mstatus, (\mode << 11)
  la t5, read_all
  csrw mepc, t5
  mret
1:
  la s3, check
  jalr s3
  .endr
TEST_END

// gp tells the mode and the number that is wrong.
check:
  li s1, 0
  la s4, ranges  // in order
1:
  slli gp, s0, 12
  or gp, gp, s1
  lhu t1, 2(s4)
  bgeu t1, s1, 2f
  addi s4, s4, 6
2:
  lhu t0, 0(s4)
  lhu t2, 4(s4)
  li s5, 1  // traps unless the range says otherwise
  bltu s1, t0, 3f
  sltu s5, s0, t2
3:
  la t6, marks
  add t6, t6, s1
  lbu t5, 0(t6)
  sb zero, 0(t6)
  bne t5, s5, fail
  addi s1, s1, 1
  li t6, 4096
  bne s1, t6, 1b
  jr ra

  .balign 4
count_traps:
  csrr t5, mcause
  addi t6, t5, -CAUSE_ILLEGAL
  beqz t6, 1f
  jr s11  // the ecall at the end
1:
  csrr t5, mtval
  slli t5, t5, 32
  srli t5, t5, 52
  add t5, t5, s2
  li t6, 1
  sb t6, 0(t5)
  csrr t5, mepc
  addi t5, t5, 4
  csrw mepc, t5
  mret

read_all:
  .set number, 0
  .rept 4096
  .4byte 0x2573 | number << 20  // csrrs a0, number, x0
  .set number, number + 1
  .endr
  ecall

  .data
  .balign 8
marks:
  .zero 4096
ranges:  // first, last, lowest mode
  .2byte 0x100, 0x100, 1
  .2byte 0x104, 0x106, 1
  .2byte 0x10A, 0x10A, 1
  .2byte 0x140, 0x144, 1
  .2byte 0x180, 0x180, 1
  .2byte 0x300, 0x306, 3
  .2byte 0x30A, 0x30A, 3
  .2byte 0x320, 0x320, 3
  .2byte 0x323, 0x33F, 3
  .2byte 0x340, 0x344, 3
  .2byte 0x7A0, 0x7A3, 3
  .2byte 0xB00, 0xB00, 3
  .2byte 0xB02, 0xB1F, 3
  .2byte 0xC00, 0xC1F, 0
  .2byte 0xF11, 0xF15, 3
  .2byte 0xFFFF, 0xFFFF, 0
