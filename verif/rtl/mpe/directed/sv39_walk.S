// SPDX-License-Identifier: Apache-2.0
// The way through the tables: pointers, superpages, what is reserved in them, and tables that cannot be read.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

.macro LOADS number, address, expected
  CASE \number
  li s0, \address
  RUN MODE_S
  ld a0, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, \expected
.endm

// Load, store and fetch.
.macro FAULTS number, address, load, store, fetch
  CASE \number
  li s0, \address
  RUN MODE_S
1: ld a0, 0(s0)
  END_RUN
  EXPECT_TRAP \load, \address, 1b
  RUN MODE_S
1: sd a0, 0(s0)
  END_RUN
  EXPECT_TRAP \store, \address, 1b
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE \fetch
  EXPECT_TVAL \address
  LOAD_RECORD t5, RECORD_EPC
  EXPECT t5, \address
.endm

#define PAGE_FAULTS CAUSE_LOAD_PAGE, CAUSE_STORE_PAGE, CAUSE_FETCH_PAGE
#define ACCESS_FAULTS CAUSE_LOAD_ACCESS, CAUSE_STORE_ACCESS, CAUSE_FETCH_ACCESS
#define VA2M (TEST_VA + (1 << 21))
#define VA1G (6 << 30)
#define PATTERN 0x1122334455667788

.macro LEVEL1 flags
  SET_ENTRY_NUMBER test_level1, 1, 0x80000000, \flags
.endm
.macro ROOT flags
  SET_ENTRY_NUMBER root_table, 6, 0x80000000, \flags
.endm

