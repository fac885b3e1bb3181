// SPDX-License-Identifier: Apache-2.0
// Jumps: links, targets, ranges, and returns that a predictor gets wrong.
#include "verif/rtl/mpe/directed/test.h"

TEST_START
  .option norvc
  CASE 1
  jal a0, 2f
1: j fail
2: EXPECT_ADDRESS a0, 1b
  CASE 2
  la a1, 2f
  jalr a0, 0(a1)
1: j fail
2: EXPECT_ADDRESS a0, 1b
  CASE 3  // link and target in one register
  la a1, 2f
  jalr a1, 0(a1)
1: j fail
2: EXPECT_ADDRESS a1, 1b
  CASE 4  // offsets of jalr; bit 0 of the sum is dropped
  la a1, 2f
  addi a1, a1, -2047
  jalr a0, 2047(a1)
1: j fail
2: EXPECT_ADDRESS a0, 1b
  la a1, 2f
  li a2, 2048
  add a1, a1, a2
  jalr a0, -2048(a1)
1: j fail
2: EXPECT_ADDRESS a0, 1b
  la a1, 2f
  jalr a0, 1(a1)
1: j fail
2: EXPECT_ADDRESS a0, 1b
  CASE 5  // no link
  li a0, 5
  jal zero, 1f
  j fail
1: la a1, 1f
  jalr zero, 0(a1)
  j fail
1: EXPECT a0, 5
  CASE 6  // the ends of a branch's range
  li a0, 0
  j 2f
1: addi a0, a0, 1
  beqz zero, 3f
  .zero 4000
2: bnez s10, fail
  beqz zero, 1b
  .zero 4
3: EXPECT a0, 1
  CASE 7  // and of a jump's
  j far_away
back:
  EXPECT a0, 66
  CASE 8  // calls and returns, nested
  li a0, 0
  call level1
  EXPECT a0, 4
  CASE 9  // a return that does not match the call
  la t0, 2f
  jal ra, 1f
  j fail
1: mv ra, t0
  ret
  j fail
2:
  CASE 10  // two coroutines
  li a0, 0
  jal ra, 1f
  addi a0, a0, 2
  jalr ra, 0(t0)
  addi a0, a0, 8
  j 2f
1: addi a0, a0, 1
  jalr t0, 0(ra)
  addi a0, a0, 4
  jr ra
2: EXPECT a0, 15
  CASE 11  // an indirect jump whose target changes
  li a0, 0
  li a1, 0
1: la a2, 2f
  andi a3, a1, 3
  slli a3, a3, 3
  add a2, a2, a3
  jr a2
2: addi a0, a0, 1
  j 3f
  addi a0, a0, 10
  j 3f
  addi a0, a0, 100
  j 3f
  addi a0, a0, 1000
3: addi a1, a1, 1
  li a4, 20
  bne a1, a4, 1b
  EXPECT a0, 5555
  CASE 12  // deep recursion: 30 levels
  la sp, stack_top
  li a0, 30
  call sum
  EXPECT a0, 465
  .option rvc
  CASE 13  // compressed: links two bytes on
  la a1, 2f
  c.jalr a1
1: j fail
2: EXPECT_ADDRESS ra, 1b
  la a1, 2f
  c.jr a1
  c.j fail_near
2: c.j 3f
  c.nop
3:
  CASE 14  // a full instruction at an address of two bytes' alignment
  .balign 4
  c.nop
1: jal a0, 2f
3: j fail
2: EXPECT_ADDRESS a0, 3b
  CASE 15  // the target straddles a line
  la a1, straddle
  jalr a0, 0(a1)
  EXPECT a2, 0x321
TEST_END
fail_near:
  j fail
  .option norvc
level1:
  addi sp, zero, 0
  mv t1, ra
  call level2
  addi a0, a0, 1
  jr t1
level2:
  mv t2, ra
  call level3
  addi a0, a0, 1
  jr t2
level3:
  addi a0, a0, 2
  ret
sum:
  beqz a0, 1f
  addi sp, sp, -16
  sd ra, 0(sp)
  sd a0, 8(sp)
  addi a0, a0, -1
  call sum
  ld a1, 8(sp)
  add a0, a0, a1
  ld ra, 0(sp)
  addi sp, sp, 16
1: ret
  .balign 64
  .zero 58
  .option rvc
  .2byte 0x0001
  .balign 2
  .zero 2
straddle:
  .option norvc
  li a2, 0x321
  jr a0
  .zero 500000
far_away:
  li a0, 66
  j back
