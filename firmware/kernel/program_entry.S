# SPDX-License-Identifier: Apache-2.0
# A model program is entered like a function, and left when it traps: runtime::ProgramState has its registers meanwhile.
# While it runs, traps lead here, sscratch points to the state, and the place of x0 there has the kernel's sp. Interrupts
# are held back in supervisor mode; in user mode they are not. A call leaves both as they are, so a fault of the kernel's
# own leads here, too, and is led on from here.
#
# A program's call is a function call: the kernel's functions keep s0 to s11 as they find them, and do not know gp and tp.
# Nothing here trusts any of them, nor sp. All other registers come back as 0, so none tells what the kernel had there.
#define PC 256
#define CAUSE 264
#define VALUE 272
#define READY_FUNCTION 280
#define READY_FIRST 288
#define READY_SECOND 296
#define READY_SLOT 304
#define READY_ADDRESS 312
#define READY_WORD 320
#define READY_ARGUMENT 328
#define INBOX_WORK 0x10005000
#define SAVED 128
#define SSTATUS_SPP 0x100
#define CALLED 8
#define CALL_BYTES 4
#define SUBMIT 1

# From there on a trap is one of the kernel's own.
.macro trap_to_kernel
    la      t0, supervisor_trap_entry
    csrw    stvec, t0
    la      t0, __trap_stack_top
    csrw    sscratch, t0
.endm
.macro trap_to_program state
    ld      t2, PC(\state)
    la      t1, leave_program
    csrw    stvec, t1
    csrw    sscratch, \state
    csrw    sepc, t2
.endm

# In slow memory, with all else that is cold (kernel.ld).
.section .text.unlikely.programs, "ax"
.balign 4
.globl enter_program
enter_program:
    addi    sp, sp, -SAVED
    sd      a0, 0(sp)       # which submit_command finds there
    sd      a0, 112(sp)
    sd      ra, 8(sp)
    .irp    number, 0,1,2,3,4,5,6,7,8,9,10,11
    sd      s\number, 16+8*\number(sp)
    .endr
    sd      sp, 0(a0)
    trap_to_program a0
    li      t0, SSTATUS_SPP
    csrc    sstatus, t0
    .irp    number, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld      x\number, 8*\number(a0)
    .endr
    ld      a0, 80(a0)
    sret

# The call is not over: what would be in the registers goes into the state.
put_aside:
    .irp    number, 3,4,8,9,18,19,20,21,22,23,24,25,26,27
    sd      x\number, 8*\number(t0)
    .endr
    .irp    number, 1,5,6,7,12,13,14,15,16,17,28,29,30,31
    sd      zero, 8*\number(t0)
    .endr
    li      t1, CALLED
    sd      t1, CAUSE(t0)
    trap_to_kernel
    j       back

stopped:
    .irp    number, 1,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd      x\number, 8*\number(sp)
    .endr
    csrr    t0, sscratch
    csrr    t1, sepc
    csrr    t2, scause
    csrr    t3, stval
    sd      t0, 16(sp)
    sd      t1, PC(sp)
    sd      t2, CAUSE(sp)
    sd      t3, VALUE(sp)
    ld      sp, 0(sp)
    trap_to_kernel
back:
    ld      ra, 8(sp)
    .irp    number, 0,1,2,3,4,5,6,7,8,9,10,11
    ld      s\number, 16+8*\number(sp)
    .endr
    addi    sp, sp, SAVED
    ret

# Calls come by here, and are in a hurry: in the SRAM. One that launches what is ready rings first, while sp is the state;
# all that others need is done behind that.
.macro to_kernel_stack
    csrr    t0, sepc
    addi    t0, t0, CALL_BYTES
    sd      t0, PC(sp)
    ld      sp, 0(sp)
.endm
.section .text.programs, "ax"
.balign 8
leave_program:
    csrrw   sp, sscratch, sp
    sd      t0, 40(sp)
    csrr    t0, scause
    addi    t0, t0, -CALLED
    bnez    t0, 3f

    # a0 to a7 are the program's, until a0 says whether it goes on. Its sp is kept before memory is used: should that
    # trap, the program has no say in where things go.
    csrrw   t0, sscratch, sp
    sd      t0, 16(sp)
    ld      t0, READY_FUNCTION(sp)
    ld      t1, READY_FIRST(sp)
    ld      t2, READY_SECOND(sp)
    bne     t0, a7, 6f
    beqz    t0, 6f          # nothing is ready, and a7 says so
    bne     t1, a0, 6f
    bne     t2, a1, 6f
    li      t3, INBOX_WORK
    ld      t3, 0(t3)
    ld      t0, READY_ARGUMENT(sp)
    ld      t1, READY_SLOT(sp)
    ld      t2, READY_ADDRESS(sp)
    ld      t4, READY_WORD(sp)
    bnez    t3, 6f
    beqz    t0, 7f
    and     t0, t0, a2
    or      t4, t4, t0
    fence   w, ow
    sd      t4, 0(t2)
    sd      a2, 0(t1)
    # Nothing traps until the program goes on, so stvec and sscratch are as they must be then.
8:  csrr    t0, sepc
    addi    t0, t0, CALL_BYTES
    csrw    sepc, t0
    mv      a0, sp
    ld      sp, 0(sp)
    call    note_launch
    csrr    t0, sscratch
    mv      a1, a0
    li      a0, 0
    j       9f
1:  ld      t0, 112(sp)
    beqz    a0, 4f
    trap_to_program t0
    ld      a0, 80(t0)
    ld      a1, 88(t0)
9:  ld      sp, 16(t0)
    .irp    number, 1,5,6,7,12,13,14,15,16,17,28,29,30,31
    li      x\number, 0
    .endr
    sret
6:  to_kernel_stack
    andi    t0, a7, 0xff
    addi    t0, t0, -SUBMIT
    bnez    t0, 2f
    call    submit_command
    j       1b
7:  .irp    number, 2,3,4,5,6
    sd      a\number, 8*(\number-2)(t1)
    .endr
    fence   w, ow
    sd      t4, 0(t2)
    j       8b
2:  ld      a2, 112(sp)
    mv      a3, a7
    call    answer_program
    j       1b
3:  csrr    t0, sstatus
    andi    t0, t0, SSTATUS_SPP
    bnez    t0, 5f
    jump    stopped, t0
4:  jump    put_aside, t1

# The kernel's own: as if its trap entry had been there. sscratch has its sp.
5:  csrr    t0, sscratch
    sd      t0, VALUE(sp)
    trap_to_kernel
    ld      t0, 40(sp)
    ld      sp, VALUE(sp)
    j       supervisor_trap_entry
