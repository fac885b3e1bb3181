// SPDX-License-Identifier: Apache-2.0
// Code in pages of type IO: an access fault, and no instruction fetch leaves for such a page, neither a speculative one
// nor a prefetch. Lines in the instruction cache would be executed later in place of code written to the page
// meanwhile.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

#define MENVCFG 0x30A
#define PBMTE (1 << 62)
#define LINE 64
#define CACHED TEST_VA
#define IO (TEST_VA + PAGE)
#define JUMPED (TEST_VA + 3 * PAGE)
#define LI_A0_1 0x4505
#define LI_A0_2 0x4509
#define RET 0x8082
#define AT_END 28  // bytes of code in the cached page

// Other code for the first three lines of a page, written to memory; it is executed as memory without a type.
.macro REPLACE_CODE page
  la s3, \page
  li t0, LI_A0_2
  .irp line, 0, 1, 2
  sh t0, \line * LINE(s3)
  addi t1, s3, \line * LINE
  cbo.clean 0(t1)
  .endr
  fence
  .irp line, 0, 1, 2
  li a0, 0
  addi t1, s3, \line * LINE
  jalr t1
  EXPECT a0, 2
  .endr
.endm

TEST_START
  PAGING_ON
  WRITE_CSR MENVCFG, PBMTE
  SET_ENTRY test_level0, 0, cached_page, PTE_RWX
  SET_ENTRY test_level0, 1, io_page, PTE_RWX | PTE_IO
  SET_ENTRY test_level0, 3, jumped_page, PTE_RWX | PTE_IO
  CASE 1  // fetch comes to the page, but the program does not
  li s1, 1
  li s2, CACHED + PAGE - AT_END
  RUN MODE_S
  jalr s2
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT s1, 0
  CASE 2
  REPLACE_CODE io_page
  .irp line, 0, 1, 2
  CASE 10 + \line
  li s2, JUMPED + \line * LINE
  RUN MODE_S
  jalr s2
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_ACCESS
  EXPECT_TVAL JUMPED + \line * LINE
  LOAD_RECORD t5, RECORD_EPC
  EXPECT t5, JUMPED + \line * LINE
  .endr
  CASE 13
  REPLACE_CODE jumped_page
  CASE 14  // an instruction whose second half is there
  li s2, IO - 2
  RUN MODE_S
  jalr s2
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_ACCESS
  EXPECT_TVAL IO
  LOAD_RECORD t5, RECORD_EPC
  EXPECT t5, IO - 2
  CASE 15  // rights come first
  SET_ENTRY test_level0, 3, jumped_page, PTE_RW | PTE_IO
  li s2, JUMPED
  RUN MODE_S
  jalr s2
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_PAGE
  EXPECT_TVAL JUMPED
  CASE 16  // superpages
  SET_ENTRY_NUMBER test_level1, 1, 0x80000000, PTE_RWX | PTE_IO
  la s2, jumped_page
  li t0, TEST_VA + (1 << 21) - 0x80000000
  add s2, s2, t0
  RUN MODE_S
  jalr s2
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_ACCESS
  LOAD_RECORD t5, RECORD_TVAL
  EXPECT_REGISTERS t5, s2
TEST_END
PAGING_DATA
  .section .tables
  .balign PAGE
cached_page:
  .zero PAGE - AT_END
  li a1, 1
  li a2, -1
  // The jump waits for these, while fetch goes on to the next page.
  .rept 3
  divu a3, a2, a1
  .endr
  addi s1, a3, 1
  add a4, ra, s1
  jr a4
  .half 0x1537  // lui
io_page:
  .rept 3
  .half LI_A0_1, RET
  .zero LINE - 4
  .endr
  .balign PAGE
jumped_page:
  .rept 3
  .half LI_A0_1, RET
  .zero LINE - 4
  .endr
