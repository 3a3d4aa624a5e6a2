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
	chroot_exec "$root" "$dir" "$@"
}

# usage: chroot_exec ROOT DIR CMD...
# The namespace dies with the command: nothing stays mounted on the machine.
chroot_exec()
{
	local root=$1 dir=$2
	shift 2
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private -- /bin/bash -euc '
		root=$1 tree=$2 dir=$3
		shift 3
		for m in proc sys dev; do
			mount --rbind "/$m" "$root/$m"
		done
		mount -t tmpfs tmpfs "$root/tmp"
		mount --bind "$tree" "$root/xetile"
		exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			HOME=/root TERM="${TERM-dumb}" LC_ALL=C.UTF-8 \
			/bin/sh -c '\''cd "$1" && shift && exec "$@"'\'' sh "$dir" "$@"
	' bash "$root" "$TREE" "$dir" "$@"
}
