# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Layers of the sysroot: folders in its /opt. Each is made once and kept until its ingredients
# change, so that the sysroot need not be made anew for them.

# Prints a key of the input.
layer_key()
{
	sha256sum | cut -c1-12
}

# usage: layer_tell WHAT LOG; says twice a minute how far a layer is, until it is ended
layer_tell()
{
	local start=$SECONDS tick

	while :; do
		sleep 30 &
		tick=$!
		trap 'kill "$tick" 2> /dev/null; exit' TERM
		wait "$tick"
		say "$1: $((SECONDS - start)) s: $(tail -n 1 "$2" | cut -c 1-80)"
	done
}

# usage: layer ROOT PREFIX KEY WHAT MAKE [WORD...]
# Prints the path of the layer PREFIX + KEY in the sysroot ROOT. If the layer is not there, "MAKE
# ROOT PATH WORD..." makes it at another path, from which it is moved once it is whole, and
# layers of the same prefix with other keys are deleted. One layer is made at a time.
layer()
{
	local root=$1 prefix=$2 path=$2$3 what=$4 make=$5 log teller made
	shift 5

	log=${prefix#/opt/}
	log=${log%[-/]}
	log=build/layer-${log//\//-}.log
	if [ ! -e "$root$path" ]; then
		[ "$(id -u)" = 0 ] || die "making $what needs root"
		exec 7> "$LAB_CACHE/layer.lock"
		flock 7
		if [ ! -e "$root$path" ]; then
			say "making $what (once; $log)"
			rm -rf --one-file-system "$root$prefix"*
			mkdir -p "$(dirname "$root$path")" "$TREE/build"
			layer_tell "$what" "$TREE/$log" 7>&- &
			teller=$!
			"$make" "$root" "$path.tmp" "$@" > "$TREE/$log" 2>&1 7>&-
			made=$?
			kill "$teller" 2> /dev/null
			[ "$made" = 0 ] || die "$what could not be made: $log"
			mv -T "$root$path.tmp" "$root$path"
		fi
		exec 7>&-
	fi
	echo "$path"
}

# usage: layer_unpack ROOT PATH SCRIPT [WORD...]; a MAKE that runs root_unpack
layer_unpack()
{
	local root=$1 path=$2 script=$3
	shift 3

	root_unpack "$script" "$root$path" "$@"
}
