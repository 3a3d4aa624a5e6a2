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
echo "libxetile: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
