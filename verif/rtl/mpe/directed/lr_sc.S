// SPDX-License-Identifier: Apache-2.0
// Load-reserved and store-conditional: what keeps a reservation and what ends it.
#include "verif/rtl/mpe/directed/test.h"

// After `insns` between lr and sc, whether sc succeeds (0) or fails (1).
.macro BETWEEN number, expected, insns:vararg
  CASE \number
  sd zero, 0(s0)
  li a1, 9
  lr.d a0, (s0)
  \insns
  sc.d a2, a1, (s0)
  EXPECT a2, \expected
  ld a3, 0(s0)
  EXPECT a3, (1 - \expected) * 9
.endm

.macro MISALIGNED number, cause, address, insn:vararg
  CASE \number
  RUN MODE_M
1: \insn
  END_RUN
  EXPECT_CAUSE \cause
  EXPECT_EPC 1b
  LOAD_RECORD t5, RECORD_TVAL
  bne t5, \address, fail
.endm

TEST_START
  la s0, line
  addi s1, s0, 64
  CASE 1
  li a0, 0x1234567887654321
  sd a0, 0(s0)
  lr.d a1, (s0)
  EXPECT a1, 0x1234567887654321
  li a2, 5
  sc.d a3, a2, (s0)
  EXPECT a3, 0
  ld a4, 0(s0)
  EXPECT a4, 5
  CASE 2  // words: sign-extended, the other half stays
  li a0, 0x12345678FEDCBA98
  sd a0, 0(s0)
  lr.w a1, (s0)
  EXPECT a1, 0xFFFFFFFFFEDCBA98
  sc.w a3, zero, (s0)
  EXPECT a3, 0
  ld a4, 0(s0)
  EXPECT a4, 0x1234567800000000
  CASE 3  // without a reservation
  li a0, 7
  sc.d a1, a0, (s0)
  EXPECT a1, 1
  ld a4, 0(s0)
  EXPECT a4, 0x1234567800000000
  CASE 4  // sc ends it, successful or not
  lr.d a0, (s0)
  sc.d a1, a0, (s0)
  sc.d a2, a0, (s0)
  EXPECT a1, 0
  EXPECT a2, 1
  CASE 5
  lr.d a0, (s0)
  sc.d a1, a0, (s1)
  sc.d a2, a0, (s0)
  EXPECT a1, 1
  EXPECT a2, 1
  CASE 6  // the second lr counts
  lr.d a0, (s0)
  lr.d a0, (s1)
  sc.d a1, a0, (s0)
  EXPECT a1, 1
  CASE 7
  lr.d a0, (s1)
  lr.d a0, (s0)
  sc.d a1, a0, (s0)
  EXPECT a1, 0
  CASE 8  // the reservation is a line: another word of it, another size
  addi s2, s0, 56
  lr.d a0, (s0)
  li a1, 11
  sc.w a2, a1, (s2)
  EXPECT a2, 0
  lw a3, 0(s2)
  EXPECT a3, 11
  CASE 9
  addi s2, s0, -8
  lr.d a0, (s0)
  sc.d a2, a1, (s2)
  EXPECT a2, 1
  CASE 10  // rd = x0, and rd = address
  li a1, 13
  lr.d zero, (s0)
  sc.d zero, a1, (s0)
  ld a0, 0(s0)
  EXPECT a0, 13
  mv a0, s0
  lr.d a0, (a0)
  EXPECT a0, 13
  mv a0, s0
  sc.d a0, a1, (a0)
  EXPECT a0, 0
  BETWEEN 20, 0, nop
  BETWEEN 21, 0, ld a4, 0(s0)
  BETWEEN 22, 0, ld a4, 0(s1)
  BETWEEN 23, 0, sd a1, 8(s0)  // one's own stores do not end it, even to the same line
  BETWEEN 24, 0, sd a1, 0(s0)
  BETWEEN 25, 0, sd a1, 0(s1)
  BETWEEN 26, 0, amoadd.d a4, a1, (s1)
  BETWEEN 27, 0, fence
  BETWEEN 28, 0, fence.i
  BETWEEN 29, 0, csrr a4, mscratch
  CASE 30  // a trap ends it
  sd zero, 0(s0)
  la s11, 3f
  lr.d a0, (s0)
  ecall
3: sc.d a2, a1, (s0)
  EXPECT a2, 1
  CASE 31  // a return from a trap ends it
  lr.d a0, (s0)
  WRITE_CSR mstatus, STATUS_MPP
  la t5, 3f
  csrw mepc, t5
  mret
3: sc.d a2, a1, (s0)
  EXPECT a2, 1
  CASE 32
  lr.d a0, (s0)
  la t5, 3f
  csrw sepc, t5
  WRITE_CSR mstatus, STATUS_SPP
  la s11, 4f
  sret
3: sc.d a2, a1, (s0)
  ecall
4: EXPECT a2, 1
  CASE 33  // an interrupt ends it
  WRITE_CSR mie, 2
  la s11, 3f
  lr.d a0, (s0)
  csrsi mip, 2
  csrsi mstatus, STATUS_MIE
  j fail
3: sc.d a2, a1, (s0)
  EXPECT a2, 1
  WRITE_CSR mip, 0
  CASE 34  // a loop that counts, as locks do
  li s3, 100
  sd zero, 0(s0)
1: lr.d a0, (s0)
  addi a0, a0, 1
  sc.d a1, a0, (s0)
  bnez a1, 1b
  addi s3, s3, -1
  bnez s3, 1b
  ld a0, 0(s0)
  EXPECT a0, 100
  CASE 35  // acquire and release forms
  lr.d.aq a0, (s0)
  sc.d.rl a1, a0, (s0)
  EXPECT a1, 0
  lr.w.aqrl a0, (s0)
  sc.w.aqrl a1, a0, (s0)
  EXPECT a1, 0
  // Alignment: also when the sc would fail anyway
  addi s2, s0, 4
  addi s3, s0, 1
  addi s4, s0, 2
  MISALIGNED 40, CAUSE_LOAD_MISALIGNED, s2, lr.d a0, (s2)
  MISALIGNED 41, CAUSE_LOAD_MISALIGNED, s3, lr.w a0, (s3)
  MISALIGNED 42, CAUSE_LOAD_MISALIGNED, s4, lr.w a0, (s4)
  MISALIGNED 43, CAUSE_STORE_MISALIGNED, s2, sc.d a0, a1, (s2)
  MISALIGNED 44, CAUSE_STORE_MISALIGNED, s3, sc.w a0, a1, (s3)
  MISALIGNED 45, CAUSE_STORE_MISALIGNED, s2, amoswap.d a0, a1, (s2)
  MISALIGNED 46, CAUSE_STORE_MISALIGNED, s4, amomaxu.w a0, a1, (s4)
  CASE 47
  lr.w a0, (s2)
  sc.w a1, a0, (s2)
  EXPECT a1, 0
  // Where there is no memory to reserve
  li s5, IO_SPACE
  li s6, VACANT
  MISALIGNED 50, CAUSE_LOAD_ACCESS, s5, lr.w a0, (s5)
  MISALIGNED 51, CAUSE_STORE_ACCESS, s5, amoadd.w a0, a1, (s5)
  MISALIGNED 52, CAUSE_LOAD_ACCESS, s6, lr.d a0, (s6)
  MISALIGNED 53, CAUSE_STORE_ACCESS, s6, amoadd.d a0, a1, (s6)
  MISALIGNED 54, CAUSE_STORE_ACCESS, s5, sc.w a0, a1, (s5)
TEST_END
  .data
  .balign 64
  .zero 64
line:
  .zero 192
