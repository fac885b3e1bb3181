// SPDX-License-Identifier: Apache-2.0
// Frame of the directed tests. A test is one assembly file:
//
//   #include "verif/rtl/mpe/directed/test.h"
//   TEST_START
//     CASE 1
//     li a0, 5
//     EXPECT a0, 5
//     CASE 2
//     RUN MODE_S, 0              // the next instructions run in supervisor mode
//   1: csrr a0, mstatus
//     END_RUN                    // back in machine mode, whether they trapped or not
//     EXPECT_TRAP CAUSE_ILLEGAL, 0x30002573, 1b
//   TEST_END
//
// The program ends with tohost = 1, or with the number of the failing case. Reserved registers: gp (the case),
// t4 to t6, s10 and s11. Traps end up in machine mode at END_RUN, after m_trap or s_trap has written a record.
#pragma once

#define CAUSE_FETCH_ACCESS 1
#define CAUSE_ILLEGAL 2
#define CAUSE_BREAKPOINT 3
#define CAUSE_LOAD_MISALIGNED 4
#define CAUSE_LOAD_ACCESS 5
#define CAUSE_STORE_MISALIGNED 6
#define CAUSE_STORE_ACCESS 7
#define CAUSE_ECALL_U 8
#define CAUSE_ECALL_S 9
#define CAUSE_ECALL_M 11
#define CAUSE_FETCH_PAGE 12
#define CAUSE_LOAD_PAGE 13
#define CAUSE_STORE_PAGE 15
#define INTERRUPT(n) ((1 << 63) | (n))
#define IRQ_SSI 1
#define IRQ_MSI 3
#define IRQ_STI 5
#define IRQ_MTI 7
#define IRQ_SEI 9
#define IRQ_MEI 11

#define MODE_U 0
#define MODE_S 1
#define MODE_M 3

#define STATUS_SIE 0x2
#define STATUS_MIE 0x8
#define STATUS_SPIE 0x20
#define STATUS_MPIE 0x80
#define STATUS_SPP 0x100
#define STATUS_MPP 0x1800
#define STATUS_MPP_S 0x800
#define STATUS_MPRV 0x20000
#define STATUS_SUM 0x40000
#define STATUS_MXR 0x80000
#define STATUS_TVM 0x100000
#define STATUS_TW 0x200000
#define STATUS_TSR 0x400000

#define CLINT_MSIP 0x02000000
#define CLINT_MTIMECMP 0x02004000
#define CLINT_MTIME 0x0200BFF8
#define VACANT 0x100000000
#define IO_SPACE 0x10000000

// In s10: this trap only takes the hart from the supervisor handler to machine mode.
#define RETURN_MAGIC 0x5AFE

// Offsets in the trap record.
#define RECORD_CAUSE 0
#define RECORD_EPC 8
#define RECORD_TVAL 16
#define RECORD_STATUS 24
#define RECORD_LEVEL 32
#define RECORD_COUNT 40

#ifdef __ASSEMBLER__

// clang-format off
// The program starts at _start; `start` is for those that have something to do before.
.macro TEST_START start=_start
  .option arch, +zicbom
  .option arch, +zicboz
  .section .text.init, "ax"
  .globl \start
\start:
  la t6, m_trap
  csrw mtvec, t6
  la t6, s_trap
  csrw stvec, t6
  li gp, 0
  j test_code

  .balign 256  // 64 entries in vectored mode
m_trap:
  .rept 16
  j m_trap_entry
  .balign 4
  .endr
m_trap_entry:
  li t6, RETURN_MAGIC
  beq s10, t6, 1f
  la t6, trap_record
  csrr t5, mcause
  sd t5, RECORD_CAUSE(t6)
  csrr t5, mepc
  sd t5, RECORD_EPC(t6)
  csrr t5, mtval
  sd t5, RECORD_TVAL(t6)
  csrr t5, mstatus
  sd t5, RECORD_STATUS(t6)
  li t5, MODE_M
  sd t5, RECORD_LEVEL(t6)
  ld t5, RECORD_COUNT(t6)
  addi t5, t5, 1
  sd t5, RECORD_COUNT(t6)
1:
  li s10, 0
  jr s11

  .balign 256
