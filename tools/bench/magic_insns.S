/* SPDX-License-Identifier: MIT */
/*
 * Functions that execute a magic instruction (magic.h) and return, eight bytes each: by kind,
 * then by tag.
 */
#include "magic.h"

	.text
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

	.section .note.GNU-stack,"",@progbits
