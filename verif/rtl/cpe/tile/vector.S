# SPDX-License-Identifier: Apache-2.0
# Runs of the vector unit, one behind the other, as fma_loop of cpe-kernels/samples/axpy.cpp has them: a * b + c of 256 elements, each
# vector beginning in another bank. For tile-speed.
	.equ	LDM, 0x10000000
	.equ	ELEMENTS, 256
	.equ	NEXT, 4 * ELEMENTS + 64
	.equ	OVERLAP, 1 << 8

	.macro	vector op, rd, rs1, rs2
	.insn	r CUSTOM_1, 1, \op, \rd, \rs1, \rs2
	.endm

	.text
	.globl	_start
_start:
	li	a0, LDM
	li	a1, NEXT
	vector	0, x0, a0, x0			# a
	add	a0, a0, a1
	vector	1, x0, a0, x0			# b
	add	a0, a0, a1
	vector	2, x0, a0, x0			# c
	add	a0, a0, a1
	vector	3, x0, a0, x0			# result
	li	a0, ELEMENTS
	li	a1, 1
	vector	5, x0, a0, a1			# size
	li	a0, OVERLAP
loop:
	vector	16, a1, a0, x0			# run: fma
	j	loop
	.balign	64
	.zero	64
