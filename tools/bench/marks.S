/* SPDX-License-Identifier: MIT */
/*
 * Functions that execute a mark and return, eight bytes each: by kind of mark, and
 * by tag.
 */
#define KINDS	6

	.text
	.globl	marks
	.type	marks, @function
	.balign	8
marks:
	.set	kind, 0
	.rept	KINDS
	.set	tag, 0
	.rept	256
	.byte	0x0f, 0x1f, 0x80, tag, kind, 'x', 't', 0xc3
	.set	tag, tag + 1
	.endr
	.set	kind, kind + 1
	.endr
	.size	marks, . - marks

/* void counted_loop(uint64_t rounds): 3 * rounds + 1 instructions */
	.globl	counted_loop
	.type	counted_loop, @function
counted_loop:
1:	nop
	dec	%rdi
	jnz	1b
	ret
	.size	counted_loop, . - counted_loop

/* void counted_string(void *to, uint64_t bytes): 4 instructions, whatever bytes is */
	.globl	counted_string
	.type	counted_string, @function
counted_string:
	mov	%rsi, %rcx
	xor	%eax, %eax
	rep stosb
	ret
	.size	counted_string, . - counted_string

	.section .note.GNU-stack,"",@progbits
