# SPDX-License-Identifier: Apache-2.0
# Traps before there is a handler.
.globl main
main:
  csrw mtvec, zero
  ebreak
