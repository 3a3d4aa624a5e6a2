# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# The pictures of the documentation are those that xetilectl draws. A part of run.sh, whose functions
# it calls.

mkdir -p "$tmp/pictures"
"$here/../../docs/pictures" "$ctl" "$tmp/pictures" 2> /dev/null
for picture in "$tmp/pictures"/*.svg; do
	holds "pictures: ${picture##*/} is as in the documentation, or: make pictures" \
		cmp "$picture" "$here/../../../Documentation/gpu/xetile/${picture##*/}"
done
