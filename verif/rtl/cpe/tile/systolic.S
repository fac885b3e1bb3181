# SPDX-License-Identifier: Apache-2.0
# Runs of the systolic unit, one behind the other, as tile_gemm of cpe-kernels/samples/gemm.cpp has them: 256 rows, 16 k tiles, 4 column
# tiles, each a block. For tile-speed.
	.equ	LDM, 0x10000000
	.equ	ROWS, 256
	.equ	K_TILES, 16
	.equ	COLUMN_TILES, 4
	.equ	DRAIN, 1 << 5
	.equ	INT32, 1 << 6

	.macro	systolic op, rd, rs1, rs2
	.insn	r CUSTOM_1, 0, \op, \rd, \rs1, \rs2
	.endm

	.text
	.globl	_start
_start:
	li	a0, LDM
	li	a1, (8 * ROWS) << 16 | 8
	systolic 0, x0, a0, a1			# activations
	li	a0, LDM + 8 * ROWS * K_TILES
	li	a1, 64 << 16 | 8
	systolic 1, x0, a0, a1			# weights
	li	a0, 64 * K_TILES
	li	a1, 32 * ROWS
	systolic 2, x0, a0, a1			# strides of column tiles
	li	a0, LDM + 8 * ROWS * K_TILES + 64 * K_TILES * COLUMN_TILES
	li	a1, 32
	systolic 4, x0, a0, a1			# output
	li	a0, COLUMN_TILES << 16 | K_TILES
	li	a1, 1 << 16 | ROWS
	systolic 8, x0, a0, a1			# size
	li	a0, DRAIN | INT32
loop:
	systolic 16, a1, a0, x0			# run: waits while one runs and one waits
	j	loop
	.balign	64
	.zero	64
