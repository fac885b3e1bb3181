# SPDX-License-Identifier: Apache-2.0
# void swai_switch(void** leave, void* enter): the thread that runs is left, another one goes on. What a function keeps for its
# caller is on the stack meanwhile (Kept in swai/switch.hpp), so the thread that is left finds that swai_switch has returned.
.section .text.swai_switch, "ax"
.globl swai_switch
.type swai_switch, @function
swai_switch:
    addi    sp, sp, -64
    sw      ra, 0(sp)
    sw      s0, 4(sp)
    sw      s1, 8(sp)
    sw      s2, 12(sp)
    sw      s3, 16(sp)
    sw      s4, 20(sp)
    sw      s5, 24(sp)
    sw      s6, 28(sp)
    sw      s7, 32(sp)
    sw      s8, 36(sp)
    sw      s9, 40(sp)
    sw      s10, 44(sp)
    sw      s11, 48(sp)
    sw      sp, 0(a0)
    mv      sp, a1
    lw      ra, 0(sp)
    lw      s0, 4(sp)
    lw      s1, 8(sp)
    lw      s2, 12(sp)
    lw      s3, 16(sp)
    lw      s4, 20(sp)
    lw      s5, 24(sp)
    lw      s6, 28(sp)
    lw      s7, 32(sp)
    lw      s8, 36(sp)
    lw      s9, 40(sp)
    lw      s10, 44(sp)
    lw      s11, 48(sp)
    addi    sp, sp, 64
    ret
.size swai_switch, . - swai_switch
