/* SPDX-License-Identifier: MIT */
/* Functions of a known number of instructions: see selftest.h. */
	.text
	.globl	counted_loop
	.type	counted_loop, @function
counted_loop:
1:	nop
	dec	%rdi
	jnz	1b
	ret
	.size	counted_loop, . - counted_loop

	.globl	counted_string
	.type	counted_string, @function
counted_string:
	mov	%rsi, %rcx
	xor	%eax, %eax
	rep stosb
	ret
	.size	counted_string, . - counted_string

	.section .note.GNU-stack,"",@progbits
