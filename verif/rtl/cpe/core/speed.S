# SPDX-License-Identifier: Apache-2.0
# A plain loop as compiled code has them: ALU, loads, stores, a short branch, compressed and not. For core-speed.
	.text
	.globl	_start
_start:
	lui	s0, 0x10000
	li	s1, 256
	mv	a0, s0
	li	a1, 0
	li	a2, 0
loop:
	lw	a3, 0(a0)
	addi	a1, a1, 1
	xor	a2, a2, a3
	slli	a4, a1, 3
	add	a3, a3, a4
	sw	a3, 0(a0)
	lbu	a5, 5(a0)
	andi	a6, a1, 7
	srli	a7, a2, 5
	add	a2, a2, a7
	beqz	a6, 1f
	add	a2, a2, a5
	sub	t0, a2, a1
	sltu	t1, t0, a2
	sh	t1, 10(a0)
1:	addi	a0, a0, 4
	bltu	a1, s1, loop
	mv	a0, s0
	li	a1, 0
	j	loop
	.balign	64
	.zero	64
