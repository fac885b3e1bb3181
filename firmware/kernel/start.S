# SPDX-License-Identifier: Apache-2.0
# First instructions of the kernel. The boot ROM jumps here in machine mode, interrupts off, translation off;
# a0 = slot (0 is A), a1 = 1 if the image is confirmed.

.section .text.entry, "ax"
.globl _start
_start:
    la      sp, __machine_stack_top

    # Cold code moves to the device memory, before what follows is written over it. Nobody else may touch it there.
    li      t0, DENY0_BASE
    li      t1, PRIVATE_BASE
    li      t2, PRIVATE_BASE + PRIVATE_BYTES
    sd      t1, 0(t0)
    sd      t2, (DENY0_LIMIT - DENY0_BASE)(t0)
    la      t0, __cold_load
    la      t2, __cold_load_end
    li      t1, COLD_CODE_HOME
1:  bgeu    t0, t2, 2f
    # A line; what follows the last one is of no harm.
    .irp    at, 0, 8, 16, 24, 32, 40, 48, 56
    ld      t3, \at(t0)
    sd      t3, \at(t1)
    .endr
    addi    t0, t0, 64
    addi    t1, t1, 64
    j       1b
2:  fence.i

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

4:  mv      s0, a0
    mv      s1, a1
    call    machine_main

    # Into supervisor mode, with the handover of the ROM.
    la      t0, kernel_main
    csrw    mepc, t0
    mv      a0, s0
    mv      a1, s1
    la      sp, __stack_top
    mret
