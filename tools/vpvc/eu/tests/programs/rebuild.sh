#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Make programs.bin again, the machine code of the programs here one behind the other,
# and ../programs.h, which says how long each is.  Needs iga64.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for asm in *.asm; do
	iga64 -a -p=xehpc "$asm" -o "$work/${asm%.asm}"
done
cat "$work"/* > programs.bin
{
	cat <<-'END'
		/* SPDX-License-Identifier: MIT */
		/* Made by programs/rebuild.sh. */
		#ifndef EU_TEST_PROGRAMS_H
		#define EU_TEST_PROGRAMS_H

		#include <stdint.h>

		/* The names of the programs, and the bytes of their code, as programs.bin has it */
		#define PROGRAMS(F) \
	END
	for asm in *.asm; do
		printf '\tF(%s, %d)\n' "${asm%.asm}" "$(wc -c < "$work/${asm%.asm}")"
	done | sed '$!s/$/ \\/'
	cat <<-'END'

		#define DECLARE(name, size) extern const uint8_t name##_code[size];
		PROGRAMS(DECLARE)
		#undef DECLARE

		#endif
	END
} > ../programs.h
