// SPDX-License-Identifier: Apache-2.0
// Accesses to where there is nothing, or nothing of that kind: loads, stores, atomics and fetches without translation.
#include "verif/rtl/mpe/directed/test.h"

.macro DATA_FAULTS number, address, load, store, atomic, reserve
  CASE \number
  li s0, \address
  .irp size, b, h, w, d
  RUN MODE_M
1: l\size a0, 0(s0)
  END_RUN
  EXPECT_TRAP \load, \address, 1b
  RUN MODE_M
1: s\size a0, 0(s0)
  END_RUN
  EXPECT_TRAP \store, \address, 1b
  .endr
  RUN MODE_M
1: amoswap.d a0, a1, (s0)
  END_RUN
  EXPECT_TRAP \atomic, \address, 1b
  RUN MODE_M
1: lr.w a0, (s0)
  END_RUN
  EXPECT_TRAP \reserve, \address, 1b
.endm

.macro FETCH_FAULTS number, address
  CASE \number
  li s0, \address
  .irp mode, MODE_M, MODE_U
  RUN \mode
  jr s0
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_ACCESS
  EXPECT_TVAL \address
  LOAD_RECORD t5, RECORD_EPC
  bne t5, s0, fail
  .endr
.endm

#define NOTHING CAUSE_LOAD_ACCESS, CAUSE_STORE_ACCESS, CAUSE_STORE_ACCESS, CAUSE_LOAD_ACCESS

TEST_START
  DATA_FAULTS 1, 0, NOTHING
  DATA_FAULTS 2, 0xFF8, NOTHING
  DATA_FAULTS 3, 0x20000000, NOTHING
  DATA_FAULTS 4, 0x7FFFFFF8, NOTHING
  DATA_FAULTS 5, VACANT, NOTHING
  DATA_FAULTS 6, 0x7FFFFFFFF8, NOTHING
  DATA_FAULTS 7, (1 << 40), NOTHING
  DATA_FAULTS 8, (1 << 40) + 0x80000000, NOTHING  // not the memory 1 TiB below
  DATA_FAULTS 9, (1 << 63) + 0x80000000, NOTHING
  DATA_FAULTS 10, 0xFFFFFFFFFFFFFFF8, NOTHING
  DATA_FAULTS 11, 0xFFFFFFFF80000000, NOTHING
  FETCH_FAULTS 21, 0
  FETCH_FAULTS 22, 0x20000000
  FETCH_FAULTS 23, VACANT
  FETCH_FAULTS 24, (1 << 40)
  FETCH_FAULTS 25, (1 << 40) + 0x80000000
  FETCH_FAULTS 26, 0xFFFFFFFF80000000
  FETCH_FAULTS 27, CLINT_MSIP  // IO is not executed
  FETCH_FAULTS 28, IO_SPACE
  FETCH_FAULTS 29, VACANT + 2
  CASE 30  // a jump to such a place is itself complete: its link is written
  li s0, VACANT
  li s1, 0
  RUN MODE_M
  jalr s1, 0(s0)
1:
  END_RUN
  EXPECT_CAUSE CAUSE_FETCH_ACCESS
  EXPECT_ADDRESS s1, 1b
  CASE 31  // bit 0 of a jump's target is dropped
  RUN MODE_M
  jalr s1, 1(s0)
  END_RUN
  EXPECT_TVAL VACANT
  // Misaligned accesses to IO
  .macro MISALIGNED number, cause, offset, insn:vararg
  CASE \number
  RUN MODE_M
1: \insn
  END_RUN
  EXPECT_TRAP \cause, CLINT_MTIMECMP + \offset, 1b
  .endm
  li s0, CLINT_MTIMECMP
  MISALIGNED 41, CAUSE_LOAD_MISALIGNED, 1, lh a0, 1(s0)
  MISALIGNED 42, CAUSE_LOAD_MISALIGNED, 2, lw a0, 2(s0)
  MISALIGNED 43, CAUSE_LOAD_MISALIGNED, 4, ld a0, 4(s0)
  MISALIGNED 44, CAUSE_STORE_MISALIGNED, 3, sh a0, 3(s0)
  MISALIGNED 45, CAUSE_STORE_MISALIGNED, 1, sw a0, 1(s0)
  MISALIGNED 46, CAUSE_STORE_MISALIGNED, 7, sd a0, 7(s0)
  CASE 47  // and proper ones
  li a0, 0x123456789
  sd a0, 0(s0)
  lw a1, 4(s0)
  EXPECT a1, 1
  ld a1, 0(s0)
  EXPECT a1, 0x123456789
  li a0, -1
  sd a0, 0(s0)
  CASE 48  // misaligned, nowhere: an access fault at the access's own address
  li s0, VACANT + 3
  RUN MODE_M
1: ld a0, 0(s0)
  END_RUN
  EXPECT_TRAP CAUSE_LOAD_ACCESS, VACANT + 3, 1b
  CASE 49  // a store that faults leaves the stores around it alone
  la s1, word
  li a1, 7
  RUN MODE_M
  sd a1, 0(s1)
1: sd a1, 0(s0)
  sd zero, 0(s1)
  END_RUN
  EXPECT_CAUSE CAUSE_STORE_ACCESS
  EXPECT_EPC 1b
  ld a0, 0(s1)
  EXPECT a0, 7
TEST_END
  .data
  .balign 8
word:
  .dword 0
