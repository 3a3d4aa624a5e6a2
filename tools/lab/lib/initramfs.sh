# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The guest's initramfs: busybox, the modules that reach the sysroot, and
# guest/init.

# usage: initramfs_get ROOT KERNEL; prints the path inside the sysroot
initramfs_get()
{
	local root=$1 kernel=$2 key path tmp release

	if kernel_is_ours "$kernel"; then
		release= # this kernel needs no module to reach the sysroot
	else
		release=$(readlink "$root/lib/modules/$kernel") ||
			die "no kernel $kernel; there is: $(cut -d ' ' -f 1 \
				"$root/etc/xetile-kernels" | xargs) $(kernel_names)"
	fi
	key=$(cat "$LAB_DIR/guest/init" "$LAB_DIR/lib/initramfs.sh" | sha256sum | cut -c1-12)
	path=/boot/initramfs-$kernel-$key
	if [ ! -e "$root$path" ]; then
		tmp=$(mktemp -d "$root/boot/initramfs.XXXXXX") || exit
		initramfs_fill "$root" "$release" "$tmp" &&
			( cd "$tmp" && find . | cpio -o -H newc --quiet ) > "$tmp.cpio" &&
			mv "$tmp.cpio" "$root$path"
		local status=$?
		rm -rf --one-file-system "$tmp" "$tmp.cpio"
		[ $status = 0 ] || die "cannot make the initramfs"
	fi
	echo "$path"
}

# The busybox applets that guest/init and guest/start use.
initramfs_tools()
{
	echo sh mount mkdir ln cp cat cut dd tr basename dmesg insmod rmmod stty setsid \
		sync switch_root chroot swapon poweroff
}

initramfs_fill()
{
	local root=$1 release=$2 dir=$3 module n=10 tool

	mkdir -p "$dir/bin" "$dir/proc" "$dir/sys" "$dir/dev" "$dir/modules" || return
	cp "$root/usr/bin/busybox" "$dir/bin/busybox" || return
	for tool in $(initramfs_tools); do
		ln -s busybox "$dir/bin/$tool"
	done
	cp "$LAB_DIR/guest/init" "$dir/init" || return
	[ -n "$release" ] || return 0
	# In the order of their dependencies, each once.
	while read -r module; do
		case $module in
		*.xz) chroot "$root" xz -dc "$module" ;;
		*.zst) chroot "$root" zstd -dcq "$module" ;;
		*) cat "$root$module" ;;
		esac > "$dir/modules/$n.ko" || return
		n=$((n + 1))
	done < <(for module in virtio_pci virtio_console virtio_blk 9p 9pnet_virtio overlay; do
			chroot "$root" modprobe -S "$release" --show-depends "$module"
		done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }')
}
