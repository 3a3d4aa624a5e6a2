# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# xetilectl map: the command line, colors that are asked without a card, and buffers that are made up.
# A part of run.sh, whose functions it calls. card.sh has buffers of a card.

expect 0 'usage: xetilectl map' map --help
expect 2 "map has no option '--nonsense'" map --nonsense
expect 2 "map takes no argument '1m'" map 1m
expect 2 'map needs --size' map
expect 2 'map needs --size' map --tiles 2
expect 2 "--size: '1q' is no size" map --tiles 2 --size 1q
expect 2 'a buffer of 0 bytes has no color: 1 byte to 1 TiB do' map --tiles 2 --size 0
expect 2 'a buffer of 1099511627777 bytes has no color' map --tiles 2 --size 1099511627777
expect 2 "--color: color 'odd': not one of even tile" map --tiles 2 --size 1m -c odd
expect 2 'a chunk is a multiple of 64k' map --tiles 2 --size 1m --color chunk:5
expect 2 "--color 'tile:2': there are 2 tiles" map --tiles 2 --size 1m --color tile:2
expect 2 'color map does not fit the buffer and its tiles: it has 15 pages of 64 KiB, the buffer 16' \
	map --tiles 2 --size 1m --color 'map:1*15'
expect 2 'it has 1 weights, for 2 tiles' map --tiles 2 --size 1m --color weighted:3
expect 2 "--color 'tile:least': only a card knows the tile; leave out --tiles" \
	map --tiles 2 --size 1m --color tile:least
expect 2 '--strict is for a buffer on a card, and --tiles is without one' \
	map --tiles 2 --size 1m --strict
expect 2 "--tiles is without a card, and --device '0' names one" map --tiles 2 --size 1m -d 0
expect 2 "--tiles '5' is not in 1..4" map --tiles 5 --size 1m
expect 2 "'0:0' is no selector card" map --size 1m -d 0:0
expect 1 'no card' map --size 1m
expect 1 '--tiles N draws without a card' map --size 1m
expect 1 "cannot write '$tmp/none/x'" map --tiles 2 --size 1m --svg "$tmp/none/x"
expect 1 "cannot write '/dev/full'" map --tiles 2 --size 1m --svg /dev/full
# 3 pages of 2 tiles are 2 and 1, and a last page counts whole.
expect 0 '"tiles":[{"tile":0,"asked":131072,"kept":null},{"tile":1,"asked":65536,"kept":null}]' \
	map --tiles 2 --size 131073 --json
expect 0 '{"page":0,"pages":16,"asked":0,"kept":null},{"page":16,"pages":16,"asked":1,"kept":null}' \
	map --tiles 2 --size 1m --color replicate -j

# usage: is_map NAME; the map in $tmp/text, $tmp/map.json and $tmp/map.svg is whole
is_map() {
	holds "map: no line of $1 has more than 80 columns, or ends with a blank" \
		test "$(grep -c -e '.\{81\}' -e ' $' "$tmp/text")" = 0
	command -v python3 > /dev/null || return
	holds "map: $1 --json is as its schema says" \
		python3 "$here/schema.py" "$here/map.schema.json" < "$tmp/map.json"
	holds "map: the text and the picture of $1 are its runs" \
		python3 "$here/map_check.py" "$tmp/map.json" "$tmp/text" "$tmp/map.svg"
}
# usage: asked_map NAME ARG...; of a color without a card
asked_map() {
	mapped=$1
	shift
	"$ctl" map --svg "$tmp/map.svg" "$@" > "$tmp/text" 2> "$tmp/err"
	holds "map: $mapped" test $? = 0
	"$ctl" map --json "$@" > "$tmp/map.json"
	is_map "$mapped"
}
# usage: kept_map NAME ARG...; of a buffer that is made up
kept_map() {
	mapped=$1
	shift
	for form in text json svg; do
		"$tmp/tests/map" $form "$@" > "$tmp/map.$form"
		holds "map: $mapped as $form" test $? = 0
	done
	mv "$tmp/map.text" "$tmp/text"
	is_map "$mapped"
}
# usage: golden_map NAME; the text is the golden one
golden_map() {
	cmp "$tmp/text" "$here/map.$1.golden"
	holds "map: the text of $1" test $? = 0
}
asked_map follow --tiles 3 --size 1m --color follow
golden_map follow
asked_map chunk --tiles 2 --size 1g --color chunk:64k
golden_map chunk
asked_map 'a single page' --tiles 4 --size 1
asked_map copies --tiles 4 --size 100m --color replicate
asked_map weights --tiles 4 --size 33m --color weighted:1,2,3,4
asked_map 'a list' --tiles 2 --size 10m --color "map:1*1,0*100,1*59"
kept_map 'what is as asked, in 16 lines' even 33554432 2 1 '0*256,1*256' '0*256,1*256'
kept_map 'what is elsewhere' 'tile:0' 4194304 2 1 '0*64' '0*21,1*33,s*10'
golden_map spilled
kept_map 'chunks elsewhere' chunk:128k 1073741824 2 1 ':2*2*8192' '0*16000,1*100,s*284'
kept_map 'any tile' tile:least 8388608 2 1 '?*128' '1*100,s*28'
kept_map 'more than is asked' even 65536 4 1 '0*1' '0*1,3*2'
kept_map 'less than is asked' even 196608 4 1 '0*2,1*1' '0*1'
kept_map 'half a field' tile:0 67108864 2 1 '0*1024' '0*3'
kept_map 'runs that are one' tile:0 524288 2 1 '0*8' '0*4,0*3,0*1'
kept_map 'pages amid a line' tile:0 1048576 2 1 '0*16' '0*5,1*2,0*9'
kept_map 'just too many for 16 lines' tile:0 34603008 2 1 '0*528' '0*528'
# The widest numbers; page by page they would take minutes.
"$tmp/tests/map" text "$(seq -s, 99)" 1099511627776 4 4 \
	'0*16777216,1*16777216,2*16777216,3*16777216' '0*16777216,1*16777216,2*1,3*33554431' > "$tmp/text"
golden_map wide
holds 'map: the widest numbers have 80 columns' test "$(grep -c '.\{81\}' "$tmp/text")" = 0
command -v python3 > /dev/null ||
	echo 'skip: JSON and pictures of map are not checked, there is no python3'

# Color is in a terminal only, and changes no text; misplaced letters are reverse.
"$tmp/tests/map" color tile:0 4194304 2 1 '0*64' '0*21,1*33,s*10' > "$tmp/color"
holds 'map: color is there' grep -q "$(printf '\033')\\[0;33;7m1" "$tmp/color"
sed "s/$(printf '\033')\\[[0-9;]*m//g" "$tmp/color" | cmp - "$here/map.spilled.golden"
holds 'map: color changes no text' test $? = 0
if command -v script > /dev/null; then
	live 'map in a terminal' '' "$ctl map --tiles 2 --size 1m"
	shows 'map in a terminal' "${escape}[0;34m00000000${escape}[0;33m11111111${escape}[0m"
	live 'map without color' '' "NO_COLOR=1 $ctl map --tiles 2 --size 1m"
	shows 'map without color' '  0000000011111111'
fi
# A color that is no XML, and a name that a terminal would obey
odd=$tmp/$(printf 'm]]><&\033')
echo '1*16' > "$odd"
asked_map 'an odd name' --tiles 2 --size 1m --color "map:$odd"
! cat "$tmp/text" "$tmp/map.svg" "$tmp/map.json" | tr -d '\n\040-\176' | grep -q .
holds 'map: no byte that a terminal could obey' test $? = 0
