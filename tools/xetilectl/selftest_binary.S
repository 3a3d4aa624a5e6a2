/* SPDX-License-Identifier: MIT */
/* libxetile/kernels/kernels.bin, so that the program needs no file beside it */
	.section .rodata
	.globl	selftest_binary, selftest_binary_end
	.balign	8
selftest_binary:
	.incbin	"libxetile/kernels/kernels.bin"
selftest_binary_end:
	.section .note.GNU-stack, "", @progbits
