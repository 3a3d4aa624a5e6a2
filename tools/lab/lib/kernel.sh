# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The lab's own kernels: kernel/NAME.config, built from Debian's source package of the kernel that
# its line "# kernel: 7.2" names, or of 6.12 without such a line. A kernel is built once, kept
# beside the sysroot, and mounted into the sysroot where it is used, so that a change of the one
# does not make the other anew.

kernel_names()
{
	local file

	for file in "$LAB_DIR"/kernel/*.config; do
		[ "${file##*/}" = guest.config ] || basename "$file" .config
	done | xargs
}

kernel_main()
{
	local root

	[ $# = 1 ] && kernel_is_ours "$1" || die "kernel: one of: $(kernel_names)"
	root=$(root_get) || exit
	kernel_get "$root" "$1"
	kernel_path "$root" "$1"
}

kernel_is_ours()
{
	[ "$1" != guest ] && [ -e "$LAB_DIR/kernel/$1.config" ]
}

# usage: kernel_base NAME; prints the kernel of the sysroot from whose source NAME is built
kernel_base()
{
	local base

	base=$(sed -n 's/^# kernel: //p' "$LAB_DIR/kernel/$1.config")
	echo "${base:-6.12}"
}

# usage: kernel_path ROOT NAME; prints the cache folder, which need not exist
kernel_path()
{
	local root=$1 name=$2 key

	key=$({
		cat "$LAB_DIR/kernel/guest.config" "$LAB_DIR/kernel/$name.config" \
			"$LAB_DIR/lib/kernel-build"
		kernel_version "$root" "$(kernel_base "$name")"
	} | sha256sum | cut -c1-12)
	echo "$LAB_CACHE/kernel-$name-$key"
}

# usage: kernel_version ROOT BASE; prints the version of the sysroot's kernel and of its source
kernel_version()
{
	awk -v package="linux-image-$(readlink "$1/lib/modules/$2")" '
		$1 == "Package:" { found = $2 == package }
		found && $1 == "Version:" { print $2; exit }' "$1/var/lib/dpkg/status"
}

# usage: kernel_get ROOT NAME; builds the kernel if it is not there
kernel_get()
{
	local root=$1 name=$2 path base start=$SECONDS

	base=$(kernel_base "$name")
	path=$(kernel_path "$root" "$name")
	[ -e "$path/release" ] && return
	[ "$(id -u)" = 0 ] || die "making kernel $name needs root"
	exec 7> "$LAB_CACHE/kernel-$name.lock"
	if ! flock -n 7; then
		say "another lab is making kernel $name: waiting for it"
		flock 7
	fi
	if [ ! -e "$path/release" ]; then
		say "making kernel $name, once (some minutes)"
		rm -rf --one-file-system "$path".tmp.*
		mkdir -p "$path.tmp.$$/out"
		lab_cleanup_add "$path.tmp.$$"
		# Other work on this machine goes first.
		nice unshare --mount --propagation private -- \
			"$LAB_DIR/lib/enter" "$root" "$TREE" "$path.tmp.$$" / \
			/xetile/tools/lab/lib/kernel-build "$name" "linux-source-$base" \
			"$(kernel_version "$root" "$base")" 7>&- >&2 ||
			die "kernel $name could not be made"
		mv -T "$path.tmp.$$" "$path"
		say "kernel $name ready after $((SECONDS - start)) s"
	fi
	exec 7>&-
}

# Prints the factor for all limits of time: a kernel with all checks on is slower than a
# distribution kernel.
kernel_slowness()
{
	if kernel_is_ours "$1"; then echo 6; else echo 1; fi
}

# Prints the default memory of a guest. The checks need memory of their own.
kernel_memory()
{
	if kernel_is_ours "$1"; then echo 6G; else echo 4G; fi
}

# usage: kernel_binds ROOT; prints, for lib/enter, "FOLDER RELEASE NAME" of each kernel that is
# there
kernel_binds()
{
	local root=$1 name path

	for name in $(kernel_names); do
		path=$(kernel_path "$root" "$name")
		[ ! -e "$path/release" ] || echo "$path $(cat "$path/release") $name"
	done
}
