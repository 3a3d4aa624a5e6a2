# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The programs that only the lint needs are layers of their own inside the sysroot, made once, so
# that the sysroot need not be made anew for them.

# Prints the folder, inside the sysroot, that holds checkpatch.pl. No header package holds it, so
# it is taken from the kernel's source package.
checkpatch_get()
{
	local root

	root=$(root_get) || exit
	layer "$root" /opt/checkpatch "" "checkpatch, from the kernel's source package" \
		checkpatch_make
}

# usage: checkpatch_make ROOT PATH
checkpatch_make()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	chroot_exec "$1" /tmp sh -euc '
		apt-get -q update > /dev/null
		apt-get -q download linux-source-6.12 > /dev/null
		dpkg-deb --fsys-tarfile linux-source-6.12_*.deb |
			tar -xO ./usr/src/linux-source-6.12.tar.xz | xz -dc -T0 |
			tar -x --wildcards "*/scripts/checkpatch.pl" \
				"*/scripts/spelling.txt" "*/scripts/const_structs.checkpatch"
		mkdir -p "$1"
		cp linux-source-6.12/scripts/* "$1"' sh "$2"
}

# Prints the folder, inside the sysroot, of the layer with the other programs.
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
