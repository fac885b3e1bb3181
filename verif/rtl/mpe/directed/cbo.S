// SPDX-License-Identifier: Apache-2.0
// Cache-block operations: when they are legal, how they fault, and that clean and flush leave the data where they belong.
// cbo_effects.S tests their effects on the cache, which the model alone does not show.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

#define MENVCFG 0x30A
#define SENVCFG 0x10A
#define PBMTE (1 << 62)
#define CBCFE 0x40
#define CBIE_FLUSH 0x10
#define CBIE_INVAL 0x30
#define CACHED TEST_VA
#define NC (TEST_VA + PAGE)

// In a mode, with given configurations: whether inval, and whether clean and flush are legal.
.macro LEGALITY number, mode, menvcfg, senvcfg, inval, clean
  CASE \number
  WRITE_CSR MENVCFG, PBMTE | \menvcfg
  WRITE_CSR SENVCFG, \senvcfg
  TRY_OPERATION \mode, \inval, cbo.inval, 0x0004200F
  TRY_OPERATION \mode, \clean, cbo.clean, 0x0014200F
  TRY_OPERATION \mode, \clean, cbo.flush, 0x0024200F
.endm

.macro TRY_OPERATION mode, legal, insn, word
  RUN \mode
1: \insn 0(s0)
  END_RUN
  .if \legal
  EXPECT_NO_TRAP \mode
  .else
  EXPECT_CAUSE CAUSE_ILLEGAL
  EXPECT_TVAL \word
  .endif
.endm

// In supervisor mode: writes through the cache over what is in memory, does something, looks past the cache and through it.
.macro EFFECT number, menvcfg, insns:vararg
  CASE \number
  WRITE_CSR MENVCFG, PBMTE | CBCFE | CBIE_INVAL
  RUN MODE_S
  cbo.flush 0(s0)
  li a0, 1
  sd a0, 0(s1)
  fence
  ld a2, 0(s0)
  li a0, 2
  sd a0, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a2, 1
  WRITE_CSR MENVCFG, PBMTE | \menvcfg
  RUN MODE_S
  \insns
  fence
  ld a0, 0(s1)
  ld a1, 0(s0)
  END_RUN
  EXPECT_NO_TRAP MODE_S
  EXPECT a0, 2
  EXPECT a1, 2
.endm

.macro FAULT number, cause, address, insn:vararg
  CASE \number
  li s2, \address
  RUN MODE_S
1: \insn
  END_RUN
  EXPECT_TRAP \cause, \address, 1b
.endm

.macro FAULT_ILLEGAL number, address
  CASE \number
  li s0, \address
  RUN MODE_S
1: cbo.flush 0(s0)
  END_RUN
  EXPECT_TRAP CAUSE_ILLEGAL, 0x0024200F, 1b
.endm

