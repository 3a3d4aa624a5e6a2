// SPDX-License-Identifier: MIT
/*
 * Puts the kernels and programs of the tests into the test program: their machine code,
 * and the text that iga64 prints for the kernels. The files are in the folder kernels.
 */
#include "eu/tests/kernels.h"

/* Bytes of a file of eu/tests as an object, with a 0 at the end; @part: FROM, or FROM, COUNT */
#define FILE_OBJECT(symbol, file, part) \
	".globl " symbol "\n" \
	".balign 64\n" \
	symbol ":\n" \
	".incbin \"eu/tests/" file "\", " part "\n" \
	symbol "_end: .byte 0\n"

/* The assembler checks the size that the header declares, because tests use sizeof(). */
#define SIZE_IS(symbol, size) \
	".if " symbol "_end - " symbol " - " #size "\n" \
	".error \"the header has another size of " symbol "\"\n" \
	".endif\n"

/*
 * One file has the code of all kernels one after the other, and another file has that of
 * all programs. The symbols kernel_at and program_at are where the next code begins.
 */
#define CODE(symbol, file, at, size) \
	FILE_OBJECT(symbol, file, at ", " #size) \
	SIZE_IS(symbol, size) \
	".set " at ", " at " + " #size "\n"

/* Checks that the code ends at the end of the file. */
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
