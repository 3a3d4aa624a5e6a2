# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# checkpatch.pl is in no header package: it is taken, once, from the kernel
# source package.

# Prints the folder, inside the sysroot, that holds checkpatch.pl.
checkpatch_get()
{
	local root

	root=$(root_get) || exit
	if [ ! -e "$root/opt/checkpatch/checkpatch.pl" ]; then
		say "fetching checkpatch from the kernel source package, once"
		# shellcheck disable=SC2016 # expanded by the inner shell
		chroot_exec "$root" /tmp sh -euc '
			apt-get -q update > /dev/null
			apt-get -q download linux-source-6.12 > /dev/null
			dpkg-deb --fsys-tarfile linux-source-6.12_*.deb |
				tar -xO ./usr/src/linux-source-6.12.tar.xz | xz -dc -T0 |
				tar -x --wildcards "*/scripts/checkpatch.pl" \
					"*/scripts/spelling.txt" "*/scripts/const_structs.checkpatch"
			rm -rf /opt/checkpatch.new
			mkdir -p /opt/checkpatch.new
			cp linux-source-6.12/scripts/* /opt/checkpatch.new
			mv -T /opt/checkpatch.new /opt/checkpatch
		' >&2 || die "cannot fetch checkpatch"
	fi
	echo /opt/checkpatch
}
