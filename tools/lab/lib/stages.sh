# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Tests as stages, one after the other. Every stage ends with a line
# 'N passed, N failed'; the sum of these is the last line of all. A stage that
# says nothing, or says all is well and ends with an error, counts as a failure.
# With KERNEL set every guest runs that kernel.

lab=tools/lab/lab
logs=${logs:-build/test}
passed=0 failed=0
table=()
behind=()	# stages that run beside the others: "NAME PID"

# Who ends this early wants to know how far it came.
trap 'echo "ended by a signal in stage $stage_name"; failed=$((failed + 1)); end_behind; closing; exit 143' \
	TERM INT

# usage: stage NAME CMD...
stage()
{
	local name=$1 start=$SECONDS
	shift
	stage_name=$name
	echo "== $name"
	"$@" 2>&1 | tee "$logs/$name.log"
	count "$name" $? $((SECONDS - start))
}

# usage: stage_behind NAME CMD...
# Beside the next stages, with what they leave of the processors: for what looks at no clock.
stage_behind()
{
	local name=$1
	shift
	echo "== $name, beside what follows"
	(
		start=$SECONDS
		nice -n 19 "$@" > "$logs/$name.log" 2>&1
		echo "$? $((SECONDS - start))" > "$logs/$name.ended"
	) &
	behind+=("$name $!")
}

# Waits for the stages that run beside, and counts them.
gather()
{
	local name pid status seconds

	for name in "${behind[@]}"; do
		read -r name pid <<< "$name"
		stage_name=$name
		wait "$pid"
		echo "== $name"
		cat "$logs/$name.log"
		read -r status seconds < "$logs/$name.ended"
		count "$name" "$status" "$seconds"
	done
	behind=()
}

end_behind()
{
	local name pid

	for name in "${behind[@]}"; do
		read -r name pid <<< "$name"
		# shellcheck disable=SC2046 # what it runs, and it
		kill $(pgrep -P "$pid") "$pid" 2> /dev/null
		echo "$name: had not ended"
		failed=$((failed + 1))
	done
	behind=()
}

# usage: count NAME STATUS SECONDS; adds up a stage from its log
count()
{
	local name=$1 status=$2 line p=0 f=0

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
	passed=$((passed + p)) failed=$((failed + f))
	table+=("$(printf '%-20s %5d passed, %3d failed  %4d s' "$name" "$p" "$f" "$3")")
}

# One test: everything builds.
build()
{
	if make --no-print-directory -k build ${KERNEL:+KERNELS="$KERNEL"}; then
		echo "1 passed, 0 failed"
	else
		echo "0 passed, 1 failed"
	fi
}

# usage: guest NAME KERNEL TILES "LAB OPTIONS" "CARD OPTIONS" CMD...
# MODULE in CMD is the module of that kernel. The tests load and unload it
# themselves. Memory and registers are noise at power on, repeatable by its seed.
guest()
{
	local name=guest-$1 kernel=${KERNEL:-$2} tiles=$3 more=$4 card=$5
	shift 5
	# shellcheck disable=SC2086 # $more is words
	stage "$name" "$lab" run --kernel "$kernel" --tiles "$tiles" $more --card-opt "$card" \
		--timeout 1500 --log "$logs/$name" --no-module -- \
		"${@/#MODULE//xetile/build/modules/$kernel/xetile.ko}"
}

# The sum of all stages; its status.
closing()
{
	echo "== all"
	printf '%s\n' "${table[@]}"
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
