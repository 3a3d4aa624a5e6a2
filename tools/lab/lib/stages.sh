# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Runs tests as stages, one after the other, and some stages beside these. Every stage ends with a
# line 'N passed, N failed'; the sum of these lines is the last line of all. A stage without such
# a line counts as a failure, and so does one that counts no failure but ends with an error.
# With KERNEL set every guest runs that kernel.

lab=tools/lab/lab
# Both are set here, so that no variable of the environment is taken for them. A script that reads
# this file may set other values afterwards.
logs=build/test
timeout=1500	# seconds that a guest's command may take
passed=0 failed=0
table=()
failing=()	# stages with failures
behind=()	# stages that run beside the others: "NAME PID"

# A signal ends the stages early: the sum so far is printed.
trap 'echo "ended by a signal in stage $stage_name"; failed=$((failed + 1)); end_behind; closing; exit 143' \
	TERM INT

# usage: run_stage NAME CMD...
# Runs CMD, and leaves "STATUS SECONDS SECONDS_OF_PROCESSORS" in $logs/NAME.ended.
run_stage()
{
	local name=$1 start=$SECONDS status
	shift
	"$@" 2>&1
	status=$?
	# The times of all processes that this shell has waited for. The shell runs only this stage.
	times > "$logs/$name.times"
	echo "$status $((SECONDS - start)) $(awk -F '[ms ]+' 'NR == 2 {
		print int($1 * 60 + $2 + $3 * 60 + $4) }' "$logs/$name.times")" \
		> "$logs/$name.ended"
	rm -f "$logs/$name.times"
	return $status
}

# usage: stage NAME CMD...
stage()
{
	stage_name=$1
	echo "== $1"
	rm -f "$logs/$1.ended"
	( run_stage "$@" ) | tee "$logs/$1.log"
	tally "$1"
}

# usage: begin_behind "NAME PID" NAME CMD...
# Runs a stage beside the next stages, when the one named first has ended, if one is named.
niceness=19
begin_behind()
{
	local before=$1
	shift

	echo "== $1, beside what follows"
	rm -f "$logs/$1.ended"
	(
		[ -z "$before" ] || tail -f /dev/null --pid="${before#* }"
		renice -n "$niceness" -p $BASHPID > /dev/null
		run_stage "$@" > "$logs/$1.log"
	) &
	behind+=("$1 $!")
}

# usage: stage_behind NAME CMD...
# Runs a stage that looks at no clock beside the next stages, on the time that these leave of the
# processors. Such stages run one after the other.
stage_behind()
{
	begin_behind "${behind[*]: -1}" "$@"
}

# usage: stage_aside NAME CMD...
# Runs a stage that waits for most of its time beside the next stages and those of stage_behind.
stage_aside()
{
	begin_behind "" "$@"
}

# Waits for the first of the stages that run beside the others, and counts it.
gather_one()
{
	local name pid

	read -r name pid <<< "${behind[0]}"
	stage_name=$name
	wait "$pid"
	echo "== $name"
	cat "$logs/$name.log"
	tally "$name"
	behind=("${behind[@]:1}")
}

