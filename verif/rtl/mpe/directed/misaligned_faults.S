// SPDX-License-Identifier: Apache-2.0
// Accesses and fetches across a page boundary where one part faults: which address is reported, and that a store
// writes nothing.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

// Page 0 and page 2 are fine, page 1 is not; then page 1 is fine and 0 and 2 are not.
.macro LOAD_FAULTS number, insn, address, tval, cause
  CASE \number
  li s0, \address
  li a0, 0x55
  RUN MODE_S
1: \insn a0, 0(s0)
  END_RUN
  EXPECT_TRAP \cause, \tval, 1b
  EXPECT a0, 0x55
.endm

.macro STORE_FAULTS number, insn, address, tval, cause
  CASE \number
  li s0, \address
  li a0, -1
  RUN MODE_S
1: \insn a0, 0(s0)
  END_RUN
  EXPECT_TRAP \cause, \tval, 1b
  // The memory under both pages is as it was.
  ld a1, -8(s3)
  ld a2, 0(s3)
  EXPECT a1, 0x1111111111111111
  EXPECT a2, 0x2222222222222222
.endm

#define P0 TEST_VA
#define P1 (TEST_VA + PAGE)
#define P2 (TEST_VA + 2 * PAGE)

TEST_START
  PAGING_ON
  la s1, memory
  la s3, memory + PAGE
  // Second part faults
  SET_ENTRY test_level0, 0, memory, PTE_RWX
  SET_ENTRY test_level0, 1, memory + PAGE, 0
  LOAD_FAULTS 1, lh, P1 - 1, P1, CAUSE_LOAD_PAGE
  LOAD_FAULTS 2, lw, P1 - 1, P1, CAUSE_LOAD_PAGE
  LOAD_FAULTS 3, lwu, P1 - 3, P1, CAUSE_LOAD_PAGE
  LOAD_FAULTS 4, ld, P1 - 4, P1, CAUSE_LOAD_PAGE
  LOAD_FAULTS 5, ld, P1 - 7, P1, CAUSE_LOAD_PAGE
  STORE_FAULTS 6, sh, P1 - 1, P1, CAUSE_STORE_PAGE
  STORE_FAULTS 7, sw, P1 - 2, P1, CAUSE_STORE_PAGE
  STORE_FAULTS 8, sd, P1 - 1, P1, CAUSE_STORE_PAGE
  STORE_FAULTS 9, sd, P1 - 7, P1, CAUSE_STORE_PAGE
  // Second part may be read, not written
  SET_ENTRY test_level0, 1, memory + PAGE, PTE_V | PTE_R | PTE_A
  STORE_FAULTS 10, sd, P1 - 4, P1, CAUSE_STORE_PAGE
  CASE 11
  li s0, P1 - 4
  RUN MODE_S
  ld a0, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0x2222222211111111
  // Second part is vacant
  SET_ENTRY_NUMBER test_level0, 1, VACANT, PTE_RWX
  LOAD_FAULTS 12, ld, P1 - 2, P1, CAUSE_LOAD_ACCESS
  STORE_FAULTS 13, sd, P1 - 6, P1, CAUSE_STORE_ACCESS
  // First part faults
  SET_ENTRY test_level0, 1, memory, 0
  SET_ENTRY test_level0, 2, memory + PAGE, PTE_RWX
  LOAD_FAULTS 20, lh, P2 - 1, P2 - 1, CAUSE_LOAD_PAGE
  LOAD_FAULTS 21, lw, P2 - 3, P2 - 3, CAUSE_LOAD_PAGE
  LOAD_FAULTS 22, ld, P2 - 1, P2 - 1, CAUSE_LOAD_PAGE
  LOAD_FAULTS 23, ld, P2 - 7, P2 - 7, CAUSE_LOAD_PAGE
  STORE_FAULTS 24, sh, P2 - 1, P2 - 1, CAUSE_STORE_PAGE
  STORE_FAULTS 25, sw, P2 - 1, P2 - 1, CAUSE_STORE_PAGE
  STORE_FAULTS 26, sd, P2 - 5, P2 - 5, CAUSE_STORE_PAGE
  SET_ENTRY_NUMBER test_level0, 1, VACANT, PTE_RWX
  LOAD_FAULTS 27, lw, P2 - 2, P2 - 2, CAUSE_LOAD_ACCESS
  STORE_FAULTS 28, sw, P2 - 2, P2 - 2, CAUSE_STORE_ACCESS
  // Both fault: the first counts, even where the second has the stronger exception
  SET_ENTRY test_level0, 2, memory, 0
  LOAD_FAULTS 30, ld, P2 - 4, P2 - 4, CAUSE_LOAD_ACCESS
  SET_ENTRY test_level0, 1, memory, 0
  SET_ENTRY_NUMBER test_level0, 2, VACANT, PTE_RWX
  LOAD_FAULTS 31, ld, P2 - 4, P2 - 4, CAUSE_LOAD_PAGE
  STORE_FAULTS 32, sd, P2 - 4, P2 - 4, CAUSE_STORE_PAGE
  CASE 33  // both are fine: the parts go to different physical pages
  SET_ENTRY test_level0, 1, other, PTE_RWX
  SET_ENTRY test_level0, 2, memory, PTE_RWX
  li s0, P2 - 3
  li a1, 0x8877665544332211
  RUN MODE_S
  sd a1, 0(s0)
  ld a0, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0x8877665544332211
  la s2, other
  li t0, PAGE - 8
  add t0, t0, s2
  ld a0, 0(t0)
  EXPECT a0, 0x3322113333333333
  ld a0, 0(s1)
  EXPECT a0, 0x1111118877665544
  CASE 34  // atomics do not cross anything: misaligned
  RUN MODE_S
