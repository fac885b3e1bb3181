// SPDX-License-Identifier: Apache-2.0
// ebreak and c.ebreak: cause 3, tval = pc, in every mode.
#include "verif/rtl/mpe/directed/test.h"

TEST_START
  .option norvc
  CASE 1
  RUN MODE_M
1: ebreak
  END_RUN
  EXPECT_TRAP_AT CAUSE_BREAKPOINT, 1b, 1b
  EXPECT_LEVEL MODE_M
  CASE 2
  RUN MODE_S
1: ebreak
  END_RUN
  EXPECT_TRAP_AT CAUSE_BREAKPOINT, 1b, 1b
  CASE 3
  RUN MODE_U
1: ebreak
  END_RUN
  EXPECT_TRAP_AT CAUSE_BREAKPOINT, 1b, 1b
  .option rvc
  CASE 4
  RUN MODE_U
  c.nop
1: c.ebreak
  END_RUN
  EXPECT_TRAP_AT CAUSE_BREAKPOINT, 1b, 1b
  CASE 5  // delegated: stval and sepc
  WRITE_CSR medeleg, (1 << CAUSE_BREAKPOINT)
  RUN MODE_U
1: c.ebreak
  END_RUN
  EXPECT_TRAP_AT CAUSE_BREAKPOINT, 1b, 1b
  EXPECT_LEVEL MODE_S
TEST_END