# Waits for all of them, and counts them.
gather()
{
	while [ ${#behind[@]} != 0 ]; do
		gather_one
	done
}

end_behind()
{
	local name pid i

	# From the last: each waits for the one before it.
	for ((i = ${#behind[@]} - 1; i >= 0; i--)); do
		read -r name pid <<< "${behind[i]}"
		if [ -e "$logs/$name.ended" ]; then
			tally "$name"
			continue
		fi
		# shellcheck disable=SC2046 # the processes it runs, and itself
		kill $(pgrep -P "$pid") "$pid" 2> /dev/null
		echo "$name: had not ended"
		failed=$((failed + 1))
	done
	behind=()
}

# usage: tally NAME; adds up the counts in a stage's log, and checks how the stage ended
tally()
{
	local name=$1 status=signal seconds=0 processors=0 line p=0 f=0

	[ ! -e "$logs/$name.ended" ] || read -r status seconds processors < "$logs/$name.ended"
	line=$(grep -E '^([a-z_-]+: )?[0-9]+ passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1)
	if [[ $line =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
		p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]}
	else
		echo "$name: no line 'N passed, N failed'"
		f=1
	fi
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		echo "$name: ended with status $status"
		f=1
	fi
	[ "$f" = 0 ] || failing+=("$name")
	passed=$((passed + p)) failed=$((failed + f))
	table+=("$(printf '%-20s %5d passed, %3d failed  %4d s, %4d s of processors' "$name" \
		"$p" "$f" "$seconds" "$processors")")
}

# One test: everything builds. The modules are those that the lint checks, see tools/lab/checked.
build()
{
	local modules=(CHECKED=1)

	[ -z "${KERNEL-}" ] || modules=(KERNELS="$KERNEL")
	if make --no-print-directory -k build "${modules[@]}"; then
		echo "1 passed, 0 failed"
	else
		echo "0 passed, 1 failed"
	fi
}

# usage: guest NAME KERNEL TILES "LAB OPTIONS" "CARD OPTIONS" CMD...
# Runs CMD in a guest. MODULE in CMD stands for the module of that kernel, which the tests load and
# unload themselves.
how=stage
guest()
{
	local name=guest-$1 kernel=${KERNEL:-$2} tiles=$3 more=$4 card=$5
	shift 5
	# shellcheck disable=SC2086 # $more is words
	"$how" "$name" "$lab" run --kernel "$kernel" --tiles "$tiles" $more --card-opt "$card" \
		--timeout "$timeout" --log "$logs/$name" --no-module -- \
		"${@/#MODULE//xetile/build/modules/$kernel/xetile.ko}"
}

# usage: guest_behind NAME ...; as guest, but beside the next stages, with an equal share of the
# processors
guest_behind()
{
	local how=stage_behind niceness=0

	guest "$@"
}

# usage: guest_aside NAME ...; as guest, but beside the next stages and those behind
guest_aside()
{
	local how=stage_aside niceness=0

	guest "$@"
}

# usage: settings SUITES; prints the lines of the file settings whose guests are in one of these
# suites, without the blanks around each column. Fails if a line lacks a column.
settings()
{
	awk -F '|' -v OFS='|' -v suites="$1" '
	BEGIN { n = split(suites, suite, " ") }
	/^[ \t]*(#|$)/ { next }
	NF != 7 {
		print "tools/lab/settings:" FNR ": " NF " columns instead of 7" > "/dev/stderr"
		bad = 1
		next
	}
	{
		for (i = 1; i <= NF; i++)
			gsub(/^[ \t]+|[ \t]+$/, "", $i)
		for (i = 1; i <= n; i++) {
			if (index(" " $2 " ", " " suite[i] " ")) {
				print
				next
			}
		}
	}
	END { exit bad }' tools/lab/settings
}

# usage: guests SUITES [FUNCTION]; runs the guests of these suites, each by
# FUNCTION NAME KERNEL TILES "LAB OPTIONS" "CARD OPTIONS" CMD... (guest without FUNCTION)
guests()
{
	local function=${2:-guest} row name kernel tiles more card command all rows=() words

	all=$(settings "$1") || failed=$((failed + 1))
	if [ -n "$all" ]; then
		mapfile -t rows <<< "$all"
	else
		echo "tools/lab/settings: no guest is in $1"
		failed=$((failed + 1))
	fi
	for row in "${rows[@]}"; do
		row=${row//SEED/${SEED:-14}}
		row=${row//MINUTES/${MINUTES:-1}}
		IFS='|' read -r name _ kernel tiles more card command <<< "$row"
		[ "$kernel" != debug ] || [ "${KERNEL-}" = debug ] || continue
		read -r -a words <<< "$command"
		words=("${words[@]/#IGT\///xetile/igt-tests/}")
		words=("${words[@]/#TESTS//xetile/build/igt-tests}")
		"$function" "$name" "$kernel" "$tiles" "$more" "$card" "${words[@]}"
	done
}

# usage: failures NAME; prints the lines of a stage's log that name its failures: the beginning of a
# long log may not be kept
failures()
{
	grep -a -m 20 '^FAIL' "$logs/$1.log" || tail -n 12 "$logs/$1.log"
}

# Prints the sum of all stages; fails if a test failed.
closing()
{
	local name

	echo "== all"
	printf '%s\n' "${table[@]}"
	for name in "${failing[@]}"; do
		failures "$name" | sed "s/^/$name: /"
	done
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
