#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Make ../kernels.h and the files beside again. From kernels.cl: kernels.bin, the machine
# code of each kernel for 16 and then for 32 lanes, one behind the other; kernels.iga, the
# text that iga64 gives each (NAME_LANES: and its lines, then an empty one); and in the
# header what the dispatcher has to know. From programs.asm: programs.bin, one program behind
# the other, and how long each is.  Needs ocloc, iga64 and readelf, as Debian 12 has them.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/kernels.h

# section NAME FILE: the bytes of an ELF section
section()
{
	readelf -SW "$2" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v n="$1" '$1 == n { print $4, $5 }' |
	while read -r offset size; do
		dd if="$2" bs=1 skip=$((0x$offset)) count=$((0x$size)) status=none
	done
}

# describe NAME: ze_info of the kernel as C initialisers
describe()
{
	awk -v name="$1" '
	function flush() {
		if (kind == "arg_type:" && type != "local_id" && size)
			line[++n] = sprintf("{\"%s\", %d, %d, %d}", type, offset, size, idx)
		if (kind == "type:" && type == "scratch")
			scratch = size
		kind = ""; offset = 0; size = 0; idx = -1
	}
	/^[a-z]/ { inside = 0 }
	/^  - name:/ { inside = $3 == name; next }
	!inside { next }
	$1 == "simd_size:" { simd = $2 }
	$1 == "grf_count:" { grf = $2 }
	$1 == "slm_size:" { slm = $2 }
	$1 == "offset_to_skip_per_thread_data_load:" { skip = $2 }
	$1 == "-" { flush(); kind = $2; type = $3 }
	$1 == "offset:" { offset = $2 }
	$1 == "size:" { size = $2 }
	$1 == "arg_index:" { idx = $2 }
	END {
		flush()
		printf "\t.simd = %d, .grf = %d, .slm = %d, .skip = %d, .scratch = %d,\n", simd, grf, slm, skip, scratch
		printf "\t.args = {\n"
		for (i = 1; i <= n; i++)
			printf "\t\t%s,\n", line[i]
		printf "\t},\n"
	}'
}

# zero fill is no code
trim()
{
	size=$(od -An -v -w1 -tu1 "$1" | awk '$1 { last = NR } END { print int((last + 15) / 16) * 16 }')
	head -c "$size" "$1"
}

for simd in 16 32; do
	ocloc compile -file kernels.cl -device pvc --format zebin -out_dir "$work" \
		-output "zebin.$simd" -output_no_suffix -options \
		"-DSG=$simd -cl-intel-greater-than-4GB-buffer-required -cl-fp32-correctly-rounded-divide-sqrt" \
		> "$work/log" || { cat "$work/log"; exit 1; }
	section .ze_info "$work/zebin.$simd" > "$work/info.$simd"
done
for name in $(sed -n 's/^KERNEL \([a-z_]*\)(.*/\1/p' kernels.cl); do
	sizes=
	for simd in 16 32; do
		kernel=${name}_$simd
		section ".text.$name" "$work/zebin.$simd" > "$work/text"
		trim "$work/text" > "$work/trimmed"
		cat "$work/trimmed" >> "$work/code"
		sizes="$sizes, $(wc -c < "$work/trimmed")"
		{
			echo "$kernel:"
			iga64 -d -p=xehpc -n -Xprint-hex-floats -Xno-print-bfnexprs "$work/text" \
				2> /dev/null |
				sed 's,//.*,,; s/[ \t][ \t]*/ /g; s/^ //; s/ $//' |
				awk 'NF && $1 != "illegal"'
			echo
		} >> "$work/iga"
		{
			echo "static const struct kernel $kernel __attribute__((unused)) = {"
			printf '\t"%s", %s_code, sizeof(%s_code),\n' "$name" "$kernel" "$kernel"
			describe "$name" < "$work/info.$simd"
			echo "};"
		} >> "$work/structs"
	done
	printf '\tF(%s%s)\n' "$name" "$sizes" >> "$work/list"
done
awk -v work="$work" '/^\/\/ program: / { file = work "/" $3 ".asm"; print $3 }
	file { print > file }' programs.asm > "$work/names"
while read -r name; do
	iga64 -a -p=xehpc "$work/$name.asm" -o "$work/$name"
	cat "$work/$name" >> "$work/programs"
	printf '\tF(%s, %d)\n' "$name" "$(wc -c < "$work/$name")" >> "$work/program-list"
done < "$work/names"
{
	cat <<'END'
/* SPDX-License-Identifier: MIT */
/* Made by kernels/rebuild.sh. */
#ifndef EU_TEST_KERNELS_H
#define EU_TEST_KERNELS_H

#include "eu/tests/machine.h"

/* The kernels as kernels.bin has them, with the bytes of their code for 16 and 32 lanes */
#define KERNELS(F) \
END
	sed '$!s/$/ \\/' "$work/list"
	cat <<'END'

#define DECLARE(name, size_16, size_32) \
	extern const uint8_t name##_16_code[size_16]; \
	extern const uint8_t name##_32_code[size_32];
KERNELS(DECLARE)
#undef DECLARE

/* kernels.iga */
extern const char kernels_text[];

/* The names of the programs, and the bytes of their code, as programs.bin has it */
#define PROGRAMS(F) \
END
	sed '$!s/$/ \\/' "$work/program-list"
	cat <<'END'

#define DECLARE(name, size) extern const uint8_t name##_code[size];
PROGRAMS(DECLARE)
#undef DECLARE

END
	cat "$work/structs"
	printf '\n#endif\n'
} > "$out"
mv "$out" ../kernels.h
mv "$work/code" kernels.bin
mv "$work/programs" programs.bin
sed '$d' "$work/iga" > kernels.iga