s_trap:
  .rept 16
  j s_trap_entry
  .balign 4
  .endr
s_trap_entry:
  li t6, RETURN_MAGIC
  beq s10, t6, 1f
  la t6, trap_record
  csrr t5, scause
  sd t5, RECORD_CAUSE(t6)
  csrr t5, sepc
  sd t5, RECORD_EPC(t6)
  csrr t5, stval
  sd t5, RECORD_TVAL(t6)
  csrr t5, sstatus
  sd t5, RECORD_STATUS(t6)
  li t5, MODE_S
  sd t5, RECORD_LEVEL(t6)
  ld t5, RECORD_COUNT(t6)
  addi t5, t5, 1
  sd t5, RECORD_COUNT(t6)
  li s10, RETURN_MAGIC
  ecall
1:  // the ecall itself came here: it is delegated
  ebreak

fail:
  slli gp, gp, 1
  ori gp, gp, 1
  j report
pass:
  li gp, 1
report:
  la t6, tohost
  sd gp, 0(t6)
  fence
1:
  j 1b

  .section .tohost, "aw"
  .balign 64
  .globl tohost
tohost:
  .dword 0
  .balign 64
  .globl fromhost
fromhost:
  .dword 0

  .data
  .balign 64
trap_record:
  .dword -1, 0, 0, 0, 0, 0

  .text
test_code:
.endm

.macro TEST_END
  j pass
.endm

.macro CASE number
  li gp, \number
.endm

// Fails unless the register holds the value.
.macro EXPECT register, value
  li t6, \value
  bne \register, t6, fail
.endm

.macro EXPECT_REGISTERS a, b
  bne \a, \b, fail
.endm

.macro EXPECT_ADDRESS register, symbol
  la t6, \symbol
  bne \register, t6, fail
.endm

.macro EXPECT_CSR csr, value
  csrr t5, \csr
  EXPECT t5, \value
.endm

.macro WRITE_CSR csr, value
  li t5, \value
  csrw \csr, t5
.endm

.macro SET_CSR csr, value
  li t5, \value
  csrs \csr, t5
.endm

.macro CLEAR_CSR csr, value
  li t5, \value
  csrc \csr, t5
.endm

// Drops to a mode, at the next instruction's address plus an offset. Clears the trap record.
.macro RUN mode, offset=0
  la t6, trap_record
  li t5, -1
  sd t5, RECORD_CAUSE(t6)
  la s11, 99f
  CLEAR_CSR mstatus, STATUS_MPP
  SET_CSR mstatus, (\mode << 11)
  la t5, 98f
  li t6, \offset
  add t5, t5, t6
  csrw mepc, t5
  mret
98:
.endm

// What runs up to here without a trap leaves by ecall.
.macro END_RUN
97:
  ecall
99:
.endm

.macro LOAD_RECORD register, offset
  la t6, trap_record
  ld \register, \offset(t6)
.endm

.macro EXPECT_CAUSE cause
  LOAD_RECORD t5, RECORD_CAUSE
  EXPECT t5, \cause
.endm

.macro EXPECT_TVAL value
  LOAD_RECORD t5, RECORD_TVAL
  EXPECT t5, \value
.endm

.macro EXPECT_EPC label, offset=0
  LOAD_RECORD t5, RECORD_EPC
  la t6, \label
  li t4, \offset
  add t6, t6, t4
  bne t5, t6, fail
.endm

.macro EXPECT_LEVEL level
  LOAD_RECORD t5, RECORD_LEVEL
  EXPECT t5, \level
.endm

.macro EXPECT_TRAP cause, tval, label, offset=0
  EXPECT_CAUSE \cause
  EXPECT_TVAL \tval
  EXPECT_EPC \label, \offset
.endm

// As above, where tval is the address of a symbol.
.macro EXPECT_TRAP_AT cause, symbol, label, offset=0
  EXPECT_CAUSE \cause
  LOAD_RECORD t5, RECORD_TVAL
  EXPECT_ADDRESS t5, \symbol
  EXPECT_EPC \label, \offset
.endm

// The run came to its end: the last trap is END_RUN's ecall.
.macro EXPECT_NO_TRAP mode
  EXPECT_CAUSE (8 + \mode)
.endm
// clang-format on

#endif
