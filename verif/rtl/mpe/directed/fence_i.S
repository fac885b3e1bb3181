// SPDX-License-Identifier: Apache-2.0
// Code that is written becomes visible to fetches by fence.i: in loops, across lines, in halves, over code that has just run.
#include "verif/rtl/mpe/directed/test.h"

#define LI_A0(n) (0x00000513 | (n) << 20)

TEST_START
  CASE 1
  la s0, slot
  li a1, LI_A0(5)
  sw a1, 0(s0)
  fence.i
  jalr s0
  EXPECT a0, 5
  CASE 2  // after it has run, again and again
  li s1, 0
1:
  slli t0, s1, 20
  li t1, LI_A0(0)
  or t0, t0, t1
  sw t0, 0(s0)
  fence.i
  jalr s0
  bne a0, s1, fail
  addi s1, s1, 1
  li t0, 50
  bne s1, t0, 1b
  CASE 3  // an instruction across two lines, written in two halves
  la s0, slot_across
  li s1, 0
1:
  slli t0, s1, 4
  sh t0, 2(s0)
  fence.i
  jalr s0
  bne a0, s1, fail
  addi s1, s1, 1
  li t0, 20
  bne s1, t0, 1b
  CASE 4  // the instruction right behind the fence
  la s0, behind
  li a1, LI_A0(77)
  sw a1, 0(s0)
  fence.i
behind:
  .option push
  .option norvc
  li a0, 1
  .option pop
  EXPECT a0, 77
  CASE 5  // a compressed pair in place of one instruction
  la s0, slot
  li a1, 0x05054501  // c.li a0, 0; c.addi a0, 1
  sw a1, 0(s0)
  fence.i
  jalr s0
  EXPECT a0, 1
  CASE 6  // a whole function is copied, more than one line, and run
  la s0, function
  la s1, area
  la s2, function_end
1:
  lhu t0, 0(s0)
  sh t0, 0(s1)
  addi s0, s0, 2
  addi s1, s1, 2
  bne s0, s2, 1b
  fence.i
  la s1, area
  li a0, 0
  jalr s1
  EXPECT a0, 5050
  CASE 7  // so much code that it cannot all be in the data cache
  la s0, area
  li s1, 0
  li s2, 6000
1:
  li t0, 0x0505  // c.addi a0, 1
  sh t0, 0(s0)
  addi s0, s0, 2
  addi s1, s1, 1
  bne s1, s2, 1b
  li t0, 0x8082  // ret
  sh t0, 0(s0)
  fence.i
  la s0, area
  li a0, 0
  jalr s0
  EXPECT a0, 6000
  CASE 8  // in user mode
  la s0, slot
  li a1, LI_A0(88)
  RUN MODE_U
  sw a1, 0(s0)
  fence.i
  jalr s0
  END_RUN
  EXPECT_NO_TRAP MODE_U
  EXPECT a0, 88
TEST_END
  .balign 64
slot:
  .4byte LI_A0(0)
  ret
  .balign 64
  .zero 62
slot_across:
  .4byte LI_A0(0)
  ret
  .balign 4
function:
  li t0, 100
1:
  add a0, a0, t0
  addi t0, t0, -1
  bnez t0, 1b
  .rept 20
  nop
  .endr
  ret
function_end:
  .section .bss
  .balign 64
area:
  .zero 16384