TEST_START
  PAGING_ON
  la s1, data
  li s2, PATTERN
  sd s2, 0(s1)
  li t0, 0x80000000
  sub s1, s1, t0  // the data's offset in memory: the same in every mapping
  // 4 KiB, 2 MiB and 1 GiB
  SET_ENTRY test_level0, 5, data, PTE_RW
  LOADS 1, TEST_VA + 5 * PAGE, PATTERN
  LEVEL1 PTE_RWX
  CASE 2
  li s0, VA2M
  add s0, s0, s1
  RUN MODE_S
  ld a0, 0(s0)
  END_RUN
  EXPECT a0, PATTERN
  CASE 3
  ROOT PTE_RWX
  li s0, VA1G
  add s0, s0, s1
  RUN MODE_S
  ld a0, 0(s0)
  END_RUN
  EXPECT a0, PATTERN
  CASE 4  // code in superpages
  la s0, code
  li t0, VA1G - 0x80000000
  add s0, s0, t0
  RUN MODE_S
  jr s0
  END_RUN
  EXPECT_CAUSE CAUSE_ECALL_S
  LOAD_RECORD t5, RECORD_EPC
  bne t5, s0, fail

  // Superpages whose address has bits below their size
  SET_ENTRY_NUMBER test_level1, 1, 0x80001000, PTE_RWX
  FAULTS 10, VA2M, PAGE_FAULTS
  SET_ENTRY_NUMBER test_level1, 1, 0x80100000, PTE_RWX
  FAULTS 11, VA2M, PAGE_FAULTS
  SET_ENTRY_NUMBER root_table, 6, 0x80200000, PTE_RWX
  FAULTS 12, VA1G, PAGE_FAULTS
  SET_ENTRY_NUMBER root_table, 6, 0x80001000, PTE_RWX
  FAULTS 13, VA1G, PAGE_FAULTS
  SET_ENTRY_NUMBER root_table, 6, 0xA0000000, PTE_RWX
  FAULTS 14, VA1G, PAGE_FAULTS
  // Superpages without A, V, with reserved bits
  LEVEL1 (PTE_RWX & ~PTE_A)
  FAULTS 20, VA2M + 0x1238, PAGE_FAULTS
  LEVEL1 (PTE_RWX & ~PTE_V)
  FAULTS 21, VA2M + 0x1238, PAGE_FAULTS
  LEVEL1 PTE_V | PTE_W | PTE_A | PTE_D
  FAULTS 22, VA2M, PAGE_FAULTS
  LEVEL1 PTE_RWX | (1 << 55)
  FAULTS 23, VA2M, PAGE_FAULTS
  LEVEL1 PTE_RWX | PTE_N
  FAULTS 24, VA2M, PAGE_FAULTS
  ROOT (PTE_RWX & ~PTE_A)
  FAULTS 25, VA1G + 0x12345678, PAGE_FAULTS
  ROOT PTE_RWX | PTE_NC
  FAULTS 26, VA1G, PAGE_FAULTS
  // Pointers: A, D and U are reserved there, as are the high bits
  .macro POINTER_FAULTS number, flags
  SET_ENTRY test_level1, 0, test_level0, PTE_V | \flags
  FAULTS \number, TEST_VA + 5 * PAGE, PAGE_FAULTS
  SET_ENTRY test_level1, 0, test_level0, PTE_V
  SET_ENTRY root_table, 5, test_level1, PTE_V | \flags
  FAULTS (\number + 1), TEST_VA + 5 * PAGE, PAGE_FAULTS
  SET_ENTRY root_table, 5, test_level1, PTE_V
  .endm
  POINTER_FAULTS 30, PTE_A
  POINTER_FAULTS 32, PTE_D
  POINTER_FAULTS 34, PTE_U
  POINTER_FAULTS 36, PTE_NC
  POINTER_FAULTS 38, PTE_N
  POINTER_FAULTS 40, (1 << 54)
  CASE 42  // G and the software bits are fine there
  SET_ENTRY root_table, 5, test_level1, PTE_V | PTE_G | 0x300
  LOADS 42, TEST_VA + 5 * PAGE, PATTERN
  // No entry at all
  FAULTS 50, TEST_VA + 6 * PAGE, PAGE_FAULTS
  FAULTS 51, TEST_VA + (3 << 21), PAGE_FAULTS
  FAULTS 52, 20 << 30, PAGE_FAULTS
  // Tables in places that cannot be read
  SET_ENTRY_NUMBER root_table, 6, VACANT, PTE_V
  FAULTS 60, VA1G, ACCESS_FAULTS
  SET_ENTRY_NUMBER root_table, 6, 0x10000000, PTE_V
  FAULTS 61, VA1G, ACCESS_FAULTS
  SET_ENTRY_NUMBER root_table, 6, (1 << 40), PTE_V
  FAULTS 62, VA1G, ACCESS_FAULTS
  SET_ENTRY_NUMBER test_level1, 1, VACANT, PTE_V
  FAULTS 63, VA2M, ACCESS_FAULTS
  CASE 64  // the root itself
  csrr s3, satp
  li t0, SATP_SV39 | (VACANT >> 12)
  csrw satp, t0
  sfence.vma
  li s0, TEST_VA
  RUN MODE_S
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_ACCESS
  csrw satp, s3
  sfence.vma
  // Addresses that are not canonical
  FAULTS 70, 0x0000004000000000, PAGE_FAULTS
  FAULTS 71, 0x0000008140000000 + 5 * PAGE, PAGE_FAULTS
  FAULTS 72, 0x8000000140000000 + 5 * PAGE, PAGE_FAULTS
  FAULTS 73, 0xFFFFFF8140000000 + 5 * PAGE, PAGE_FAULTS
  FAULTS 74, 0xFFFFFFBFFFFFF000, PAGE_FAULTS
  CASE 75  // the upper half, properly
  SET_ENTRY root_table, 511, test_level1, PTE_V
  SET_ENTRY root_table, 256, test_level1, PTE_V
  LOADS 75, 0xFFFFFFFFC0000000 + 5 * PAGE, PATTERN
  LOADS 76, 0xFFFFFFC000000000 + 5 * PAGE, PATTERN
  CASE 77  // page faults have priority over access faults: a leaf without rights that points nowhere
  SET_ENTRY_NUMBER test_level0, 9, VACANT, PTE_V | PTE_X | PTE_A | PTE_D
  li s0, TEST_VA + 9 * PAGE
  RUN MODE_S
1: ld a0, 0(s0)
  END_RUN
  EXPECT_TRAP CAUSE_LOAD_PAGE, TEST_VA + 9 * PAGE, 1b
TEST_END
PAGING_DATA
  .balign PAGE
data:
  .zero 64
code:
  ecall
