#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the unit tests. The last line is 'N passed, N failed'.
#   run.sh BUILD_DIR SOURCE_DIR TEST...
build=$1
XETILE_TEST_TOP=$2
export XETILE_TEST_TOP
shift 2
passed=0
failed=0
for t in "$@"; do
	log=$build/tests/$t.log
	"$build/tests/$t" > "$log" 2>&1
	rc=$?
	grep -v '^RESULT ' "$log"
	result=$(sed -n 's/^RESULT //p' "$log")
	if [ -z "$result" ]; then
		echo "FAIL $t ended with status $rc before its end"
		failed=$((failed + 1))
		continue
	fi
	passed=$((passed + ${result% *}))
	failed=$((failed + ${result#* }))
	# The sanitizer looks for leaks at the end: a leak changes only the status.
	if [ "$rc" -ne 0 ] && [ "${result#* }" -eq 0 ]; then
		echo "FAIL $t ended with status $rc"
		failed=$((failed + 1))
	fi
done

# The shared library exports the functions that the public headers declare, and no others.
name="the library exports the functions that its headers declare"
nm -D --defined-only "$build/libxetile.so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' |
	sort > "$build/exported"
grep -hv '^ \*' "$XETILE_TEST_TOP"/include/*.h | grep -o 'xetile_[a-z_0-9]*(' | tr -d '(' |
	sort -u > "$build/declared"
if [ -s "$build/exported" ] && diff "$build/exported" "$build/declared"; then
	echo "ok   $name"
	passed=$((passed + 1))
else
	echo "FAIL $name"
	failed=$((failed + 1))
fi
# Decisions are told on demand, a line each, and nothing else is.
name="XETILE_DEBUG tells what is decided"
for debug in 0 1; do
	XETILE_DEBUG=$debug "$build/tests/growth" 2>&1 | grep '^xetile: ' > "$build/debug.$debug"
done
if [ ! -s "$build/debug.0" ] && [ "$(grep -cxE -e 'xetile: 1 card, 1 device' \
	-e 'xetile: address space [0-9]+ on card 0' \
	-e 'xetile: queue [0-9]+: compute, tiles 0x3, CCS mode 0, weight 0' \
	-e 'xetile: 2097152 bytes at 0x[0-9a-f]+, color map, tiles 0x3' \
	-e 'xetile: queue [0-9]+: another slot of [0-9]+ bytes a tile' \
	-e 'xetile: kernel fill: 4x1x1 groups, 2 of 4 along x for each of 2 tiles' \
	"$build/debug.1")" = "$(wc -l < "$build/debug.1")" ]; then
	echo "ok   $name"
	passed=$((passed + 1))
else
	cat "$build/debug.0" "$build/debug.1"
	echo "FAIL $name"
	failed=$((failed + 1))
fi
echo "libxetile: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
