// SPDX-License-Identifier: Apache-2.0
// What the core's registers hold after reset.
#include "verif/rtl/mpe/directed/test.h"

  .section .text.init, "ax"
  .globl _start
_start:
  csrr s1, mstatus
  csrr s2, mtvec
  csrr s3, satp
  csrr s4, mie
  csrr s5, medeleg
  csrr s6, mideleg
  csrr s7, 0x30A  // menvcfg
  csrr s8, mcountinhibit

TEST_START start
  CASE 1
  EXPECT s1, 0xA00000000
  CASE 2
  EXPECT s2, 0
  CASE 3
  EXPECT s3, 0
  CASE 4
  EXPECT s4, 0
  CASE 5
  EXPECT s5, 0
  EXPECT s6, 0
  CASE 6
  EXPECT s7, 0
  EXPECT s8, 0
TEST_END
