// SPDX-License-Identifier: Apache-2.0
// Page tables for the directed tests. All of memory is mapped twice by 1 GiB pages:
//   VA 0x8000_0000  supervisor, every permission, identity
//   VA 0xC000_0000  user, every permission (KERNEL + USER_OFFSET)
// Tests hang their own pages under VA 0x1_4000_0000 (TEST_VA): test_level1[0] points to test_level0.
#pragma once

#define PTE_V 0x01
#define PTE_R 0x02
#define PTE_W 0x04
#define PTE_X 0x08
#define PTE_U 0x10
#define PTE_G 0x20
#define PTE_A 0x40
#define PTE_D 0x80
#define PTE_RW (PTE_V | PTE_R | PTE_W | PTE_A | PTE_D)
#define PTE_RWX (PTE_RW | PTE_X)
#define PTE_NC (1 << 61)
#define PTE_IO (2 << 61)
#define PTE_N (1 << 63)
#define USER_OFFSET 0x40000000
#define TEST_VA 0x140000000
#define SATP_SV39 (8 << 60)
#define PAGE 4096

#ifdef __ASSEMBLER__

// clang-format off
.macro PAGING_DATA
  .section .tables, "aw"
  .balign PAGE
root_table:
  .zero PAGE
test_level1:
  .zero PAGE
test_level0:
  .zero PAGE
  .data
.endm

// Entry `index` of a table: address (a symbol or a number) and flags.
.macro SET_ENTRY table, index, address, flags
  la t5, \address
  SET_ENTRY_T5 \table, \index, \flags
.endm

.macro SET_ENTRY_NUMBER table, index, address, flags
  li t5, \address
  SET_ENTRY_T5 \table, \index, \flags
.endm

.macro SET_ENTRY_T5 table, index, flags
  srli t5, t5, 12
  slli t5, t5, 10
  li t6, \flags
  or t5, t5, t6
  la t6, \table
  li t4, (\index) * 8
  add t6, t6, t4
  sd t5, 0(t6)
  sfence.vma
.endm

.macro PAGING_ON
  SET_ENTRY_NUMBER root_table, 2, 0x80000000, PTE_RWX
  SET_ENTRY_NUMBER root_table, 3, 0x80000000, (PTE_RWX | PTE_U)
  SET_ENTRY root_table, 5, test_level1, PTE_V
  SET_ENTRY test_level1, 0, test_level0, PTE_V
  la t5, root_table
  srli t5, t5, 12
  li t6, SATP_SV39
  or t5, t5, t6
  csrw satp, t5
  sfence.vma
.endm
// clang-format on

#endif
