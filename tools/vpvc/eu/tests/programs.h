/* SPDX-License-Identifier: MIT */
/* Made by programs/rebuild.sh. */
#ifndef EU_TEST_PROGRAMS_H
#define EU_TEST_PROGRAMS_H

#include <stdint.h>

/* The names of the programs, and the bytes of their code, as programs.bin has it */
#define PROGRAMS(F) \
	F(absolute, 96) \
	F(branches, 320) \
	F(calls, 240) \
	F(deadlock, 128) \
	F(fill, 160) \
	F(halts, 464) \
	F(host, 32) \
	F(indexed, 48) \
	F(loops, 352) \
	F(poll, 112) \
	F(registers, 256) \
	F(start, 64) \
	F(stochastic, 48) \
	F(surfaces, 176)

#define DECLARE(name, size) extern const uint8_t name##_code[size];
PROGRAMS(DECLARE)
#undef DECLARE

#endif
