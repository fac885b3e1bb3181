// SPDX-License-Identifier: Apache-2.0
// The event counters: each event is provoked and counted; selection, inhibition, and events of number 0 and 15.
// Exact where the architecture fixes the number, otherwise within bounds.
#include "verif/rtl/mpe/directed/test.h"
#include "verif/rtl/mpe/directed/paging.h"

#define EVENT_ICACHE_MISS 1
#define EVENT_DCACHE_MISS 2
#define EVENT_BRANCH 3
#define EVENT_MISPREDICT 4
#define EVENT_ITLB_MISS 5
#define EVENT_DTLB_MISS 6
#define EVENT_LOAD 7
#define EVENT_STORE 8
#define EVENT_STALL 9
#define EVENT_FETCH_EMPTY 10
#define EVENT_MEMORY_STALL 11
#define EVENT_TRAP 12
#define EVENT_UNCACHED 13
#define EVENT_WRITE_BACK 14

.macro COUNT event
  WRITE_CSR mhpmevent3, \event
  WRITE_CSR mhpmcounter3, 0
.endm

// Stops counting; a0 is the count.
.macro COUNTED
  csrw mhpmevent3, zero
  csrr a0, mhpmcounter3
.endm

.macro BETWEEN low, high
  li t6, \low
  bltu a0, t6, fail
  li t6, \high
  bltu t6, a0, fail
.endm

TEST_START
  la s0, area
  CASE 1
  COUNT EVENT_LOAD
  ld a1, 0(s0)
  lb a1, 1(s0)
  sd a1, 8(s0)
  lw a1, 8(s0)
  COUNTED
  EXPECT a0, 3
  CASE 2
  COUNT EVENT_STORE
  ld a1, 0(s0)
  sb a1, 1(s0)
  sd a1, 8(s0)
  COUNTED
  EXPECT a0, 2
  CASE 3  // branches and jumps, taken or not
  COUNT EVENT_BRANCH
  beqz zero, 1f
1: bnez zero, 1f
1: j 1f
1: jal 1f
1: la a1, 1f
  jr a1
1:
  COUNTED
  EXPECT a0, 5
  CASE 4
  COUNT EVENT_TRAP
  la s11, 1f
  ecall
1: la s11, 1f
  .4byte 0
1:
  csrw mhpmevent3, zero
  csrr a0, mhpmcounter3
  EXPECT a0, 2
  CASE 5  // an interrupt is one, too
  WRITE_CSR mie, 2
  COUNT EVENT_TRAP
  la s11, 1f
  csrsi mip, 2
  csrsi mstatus, STATUS_MIE
  j fail
1:
  COUNTED
  EXPECT a0, 1
  WRITE_CSR mip, 0
  CASE 6  // 32 KiB of new lines: 512 misses of the data cache
  li a2, 512
  la a1, area
  li a3, 64
  COUNT EVENT_DCACHE_MISS
1: ld a4, 0(a1)
  add a1, a1, a3
  addi a2, a2, -1
  bnez a2, 1b
  COUNTED
  BETWEEN 500, 530
  CASE 7  // and none when they are there
  ld a4, 0(s0)
  COUNT EVENT_DCACHE_MISS
  .rept 10
  ld a4, 0(s0)
  .endr
  COUNTED
  EXPECT a0, 0
  CASE 8  // dirty lines that have to go
  li a2, 256
  la a1, area
1: sd a2, 0(a1)
  add a1, a1, a3
  addi a2, a2, -1
  bnez a2, 1b
  li a2, 512
  la a1, area + 32768
  COUNT EVENT_WRITE_BACK
1: ld a4, 0(a1)
  add a1, a1, a3
  addi a2, a2, -1
  bnez a2, 1b
  COUNTED
  BETWEEN 240, 260
  CASE 9  // cbo and fence.i write back as well
  sd a2, 0(s0)
  COUNT EVENT_WRITE_BACK
  cbo.flush (s0)
  cbo.flush (s0)
  COUNTED
  EXPECT a0, 1
  CASE 10  // code that is not in the cache: straight code misses once in a page, what follows is asked for ahead
  fence.i
  COUNT EVENT_ICACHE_MISS
  la a1, far_code
  jalr a1
  COUNTED
  BETWEEN 1, 6
  CASE 11
  la a1, far_code
  jalr a1
  COUNT EVENT_ICACHE_MISS
  la a1, far_code
  jalr a1
  COUNTED
  BETWEEN 0, 2
  CASE 12  // a loop is predicted, its end is not
  li a2, 200
  COUNT EVENT_MISPREDICT
