# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The systems that make and try Debian packages. They are layers, because nothing else needs them.

# usage: deb_run build|plain CMD...
# Runs CMD in the tree, in a system that has the tools for packages (build), or in one that has
# nothing but the headers of the lab's kernels (plain). What CMD changes outside of the tree is
# gone afterwards.
deb_run()
{
	local kind=${1-} root key path packages=()
	[ "$kind" = build ] || [ "$kind" = plain ] || die "deb: build or plain"
	shift

	root=$(root_get) || exit
	[ "$kind" = build ] ||
		mapfile -t packages < <(sed 's/.* /linux-headers-/' "$root/etc/xetile-kernels")
	key=$({ cat "$TREE/tools/deb/root" && echo "${packages[*]}"; } | layer_key)
	path=$(layer "$root" "/opt/deb-$kind/" "$key" "a system for Debian packages ($kind)" \
		layer_unpack "$TREE/tools/deb/root" "$kind" "${packages[@]}") || exit
	unshare --mount --propagation private -- "$LAB_DIR/lib/over" "$root$path" \
		"$LAB_DIR/lib/enter" "$TREE" "" /xetile "$@"
}
