# SPDX-License-Identifier: Apache-2.0
# Trap entries of both modes. A mode's scratch register holds the top of its handler stack while no handler runs, and
# zero while one does: a trap that finds zero is a fault inside a handler and gets the emergency stack. The handlers
# of such traps do not return.
#include "firmware/kernel/frame.hpp"

.macro save_registers scratch, epc, status, cause, value
    csrrw   sp, \scratch, sp
    bnez    sp, 1f
    la      sp, __emergency_stack_top
1:  addi    sp, sp, -FRAME_BYTES
    sd      x1, 8(sp)
    .irp r, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd      x\r, 8*\r(sp)
    .endr
    csrrw   t0, \scratch, zero
    csrr    t1, \epc
    csrr    t2, \status
    csrr    t3, \cause
    csrr    t4, \value
    sd      t0, 16(sp)
    sd      t1, FRAME_EPC(sp)
    sd      t2, FRAME_STATUS(sp)
    sd      t3, FRAME_CAUSE(sp)
    sd      t4, FRAME_VALUE(sp)
    mv      a0, sp
.endm

.macro restore_registers scratch, epc, status
    ld      t1, FRAME_EPC(sp)
    ld      t2, FRAME_STATUS(sp)
    csrw    \epc, t1
    csrw    \status, t2
    addi    t0, sp, FRAME_BYTES
    csrw    \scratch, t0
    ld      x1, 8(sp)
    .irp r, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld      x\r, 8*\r(sp)
    .endr
    ld      sp, 16(sp)
.endm

.section .text.traps, "ax"
.balign 4
.globl supervisor_trap_entry
supervisor_trap_entry:
    save_registers sscratch, sepc, sstatus, scause, stval
    call    supervisor_trap
    restore_registers sscratch, sepc, sstatus
    sret

.balign 4
.globl machine_trap_entry
machine_trap_entry:
    save_registers mscratch, mepc, mstatus, mcause, mtval
    call    machine_trap
    restore_registers mscratch, mepc, mstatus
    mret

# Strikes anywhere, even between the instructions above, so it trusts no scratch register. It never returns.
.balign 4
.globl nmi_entry
nmi_entry:
    csrw    mscratch, sp
    la      sp, __emergency_stack_top
    csrrw   sp, mscratch, sp
    save_registers mscratch, mepc, mstatus, mcause, mtval
    tail    machine_nmi
