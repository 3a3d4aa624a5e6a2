/* SPDX-License-Identifier: MIT */
/* Decoding of machine code. */
#ifndef EU_DECODE_H
#define EU_DECODE_H

#include "eu/isa/eu_isa.h"

/**
 * eu_decode() - decode one instruction
 * @code: machine code
 * @size: bytes readable at @code
 * @ip: address of the instruction
 * @insn: the result; every field is set
 * @why: set to the error when the return value is -EILSEQ
 *
 * Return: 0, or -EILSEQ when the bits are no instruction (@insn->size is valid
 * even so), -ENODATA when @size is too small.
 */
int eu_decode(const void *code, size_t size, uint32_t ip, struct eu_insn *insn,
	      const char **why);

#endif
