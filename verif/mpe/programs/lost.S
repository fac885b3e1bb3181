# Traps before there is a handler.
.globl main
main:
  csrw mtvec, zero
  ebreak
