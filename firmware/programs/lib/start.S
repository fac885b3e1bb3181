# The first instruction of a program: a0 points to program::Start, nothing else is known.
.section .text.entry, "ax"
.globl _start
_start:
    la      sp, __stack_top
    mv      s0, a0
    call    program_main
    # Its result is the code that the host gets.
    tail    program_exit
