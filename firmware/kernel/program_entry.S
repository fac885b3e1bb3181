# A model program is entered like a function, and left when it traps: runtime::ProgramState has its registers meanwhile.
# While it runs, traps lead here, sscratch points to the state, and the place of x0 there has the kernel's sp. Interrupts
# are held back in supervisor mode, so no other trap can come in between; in user mode they are not.
#define PC 256
#define CAUSE 264
#define VALUE 272
#define SAVED 112
#define SSTATUS_SPP 0x100

# In slow memory, with all else that is cold (kernel.ld).
.section .text.unlikely.programs, "ax"
.balign 4
.globl enter_program
enter_program:
    addi    sp, sp, -SAVED
    sd      ra, 0(sp)
    .irp    number, 0,1,2,3,4,5,6,7,8,9,10,11
    sd      s\number, 8+8*\number(sp)
    .endr
    sd      sp, 0(a0)
    la      t0, leave_program
    csrw    stvec, t0
    csrw    sscratch, a0
    ld      t0, PC(a0)
    csrw    sepc, t0
    li      t0, SSTATUS_SPP
    csrc    sstatus, t0
    .irp    number, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld      x\number, 8*\number(a0)
    .endr
    ld      a0, 80(a0)
    sret

.balign 4
leave_program:
    csrrw   a0, sscratch, a0
    .irp    number, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd      x\number, 8*\number(a0)
    .endr
    csrr    t0, sscratch
    csrr    t1, sepc
    csrr    t2, scause
    csrr    t3, stval
    sd      t0, 80(a0)
    sd      t1, PC(a0)
    sd      t2, CAUSE(a0)
    sd      t3, VALUE(a0)
    ld      sp, 0(a0)
    la      t0, supervisor_trap_entry
    la      t1, __trap_stack_top
    csrw    stvec, t0
    csrw    sscratch, t1
    ld      ra, 0(sp)
    .irp    number, 0,1,2,3,4,5,6,7,8,9,10,11
    ld      s\number, 8+8*\number(sp)
    .endr
    addi    sp, sp, SAVED
    ret
