// SPDX-License-Identifier: Apache-2.0
// The six CSR instructions: what is read, what is written, and what counts as a write.
#include "verif/rtl/mpe/directed/test.h"

TEST_START
  CASE 1
  li a0, 0x123456789ABCDEF0
  csrrw zero, mscratch, a0
  csrrw a1, mscratch, zero
  EXPECT a1, 0x123456789ABCDEF0
  csrr a1, mscratch
  EXPECT a1, 0
  CASE 2  // swap with the same register
  li a0, 5
  csrw mscratch, a0
  li a0, 9
  csrrw a0, mscratch, a0
  EXPECT a0, 5
  EXPECT_CSR mscratch, 9
  CASE 3
  WRITE_CSR mscratch, 0x0F
  li a0, 0xF0
  csrrs a1, mscratch, a0
  EXPECT a1, 0x0F
  EXPECT_CSR mscratch, 0xFF
  CASE 4
  li a0, 0x3C
  csrrc a1, mscratch, a0
  EXPECT a1, 0xFF
  EXPECT_CSR mscratch, 0xC3
  CASE 5
  csrrs a0, mscratch, a0
  EXPECT a0, 0xC3
  EXPECT_CSR mscratch, 0xFF
  CASE 6
  li a0, 0x81
  csrrc a0, mscratch, a0
  EXPECT a0, 0xFF
  EXPECT_CSR mscratch, 0x7E
  CASE 7
  csrrwi a0, mscratch, 31
  EXPECT a0, 0x7E
  EXPECT_CSR mscratch, 31
  CASE 8
  csrrsi a0, mscratch, 0
  EXPECT a0, 31
  csrrci a0, mscratch, 0x15
  EXPECT a0, 31
  EXPECT_CSR mscratch, 10
  csrrsi a0, mscratch, 1
  EXPECT a0, 10
  EXPECT_CSR mscratch, 11
  CASE 9  // back to back, each seeing the one before
  li a0, 1
  csrw mscratch, a0
  csrrs a1, mscratch, a0
  csrrw a2, mscratch, a1
  csrrs a3, mscratch, a2
  csrrc a4, mscratch, a3
  csrr a5, mscratch
  EXPECT a2, 1
  EXPECT a3, 1
  EXPECT a4, 1
  EXPECT a5, 0
  CASE 10  // read-only CSRs: reading in any form is no write
  RUN MODE_M
  csrrs a0, mhartid, zero
  csrrc a0, mhartid, zero
  csrrsi a0, mhartid, 0
  csrrci a0, mhartid, 0
  END_RUN
  EXPECT_NO_TRAP MODE_M
  .macro READ_ONLY number, insn:vararg
  CASE \number
  RUN MODE_M
1: \insn
  END_RUN
  EXPECT_CAUSE CAUSE_ILLEGAL
  EXPECT_EPC 1b
  .endm
  READ_ONLY 11, csrrw a0, mhartid, zero
  READ_ONLY 12, csrrw zero, mhartid, zero
  READ_ONLY 13, csrrs a0, mhartid, a1
  READ_ONLY 14, csrrc a0, mhartid, a1
  READ_ONLY 15, csrrwi a0, mvendorid, 0
  READ_ONLY 16, csrrsi a0, marchid, 1
  READ_ONLY 17, csrrci zero, mimpid, 1
  READ_ONLY 18, csrrw zero, cycle, zero
  READ_ONLY 19, csrrs zero, instret, a1
  READ_ONLY 20, csrrs zero, time, a1
  READ_ONLY 21, csrrs zero, hpmcounter3, a1
  CASE 22  // a register that is zero, but not x0, writes
  li a1, 0
  RUN MODE_M
1: csrrs a0, mhartid, a1
  END_RUN
  EXPECT_TRAP CAUSE_ILLEGAL, 0xF145A573, 1b
  CASE 23  // an illegal CSR access leaves rd alone
  li a0, 77
  RUN MODE_U
1: csrrw a0, mscratch, a1
  END_RUN
  EXPECT_CAUSE CAUSE_ILLEGAL
  EXPECT a0, 77
TEST_END
