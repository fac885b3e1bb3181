// SPDX-License-Identifier: Apache-2.0
// Interrupts: what is taken when, where it goes, and in which order. External interrupts come from the software bit of
// mip (SEIP); the line of machine-external interrupts is driven by the random tests.
#include "verif/rtl/mpe/directed/test.h"

// All of them pending: SSI, STI, SEI by mip, MSI and MTI by the timer block.
.macro ALL_PENDING
  WRITE_CSR mip, 0x222
  li t0, CLINT_MSIP
  li t1, 1
  sw t1, 0(t0)
  li t0, CLINT_MTIMECMP
  sd zero, 0(t0)
1:
  csrr t0, mip
  andi t0, t0, 0x88
  li t6, 0x88
  bne t0, t6, 1b
.endm

.macro NONE_PENDING
  WRITE_CSR mip, 0
  li t0, CLINT_MSIP
  sw zero, 0(t0)
  li t0, CLINT_MTIMECMP
  li t1, -1
  sd t1, 0(t0)
1:
  csrr t0, mip
  andi t0, t0, 0x88
  bnez t0, 1b
.endm

// Goes to a mode with the given enables; expects an interrupt before the first instruction.
.macro INTERRUPTED number, mode, status, enable, delegation, cause, level
  CASE \number
  WRITE_CSR mideleg, \delegation
  WRITE_CSR mie, \enable
  WRITE_CSR mstatus, \status
  RUN \mode
1: addi s0, s0, 1
  END_RUN
  EXPECT_TRAP INTERRUPT(\cause), 0, 1b
  EXPECT_LEVEL \level
.endm

// Expects that nothing is taken.
.macro UNDISTURBED number, mode, status, enable, delegation
  CASE \number
  WRITE_CSR mideleg, \delegation
  WRITE_CSR mie, \enable
  WRITE_CSR mstatus, \status
  RUN \mode
  nop
  nop
  END_RUN
  EXPECT_NO_TRAP \mode
.endm

TEST_START
  ALL_PENDING
  // Machine mode takes them in the order MEI, MSI, MTI, SEI, SSI, STI.
  INTERRUPTED 1, MODE_M, STATUS_MPIE, 0xAAA, 0, IRQ_MSI, MODE_M
  INTERRUPTED 2, MODE_M, STATUS_MPIE, 0x2A2, 0, IRQ_MTI, MODE_M
  INTERRUPTED 3, MODE_M, STATUS_MPIE, 0x222, 0, IRQ_SEI, MODE_M
  INTERRUPTED 4, MODE_M, STATUS_MPIE, 0x022, 0, IRQ_SSI, MODE_M
  INTERRUPTED 5, MODE_M, STATUS_MPIE, 0x020, 0, IRQ_STI, MODE_M
  UNDISTURBED 6, MODE_M, STATUS_MPIE, 0x000, 0
  UNDISTURBED 7, MODE_M, 0, 0xAAA, 0
  // Delegated ones do not disturb machine mode.
  INTERRUPTED 8, MODE_M, STATUS_MPIE, 0x2A2, 0x222, IRQ_MTI, MODE_M
  UNDISTURBED 9, MODE_M, STATUS_MPIE, 0x222, 0x222
  INTERRUPTED 10, MODE_M, STATUS_MPIE, 0x222, 0x200, IRQ_SSI, MODE_M
  // In lower modes, interrupts of machine mode are enabled whatever MIE says.
  INTERRUPTED 11, MODE_S, 0, 0xAAA, 0, IRQ_MSI, MODE_M
  INTERRUPTED 12, MODE_U, 0, 0x2A2, 0, IRQ_MTI, MODE_M
  INTERRUPTED 13, MODE_S, 0, 0x222, 0, IRQ_SEI, MODE_M
  INTERRUPTED 14, MODE_U, STATUS_SIE, 0x022, 0, IRQ_SSI, MODE_M
  // Delegated ones in supervisor mode need SIE; in user mode they are always enabled.
  UNDISTURBED 15, MODE_S, 0, 0x222, 0x222
  INTERRUPTED 16, MODE_S, STATUS_SIE, 0x222, 0x222, IRQ_SEI, MODE_S
  INTERRUPTED 17, MODE_S, STATUS_SIE, 0x022, 0x222, IRQ_SSI, MODE_S
  INTERRUPTED 18, MODE_S, STATUS_SIE, 0x020, 0x222, IRQ_STI, MODE_S
  INTERRUPTED 19, MODE_U, 0, 0x222, 0x222, IRQ_SEI, MODE_S
  INTERRUPTED 20, MODE_U, 0, 0x020, 0x222, IRQ_STI, MODE_S
  UNDISTURBED 21, MODE_U, STATUS_SIE, 0x000, 0x222
  // An undelegated one beats a delegated one, whatever their order.
  INTERRUPTED 22, MODE_S, STATUS_SIE, 0x222, 0x202, IRQ_STI, MODE_M
  INTERRUPTED 23, MODE_U, STATUS_SIE, 0xAAA, 0x222, IRQ_MSI, MODE_M
  INTERRUPTED 24, MODE_U, 0, 0x2A2, 0x222, IRQ_MTI, MODE_M
  NONE_PENDING

  // A write that enables an interrupt: it is taken before the next instruction.
  CASE 30
  WRITE_CSR mideleg, 0
  WRITE_CSR mip, 2
  WRITE_CSR mie, 2
  WRITE_CSR mstatus, 0
  li s0, 0
  la s11, 3f
  csrsi mstatus, STATUS_MIE
