# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# W18: xetilectl plan, which needs no card. A part of run.sh, whose functions it calls.

list=$tmp/list
printf '\001\0\0\0\0\0\0\0' > "$list"
printf '\001\0\0\0\0' > "$tmp/torn"
expect 0 'usage: xetilectl plan' plan --help
expect 2 "plan has no option '--nonsense'" plan --nonsense
expect 2 'plan needs --groups' plan
expect 2 'plan needs an ACCESS' plan --groups 1
expect 2 "--groups '1,a' is not X[,Y[,Z]]" plan --groups 1,a stream:4
expect 2 "--local '1,2,3,4' has more than three" plan --groups 1 --local 1,2,3,4 stream:4
expect 2 "--rule 'odd' is not default or published" plan --groups 1 --rule odd stream:4
# shellcheck disable=SC2046 # a word for each ACCESS
expect 2 "plan takes no argument 'stream:17'" plan --groups 1 $(seq -f stream:%g 17)
expect 2 "'flow' is none of stream, stencil, rows and gather" plan --groups 1 flow:4
expect 2 "'stream' needs the bytes" plan --groups 1 stream
expect 2 "'4x' is no size of an element" plan --groups 1 stream:4x
expect 2 "'0' is no size of an element" plan --groups 1 stream:0
expect 2 "'odd' is none of write, offset=" plan --groups 1 stream:4:odd
expect 2 "'offset' is none of write, offset=" plan --groups 1 stream:4:offset
expect 2 "offset: 'x' is no size" plan --groups 1 stream:4:offset=x
expect 2 "items '1,y' is not X[,Y[,Z]]" plan --groups 1 stream:4:items=1,y
expect 2 "pitch 'z' is not X[,Y[,Z]]" plan --groups 1 rows:4:pitch=z
expect 2 "halo '1025' is not X[,Y[,Z]]" plan --groups 1 stencil:4:halo=1025
expect 2 "edge 'odd' is not skip, clamp or inside" plan --groups 1 stencil:4:halo=1:edge=odd
expect 2 "type 'f32' is not u32 or u64" plan --groups 1 gather:4:type=f32:file=x
expect 2 'a gather needs file=FILE' plan --groups 1 gather:4
expect 2 'only a gather has a file' plan --groups 1 stream:4:file=x
expect 2 'only a gather has a type' plan --groups 1 stream:4:type=u64
expect 1 "'$tmp/none': No such file" plan --groups 1 "gather:4:file=$tmp/none"
expect 1 "'$tmp': Is a directory" plan --groups 1 "gather:4:file=$tmp"
expect 1 "'/dev/null': the list is empty" plan --groups 1 gather:4:file=/dev/null
expect 1 'does not end with a whole number' plan --groups 1 "gather:4:file=$tmp/torn"
expect 1 'tiles N plans without a card' plan --groups 1 --size 1m stream:4
expect 1 '--tiles N plans without a card' plan --groups 1 --size 1m stream:4
expect 2 "--device '0' names one" plan --groups 1 --tiles 2 -d 0 stream:4
expect 2 "--tiles '5' is not in 1..4" plan --groups 1 --tiles 5 stream:4
expect 2 "--tiles '0' is not in 1.." plan --groups 1 --tiles 0 stream:4
expect 2 'plan needs --size' plan --groups 1 --tiles 2 stream:4

# usage: asks CODE WORDS ARG...; a plan of 1 MiB on two tiles ends with CODE and says WORDS
asks() {
	code=$1
	words=$2
	shift 2
	expect "$code" "$words" plan --tiles 2 --size 1m "$@"
}
expect 2 "--size: '1q' is no size" plan --groups 1 --tiles 2 --size 1q stream:4
expect 1 'no forecast for a buffer' plan --groups 1 --tiles 2 --size 2000g stream:4
asks 2 "--color: color 'odd'" --groups 1 --color odd stream:4
asks 2 "--color 'tile:2': there are 2 tiles" --groups 1 --color tile:2 stream:4
asks 2 "--color 'map:2*16': there are 2 tiles" --groups 1 --color 'map:2*16' stream:4
asks 1 'color map does not fit' --groups 1 --color 'map:1*15' stream:4
asks 1 'not known' --groups 1 --color tile:least stream:4
asks 1 'color replicate' --groups 1 --color replicate stream:4:write
asks 1 'does not end within 1048576 bytes' --groups 9000 stream:4
asks 1 'only a stencil has a halo' --groups 1 rows:4:halo=1
asks 1 '32 work-items have an index of 1' --groups 1 "gather:8:type=u64:file=$list"
asks 0 '   8                     0      0%' --groups 1 --local 1 \
	"gather:8:type=u64:file=$list"
asks 1 'index of 2' --groups 1 --local 3 "gather:8:type=u32:file=$list"
asks 1 "cannot write '$tmp/none/x'" --groups 1 --svg "$tmp/none/x" stream:4
asks 1 "cannot write '/dev/full'" --groups 1 --svg /dev/full stream:4
rm -f "$tmp/map"
asks 0 "no map is better: '$tmp/map' is not written" --groups 1 --map "$tmp/map" stream:4
holds 'plan: no map is written' test ! -e "$tmp/map"

