// SPDX-License-Identifier: Apache-2.0
// Frame of programs that print what they find, for comparison with QEMU. Reserved: t3 to t6, sp.
#pragma once

#define CONSOLE 0x10000000
#define FINISHER 0x100000
#define FINISHER_PASS 0x5555

// clang-format off
.macro PROGRAM_START
  .section .text
  .globl _start
_start:
  j program
  .section .tohost, "aw"
  .balign 64
  .globl tohost
tohost:
  .dword 0
  .text
// Prints t3 in hex, and a line end.
print:
  li t4, CONSOLE
  li t5, 60
1:
  srl t6, t3, t5
  andi t6, t6, 15
  addi t6, t6, -10
  bltz t6, 2f
  addi t6, t6, 'a' - '0' - 10
2:
  addi t6, t6, '0' + 10
  sb t6, 0(t4)
  addi t5, t5, -4
  bgez t5, 1b
  li t6, '\n'
  sb t6, 0(t4)
  jr t2
  .balign 4
program:
.endm

.macro PRINT register
  mv t3, \register
  jal t2, print
.endm

.macro PROGRAM_END
  la t3, tohost
  li t4, 1
  sd t4, 0(t3)
  li t3, FINISHER
  li t4, FINISHER_PASS
  sw t4, 0(t3)
  j .
.endm
