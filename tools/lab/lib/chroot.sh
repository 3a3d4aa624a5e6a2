# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Running commands inside the sysroot, in a mount namespace of their own.

# usage: chroot_run [-C DIR] CMD...; DIR is relative to the tree, or absolute
chroot_run()
{
	local root dir=/xetile

	if [ "${1-}" = -C ]; then
		[ $# -ge 2 ] || die "-C needs a folder"
		dir=$2
		[ "${dir#/}" = "$dir" ] && dir=/xetile/$dir
		shift 2
	fi
	[ $# -gt 0 ] || die "chroot: no command"
	root=$(root_get) || exit
	LAB_CCACHE=$(ccache_get "$root") || say "compilers keep no objects"
	export LAB_CCACHE
	chroot_exec "$root" "$dir" "$@"
}

# usage: chroot_exec ROOT DIR CMD...
# Runs CMD in DIR of the sysroot ROOT. The mount namespace ends with CMD, so nothing stays
# mounted on the machine.
chroot_exec()
{
	local root=$1 dir=$2
	shift 2
	LAB_KERNELS=$(kernel_binds "$root") \
		unshare --mount --propagation private -- \
		"$LAB_DIR/lib/enter" "$root" "$TREE" "" "$dir" "$@"
}

# usage: chroot_become ROOT RUN OVER CMD...
# As chroot_exec, with the folder RUN at /run/lab and in a process namespace: all processes that
# CMD starts end with CMD, and CMD ends when this shell does. OVER, if not empty, is a folder whose
# files are laid over those of ROOT. Does not return, so the caller runs it in a subshell.
chroot_become()
{
	local root=$1 run=$2 over=$3 enter=("$LAB_DIR/lib/enter" "$1")
	shift 3
	[ -z "$over" ] || enter=("$LAB_DIR/lib/over" "$over:$root" "$LAB_DIR/lib/enter")
	LAB_KERNELS=$(kernel_binds "$root")
	export LAB_KERNELS
	exec setpriv --pdeathsig KILL \
		unshare --mount --propagation private --pid --fork --kill-child -- \
		"${enter[@]}" "$TREE" "$run" /run/lab "$@"
}