# The warning is for more than 10 %: a page of ten, a page of nine.
expect 0 '"remote":65536,"share":0.100000,"warning":false' plan --tiles 2 --size 640k --groups 10 \
	--local 1 --color 'map:0*4,1*6' --json stream:64k
expect 0 '"remote":65536,"share":0.111111,"warning":true' plan --tiles 2 --size 576k --groups 9 \
	--local 1 --color 'map:0*4,1*5' --json stream:64k

# A list for which each page is on the tile that another rule would not choose
awk 'BEGIN { for (i = 0; i < 512; i++) {
	n = int(i / 64) % 4; page = i < 256 ? substr("0356", n + 1, 1) : substr("1247", n + 1, 1)
	v = page * 16384 + i % 64
	printf "\\%03o\\%03o\\%03o\\000", v % 256, int(v / 256) % 256, int(v / 65536)
} }' > "$tmp/octal"
# shellcheck disable=SC2059 # the format is the bytes
printf "$(cat "$tmp/octal")" > "$list"
mapped="--tiles 2 --size 512k --groups 8 --local 64 gather:4:write:file=$list"
# shellcheck disable=SC2086 # words
{
expect 0 'better  map:0*1,1*2,0*1,1*1,0*2,1*1: 0% remote' plan --map "$tmp/map" $mapped
expect 0 'No other color is better.' plan --color "map:$tmp/map" $mapped
}
holds 'plan: the map has its runs' test "$(tr '\n' ' ' < "$tmp/map")" = '0*1 1*2 0*1 1*1 0*2 1*1 '

# usage: draws NAME ARG...; the text has the golden one of the name, and the picture and the JSON
# agree with each other and with the schema
draws() {
	drawn=$1
	shift
	"$ctl" plan --svg "$tmp/$drawn.svg" "$@" > "$tmp/text" 2> "$tmp/err"
	cmp "$tmp/text" "$here/plan.$drawn.golden"
	holds "plan: the text of $drawn" test $? = 0
	holds "plan: no line of $drawn has more than 80 columns" \
		test "$(awk 'length > 80' "$tmp/text" | wc -l)" = 0
	command -v python3 > /dev/null || return
	"$ctl" plan --json "$@" > "$tmp/$drawn.json"
	holds "plan: $drawn --json is as its schema says" \
		python3 "$here/schema.py" "$here/plan.schema.json" < "$tmp/$drawn.json"
	holds "plan: the picture of $drawn" \
		python3 "$here/svg.py" "$tmp/$drawn.svg" "$tmp/$drawn.json"
}
draws stream --tiles 2 --size 1m --groups 1024 --local 256 --color chunk:64k stream:4
draws stencil --tiles 4 --size 16m --groups 64,64 --local 32,32 stencil:4:halo=1,1 \
	stream:4:write
draws columns --tiles 2 --size 1000m --groups 1024 --local 256,1000 --color follow \
	rows:4:pitch=4,1m
draws table --tiles 3 --size 100m --groups 99999999 --local 1024 rows:1k:pitch=0

# usage: fits NAME ARG...; no line of the text has more than 80 columns
fits() {
	fit=$1
	shift
	"$ctl" plan "$@" > "$tmp/text"
	holds "plan: $fit has a text" test $? = 0
	holds "plan: no line of $fit has more than 80 columns" \
		test "$(awk 'length > 80' "$tmp/text" | wc -l)" = 0
}
fits 'a large launch' --tiles 4 --size 1m --groups 4294967295,4294967295,4294967295 --local 1 \
	stream:4:items=1,1,1
fits 'a list' --tiles 2 --size 100000000000 --groups 8 --local 64 "gather:4:write:file=$list"
if command -v python3 > /dev/null; then
	sed 's/"warning":[a-z]*,//' "$tmp/stream.json" |
		python3 "$here/schema.py" "$here/plan.schema.json" | grep -q ': no warning'
	holds 'plan: the schema misses what is not there' test $? = 0
	# A color that is no XML, and a name that a terminal would obey
	odd=$tmp/$(printf ']]><&\033')
	cp "$tmp/map" "$odd"
	# shellcheck disable=SC2086 # words
	"$ctl" plan --color "map:$odd" --svg "$tmp/odd.svg" $mapped > "$tmp/text"
	# shellcheck disable=SC2086
	"$ctl" plan --color "map:$odd" --json $mapped > "$tmp/odd.json"
	holds 'plan: a picture of odd words' python3 "$here/svg.py" "$tmp/odd.svg" "$tmp/odd.json"
	! cat "$tmp/text" "$tmp/odd.svg" "$tmp/odd.json" | tr -d '\n\040-\176' | grep -q .
	holds 'plan: no byte that a terminal could obey' test $? = 0
fi
