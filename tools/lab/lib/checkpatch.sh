# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# No header package holds checkpatch.pl: it is taken, once, from the kernel's source package.

# Prints the folder, inside the sysroot, that holds checkpatch.pl.
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
