// SPDX-License-Identifier: Apache-2.0
// What cache-block operations do to the data cache, seen through the event counters and by what an invalidation loses.
// Only for the RTL, in lockstep: the model alone has no caches and nothing to lose.
#include "verif/rtl/mpe/directed/test.h"

#define MENVCFG 0x30A
#define CBCFE 0x40
#define CBIE_FLUSH 0x10
#define CBIE_INVAL 0x30
#define EVENT_DCACHE_MISS 2
#define EVENT_WRITE_BACK 14

// Runs an operation on a line that is dirty (or clean), then loads from it: write-backs of the operation, misses of the
// load.
.macro EFFECT number, mode, dirty, write_backs, misses, insn:vararg
  CASE \number
  ld a0, 0(s0)
  .if \dirty
  addi a0, a0, 1
  sd a0, 0(s0)
  .endif
  fence
  WRITE_CSR mhpmevent3, EVENT_WRITE_BACK
  WRITE_CSR mhpmevent4, EVENT_DCACHE_MISS
  WRITE_CSR mhpmcounter3, 0
  RUN \mode
  \insn
  END_RUN
  csrr s2, mhpmcounter3
  WRITE_CSR mhpmcounter4, 0
  ld a1, 0(s0)
  csrr s3, mhpmcounter4
  EXPECT_REGISTERS a1, a0
  EXPECT s2, \write_backs
  EXPECT s3, \misses
.endm

// What a load sees after a store over flushed data and an invalidation.
.macro LOSES number, mode, expected, insn:vararg
  CASE \number
  li a0, 1
  sd a0, 0(s0)
  cbo.flush 0(s0)
  li a0, 2
  sd a0, 0(s0)
  fence
  RUN \mode
  \insn
  END_RUN
  EXPECT_NO_TRAP \mode
  ld a0, 0(s0)
  EXPECT a0, \expected
.endm

TEST_START
  la s0, line
  addi s1, s0, 63
  addi s4, s0, 64
  WRITE_CSR MENVCFG, CBCFE | CBIE_INVAL
  WRITE_CSR 0x10A, CBCFE | CBIE_INVAL
  EFFECT 1, MODE_M, 1, 1, 0, cbo.clean 0(s0)
  EFFECT 2, MODE_M, 0, 0, 0, cbo.clean 0(s0)
  EFFECT 3, MODE_M, 1, 1, 1, cbo.flush 0(s0)
  EFFECT 4, MODE_M, 0, 0, 1, cbo.flush 0(s0)
  EFFECT 5, MODE_S, 1, 1, 0, cbo.clean 0(s1)
  EFFECT 6, MODE_U, 1, 1, 1, cbo.flush 0(s1)
  EFFECT 7, MODE_M, 1, 0, 0, cbo.flush 0(s4)
  cbo.flush 0(s0)
  EFFECT 8, MODE_M, 0, 0, 1, cbo.inval 0(s0)
  cbo.flush 0(s0)
  // A line that becomes zero is not read from memory.
  WRITE_CSR mhpmcounter4, 0
  cbo.zero 0(s0)
  sd zero, 8(s0)
  ld a0, 0(s0)
  csrr s3, mhpmcounter4
  CASE 9
  EXPECT s3, 0
  EXPECT a0, 0
  cbo.flush 0(s0)
  cbo.flush 0(s0)  // of a line that is not there
  LOSES 11, MODE_M, 1, cbo.inval 0(s0)
  LOSES 12, MODE_S, 1, cbo.inval 0(s0)
  LOSES 13, MODE_U, 1, cbo.inval 0(s1)
  LOSES 14, MODE_M, 2, cbo.inval 0(s4)
  LOSES 15, MODE_M, 2, cbo.clean 0(s0)
  LOSES 16, MODE_M, 2, cbo.flush 0(s0)
  // Inval as flush: in the mode's own configuration, or in that of the one above.
  WRITE_CSR MENVCFG, CBCFE | CBIE_FLUSH
  LOSES 21, MODE_S, 2, cbo.inval 0(s0)
  LOSES 22, MODE_U, 2, cbo.inval 0(s0)
  LOSES 23, MODE_M, 1, cbo.inval 0(s0)
  WRITE_CSR MENVCFG, CBCFE | CBIE_INVAL
  WRITE_CSR 0x10A, CBCFE | CBIE_FLUSH
  LOSES 24, MODE_S, 1, cbo.inval 0(s0)
  LOSES 25, MODE_U, 2, cbo.inval 0(s0)
TEST_END
  .bss
  .balign 64
line:
  .zero 128
