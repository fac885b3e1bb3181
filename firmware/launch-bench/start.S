# SPDX-License-Identifier: Apache-2.0
# First instructions. The boot ROM jumps here in machine mode, interrupts off, translation off. The program stays so: the processor
# sees memory and registers at their physical addresses.

.section .text.entry, "ax"
.globl _start
_start:
    la      sp, __stack_top

    # Initialised data moves up to its own page, from its end: the two places may overlap.
    la      t0, __data_load
    la      t1, __data_start
    la      t2, __data_end
    sub     t3, t2, t1
    add     t0, t0, t3
1:  bleu    t2, t1, 2f
    addi    t0, t0, -8
    addi    t2, t2, -8
    ld      t3, 0(t0)
    sd      t3, 0(t2)
    j       1b

2:  la      t0, __bss_start
    la      t1, __bss_end
3:  bgeu    t0, t1, 4f
    sd      zero, 0(t0)
    addi    t0, t0, 8
    j       3b

4:  la      t0, trap
    csrw    mtvec, t0
    call    bench_main

# Nothing here is expected to trap.
.balign 4
trap:
    csrr    a0, mcause
    csrr    a1, mepc
    csrr    a2, mtval
    call    bench_trap
