// SPDX-License-Identifier: Apache-2.0
// Changes of page tables and of satp become visible with sfence.vma, in every form of it.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

// Points the page to other memory, and back, with a load before and after each change.
.macro CHANGE number, fence:vararg
  CASE \number
  RUN MODE_S
  ld a0, 0(s0)
  sd s4, 0(s1)
  \fence
  ld a1, 0(s0)
  sd s3, 0(s1)
  \fence
  ld a2, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 1
  EXPECT a1, 2
  EXPECT a2, 1
.endm

TEST_START
  PAGING_ON
  li s0, TEST_VA + 7 * PAGE
  la s1, test_level0 + 7 * 8
  SET_ENTRY test_level0, 7, two, PTE_RWX
  ld s4, 0(s1)
  SET_ENTRY test_level0, 7, one, PTE_RWX
  ld s3, 0(s1)
  CHANGE 1, sfence.vma
  CHANGE 2, sfence.vma s0
  CHANGE 3, sfence.vma s0, s5
  li s5, 3
  CHANGE 4, sfence.vma zero, s5
  CHANGE 5, sfence.vma s0, s5
  CASE 6  // fetches: the code of both pages returns its number
  li s2, TEST_VA + 7 * PAGE + 16
  RUN MODE_S
  jalr s2
  mv a1, a0
  sd s4, 0(s1)
  sfence.vma
  jalr s2
  mv a2, a0
  sd s3, 0(s1)
  sfence.vma
  jalr s2
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a1, 1
  EXPECT a2, 2
  EXPECT a0, 1
  CASE 7  // a page that was invalid is seen once it is valid, without any fence after a fault
  sd zero, 0(s1)
  sfence.vma
  RUN MODE_S
1: ld a0, 0(s0)
  END_RUN
  EXPECT_TRAP CAUSE_LOAD_PAGE, TEST_VA + 7 * PAGE, 1b
  sd s3, 0(s1)
  sfence.vma
  RUN MODE_S
  ld a0, 0(s0)
  END_RUN
  EXPECT a0, 1
  CASE 8  // rights are taken away
  RUN MODE_S
  sd zero, 8(s0)
  li t0, PTE_W
  not t0, t0
  and t0, t0, s3
  sd t0, 0(s1)
  sfence.vma
1: sd zero, 8(s0)
  END_RUN
  EXPECT_TRAP CAUSE_STORE_PAGE, TEST_VA + 7 * PAGE + 8, 1b
  sd s3, 0(s1)
  CASE 9  // D is set by software after a fault on a store
  li t0, PTE_D
  not t0, t0
  and t0, t0, s3
  sd t0, 0(s1)
  sfence.vma
  RUN MODE_S
  ld a0, 0(s0)
1: sd zero, 8(s0)
  END_RUN
  EXPECT_TRAP CAUSE_STORE_PAGE, TEST_VA + 7 * PAGE + 8, 1b
  sd s3, 0(s1)
  sfence.vma
  RUN MODE_S
  sd zero, 8(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  CASE 10  // another root
  SET_ENTRY_NUMBER other_root, 2, 0x80000000, PTE_RWX
  SET_ENTRY other_root, 5, other_level1, PTE_V
  SET_ENTRY other_level1, 0, other_level0, PTE_V
  SET_ENTRY other_level0, 7, two, PTE_RWX
  csrr s6, satp
  la s7, other_root
  srli s7, s7, 12
  li t0, SATP_SV39
  or s7, s7, t0
  RUN MODE_S
  ld a0, 0(s0)
  csrw satp, s7
  sfence.vma
  ld a1, 0(s0)
  csrw satp, s6
  sfence.vma
  ld a2, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 1
  EXPECT a1, 2
  EXPECT a2, 1
  CASE 11  // no translation and back
  la s8, two
  RUN MODE_S
  csrw satp, zero
  ld a0, 0(s8)
  csrw satp, s6
  sfence.vma
  ld a1, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 2
  EXPECT a1, 1
  CASE 12  // many pages: more than any look-aside buffer holds
  li s8, 0
  la s9, test_level0
1:
  slli t0, s8, 3
  add t0, t0, s9
  ld t1, 0(s1)
  sd t1, 0(t0)
  addi s8, s8, 1
  li t0, 200
  bne s8, t0, 1b
  sfence.vma
  li a1, 0
  li a2, 200
  li a3, TEST_VA
  li a4, PAGE
  RUN MODE_S
1: ld a0, 0(a3)
  add a1, a1, a0
  add a3, a3, a4
  addi a2, a2, -1
  bnez a2, 1b
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a1, 200
TEST_END
PAGING_DATA
  .section .tables
other_root:
  .zero PAGE
other_level1:
  .zero PAGE
other_level0:
  .zero PAGE
one:
  .dword 1, 0
  li a0, 1
  ret
  .balign PAGE
two:
  .dword 2, 0
  li a0, 2
  ret
