# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# A guest that has all its files in its own memory, because the kernel's 9p cannot go on after its
# device has lost power. Read by lib/inside, in the sysroot.

# The programs that guest/start and igt-tests/run need beside those of busybox
alone_programs=(/bin/bash /usr/sbin/modprobe /usr/sbin/modinfo)

# usage: alone_modules RELEASE MODULE.ko; prints the files of the modules that this one needs, and
# of those that tests load
alone_modules()
{
	local names

	read -r -a names <<< "$(modinfo -F depends "$2" | tr ',' ' ')"
	modprobe -S "$1" -a --show-depends vgem "${names[@]}" | awk '$1 == "insmod" { print $2 }'
}

# usage: alone_libraries PROGRAM...; prints the files of the shared libraries
alone_libraries()
{
	ldd "$@" 2>/dev/null | grep -o '^	[^(]*/[^ ]*' | grep -o '/[^ ]*' | sort -u
}

# usage: alone_pack FOLDER KERNEL TEST[,TEST]; makes the folder, and writes it to stdout as a part
# of an initramfs
alone_pack()
{
	local root=$1/alone release module=/xetile/build/modules/$2/xetile.ko programs applet

	release=$(readlink "/lib/modules/$2") || return
	read -r -a programs <<< "${3//,/ }"
	programs=("${programs[@]/#//xetile/build/igt-tests/}" /xetile/build/igt-tests/runner
		"${alone_programs[@]}")
	mkdir -p "$root"/{bin,proc,sys,dev,run,tmp,root,out} &&
		cp /usr/bin/busybox "$root/bin/busybox" || return
	for applet in $(busybox --list); do
		[ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
	done
	cp -a out/. "$root/out" &&
		{
			printf '%s\n' /xetile/tools/lab/{lib,guest,plug,vpvcctl} "$module" \
				/xetile/igt-tests/run /xetile/build/igt-tests/suites \
				"${programs[@]}" "/lib/modules/$release"/modules.*
			alone_libraries "${programs[@]}"
			alone_modules "$release" "$module"
		} | sort -u | xargs cp -aL --parents --remove-destination -t "$root" &&
		( cd "$1" && find alone | cpio -o -H newc --quiet )
}
