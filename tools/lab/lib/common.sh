# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Messages and cleaning up.

say()
{
	echo "lab: $*" >&2
}

die()
{
	say "$*"
	exit 2
}

# The directories that are deleted and the processes that are ended when the lab ends, for
# whatever reason.
lab_cleanup_dirs=()
lab_cleanup_pids=()

lab_cleanup_add()
{
	lab_cleanup_dirs+=("$1")
}

lab_cleanup_pid()
{
	lab_cleanup_pids+=("$1")
}

lab_cleanup()
{
	local pid dir

	trap '' INT TERM HUP
	for pid in "${lab_cleanup_pids[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	for pid in "${lab_cleanup_pids[@]}"; do
		wait "$pid" 2>/dev/null
	done
	for dir in "${lab_cleanup_dirs[@]}"; do
		[ -d "$dir" ] && rm -rf --one-file-system "$dir"
	done
}

trap lab_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