TEST_START
  PAGING_ON
  SET_ENTRY test_level0, 0, data, PTE_RW
  SET_ENTRY test_level0, 1, data, PTE_RW | PTE_NC
  li s0, CACHED
  li s1, NC
  EFFECT 1, CBCFE | CBIE_INVAL, cbo.clean 0(s0)
  EFFECT 2, CBCFE | CBIE_INVAL, cbo.flush 0(s0)
  EFFECT 3, CBCFE | CBIE_FLUSH, cbo.inval 0(s0)
  addi s3, s0, 63  // any address of the block
  EFFECT 4, CBCFE | CBIE_INVAL, cbo.clean 0(s3)
  EFFECT 5, CBCFE | CBIE_FLUSH, cbo.inval 0(s3)
  CASE 14  // machine mode: no configuration needed
  WRITE_CSR MENVCFG, 0
  la s2, data
  RUN MODE_M
  cbo.inval 0(s2)
  cbo.clean 0(s2)
  cbo.flush 0(s2)
  END_RUN
  EXPECT_NO_TRAP MODE_M

  // Rights: those of a load or of a store suffice; faults are those of a store.
  WRITE_CSR MENVCFG, CBCFE | CBIE_INVAL
  SET_ENTRY test_level0, 2, data, PTE_V | PTE_R | PTE_A
  SET_ENTRY test_level0, 3, data, PTE_V | PTE_X | PTE_A | PTE_D
  SET_ENTRY test_level0, 4, data, PTE_RW | PTE_U
  SET_ENTRY test_level0, 5, data, (PTE_RW & ~PTE_A)
  SET_ENTRY test_level0, 6, data, 0
  SET_ENTRY_NUMBER test_level0, 7, VACANT, PTE_RW
  SET_ENTRY_NUMBER test_level0, 8, IO_SPACE, PTE_RW
  .macro ALLOWED number, address, insn:vararg
  CASE \number
  li s2, \address
  RUN MODE_S
  \insn
  END_RUN
  EXPECT_NO_TRAP MODE_S
  .endm
  ALLOWED 20, CACHED + 2 * PAGE, cbo.clean 0(s2)
  ALLOWED 21, CACHED + 2 * PAGE, cbo.flush 0(s2)
  ALLOWED 22, CACHED + 2 * PAGE, cbo.inval 0(s2)
  FAULT 23, CAUSE_STORE_PAGE, CACHED + 3 * PAGE, cbo.clean 0(s2)
  FAULT 24, CAUSE_STORE_PAGE, CACHED + 3 * PAGE + 5, cbo.flush 0(s2)
  FAULT 25, CAUSE_STORE_PAGE, CACHED + 4 * PAGE, cbo.inval 0(s2)
  FAULT 26, CAUSE_STORE_PAGE, CACHED + 5 * PAGE, cbo.clean 0(s2)
  FAULT 27, CAUSE_STORE_PAGE, CACHED + 6 * PAGE + 63, cbo.flush 0(s2)
  FAULT 28, CAUSE_STORE_ACCESS, CACHED + 7 * PAGE + 1, cbo.flush 0(s2)
  FAULT 29, CAUSE_STORE_ACCESS, CACHED + 7 * PAGE, cbo.inval 0(s2)
  ALLOWED 30, CACHED + 8 * PAGE, cbo.clean 0(s2)  // IO: nothing to do
  ALLOWED 31, CACHED + 8 * PAGE, cbo.inval 0(s2)
  CASE 32
  SET_CSR mstatus, STATUS_MXR  // makes executable pages readable
  ALLOWED 32, CACHED + 3 * PAGE, cbo.clean 0(s2)
  SET_CSR mstatus, STATUS_SUM
  ALLOWED 33, CACHED + 4 * PAGE, cbo.clean 0(s2)
  WRITE_CSR mstatus, 0
  CASE 34  // illegal comes first
  WRITE_CSR MENVCFG, 0
  FAULT_ILLEGAL 34, CACHED + 6 * PAGE
  // Which mode may do what. No translation from here on.
  csrw satp, zero
  la s0, data
  LEGALITY 41, MODE_S, 0, 0, 0, 0
  LEGALITY 42, MODE_S, CBCFE, 0, 0, 1
  LEGALITY 43, MODE_S, CBIE_FLUSH, 0, 1, 0
  LEGALITY 44, MODE_S, CBIE_INVAL, 0, 1, 0
  LEGALITY 45, MODE_S, 0, CBCFE | CBIE_INVAL, 0, 0
  LEGALITY 46, MODE_U, 0, 0, 0, 0
  LEGALITY 47, MODE_U, CBCFE | CBIE_INVAL, 0, 0, 0
  LEGALITY 48, MODE_U, 0, CBCFE | CBIE_INVAL, 0, 0
  LEGALITY 49, MODE_U, CBCFE, CBCFE, 0, 1
  LEGALITY 50, MODE_U, CBIE_FLUSH, CBIE_FLUSH, 1, 0
  LEGALITY 51, MODE_U, CBIE_INVAL, CBIE_FLUSH, 1, 0
  LEGALITY 52, MODE_U, CBCFE | CBIE_INVAL, CBCFE | CBIE_INVAL, 1, 1
  LEGALITY 53, MODE_M, 0, 0, 1, 1
TEST_END
PAGING_DATA
  .balign PAGE
data:
  .zero 128
