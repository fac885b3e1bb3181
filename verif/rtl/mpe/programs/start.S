# SPDX-License-Identifier: Apache-2.0
# Calls main and reports what it returns through tohost: 0 is a pass.
.section .text.start
.globl _start
_start:
  la sp, stack_top
  la t0, unexpected
  csrw mtvec, t0
  call main
finish:
  slli a0, a0, 1
  ori a0, a0, 1
  la t0, tohost
  sd a0, 0(t0)
1:
  j 1b
.align 2
unexpected:
  csrr a0, mcause
  addi a0, a0, 100
  j finish

.section .tohost, "aw"
.align 6
.globl tohost
tohost: .dword 0
.align 6
.globl fromhost
fromhost: .dword 0
