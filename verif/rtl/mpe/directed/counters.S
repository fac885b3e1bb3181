// SPDX-License-Identifier: Apache-2.0
// The counters: what they count, writing them, stopping them, and who may read them.
#include "verif/rtl/mpe/directed/test.h"

.macro READS mode, csr, legal
  RUN \mode
1: csrr a0, \csr
  END_RUN
  .if \legal
  EXPECT_NO_TRAP \mode
  .else
  EXPECT_CAUSE CAUSE_ILLEGAL
  EXPECT_EPC 1b
  .endif
.endm

.macro GATED number, mcounteren, scounteren, s_cycle, s_time, s_instret, s_hpm3, u_cycle, u_time, u_instret, u_hpm3
  CASE \number
  WRITE_CSR mcounteren, \mcounteren
  WRITE_CSR scounteren, \scounteren
  READS MODE_S, cycle, \s_cycle
  READS MODE_S, time, \s_time
  READS MODE_S, instret, \s_instret
  READS MODE_S, hpmcounter3, \s_hpm3
  READS MODE_U, cycle, \u_cycle
  READS MODE_U, time, \u_time
  READS MODE_U, instret, \u_instret
  READS MODE_U, hpmcounter3, \u_hpm3
  READS MODE_M, cycle, 1
  READS MODE_M, instret, 1
  READS MODE_M, time, 1
.endm

TEST_START
  .option norvc
  CASE 1
  csrr s0, minstret
  nop
  nop
  nop
  csrr s1, minstret
  sub s1, s1, s0
  EXPECT s1, 4
  CASE 3  // branches, loads, divisions: one each
  la a0, word
  li a1, 7
  csrr s0, minstret
  ld a2, 0(a0)
  div a3, a1, a1
  beqz zero, 1f
  nop
1: j 2f
  nop
2: sd a2, 0(a0)
  csrr s1, minstret
  sub s1, s1, s0
  EXPECT s1, 6
  CASE 4  // an instruction that traps does not retire: only the four of the handler and the read do
  csrr s4, mtvec
  la t5, short_handler
  csrw mtvec, t5
  csrr s0, minstret
  ecall
  csrr s1, minstret
  sub s1, s1, s0
  EXPECT s1, 5
  csrr s0, minstret
  .4byte 0xFFFFFFFF
  csrr s1, minstret
  sub s1, s1, s0
  EXPECT s1, 5
  csrw mtvec, s4
  CASE 5  // the value written is what the next instruction reads
  li a0, 1000
  csrw minstret, a0
  csrr a1, minstret
  csrr a2, minstret
  EXPECT a1, 1000
  EXPECT a2, 1001
  CASE 6
  li a0, -2
  csrw minstret, a0
  nop
  nop
  csrr a1, minstret
  EXPECT a1, 0
  CASE 7  // set and clear work on the value that is read
  li a0, 0x1000
  csrw minstret, zero
  csrs minstret, a0
  csrr a1, minstret
  EXPECT a1, 0x1000
  CASE 8  // mcycle runs, and as fast as instructions at least
  csrr a0, mcycle
  csrr s0, minstret
  .rept 50
  nop
  .endr
  csrr s1, minstret
  csrr a1, mcycle
  sub a1, a1, a0
  sub s1, s1, s0
  bltu a1, s1, fail
  CASE 9
  li a0, 0x1234567800000000
  csrw mcycle, a0
  csrr a1, mcycle
  bltu a1, a0, fail
  sub a1, a1, a0
  li a2, 1000
  bltu a2, a1, fail
  CASE 10  // the shadows show the same counters
  csrr a0, mcycle
  csrr a1, cycle
  csrr a2, mcycle
  bltu a1, a0, fail
  bltu a2, a1, fail
  csrr a0, minstret
  csrr a1, instret
  addi a0, a0, 1
  bne a0, a1, fail
  CASE 11  // time advances; it is what the timer block says
  csrr a0, time
  li a1, CLINT_MTIME
  ld a2, 0(a1)
  csrr a3, time
  bltu a2, a0, fail
  bltu a3, a2, fail
1:
  csrr a3, time
  beq a3, a0, 1b
  // Inhibited
  CASE 20
  WRITE_CSR mcountinhibit, 4
  csrr a0, minstret
  nop
  nop
  csrr a1, minstret
  bne a0, a1, fail
  CASE 21  // writes work while it stands
  WRITE_CSR minstret, 55
  nop
  EXPECT_CSR minstret, 55
  CASE 22  // the others go on
  csrr a0, mcycle
  nop
  csrr a1, mcycle
  beq a0, a1, fail
  CASE 23
  WRITE_CSR mcountinhibit, 1
  csrr a0, mcycle
  nop
  csrr a1, mcycle
  bne a0, a1, fail
  csrr a0, minstret
  nop
  csrr a1, minstret
  addi a0, a0, 2
  bne a0, a1, fail
  CASE 24
  WRITE_CSR mcountinhibit, 0
  csrr a0, mcycle
  nop
  csrr a1, mcycle
  beq a0, a1, fail
  // Gates: mcounteren for S, both for U
  GATED 30, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0
  GATED 31, 1, 0,  1, 0, 0, 0,  0, 0, 0, 0
  GATED 32, 0xF, 0,  1, 1, 1, 1,  0, 0, 0, 0
  GATED 33, 0, 0xF,  0, 0, 0, 0,  0, 0, 0, 0
  GATED 34, 0xF, 0xF,  1, 1, 1, 1,  1, 1, 1, 1
  GATED 35, 0xF, 2,  1, 1, 1, 1,  0, 1, 0, 0
  GATED 36, 5, 0xF,  1, 0, 1, 0,  1, 0, 1, 0
  GATED 37, 8, 8,  0, 0, 0, 1,  0, 0, 0, 1
  GATED 38, 2, 6,  0, 1, 0, 0,  0, 1, 0, 0
  CASE 39  // the last one of the 32
  WRITE_CSR mcounteren, 0x80000000
  WRITE_CSR scounteren, 0x7FFFFFFF
  READS MODE_S, hpmcounter31, 1
  READS MODE_U, hpmcounter31, 0
  READS MODE_S, hpmcounter30, 0
TEST_END

  .option rvc
  .balign 4
  .option norvc
short_handler:
  csrr t5, mepc
  addi t5, t5, 4
  csrw mepc, t5
  mret

  .data
  .balign 8
word:
  .dword 0
