#!/bin/sh
# SPDX-License-Identifier: MIT
#
# W15: runs the example "ring" with two processes, and with one on each virtual cslice of a card in
# CCS mode 2, and lets a process of a ring fail.
#
# usage: ring.sh RING KERNELS.BIN XETILECTL TILES
#   TILES: tiles of the first card
ring=$1
kernels=$2
ctl=$3
tiles=$4
passed=0
failed=0
tmp=$(mktemp -d)
trap '"$ctl" mode set --device 0 1 > /dev/null; rm -rf "$tmp"' EXIT
unset ZE_AFFINITY_MASK ZE_FLAT_DEVICE_HIERARCHY XETILE_IMPLICIT_SCALING \
	EnableImplicitScaling ZEX_NUMBER_OF_CCS MultiStoragePolicy MultiStorageGranularity

# usage: judge STATUS WHAT
judge() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $2"
		cat "$tmp/out"
	fi
}

# usage: sums WHAT CSLICE...; each process must have all sums
sums() {
	what=$1
	shift
	"$ring" --kernel "$kernels" "$@" > "$tmp/out" 2>&1
	status=$?
	[ "$status" = 0 ] && [ "$(grep -c 'sums are right$' "$tmp/out")" = $# ] &&
		! grep -Eqv ': ([0-9]+) of \1 sums are right$' "$tmp/out"
	judge $? "$what: status $status"
	cat "$tmp/out"
}

"$ctl" mode set --device 0 2 > "$tmp/out" 2>&1
judge $? "mode 2"
sums "two processes" 0.0.0 0.0.1
all=
for tile in $(seq 0 $((tiles - 1))); do
	all="$all 0.$tile.0 0.$tile.1"
done
# shellcheck disable=SC2086 # words
sums "all cslices" $all
# shellcheck disable=SC2086
sums "all cslices, in another order" $(echo "$all" | tr ' ' '\n' | sort -t. -k3) 0.0.0
# The others see that one is gone, and end.
"$ring" --kernel "$kernels" 0.0.0 0.0.1 0.9.0 > "$tmp/out" 2>&1
[ $? = 1 ] && grep -q 'process 2: 0.9.0' "$tmp/out" && ! grep -q 'sums' "$tmp/out"
judge $? "a process fails"
"$ring" --kernel "$kernels" 0.0.0 > "$tmp/out" 2>&1
[ $? = 2 ]
judge $? "a ring of one"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
