// SPDX-License-Identifier: Apache-2.0
// Software interrupts of both levels: the CLINT's msip, mip.SSIP, delegation, vectored entries.
// Prints the cause of each interrupt, where it arrived, and mip as the handler sees it. Never two for the same level at once:
// QEMU 7.2 has another order.
#include "console.h"

#define MSIP 0x02000000
#define MSI 8
#define SSI 2
#define MIE 8
#define MPP 0x1800
#define MPP_S 0x800

  PROGRAM_START
  .option norelax
  la t0, vectors
  ori t0, t0, 1
  csrw mtvec, t0
  la t0, supervisor_vectors
  ori t0, t0, 1
  csrw stvec, t0
  li s0, MSIP
  li s1, MSI | SSI

  // The machine's own, and the supervisor's while it is not delegated.
  csrw mie, s1
  li t0, 1
  sw t0, 0(s0)
  csrsi mstatus, MIE
  nop
  csrci mstatus, MIE
  csrsi mip, SSI
  csrsi mstatus, MIE
  nop
  csrci mstatus, MIE

  // Delegated: not taken in machine mode, but on entry to supervisor mode with SIE.
  csrw mideleg, s1
  csrr t0, mideleg
  PRINT t0
  csrsi mip, SSI
  csrsi mstatus, MIE
  nop
  csrci mstatus, MIE
  la t0, supervisor
  csrw mepc, t0
  li t0, MPP
  csrc mstatus, t0
  li t0, MPP_S
  csrs mstatus, t0
  mret
supervisor:
  csrr t0, sip
  PRINT t0
  csrsi sstatus, SSI
  nop
  csrr t0, sip
  PRINT t0
  // From supervisor mode the machine's interrupt is taken though MIE is off.
  li t0, 1
  sw t0, 0(s0)
  li t1, 1000
1:
  addi t1, t1, -1
  bnez t1, 1b
  PROGRAM_END

machine:
  csrr s3, mcause
  PRINT s3
  csrr s3, mip
  and s3, s3, s1  // QEMU starts with the timer's pending
  PRINT s3
  csrr s3, mstatus
  PRINT s3
  PRINT s4
  sw zero, 0(s0)
  // QEMU takes the line down only when it gets round to it.
2:
  csrr s3, mip
  andi s3, s3, MSI
  bnez s3, 2b
  beqz s4, 3f
  csrci mip, SSI
3:
  mret

  .balign 4
vectors:
  j bad
  j machine_ssi
  j bad
  j machine_msi
bad:
  li s4, -1
  j machine
machine_ssi:
  li s4, 1
  j machine
machine_msi:
  li s4, 0
  j machine

  .balign 4
supervisor_vectors:
  j bad
  csrr s3, scause
  PRINT s3
  csrr s3, sstatus
  PRINT s3
  csrci sip, SSI
  sret
