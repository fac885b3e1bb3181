// SPDX-License-Identifier: Apache-2.0
// Svpbmt: non-cacheable and IO pages of memory, and what becomes of them without PBMTE.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

#define MENVCFG 0x30A
#define PBMTE (1 << 62)
#define CACHED TEST_VA
#define NC (TEST_VA + PAGE)
#define IO (TEST_VA + 2 * PAGE)

TEST_START
  PAGING_ON
  WRITE_CSR MENVCFG, PBMTE
  SET_ENTRY test_level0, 0, data, PTE_RWX
  SET_ENTRY test_level0, 1, data, PTE_RWX | PTE_NC
  SET_ENTRY test_level0, 2, data, PTE_RWX | PTE_IO
  SET_ENTRY test_level0, 3, data, PTE_RWX | PTE_NC | PTE_IO
  li s0, CACHED
  li s1, NC
  li s2, IO
  li s4, 0x1122334455667788
  .irp case, 1, 2
  CASE \case * 10
  RUN MODE_S
  // \case 1: NC, 2: IO
  .if \case == 2
  mv s1, s2
  .endif
  sd s4, 0(s1)
  ld a0, 0(s1)
  lw a1, 4(s1)
  lhu a2, 2(s1)
  lb a3, 7(s1)
  sb zero, 1(s1)
  sh zero, 4(s1)
  ld a4, 0(s1)
  lwu a5, 0(s1)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0x1122334455667788
  EXPECT a1, 0x11223344
  EXPECT a2, 0x5566
  EXPECT a3, 0x11
  EXPECT a4, 0x1122000055660088
  EXPECT a5, 0x55660088
  .endr
  CASE 29  // what the cache holds of the line goes to memory before what is written past it
  li s1, NC
  RUN MODE_S
  sd s4, 128(s0)
  sd s4, 136(s0)
  fence
  sw zero, 128(s1)
  fence
  ld a0, 128(s0)
  ld a1, 136(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0x1122334400000000
  EXPECT a1, 0x1122334455667788
  CASE 30  // what was written past the cache is there for the cache, which has not seen the line
  RUN MODE_S
  ld a0, 0(s0)
  END_RUN
  EXPECT a0, 0x1122000055660088
  CASE 31  // misaligned accesses to non-cacheable memory, within and across lines
  li s1, NC
  RUN MODE_S
  sd s4, 61(s1)
  ld a0, 61(s1)
  lhu a1, 63(s1)
  lwu a2, 62(s1)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0x1122334455667788
  EXPECT a1, 0x5566
  EXPECT a2, 0x44556677
  CASE 32  // atomics on non-cacheable memory
  li a1, 5
  RUN MODE_S
  sd zero, 256(s1)
  addi s3, s1, 256
  amoadd.d a0, a1, (s3)
  amoswap.w a2, a1, (s3)
  amoor.d a3, s4, (s3)
  ld a4, 0(s3)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0
  EXPECT a2, 5
  EXPECT a3, 5
  EXPECT a4, 0x112233445566778D
  CASE 33  // reservations too
  RUN MODE_S
  lr.d a0, (s3)
  addi a0, a0, 1
  sc.d a1, a0, (s3)
  sc.d a2, a0, (s3)
  ld a3, 0(s3)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a1, 0
  EXPECT a2, 1
  EXPECT a3, 0x112233445566778E
  CASE 34  // code in non-cacheable memory
  la s5, code
  la t0, data
  sub s5, s5, t0
  li t0, NC
  add s5, s5, t0
  RUN MODE_S
  jalr s5
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 42
  CASE 35  // the reserved type
  li s3, TEST_VA + 3 * PAGE
  RUN MODE_S
1: ld a0, 0(s3)
  END_RUN
  EXPECT_TRAP CAUSE_LOAD_PAGE, TEST_VA + 3 * PAGE, 1b
  CASE 36  // superpages
  SET_ENTRY_NUMBER test_level1, 1, 0x80000000, PTE_RWX | PTE_NC
  la s3, data
  li t0, TEST_VA + (1 << 21) - 0x80000000
  add s3, s3, t0
  RUN MODE_S
  ld a0, 256(s3)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 0x112233445566778E
  // Without PBMTE the types are reserved, for every access.
  WRITE_CSR MENVCFG, 0
  sfence.vma
  CASE 40
  RUN MODE_S
1: ld a0, 0(s1)
  END_RUN
  EXPECT_TRAP CAUSE_LOAD_PAGE, NC, 1b
  CASE 41
  RUN MODE_S
1: sd a0, 0(s2)
  END_RUN
  EXPECT_TRAP CAUSE_STORE_PAGE, IO, 1b
  CASE 42
  RUN MODE_S
  jr s1
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_PAGE
  EXPECT_TVAL NC
  CASE 43
  RUN MODE_S
  ld a0, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  CASE 44  // pointers never carry a type
  WRITE_CSR MENVCFG, PBMTE
  SET_ENTRY test_level1, 0, test_level0, PTE_V | PTE_NC
  RUN MODE_S
1: ld a0, 0(s0)
  END_RUN
  EXPECT_TRAP CAUSE_LOAD_PAGE, CACHED, 1b
TEST_END
PAGING_DATA
  .section .tables
  .balign PAGE
data:
  .zero 1024
code:
  li a0, 42
  ret
