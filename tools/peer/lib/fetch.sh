# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the peer is made of, made once and kept inside the lab's sysroot, where
# guests see it: the xe modules and a root with the packaged tests.

# usage: xe_get KERNEL; prints the module's path in the sysroot
xe_get()
{
	local series=$1 root release version key path

	root=$(root_get) || exit
	release=$(readlink "$root/lib/modules/$series") || die "no kernel $series in the sysroot"
	version=$(chroot "$root" dpkg-query -W -f '${Version}' "linux-image-$release") || exit
	key=$(cat "$here/lib/xe-build" "$here/xe-$series.sed" "$here/no-display.h" - \
		<<< "$release $version" | sha256sum | cut -c1-12)
	path=/opt/peer/xe-$series-$key
	if [ ! -e "$root$path/xe.ko" ]; then
		say "building the peer driver for $release (some minutes, once)"
		rm -rf --one-file-system "$root/opt/peer/xe-$series-"*
		mkdir -p "$root/opt/peer" "$TREE/build"
		chroot_exec "$root" /xetile tools/peer/lib/xe-build \
			"$series" "$version" "$release" "$path.tmp" \
			> "$TREE/build/peer-xe-$series.log" 2>&1 ||
			die "the peer driver could not be built: build/peer-xe-$series.log"
		mv "$root$path.tmp" "$root$path"
	fi
	echo "$path/xe.ko"
}

# Prints the path in the sysroot of the root that holds the packaged tests.
igt_get()
{
	local root key path

	root=$(root_get) || exit
	key=$(sha256sum < "$here/lib/igt-root" | cut -c1-12)
	path=/opt/peer/igt-$key
	if [ ! -d "$root$path" ]; then
		igt_build "$root" "$path" >&2 || exit
	fi
	echo "$path"
}

# usage: igt_build ROOT PATH
igt_build()
{
	local root=$1 path=$2

	say "fetching the packaged tests (120 MB, once)"
	rm -rf --one-file-system "$root/opt/peer/igt-"*
	mkdir -p "$root/opt/peer" "$TREE/build"
	root_unpack "$here/lib/igt-root" "$root$path.tmp" \
		> "$TREE/build/peer-igt.log" 2>&1 ||
		die "the packaged tests could not be fetched: build/peer-igt.log"
	mv "$root$path.tmp" "$root$path"
}

# usage: igt_list PATH; prints a file with every subtest of the tests in the file
# tests, "TEST@SUBTEST" a line
igt_list()
{
	local folder test where list

	folder=$(root_path)$1
	list=$folder/subtests-$(sha256sum < "$here/tests" | cut -c1-12)
	if [ ! -s "$list" ]; then
		while read -r test where; do
			case $test in '#'*|*@*) continue ;; esac
			[ -x "$folder/usr/libexec/igt-gpu-tools/$test" ] ||
				die "the package has no test $test"
			# A test without subtests is one itself.
			chroot "$folder" "/usr/libexec/igt-gpu-tools/$test" \
				--list-subtests 2>/dev/null < /dev/null |
				sed "s/^/$test@/" | grep . || echo "$test@$test"
		done < "$here/tests" > "$list.new"
		mv "$list.new" "$list"
	fi
	echo "$list"
}
