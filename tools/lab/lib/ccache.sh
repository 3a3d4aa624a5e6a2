# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Compilers in the sysroot that keep what they compiled: ccache, from the distribution. A clone that
# is built again, or another one with the same sources, takes its objects from /opt/objects there;
# warnings are kept with them.

# usage: ccache_get ROOT
# Makes /opt/ccache in the sysroot ROOT if it is not there. Its folder bin comes first in the search
# path of commands in the sysroot.
ccache_get()
{
	layer "$1" /opt/ccache "" "ccache" ccache_make > /dev/null
}

# usage: ccache_make ROOT PATH
ccache_make()
{
	# shellcheck disable=SC2016 # expanded by the inner shells
	chroot_exec "$1" /tmp sh -euc '
		apt-get -q update
		mkdir -p archives/partial "$1/bin" /opt/objects
		apt-get -q -y --no-install-recommends --download-only \
			-o Dir::Cache::archives=/tmp/archives install ccache
		for package in archives/*.deb; do
			dpkg-deb -x "$package" "$1"
		done
		# Libraries of this folder are for ccache only. It looks at the sources that the compiler
		# says it has read, which is cheaper than to run the preprocessor first.
		for compiler in cc gcc; do
			cat > "$1/bin/$compiler" <<-END
				#!/bin/sh
				export CCACHE_DIR=/opt/objects CCACHE_MAXSIZE=2G CCACHE_DEPEND=1
				exec /lib64/ld-linux-x86-64.so.2 --library-path \
					/opt/ccache/usr/lib/x86_64-linux-gnu \
					/opt/ccache/usr/bin/ccache /usr/bin/$compiler "\$@"
			END
			chmod +x "$1/bin/$compiler"
		done' sh "$2"
}
