# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The programs that only the lint needs are a layer of their own inside the sysroot, made once,
# so that the sysroot need not be made anew for them.

# Prints the layer's folder inside the sysroot.
lint_layer_get()
{
	local root key version

	root=$(root_get) || exit
	version=$(kernel_version "$root" 6.12)
	key=$(cat "$TREE/tools/lint/layer" - <<< "$version" | layer_key)
	layer "$root" /opt/lint/ "$key" "clang, coccinelle, pahole and codespell, 250 MB" \
		lint_layer_make "$version"
}

# usage: lint_layer_make ROOT PATH VERSION
lint_layer_make()
{
	local root=$1 path=$2 version=$3

	root_unpack "$TREE/tools/lint/layer" "$root$path" || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	chroot_exec "$root" /tmp sh -euc '
		apt-get -q update
		apt-get -q download "$1=$2"
		dpkg-deb --fsys-tarfile "$1"_*.deb | tar -xO "./usr/src/$1.tar.xz" |
			xz -dc -T0 | tar -x -C "$3" --strip-components=2 --wildcards \
			"*/scripts/coccinelle"' \
		sh linux-source-6.12 "$version" "$path"
}
