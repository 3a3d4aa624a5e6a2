# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The programs that only the lint wants: a layer of its own inside the sysroot,
# made once, so that the sysroot need not be made anew for them.

# Prints the layer's folder inside the sysroot.
lint_layer_get()
{
	local root key path version

	root=$(root_get) || exit
	version=$(kernel_version "$root" 6.12)
	key=$(cat "$TREE/tools/lint/layer" - <<< "$version" | sha256sum | cut -c1-12)
	path=/opt/lint/$key
	if [ ! -d "$root$path" ]; then
		[ "$(id -u)" = 0 ] || die "making the lint's layer needs root"
		exec 7> "$LAB_CACHE/lint.lock"
		flock 7
		[ -d "$root$path" ] || lint_layer_make "$root" "$path" "$version" 7>&-
		exec 7>&-
	fi
	echo "$path"
}

# usage: lint_layer_make ROOT PATH VERSION
lint_layer_make()
{
	local root=$1 path=$2 version=$3

	say "fetching clang, coccinelle, pahole and codespell (250 MB, once)"
	rm -rf --one-file-system "$root/opt/lint"
	mkdir -p "$root/opt/lint" "$TREE/build"
	root_unpack "$TREE/tools/lint/layer" "$root$path.tmp" \
		> "$TREE/build/lint-layer.log" 2>&1 &&
	chroot_exec "$root" /tmp sh -euc '
		apt-get -q update
		apt-get -q download "$1=$2"
		dpkg-deb --fsys-tarfile "$1"_*.deb | tar -xO "./usr/src/$1.tar.xz" |
			xz -dc -T0 | tar -x -C "$3" --strip-components=2 --wildcards \
			"*/scripts/coccinelle"' \
		sh linux-source-6.12 "$version" "$path.tmp" \
		>> "$TREE/build/lint-layer.log" 2>&1 ||
		die "the lint's programs could not be fetched: build/lint-layer.log"
	mv "$root$path.tmp" "$root$path"
}
