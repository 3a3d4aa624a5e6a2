// SPDX-License-Identifier: MIT
/*
 * The kernels and programs of the tests, which lie beside their sources: machine
 * code, and what iga64 says of it.
 */
#include "eu/tests/kernels.h"

/* Bytes of a file of eu/tests as an object, a 0 behind them; @part: FROM, or FROM, COUNT */
#define FILE_OBJECT(symbol, file, part) \
	".globl " symbol "\n" \
	".balign 64\n" \
	symbol ":\n" \
	".incbin \"eu/tests/" file "\", " part "\n" \
	symbol "_end: .byte 0\n"

/* What the header says of the size is what sizeof() tells the tests. */
#define SIZE_IS(symbol, size) \
	".if " symbol "_end - " symbol " - " #size "\n" \
	".error \"the header has another size of " symbol "\"\n" \
	".endif\n"

/*
 * Code lies one behind the other in one file for all kernels and another for all
 * programs; each symbol NAME_at is where the next begins.
 */
#define CODE(symbol, file, at, size) \
	FILE_OBJECT(symbol, file, at ", " #size) \
	SIZE_IS(symbol, size) \
	".set " at ", " at " + " #size "\n"

/* Nothing is left of a file. */
#define END_OF(file, at) \
	FILE_OBJECT(at "_end", file, at) \
	SIZE_IS(at "_end", 0)

#define KERNEL(name, size_16, size_32) \
	CODE(#name "_16_code", "kernels/kernels.bin", "kernel_at", size_16) \
	CODE(#name "_32_code", "kernels/kernels.bin", "kernel_at", size_32)

#define PROGRAM(name, size) \
	CODE(#name "_code", "kernels/programs.bin", "program_at", size)

__asm__(".pushsection .rodata\n"
	".set kernel_at, 0\n"
	KERNELS(KERNEL)
	END_OF("kernels/kernels.bin", "kernel_at")
	FILE_OBJECT("kernels_text", "kernels/kernels.iga", "0")
	".set program_at, 0\n"
	PROGRAMS(PROGRAM)
	END_OF("kernels/programs.bin", "program_at")
	".popsection\n");
