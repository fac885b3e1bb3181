// SPDX-License-Identifier: Apache-2.0
// Which bits of each CSR can be written, and what the rest reads as.
#include "verif/rtl/mpe/directed/test.h"

.macro WRITABLE csr, value, expected
  WRITE_CSR \csr, \value
  EXPECT_CSR \csr, \expected
.endm

TEST_START
  CASE 1
  EXPECT_CSR misa, 0x8000000000941105
  WRITE_CSR misa, 0
  EXPECT_CSR misa, 0x8000000000941105
  CASE 2
  EXPECT_CSR mvendorid, 0
  EXPECT_CSR marchid, 0
  EXPECT_CSR mimpid, 1
  EXPECT_CSR mhartid, 0
  EXPECT_CSR 0xF15, 0  // mconfigptr
  CASE 3
  WRITABLE medeleg, -1, 0xB3FF
  WRITABLE medeleg, 0, 0
  CASE 4
  WRITABLE mideleg, -1, 0x222
  WRITABLE mideleg, 0, 0
  CASE 5
  WRITABLE mie, -1, 0xAAA
  WRITABLE mie, 0, 0
  CASE 6  // of mip, what software may make pending
  li s3, 0x888
  csrr s0, mip
  and s0, s0, s3
  WRITE_CSR mip, -1
  csrr s1, mip
  andi s2, s1, 0x222
  EXPECT s2, 0x222
  and s2, s1, s3
  EXPECT_REGISTERS s2, s0
  WRITE_CSR mip, 0
  csrr s1, mip
  EXPECT_REGISTERS s1, s0
  CASE 7  // mtvec: four-byte aligned, direct or vectored
  csrr s0, mtvec
  WRITABLE mtvec, -1, -3
  WRITABLE mtvec, 0x1235, 0x1235
  WRITABLE mtvec, 0x1236, 0x1234
  WRITABLE mtvec, 0x1237, 0x1235
  WRITABLE mtvec, 0, 0
  csrw mtvec, s0
  CASE 8
  csrr s0, stvec
  WRITABLE stvec, -1, -3
  WRITABLE stvec, 0x80000006, 0x80000004
  csrw stvec, s0
  CASE 9
  WRITABLE mepc, -1, -2
  WRITABLE sepc, -1, -2
  WRITABLE mepc, 0x123456789ABCDEF3, 0x123456789ABCDEF2
  CASE 10
  WRITABLE mcause, -1, -1
  WRITABLE mcause, 0x5555555555555555, 0x5555555555555555
  WRITABLE scause, -1, -1
  WRITABLE scause, 0, 0
  CASE 11
  WRITABLE mtval, -1, -1
  WRITABLE stval, -1, -1
  WRITABLE mscratch, -1, -1
  WRITABLE sscratch, -1, -1
  WRITABLE stval, 0, 0
  CASE 12
  WRITABLE mcounteren, -1, 0xFFFFFFFF
  WRITABLE scounteren, -1, 0xFFFFFFFF
  WRITABLE scounteren, 0, 0
  CASE 13  // menvcfg: PBMTE, CBCFE, CBIE, FIOM. A write of the reserved CBIE keeps the old one.
  WRITABLE 0x30A, 0, 0
  WRITABLE 0x30A, -1, 0x40000000000000F1
  WRITABLE 0x30A, 0x20, 0x30
  WRITABLE 0x30A, 0x10, 0x10
  WRITABLE 0x30A, 0x60, 0x50
  WRITABLE 0x30A, 0, 0
  WRITABLE 0x30A, 0x20, 0
  CASE 14
  WRITABLE 0x10A, -1, 0xF1
  WRITABLE 0x10A, 0x20, 0x30
  WRITABLE 0x10A, 0, 0
  CASE 15  // mcountinhibit: cycle, instret and the eight event counters
  WRITABLE mcountinhibit, -1, 0x7FD
  WRITABLE mcountinhibit, 0, 0
  CASE 16
  WRITABLE mhpmevent3, -1, 0xF
  WRITABLE mhpmevent10, 0x75, 5
  WRITABLE mhpmevent11, -1, 0
  WRITABLE mhpmevent31, -1, 0
  WRITABLE mhpmcounter11, -1, 0
  WRITABLE mhpmcounter31, -1, 0
  WRITABLE mhpmevent3, 0, 0
  WRITABLE mhpmevent10, 0, 0
  WRITABLE mhpmcounter3, 0x123456789ABCDEF0, 0x123456789ABCDEF0
  WRITABLE mhpmcounter10, -1, -1
  CASE 17  // the debug trigger registers are there and empty
  WRITABLE 0x7A0, -1, 0
  WRITABLE 0x7A1, -1, 0
  WRITABLE 0x7A2, -1, 0
  WRITABLE 0x7A3, -1, 0
  CASE 18  // satp: no ASIDs; an unknown mode changes nothing at all
  WRITABLE satp, 0x8FFFF00000000000 | 0x0FFFFFFF, 0x800000000FFFFFFF
  WRITE_CSR satp, 0x9000000000000123
  EXPECT_CSR satp, 0x800000000FFFFFFF
  WRITE_CSR satp, 0xF000000000000000
  EXPECT_CSR satp, 0x800000000FFFFFFF
  WRITABLE satp, 0, 0
  CASE 19  // mstatus
  WRITE_CSR mie, 0
  WRITE_CSR mstatus, -1
  csrr s0, mstatus
  EXPECT s0, 0xA007E19AA
  WRITE_CSR mstatus, 0
  csrr s0, mstatus
  EXPECT s0, 0xA00000000
  CASE 20  // sstatus is a view of it
  WRITE_CSR sstatus, -1
  EXPECT_CSR sstatus, 0x2000C0122
  EXPECT_CSR mstatus, 0xA000C0122
  WRITE_CSR mstatus, 0x7E19AA
  EXPECT_CSR sstatus, 0x2000C0122
  WRITE_CSR sstatus, 0
  EXPECT_CSR mstatus, 0xA00721888
  WRITE_CSR mstatus, 0
  CASE 21  // sie shows what is delegated
  WRITE_CSR mie, 0xAAA
  EXPECT_CSR sie, 0
  WRITE_CSR mideleg, 0x222
  EXPECT_CSR sie, 0x222
  WRITE_CSR sie, 0
  EXPECT_CSR mie, 0x888
  WRITE_CSR mideleg, 0x020
  WRITE_CSR sie, -1
  EXPECT_CSR mie, 0x8A8
  EXPECT_CSR sie, 0x20
  WRITE_CSR mie, 0
  CASE 22  // sip too; only SSIP can be written there
  WRITE_CSR mip, 0x222
  EXPECT_CSR sip, 0x020
  WRITE_CSR mideleg, 0x222
  EXPECT_CSR sip, 0x222
  WRITE_CSR sip, 0
  EXPECT_CSR sip, 0x220
  WRITE_CSR sip, -1
  EXPECT_CSR sip, 0x222
  WRITE_CSR mip, 0
  WRITE_CSR sip, -1
  EXPECT_CSR sip, 0x002
  WRITE_CSR mideleg, 0
  WRITE_CSR sip, 0
  csrr s0, mip
  andi s0, s0, 0x222
  EXPECT s0, 2
  WRITE_CSR mip, 0
TEST_END
