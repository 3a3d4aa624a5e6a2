# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The xe modules and a root with the packaged tests of xe. Both are made once and kept inside the
# lab's sysroot, where guests see them.

# usage: xe_get KERNEL; makes the module if it is not there, prints its path in the sysroot
xe_get()
{
	local series=$1 root release version key path

	root=$(root_get) || exit
	release=$(readlink "$root/lib/modules/$series") || die "no kernel $series in the sysroot"
	version=$(chroot "$root" dpkg-query -W -f '${Version}' "linux-image-$release") || exit
	key=$(cat "$here/lib/xe-build" "$here/xe-$series.sed" "$here/no-display.h" - \
		<<< "$release $version" | layer_key)
	path=$(layer "$root" "/opt/xe/xe-$series-" "$key" "the xe driver for $release, some minutes" \
		xe_make "$series" "$version" "$release") || exit
	echo "$path/xe.ko"
}

# usage: xe_make ROOT PATH SERIES VERSION RELEASE
xe_make()
{
	local root=$1 path=$2
	shift 2

	chroot_exec "$root" /xetile tools/xe/lib/xe-build "$@" "$path"
}

# Prints the path in the sysroot of the root that holds the packaged tests.
igt_get()
{
	local root

	root=$(root_get) || exit
	layer "$root" /opt/xe/igt- "$(layer_key < "$here/lib/igt-root")" \
		"the packaged tests, 120 MB" layer_unpack "$here/lib/igt-root"
}

# usage: igt_list PATH TESTS; prints the path of a file with every subtest of the tests that the
# file TESTS names, "TEST@SUBTEST" a line
igt_list()
{
	local tests=$2 folder kind test where list

	folder=$(root_path)$1
	list=$folder/subtests-$(sha256sum < "$tests" | cut -c1-12)
	if [ ! -s "$list" ]; then
		while read -r kind test where; do
			case $kind-$test in run-*@*) continue ;; run-*) ;; *) continue ;; esac
			[ -x "$folder/usr/libexec/igt-gpu-tools/$test" ] ||
				die "the package has no test $test"
			# A test without subtests counts as a subtest of itself.
			chroot "$folder" "/usr/libexec/igt-gpu-tools/$test" \
				--list-subtests 2>/dev/null < /dev/null |
				sed "s/^/$test@/" | grep . || echo "$test@$test"
		done < "$tests" > "$list.new"
		mv "$list.new" "$list"
	fi
	echo "$list"
}
