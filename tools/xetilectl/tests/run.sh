#!/bin/sh
# SPDX-License-Identifier: MIT
# xetilectl without a card: the command line, its messages and exit codes.
#   run.sh XETILECTL TEMP_DIR
ctl=$1
tmp=$2
passed=0
failed=0

# expect CODE WORD ARG...: the command ends with CODE and says WORD.
expect() {
	code=$1
	word=$2
	shift 2
	out=$("$ctl" "$@" 2>&1 < /dev/null)
	got=$?
	if [ "$got" -eq "$code" ] && printf '%s\n' "$out" | grep -qF -e "$word"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL xetilectl $*: status $got, not $code, or without '$word':"
		printf '%s\n' "$out" | head -n 5
	fi
}

# Hide every card, so that the results do not depend on the machine's cards.
ZE_AFFINITY_MASK=999999
export ZE_AFFINITY_MASK
unset ZE_FLAT_DEVICE_HIERARCHY XETILE_IMPLICIT_SCALING EnableImplicitScaling ZEX_NUMBER_OF_CCS

expect 2 'usage:'
expect 0 'usage: xetilectl COMMAND' --help
expect 0 'xetilectl 0.' --version
expect 2 "no command 'walk'" walk
expect 0 'usage: xetilectl list' list --help
expect 2 'usage: xetilectl list' list --nonsense
expect 2 "no argument 'x'" list x
expect 0 'no card' list
expect 0 '"cards":[]' list --json
expect 0 'usage: xetilectl mode' mode --help
expect 2 'needs get or set' mode
expect 2 'needs get or set' mode show
expect 2 'takes no mode' mode get 2
expect 2 'needs one mode' mode set
expect 2 'no number of seconds' mode set --wait=x 2
expect 1 'no card 0' mode get
expect 1 "'0:0' is no selector" mode get --device 0:0
expect 0 'usage: xetilectl run' run --help
expect 2 'needs a file' run
expect 2 'is not X[,Y[,Z]]' run --groups 1,a f
expect 2 'more than three' run --groups 1,2,3,4 f
expect 2 'is not default or published' run --rule other f
expect 2 "color 'odd'" run --color odd f
expect 2 'is not KIND:VALUE' run f 5
expect 2 'none of u8' run f u33:5
expect 2 'no value of type u8' run f u8:256
expect 2 'no value of type u32' run f u32:-1
expect 2 'no value of type i8' run f i8:128
expect 2 'no value of type u32' run f u32:5x
expect 2 'no value of type u64' run f u64:18446744073709551616
expect 2 'no value of type f32' run f f32:
expect 2 'no size of a buffer' run f buf:0
expect 2 'no size of a buffer' run f buf:x
expect 2 'no option' run f buf:64:odd=1
expect 2 'either in= or fill=' run f buf:64:in=x:fill=u8,1
expect 2 'is not TYPE,NUMBER' run f buf:64:dump=u32
expect 2 'has no 17 elements' run f buf:64:dump=u32,17
expect 2 "color 'chunk:5'" run f buf:64:dump=u32,16:color=chunk:5
expect 2 'bytes of two hex digits' run f hex:
expect 2 'bytes of two hex digits' run f hex:123
expect 2 'bytes of two hex digits' run f hex:0g
expect 2 'no size of local memory' run f slm:0
expect 1 'no card 0' run f buf:64k:fill=f32,iota:dump=f32,4:color=chunk:64k u8:255 i8:-128 f32:1e3 hex:00ff u64:0xffffffffffffffff slm:1k null

# The least address space in which the program starts with so many ARGs has no room for the table
# of the ARGs, which takes 20 times as much as a step of the search, or more.
out_of_memory() {
	# shellcheck disable=SC2046 # a word for each ARG
	set -- $(yes null | head -n 60000)
	for kb in $(seq 8000 1000 100000); do
		(ulimit -v "$kb"; "$ctl" run --help "$@") > /dev/null 2>&1 || continue
		(ulimit -v "$kb"; "$ctl" run f "$@") > "$tmp/memory" 2>&1
		[ $? -eq 1 ] && grep -q 'out of memory' "$tmp/memory"
		return
	done
	return 1
}
if out_of_memory; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL xetilectl run without memory: $(cat "$tmp/memory")"
fi

ZE_AFFINITY_MASK=0,
expect 1 'ZE_AFFINITY_MASK' list
ZE_AFFINITY_MASK=999999
ZE_FLAT_DEVICE_HIERARCHY=FLAT
export ZE_FLAT_DEVICE_HIERARCHY
expect 0 '"tiles":[]' list --json

# The JSON output is JSON, as far as python3 is there to check.
if command -v python3 > /dev/null; then
	if "$ctl" list --json | python3 -m json.tool > "$tmp/list.json"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo 'FAIL list --json is no JSON'
	fi
else
	echo 'skip: JSON is not checked, there is no python3'
fi
echo "xetilectl: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
