# SPDX-License-Identifier: Apache-2.0
# What a CPE runs between launches. It sleeps in `launch` with its clock gated; a launch wakes it, and the kernel's return leads
# straight to `done`.
#
# From waking to the kernel's first instruction: argument, jr. From its ret to the end of the launch: done. Stack pointer and
# return address are set while nobody waits, for each launch anew: the last kernel may have left them anywhere.

#define CONTROL_LAUNCH(rd)   .insn r CUSTOM_0, 0, 0, rd, x0, x0
#define CONTROL_ARGUMENT(rd) .insn r CUSTOM_0, 0, 1, rd, x0, x0
#define CONTROL_DONE         .insn r CUSTOM_0, 0, 2, x0, x0, x0

.section .text.entry, "ax"
.option norvc
.globl daemon
.type daemon, @function
.balign 64
# At 0x4000_0000, so that one lui makes the return address.
kernel_returns:
    CONTROL_DONE
daemon:
    lui     sp, %hi(__ldm_end)
    lui     ra, %hi(kernel_returns)
    CONTROL_LAUNCH(t0)
    CONTROL_ARGUMENT(a0)
    jr      t0
.size daemon, . - daemon