1: addi a2, a2, -1
  bnez a2, 1b
  COUNTED
  BETWEEN 1, 8
  CASE 13  // branches without a pattern are not
  li a2, 400
  li a4, 0x123456789ABCDEF
  li a5, 0x9E3779B97F4A7C15
  COUNT EVENT_MISPREDICT
1: mul a4, a4, a5
  addi a4, a4, 99
  bltz a4, 2f
  nop
2: addi a2, a2, -1
  bnez a2, 1b
  COUNTED
  BETWEEN 100, 500
  CASE 14  // use of a result that is not there yet
  li a1, 3
  COUNT EVENT_STALL
  .rept 20
  mul a2, a1, a1
  mul a2, a2, a1
  .endr
  COUNTED
  BETWEEN 10, 200
  CASE 15  // misses keep the memory stage waiting
  cbo.flush (s0)
  COUNT EVENT_MEMORY_STALL
  ld a4, 0(s0)
  add a4, a4, a4
  COUNTED
  BETWEEN 1, 500
  CASE 16
  COUNT EVENT_UNCACHED
  li a1, CLINT_MTIMECMP
  ld a2, 0(a1)
  sd a2, 0(a1)
  COUNTED
  EXPECT a0, 2
  CASE 17  // translations
  PAGING_ON
  li a1, TEST_VA
  .set page, 0
  .rept 8
  SET_ENTRY test_level0, page, area, PTE_RWX
  .set page, page + 1
  .endr
  li a3, PAGE
  COUNT EVENT_DTLB_MISS
  RUN MODE_S
  .rept 8
  ld a4, 0(a1)
  add a1, a1, a3
  .endr
  END_RUN
  COUNTED
  BETWEEN 8, 10
  CASE 18
  sfence.vma
  COUNT EVENT_ITLB_MISS
  RUN MODE_S
  END_RUN
  COUNTED
  BETWEEN 1, 3
  CASE 19  // fetches that come too late
  fence.i
  COUNT EVENT_FETCH_EMPTY
  la a1, far_code
  jalr a1
  COUNTED
  BETWEEN 1, 2000
  CASE 20  // nothing selected, and an event that does not exist
  WRITE_CSR mhpmcounter3, 7
  WRITE_CSR mhpmevent3, 0
  ld a1, 0(s0)
  EXPECT_CSR mhpmcounter3, 7
  WRITE_CSR mhpmevent3, 15
  ld a1, 0(s0)
  EXPECT_CSR mhpmcounter3, 7
  CASE 21  // inhibited
  COUNT EVENT_LOAD
  WRITE_CSR mcountinhibit, 8
  ld a1, 0(s0)
  csrr a0, mhpmcounter3
  EXPECT a0, 0
  WRITE_CSR mcountinhibit, 0x10
  ld a1, 0(s0)
  COUNTED
  EXPECT a0, 1
  WRITE_CSR mcountinhibit, 0
  // Every one of the eight counters
  .irp n, 3, 4, 5, 6, 7, 8, 9, 10
  CASE 30 + \n
  li t5, EVENT_STORE
  csrw mhpmevent\n, t5
  csrw mhpmcounter\n, zero
  sd zero, 0(s0)
  sd zero, 8(s0)
  csrw mhpmevent\n, zero
  csrr a0, mhpmcounter\n
  EXPECT a0, 2
  csrr a0, hpmcounter\n
  EXPECT a0, 2
  .endr
TEST_END
  .balign 64
far_code:  // 16 lines
  .option push
  .option norvc
  .rept 255
  nop
  .endr
  ret
  .option pop
PAGING_DATA
  .section .bss
  .balign PAGE
area:
  .zero 65536 + 32768
