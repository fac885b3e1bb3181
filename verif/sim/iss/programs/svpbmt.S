// SPDX-License-Identifier: Apache-2.0
// Memory types in page-table entries: what is allowed and what faults. (With Svpbmt on, QEMU 7.2
// neither refuses the reserved type nor any type while menvcfg disables them.)
// Loads are done from machine mode with MPRV, as supervisor. Prints the cause of each fault, or the value loaded.
#include "console.h"

#define PBMTE (1 << 62)
#define MPRV_AS_SUPERVISOR 0x20800
#define MODES 0x21800
#define VADDR 0x400000

  PROGRAM_START
  la t0, trap
  csrw mtvec, t0
  // root -> middle -> last, for VADDR
  la s1, root
  la s2, middle
  la s3, last
  srli t0, s2, 2
  ori t0, t0, 1
  sd t0, 0(s1)
  srli s4, s3, 2
  ori s4, s4, 1
  sd s4, 16(s2)
  la t0, page
  srli s5, t0, 2
  ori s5, s5, 0xc7  // valid, readable, writable, accessed, dirty
  srli t0, s1, 12
  li t1, 8 << 60
  or t0, t0, t1
  csrw satp, t0

  li t0, PBMTE
  csrw menvcfg, t0
  csrr t0, menvcfg
  PRINT t0
  li s7, 0  // memory type
types:
  slli s8, s7, 61
  or t0, s5, s8  // in the leaf
  sd t0, 0(s3)
  sd s4, 16(s2)
  call probe
  sd s5, 0(s3)   // in the pointer to the table
  or t0, s4, s8
  sd t0, 16(s2)
  call probe
  addi s7, s7, 1
  li t0, 3
  bne s7, t0, types
  PROGRAM_END

probe:
  sfence.vma
  li a0, VADDR
  li t0, MODES
  csrc mstatus, t0
  li t0, MPRV_AS_SUPERVISOR
  csrs mstatus, t0
  ld a1, 0(a0)
  li t0, MODES
  csrc mstatus, t0
  PRINT a1
  ret

  .balign 4
trap:
  csrr a1, mcause
  csrr t0, mepc
  addi t0, t0, 4
  csrw mepc, t0
  // back to machine mode, with MPRV as it is
  li t0, 0x1800
  csrs mstatus, t0
  mret

  .data
  .balign 4096
root:
  .zero 4096
middle:
  .zero 4096
last:
  .zero 4096
page:
  .dword 0x1122334455667788
  .zero 4088