1: addi s0, s0, 1
  j fail
3: EXPECT_CAUSE INTERRUPT(IRQ_SSI)
  EXPECT_EPC 1b
  EXPECT s0, 0
  CASE 31
  WRITE_CSR mie, 0
  la s11, 3f
  csrsi mstatus, STATUS_MIE
  csrsi mie, 2
1: addi s0, s0, 1
  j fail
3: EXPECT_CAUSE INTERRUPT(IRQ_SSI)
  EXPECT_EPC 1b
  EXPECT s0, 0
  CASE 32
  WRITE_CSR mip, 0
  la s11, 3f
  csrsi mstatus, STATUS_MIE
  csrsi mip, 2
1: addi s0, s0, 1
  j fail
3: EXPECT_CAUSE INTERRUPT(IRQ_SSI)
  EXPECT_EPC 1b
  EXPECT s0, 0
  CASE 33  // ecall in the handler of nothing: interrupts stay off in a handler
  la s11, 3f
  ecall
3: csrr a0, mstatus
  andi a0, a0, STATUS_MIE
  EXPECT a0, 0
  EXPECT_CAUSE CAUSE_ECALL_M
  WRITE_CSR mip, 0
  WRITE_CSR mie, 0
  CASE 34  // a timer interrupt in a loop of user mode
  WRITE_CSR mie, (1 << IRQ_MTI)
  li t0, CLINT_MTIME
  ld t1, 0(t0)
  addi t1, t1, 50
  li t0, CLINT_MTIMECMP
  sd t1, 0(t0)
  RUN MODE_U
1: addi s0, s0, 1
  j 1b
  END_RUN
  EXPECT_CAUSE INTERRUPT(IRQ_MTI)
  EXPECT_TVAL 0
  li t0, CLINT_MTIMECMP
  li t1, -1
  sd t1, 0(t0)
  CASE 35  // a software interrupt to oneself arrives
  WRITE_CSR mie, (1 << IRQ_MSI)
  li t0, CLINT_MSIP
  li t1, 1
  RUN MODE_S
  sw t1, 0(t0)
1: addi s0, s0, 1
  j 1b
  END_RUN
  EXPECT_CAUSE INTERRUPT(IRQ_MSI)
  lw a0, 0(t0)
  EXPECT a0, 1
  sw zero, 0(t0)
  CASE 36  // supervisor mode makes its own software interrupt
  WRITE_CSR mie, 0
  WRITE_CSR mideleg, 0x222
  WRITE_CSR sie, 2
  RUN MODE_S
  csrsi sstatus, STATUS_SIE
  csrsi sip, 2
1: addi s0, s0, 1
  j fail
  END_RUN
  EXPECT_TRAP INTERRUPT(IRQ_SSI), 0, 1b
  EXPECT_LEVEL MODE_S
  CASE 37  // a pending interrupt comes before the exception of the instruction
  WRITE_CSR mideleg, 0
  WRITE_CSR mie, 2
  WRITE_CSR mip, 2
  RUN MODE_U
1: csrr a0, mstatus
  END_RUN
  EXPECT_TRAP INTERRUPT(IRQ_SSI), 0, 1b
  WRITE_CSR mip, 0
TEST_END
