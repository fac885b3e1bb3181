// SPDX-License-Identifier: Apache-2.0
// wfi: waits for anything pending and enabled in mie, whatever the global enables; TW; illegal in user mode.
#include "verif/rtl/mpe/directed/test.h"

.macro TIMER_IN ticks
  li t0, CLINT_MTIME
  ld t1, 0(t0)
  addi t1, t1, \ticks
  li t0, CLINT_MTIMECMP
  sd t1, 0(t0)
.endm

.macro TIMER_OFF
  li t0, CLINT_MTIMECMP
  li t1, -1
  sd t1, 0(t0)
.endm

TEST_START
  CASE 1  // pending already, interrupts off: goes on at once
  WRITE_CSR mip, 2
  WRITE_CSR mie, 2
  RUN MODE_M
  wfi
  END_RUN
  EXPECT_NO_TRAP MODE_M
  CASE 2  // pending already, interrupts on: never gets there
  WRITE_CSR mstatus, STATUS_MPIE
  RUN MODE_M
1: wfi
  END_RUN
  EXPECT_TRAP INTERRUPT(IRQ_SSI), 0, 1b
  WRITE_CSR mip, 0
  CASE 3  // waits for the timer with interrupts off
  WRITE_CSR mie, (1 << IRQ_MTI)
  WRITE_CSR mstatus, 0
  li t0, CLINT_MTIME
  ld s0, 0(t0)
  addi s0, s0, 300
  li t1, CLINT_MTIMECMP
  sd s0, 0(t1)
  RUN MODE_M
  wfi
  END_RUN
  EXPECT_NO_TRAP MODE_M
  li t0, CLINT_MTIME
  ld t1, 0(t0)
  bltu t1, s0, fail
  TIMER_OFF
  CASE 4  // waits for the timer with interrupts on: epc is behind the wfi
  WRITE_CSR mie, (1 << IRQ_MTI)
  WRITE_CSR mstatus, STATUS_MPIE
  TIMER_IN 300
  RUN MODE_M
  wfi
1: nop
  END_RUN
  EXPECT_TRAP INTERRUPT(IRQ_MTI), 0, 1b
  TIMER_OFF
  CASE 5  // in supervisor mode
  WRITE_CSR mstatus, 0
  TIMER_IN 300
  RUN MODE_S
  wfi
1: nop
  END_RUN
  EXPECT_TRAP INTERRUPT(IRQ_MTI), 0, 1b
  TIMER_OFF
  CASE 6  // a delegated interrupt wakes supervisor mode even when SIE is off
  WRITE_CSR mie, 0x222
  WRITE_CSR mideleg, 0x222
  WRITE_CSR mip, 0x20
  RUN MODE_S
  wfi
  END_RUN
  EXPECT_NO_TRAP MODE_S
  CASE 7  // and machine mode, which would not take it
  WRITE_CSR mstatus, STATUS_MPIE
  RUN MODE_M
  wfi
  END_RUN
  EXPECT_NO_TRAP MODE_M
  WRITE_CSR mip, 0
  CASE 8  // an interrupt that is not enabled in mie does not wake: the timer does, later
  WRITE_CSR mideleg, 0
  WRITE_CSR mstatus, 0
  WRITE_CSR mip, 0x222
  WRITE_CSR mie, (1 << IRQ_MTI)
  li t0, CLINT_MTIME
  ld s0, 0(t0)
  addi s0, s0, 300
  li t1, CLINT_MTIMECMP
  sd s0, 0(t1)
  RUN MODE_M
  wfi
  END_RUN
  EXPECT_NO_TRAP MODE_M
  li t0, CLINT_MTIME
  ld t1, 0(t0)
  bltu t1, s0, fail
  TIMER_OFF
  WRITE_CSR mip, 2
  WRITE_CSR mie, 2
  CASE 9  // TW: illegal in supervisor mode, at once
  WRITE_CSR mideleg, 2
  WRITE_CSR mstatus, STATUS_TW
  RUN MODE_S
1: wfi
  END_RUN
  EXPECT_TRAP CAUSE_ILLEGAL, 0x10500073, 1b
  CASE 10  // and still legal in machine mode
  RUN MODE_M
  wfi
  END_RUN
  EXPECT_NO_TRAP MODE_M
  CASE 11  // user mode: always illegal
  WRITE_CSR mip, 0
  WRITE_CSR mstatus, 0
  RUN MODE_U
1: wfi
  END_RUN
  EXPECT_TRAP CAUSE_ILLEGAL, 0x10500073, 1b
  CASE 12
  WRITE_CSR mstatus, STATUS_TW
  WRITE_CSR medeleg, (1 << CAUSE_ILLEGAL)
  RUN MODE_U
1: wfi
  END_RUN
  EXPECT_TRAP CAUSE_ILLEGAL, 0x10500073, 1b
  EXPECT_LEVEL MODE_S
TEST_END
