# SPDX-License-Identifier: Apache-2.0
# Sleeps for ever: no interrupt is enabled.
.globl main
main:
  wfi
  j main
