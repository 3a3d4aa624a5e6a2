# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The sysroot: a Debian trixie tree that holds the toolchain, both distribution
# kernels with their headers, and QEMU.  Built once, kept outside the clone.

root_key()
{
	sha256sum < "$LAB_DIR/lib/root-build" | cut -c1-12
}

root_path()
{
	echo "$LAB_CACHE/root-$(root_key)"
}

# Installs the programs that the lab needs on this machine and that are missing.
root_host_needs()
{
	local want=() tool

	for tool in mmdebstrap:mmdebstrap mount:mount unshare:util-linux \
		    flock:util-linux setpriv:util-linux cpio:cpio socat:socat; do
		command -v "${tool%%:*}" >/dev/null || want+=("${tool##*:}")
	done
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
		want+=(debian-archive-keyring)
	[ ${#want[@]} -eq 0 ] && return 0
	[ "$(id -u)" = 0 ] || die "need root to install: ${want[*]}"
	say "installing on this machine: ${want[*]}"
	apt-get -q update >&2 || die "apt-get update failed"
	DEBIAN_FRONTEND=noninteractive apt-get -q -y install \
		--no-install-recommends "${want[@]}" >&2 ||
		die "cannot install: ${want[*]}"
}

# Prints the Debian mirror that this machine already uses.
root_mirror()
{
	local site

	site=$(apt-get indextargets --format '$(LABEL)|$(SITE)' |
		sed -n 's/^Debian|//p' | head -n 1)
	if [ -z "$site" ]; then
		say "apt has no package lists yet: apt-get update"
		apt-get -q update >&2 || die "apt-get update failed"
		site=$(apt-get indextargets --format '$(LABEL)|$(SITE)' |
			sed -n 's/^Debian|//p' | head -n 1)
	fi
	[ -n "$site" ] || die "apt's configuration names no Debian mirror"
	echo "$site"
}

# The sysroot's apt reaches the mirror as this machine does (proxy, date checks): prints the
# machine's Acquire settings as lines "Key value;".
root_apt_options()
{
	apt-config dump | grep -E \
		'^Acquire::(https?::Proxy|https?::Pipeline-Depth|Check-Valid-Until|Check-Date|Retries) ' |
		grep -v '""' || true
}

# usage: root_unpack SCRIPT FOLDER [WORD...]
# Runs SCRIPT FOLDER MIRROR WORD..., which makes a root of packages in FOLDER, with mmdebstrap's
# options for this machine's way to the mirror behind these words.
root_unpack()
{
	local script=$1 folder=$2 mirror options=() line
	shift 2

	mirror=$(root_mirror) || return
	while read -r line; do
		[ -n "$line" ] && options+=("--aptopt=$line")
	done < <(root_apt_options)
	"$script" "$folder" "$mirror" "$@" "${options[@]}"
}

root_build()
{
	local final=$1 tmp="$1.tmp.$$" start=$SECONDS

	say "making the sysroot $final (about 2 GB, some minutes, once)"
	# An interrupted build left these folders; this shell holds the lock.
	rm -rf --one-file-system "$1".tmp.*
	mkdir -p "$tmp"
	lab_cleanup_add "$tmp"
	root_unpack "$LAB_DIR/lib/root-build" "$tmp" >&2 ||
		die "the sysroot could not be made"
	mv -T "$tmp" "$final"
	say "sysroot ready after $((SECONDS - start)) s"
}

# Prints the sysroot's path; makes it first if it is not there.
root_get()
{
	local path

	root_host_needs
	path=$(root_path)
	if [ ! -d "$path" ]; then
		[ "$(id -u)" = 0 ] || die "making the sysroot needs root"
		mkdir -p "$LAB_CACHE"
		exec 8>"$LAB_CACHE/root.lock"
		if ! flock -n 8; then
			say "another lab is making the sysroot: waiting for it"
			flock 8
		fi
		[ -d "$path" ] || root_build "$path" 8>&-
		exec 8>&-
	fi
	echo "$path"
}
