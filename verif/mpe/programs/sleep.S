# Sleeps for ever: no interrupt is enabled.
.globl main
main:
  wfi
  j main
