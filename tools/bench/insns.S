/* SPDX-License-Identifier: MIT */
#include "magic.h"

	.text
/*
 * Functions that execute a magic instruction (magic.h) and return, eight bytes each: by kind,
 * then by tag.
 */
	.globl	magic_insns
	.type	magic_insns, @function
	.balign	8
magic_insns:
	.set	kind, 0
	.rept	MAGIC_KINDS
	.set	tag, 0
	.rept	256
	.byte	0x0f, 0x1f, 0x80, tag, kind, MAGIC_SIGN_0, MAGIC_SIGN_1, 0xc3
	.set	tag, tag + 1
	.endr
	.set	kind, kind + 1
	.endr
	.size	magic_insns, . - magic_insns

/* Functions of a known number of instructions: see insns.h. */
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
