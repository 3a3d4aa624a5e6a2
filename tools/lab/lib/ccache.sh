# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Compilers of the sysroot that keep what they compiled: ccache, from the distribution. A clone that
# is built again, or another one with the same sources, takes its objects from there; warnings are
# kept with them. CCACHE_DISABLE=1 and CCACHE_RECACHE=1 in the environment do what ccache(1) says.

# usage: ccache_get ROOT
# Prints the folder in the sysroot ROOT whose compilers keep objects; makes it if it is not there.
ccache_get()
{
	local key path

	key=$(layer_key < "$LAB_DIR/lib/ccache.sh")
	path=$(layer "$1" /opt/ccache/ "$key" "ccache" ccache_make) && echo "$path/bin"
}

# usage: ccache_make ROOT PATH
ccache_make()
{
	# shellcheck disable=SC2016 # expanded by the inner shells
	chroot_exec "$1" /tmp sh -euc '
		apt-get -q update
		mkdir -p archives/partial "$1/bin"
		apt-get -q -y --no-install-recommends --download-only \
			-o Dir::Cache::archives=/tmp/archives install ccache
		for package in archives/*.deb; do
			dpkg-deb -x "$package" "$1"
		done
		# The libraries of this folder are for ccache only.
		for compiler in /usr/bin/cc /usr/bin/gcc /usr/bin/x86_64-linux-gnu-gcc-[0-9]*; do
			depend=
			# Headers of kernels name this one. As kernel code includes no binaries, the list of
			# headers that the compiler writes is whole, and saves a run of the preprocessor.
			[ "${compiler%-[0-9]*}" = "$compiler" ] || depend="CCACHE_DEPEND=1"
			cat > "$1/bin/${compiler##*/}" <<-END
				#!/bin/sh
				here=\${0%/bin/*}
				export CCACHE_DIR="\$here/objects" CCACHE_MAXSIZE=2G $depend
				exec /lib64/ld-linux-x86-64.so.2 \
					--library-path "\$here/usr/lib/x86_64-linux-gnu" \
					"\$here/usr/bin/ccache" $compiler "\$@"
			END
			chmod +x "$1/bin/${compiler##*/}"
		done' sh "$2"
}
