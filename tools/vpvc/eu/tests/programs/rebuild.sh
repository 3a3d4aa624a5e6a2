#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Make ../programs.h again: the machine code iga64 makes of the programs here.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
	echo "/* SPDX-License-Identifier: MIT */"
	echo "/* Made by programs/rebuild.sh. */"
	for asm in *.asm; do
		iga64 -a -p=xehpc "$asm" -o "$work/code" >&2
		echo "static const uint8_t ${asm%.asm}_code[] = {"
		od -An -v -tu1 "$work/code" | sed 's/  */,/g; s/^,/\t/; s/$/,/'
		echo "};"
	done
} > "$work/programs.h"
mv "$work/programs.h" ../programs.h
