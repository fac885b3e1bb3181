# SPDX-License-Identifier: Apache-2.0
# The first instruction of a program: a0 points to program::Start, nothing else is known.
.section .text.entry, "ax"
.globl _start
_start:
    la      sp, __stack_top
    # Nobody needs what is there, so these lines need not come from memory when they are written first.
    .option push
    .option arch, +zicboz
    li      t0, 32
    mv      t1, sp
1:  addi    t1, t1, -64
    cbo.zero 0(t1)
    addi    t0, t0, -1
    bnez    t0, 1b
    .option pop
    mv      s0, a0
    call    program_main
    # Its result is the code that the host gets.
    tail    program_exit
