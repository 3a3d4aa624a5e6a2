#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Make the machine code of the programs here (.bin) again, and ../programs.h, which
# names it.  Needs iga64.
set -e
cd "$(dirname "$0")"
for asm in *.asm; do
	iga64 -a -p=xehpc "$asm" -o "${asm%.asm}.bin"
done
{
	cat <<-'END'
		/* SPDX-License-Identifier: MIT */
		/* Made by programs/rebuild.sh. */
		#ifndef EU_TEST_PROGRAMS_H
		#define EU_TEST_PROGRAMS_H

		#include <stdint.h>

		/* The names of the programs, and the bytes of their code */
		#define PROGRAMS(F) \
	END
	for asm in *.asm; do
		printf '\tF(%s, %d)\n' "${asm%.asm}" "$(wc -c < "${asm%.asm}.bin")"
	done | sed '$!s/$/ \\/'
	cat <<-'END'

		#define DECLARE(name, size) extern const uint8_t name##_code[size];
		PROGRAMS(DECLARE)
		#undef DECLARE

		#endif
	END
} > ../programs.h
