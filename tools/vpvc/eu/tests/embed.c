// SPDX-License-Identifier: MIT
/*
 * The kernels and programs of the tests, which lie beside their sources: machine
 * code, and what iga64 says of it.
 */
#include "eu/tests/kernels.h"
#include "eu/tests/programs.h"

/* The bytes of a file of eu/tests as an object, a 0 behind them */
#define FILE_OBJECT(symbol, file) \
	".globl " symbol "\n" \
	".balign 64\n" \
	symbol ":\n" \
	".incbin \"eu/tests/" file "\"\n" \
	symbol "_end: .byte 0\n"

/* What the header says of the size is what sizeof() tells the tests. */
#define SIZE_IS(symbol, size) \
	".if " symbol "_end - " symbol " - " #size "\n" \
	".error \"the header has another size of " symbol "\"\n" \
	".endif\n"

#define KERNEL(name, size) \
	FILE_OBJECT(#name "_code", "kernels/" #name ".bin") \
	SIZE_IS(#name "_code", size) \
	FILE_OBJECT(#name "_text", "kernels/" #name ".iga")

#define PROGRAM(name, size) \
	FILE_OBJECT(#name "_code", "programs/" #name ".bin") \
	SIZE_IS(#name "_code", size)

__asm__(".pushsection .rodata\n"
	KERNELS(KERNEL)
	PROGRAMS(PROGRAM)
	".popsection\n");
