# First instructions of the kernel. The boot ROM jumps here in machine mode, interrupts off, translation off;
# a0 = slot (0 is A), a1 = 1 if the image is confirmed.

.section .text.entry, "ax"
.globl _start
_start:
    la      sp, __machine_stack_top

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
