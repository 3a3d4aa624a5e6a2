#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Make programs.bin again, the machine code of the programs in programs.asm one behind the
# other, and ../programs.h, which says how long each is.  Needs iga64.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v work="$work" '/^\/\/ program: / { file = work "/" $3 ".asm"; print $3 }
	file { print > file }' programs.asm > "$work/names"
while read -r name; do
	iga64 -a -p=xehpc "$work/$name.asm" -o "$work/$name"
	cat "$work/$name" >> "$work/code"
done < "$work/names"
mv "$work/code" programs.bin
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
	while read -r name; do
		printf '\tF(%s, %d)\n' "$name" "$(wc -c < "$work/$name")"
	done < "$work/names" | sed '$!s/$/ \\/'
	cat <<-'END'

		#define DECLARE(name, size) extern const uint8_t name##_code[size];
		PROGRAMS(DECLARE)
		#undef DECLARE

		#endif
	END
} > ../programs.h
