# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The system that makes the documentation. It is a layer, because nothing else needs Sphinx.

# usage: docs_run CMD...; runs CMD in it, in the tree
docs_run()
{
	local root key version path

	root=$(root_get) || exit
	version=$(kernel_version "$root" 6.12)
	key=$(cat "$TREE/tools/docs/root" - <<< "$version" | layer_key)
	path=$(layer "$root" /opt/docs/ "$key" "a system with Sphinx, 400 MB" \
		docs_make "$version") || exit
	chroot_exec "$root$path" /xetile "$@"
}

# usage: docs_make ROOT PATH VERSION
docs_make()
{
	local root=$1 path=$2 version=$3

	root_unpack "$TREE/tools/docs/root" "$root$path" || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	chroot_exec "$root" /tmp sh -euc '
		apt-get -q update
		apt-get -q download "$1=$2"
		dpkg-deb --fsys-tarfile "$1"_*.deb | tar -xO "./usr/src/$1.tar.xz" |
			xz -dc -T0 | tar -x -C "$3/opt/kernel" --strip-components=1 --wildcards \
			"*/Documentation/sphinx" "*/scripts/kernel-doc"' \
		sh linux-source-6.12 "$version" "$path"
}
