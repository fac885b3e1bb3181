# SPDX-License-Identifier: Apache-2.0
# Entries of the boot ROM: reset at its first byte, non-maskable interrupts at +0x100 (the reset value of
# system.nmi_vector). Nothing is known at reset: no register, no byte of SRAM.

.equ STACK_TOP, RESERVED_BASE + RESERVED_BYTES - FAULT_RECORD_BYTES

.section .text.reset, "ax"
.globl _start
_start:
    csrw    mie, zero
    la      t0, rom_trap
    csrw    mtvec, t0
    li      sp, STACK_TOP
    tail    rom_main

.section .text.nmi, "ax"
rom_nmi:
    li      a3, 1
    j       fault

# The ROM enables no interrupts: whatever comes here is a defect. The stack may be what is broken, so start a new one.
.section .text.trap, "ax"
.balign 4
rom_trap:
    li      a3, 0
fault:
    li      sp, STACK_TOP
    csrr    a0, mcause
    csrr    a1, mepc
    csrr    a2, mtval
    tail    rom_fault