1: amoadd.w a0, a1, (s0)
  END_RUN
  EXPECT_TRAP CAUSE_STORE_MISALIGNED, P2 - 3, 1b

  // Fetches: a 32-bit instruction whose second half is on a page that faults
  .macro FETCH_FAULTS number, entry_flags, cause
  CASE \number
  SET_ENTRY test_level0, 4, straddling, PTE_RWX
  SET_ENTRY test_level0, 5, straddling + PAGE, \entry_flags
  li s0, TEST_VA + 5 * PAGE - 2
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE \cause
  EXPECT_TVAL TEST_VA + 5 * PAGE
  LOAD_RECORD t5, RECORD_EPC
  bne t5, s0, fail
  .endm
  FETCH_FAULTS 40, 0, CAUSE_FETCH_PAGE
  FETCH_FAULTS 41, PTE_RW, CAUSE_FETCH_PAGE
  FETCH_FAULTS 42, PTE_RWX | PTE_U, CAUSE_FETCH_PAGE
  FETCH_FAULTS 43, PTE_RWX | (1 << 30), CAUSE_FETCH_ACCESS
  CASE 44  // falling into it from above: the instruction before is complete
  SET_ENTRY test_level0, 5, straddling, 0
  li s0, TEST_VA + 5 * PAGE - 6
  li a0, 0
  li a1, 0
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_PAGE
  EXPECT_TVAL TEST_VA + 5 * PAGE
  EXPECT a0, 7
  EXPECT a1, 0
  CASE 45  // the first half faults
  SET_ENTRY test_level0, 4, straddling, 0
  SET_ENTRY test_level0, 5, straddling + PAGE, PTE_RWX
  li s0, TEST_VA + 5 * PAGE - 2
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_PAGE
  EXPECT_TVAL TEST_VA + 5 * PAGE - 2
  CASE 46  // both are there, on pages that are not neighbours
  SET_ENTRY test_level0, 4, straddling, PTE_RWX
  SET_ENTRY test_level0, 5, second_half, PTE_RWX
  li a1, 0
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE CAUSE_ECALL_S
  EXPECT a1, 0x123
  CASE 47  // a compressed instruction in the last halfword does not touch the next page
  SET_ENTRY test_level0, 4, short_end, PTE_RWX
  SET_ENTRY test_level0, 5, second_half, 0
  li a1, 0
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_PAGE
  EXPECT_TVAL TEST_VA + 5 * PAGE
  LOAD_RECORD t5, RECORD_EPC
  EXPECT t5, TEST_VA + 5 * PAGE
  EXPECT a1, 9
TEST_END
PAGING_DATA
  .section .tables
  .balign PAGE
memory:
  .rept PAGE / 8
  .dword 0x1111111111111111
  .endr
  .rept PAGE / 8
  .dword 0x2222222222222222
  .endr
other:
  .rept PAGE / 8
  .dword 0x3333333333333333
  .endr
straddling:
  .zero PAGE - 6
  .4byte 0x00700513  // li a0, 7
  .2byte 0x0593      // li a1, 0x123: first half
second_half:
  .2byte 0x1230
  .4byte 0x00000073  // ecall
  .balign PAGE
short_end:
  .zero PAGE - 2
  .2byte 0x45A5      // c.li a1, 9
