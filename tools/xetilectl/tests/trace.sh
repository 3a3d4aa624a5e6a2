# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# xetilectl trace: the command line, folders that are no tracefs, and a stored trace. A part of run.sh,
# whose functions it calls. card.sh traces a card.

expect 0 'usage: xetilectl trace' trace --help
expect 2 'trace needs a program, or --seconds' trace
expect 2 'is not in 0.1..3600 seconds' trace --seconds 0
# What is behind the program is the program's, so that --help is none of trace's.
fs=$tmp/tracefs
rm -rf "$fs" "$tmp/traced"
echo old > "$tmp/trace.json"
refused() {
	words=$1
	shift
	expect 1 "$words" trace -o "$tmp/trace.json" --tracefs "$fs" -- touch "$tmp/traced" --help
}
refused 'remedy: mount -t tracefs tracefs /sys/kernel/tracing'
mkdir -p "$fs/events"
refused 'remedy: load the driver (modprobe xetile)'
mkdir -p "$fs/events/xetile"
refused 'remedy: a kernel with instances of tracefs'
# The kernel fills no folder here. Nothing is left, also of a program that was killed.
mkdir -p "$fs/instances/xetilectl.999999999" "$fs/instances/xetilectl.1" "$fs/instances/other"
refused 'cannot trace in'
holds 'trace: no folder is left but those of others' \
	test "$(ls "$fs/instances" | tr '\n' ' ')" = 'other xetilectl.1 '
# An instance of this process's own number is that of one before it, too.
sh -c 'mkdir "$1/instances/xetilectl.$$" && exec "$2" trace -o "$3" --tracefs "$1" true' sh "$fs" "$ctl" \
	"$tmp/trace.json" 2>&1 | grep -q 'cannot trace in'
holds 'trace: an instance of its own number is removed' test $? = 0
holds 'trace: a program whose trace is refused does not run' test ! -e "$tmp/traced"
holds 'trace: a file that was there is kept' test "$(cat "$tmp/trace.json")" = old

trace=$tmp/tests/trace
"$trace" < "$here/trace.text" 2> "$tmp/err" | cmp - "$here/trace.golden"
holds 'trace: the file' test $? = 0
holds 'trace: what is counted' test "$(cat "$tmp/err")" = \
	'events 58 lost 21 unknown 9 early 4 turns 12 jobs 9 failed 2'
"$trace" < /dev/null 2> /dev/null | tr -d '\n' > "$tmp/text"
holds 'trace: no events' grep -qxF \
	'{"displayTimeUnit":"ms","traceEvents":[],"otherData":{"events":"0","lost":"0"}}' "$tmp/text"
if command -v python3 > /dev/null; then
	tr -d '\n' < "$here/trace.golden" > "$tmp/text"
	holds 'trace: the file is as its schema says' \
		python3 "$here/schema.py" "$here/trace.schema.json" < "$tmp/text"
	holds 'trace: turns, jobs and epochs' python3 "$here/trace_check.py" "$here/trace.golden"
	# A trace that is cut off, or in which bytes are others, makes a file that is JSON.
	bad=
	for at in $(seq 7 97 "$(wc -c < "$here/trace.text")"); do
		head -c "$at" "$here/trace.text" > "$tmp/cut"
		printf '\042\377\001 [7 context=-9 EVENTS]\n' >> "$tmp/cut"
		tail -c +"$at" "$here/trace.text" >> "$tmp/cut"
		"$trace" < "$tmp/cut" 2> /dev/null | tr -d '\n' >> "$tmp/cuts" || bad="$bad $at"
		echo >> "$tmp/cuts"
	done
	holds "trace: of bad lines: $bad" python3 "$here/schema.py" "$here/trace.schema.json" < "$tmp/cuts"
	rm "$tmp/cuts"
else
	echo 'skip: files of trace are not checked, there is no python3'
fi
