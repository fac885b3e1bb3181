// SPDX-License-Identifier: Apache-2.0
// Every kind of leaf entry of a 4 KiB page: load, store and fetch in supervisor and user mode.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

// Checks the trap of an access: cause, and tval unless it is the ecall at the end.
.macro CHECK offset, index
  lbu a1, 8 + \index(s0)
  EXPECT_SAME_CAUSE a1
  addi t4, a1, -8
  andi t4, t4, -2
  beqz t4, 7f  // an ecall: the access was fine
  LOAD_RECORD t5, RECORD_TVAL
  addi t6, s1, \offset
  bne t5, t6, fail
7:
  addi gp, gp, 1
.endm

.macro EXPECT_SAME_CAUSE register
  LOAD_RECORD t5, RECORD_CAUSE
  bne t5, \register, fail
.endm

TEST_START
  PAGING_ON
  CASE 1
  li s1, TEST_VA
  la s2, target
  la s0, entries
1:
  // Case numbers: 10 for each entry.
  la t5, entries
  sub t5, s0, t5
  srli t5, t5, 4
  li t6, 10
  mul gp, t5, t6
  ld t5, 0(s0)
  li t6, -1
  beq t5, t6, 9f
  srli t6, s2, 12
  slli t6, t6, 10
  or t5, t5, t6
  la t6, test_level0
  sd t5, 0(t6)
  sfence.vma
  RUN MODE_S
  lw a0, 0(s1)
  END_RUN
  CHECK 0, 0
  RUN MODE_S
  sw a0, 64(s1)
  END_RUN
  CHECK 64, 1
  RUN MODE_S
  jr s1
  END_RUN
  CHECK 0, 2
  RUN MODE_U, USER_OFFSET
  lw a0, 0(s1)
  END_RUN
  CHECK 0, 3
  RUN MODE_U, USER_OFFSET
  sw a0, 64(s1)
  END_RUN
  CHECK 64, 4
  RUN MODE_U, USER_OFFSET
  jr s1
  END_RUN
  CHECK 0, 5
  addi s0, s0, 16
  j 1b
9:
TEST_END

PAGING_DATA
  .balign PAGE
target:
  ecall
  .zero 128

// Flags; the causes of load, store, fetch in S, then in U. 9 and 8 mean: fine.
.macro ENTRY flags, ls, ss, xs, lu, su, xu
  .dword \flags
  .byte \ls, \ss, \xs, \lu, \su, \xu, 0, 0
.endm

#define AD (PTE_A | PTE_D)
  .section .rodata
  .balign 16
entries:
  ENTRY 0, 13, 15, 12, 13, 15, 12
  ENTRY PTE_RWX, 9, 9, 9, 13, 15, 12
  ENTRY PTE_RWX | PTE_U, 13, 15, 12, 8, 8, 8
  ENTRY PTE_RWX | PTE_G, 9, 9, 9, 13, 15, 12
  ENTRY PTE_RWX | 0x300, 9, 9, 9, 13, 15, 12                        // bits for software
  ENTRY (PTE_RWX & ~PTE_V), 13, 15, 12, 13, 15, 12
  ENTRY PTE_V | PTE_R | AD, 9, 15, 12, 13, 15, 12
  ENTRY PTE_V | PTE_R | PTE_U | AD, 13, 15, 12, 8, 15, 12
  ENTRY PTE_V | PTE_X | AD, 13, 15, 9, 13, 15, 12
  ENTRY PTE_V | PTE_X | PTE_U | AD, 13, 15, 12, 13, 15, 8
  ENTRY PTE_V | PTE_R | PTE_X | AD, 9, 15, 9, 13, 15, 12
  ENTRY PTE_V | PTE_R | PTE_X | PTE_U | AD, 13, 15, 12, 8, 15, 8
  ENTRY PTE_RW, 9, 9, 12, 13, 15, 12
  ENTRY PTE_V | PTE_W | AD, 13, 15, 12, 13, 15, 12                  // reserved
  ENTRY PTE_V | PTE_W | PTE_X | AD, 13, 15, 12, 13, 15, 12          // reserved
  ENTRY PTE_V | PTE_W | PTE_U | AD, 13, 15, 12, 13, 15, 12
  ENTRY PTE_V, 13, 15, 12, 13, 15, 12                               // a pointer at the last level
  ENTRY (PTE_RWX & ~PTE_A), 13, 15, 12, 13, 15, 12                  // neither A nor D are set by the hart
  ENTRY (PTE_RWX & ~PTE_D), 9, 15, 9, 13, 15, 12
  ENTRY (PTE_RWX & ~AD), 13, 15, 12, 13, 15, 12
  ENTRY PTE_U | (PTE_RWX & ~PTE_A), 13, 15, 12, 13, 15, 12
  ENTRY PTE_U | (PTE_RWX & ~PTE_D), 13, 15, 12, 8, 15, 8
  ENTRY PTE_RWX | (1 << 54), 13, 15, 12, 13, 15, 12                 // reserved bits
  ENTRY PTE_RWX | (1 << 57), 13, 15, 12, 13, 15, 12
  ENTRY PTE_RWX | (1 << 60), 13, 15, 12, 13, 15, 12
  ENTRY PTE_RWX | PTE_U | (1 << 59), 13, 15, 12, 13, 15, 12
  ENTRY PTE_RWX | PTE_N, 13, 15, 12, 13, 15, 12                     // no Svnapot
  ENTRY PTE_RWX | PTE_NC, 13, 15, 12, 13, 15, 12                    // PBMTE is off
  ENTRY PTE_RWX | PTE_IO, 13, 15, 12, 13, 15, 12
  ENTRY PTE_RWX | PTE_NC | PTE_IO, 13, 15, 12, 13, 15, 12
  ENTRY PTE_RWX | (1 << 38), 5, 7, 1, 13, 15, 12                    // beyond the physical addresses
  ENTRY PTE_RWX | (1 << 53), 5, 7, 1, 13, 15, 12
  ENTRY PTE_RWX | (1 << 30), 5, 7, 1, 13, 15, 12                    // vacant
  ENTRY PTE_RWX | PTE_U | (1 << 30), 13, 15, 12, 5, 7, 1
  .dword -1
