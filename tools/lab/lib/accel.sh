# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Chooses KVM or TCG. On some machines /dev/kvm opens, but a guest then hangs. So a guest is tried,
# for five seconds at most, once per boot of the machine.

# usage: accel_get ROOT; prints kvm or tcg
accel_get()
{
	local root=$1 file old initrd accel=tcg

	file=$LAB_CACHE/accel-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -s "$file" ]; then
		if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
			say "trying KVM, for five seconds at most"
			initrd=$(initramfs_get "$root" 6.12) || exit
			accel_trial "$root" "$initrd" && accel=kvm
		fi
		say "guests run by $accel"
		for old in "$LAB_CACHE"/accel-*; do
			[ "$old" = "$file" ] || rm -f "$old"
		done
		echo "$accel" > "$file.$$" && mv "$file.$$" "$file"
	fi
	cat "$file"
}

accel_trial()
{
	local root=$1 initrd=$2

	chroot_exec "$root" / timeout -k 1 5 qemu-system-x86_64 -nodefaults \
		-no-user-config -display none -no-reboot -machine q35 -m 512M \
		-accel kvm -cpu host -kernel /boot/vmlinux-6.12 -initrd "$initrd" \
		-append "console=ttyS0 panic=-1 lab.trial" -serial stdio \
		< /dev/null 2>/dev/null | grep -q "lab: trial boot ok"
}
