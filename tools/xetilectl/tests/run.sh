#!/bin/sh
# SPDX-License-Identifier: MIT
# xetilectl without a card: the command line, its messages and exit codes.
#   run.sh XETILECTL TEMP_DIR
ctl=$1
tmp=$2
passed=0
failed=0

# expect CODE WORD ARG...: the command ends with CODE and says WORD.
expect() {
	code=$1
	word=$2
	shift 2
	out=$("$ctl" "$@" 2>&1 < /dev/null)
	got=$?
	if [ "$got" -eq "$code" ] && printf '%s\n' "$out" | grep -qF -e "$word"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL xetilectl $*: status $got, not $code, or without '$word':"
		printf '%s\n' "$out" | head -n 5
	fi
}

# Hide every card, so that the results do not depend on the machine's cards.
ZE_AFFINITY_MASK=999999
export ZE_AFFINITY_MASK
unset ZE_FLAT_DEVICE_HIERARCHY XETILE_IMPLICIT_SCALING EnableImplicitScaling ZEX_NUMBER_OF_CCS XETILE_DEVICE_SELECTOR \
	MultiStoragePolicy MultiStorageGranularity

expect 0 'xetilectl --help shows the commands'
expect 2 "did you mean list?" lst
expect 2 "did you mean who?" hwo
expect 2 "did you mean mode?" mod
expect 2 "did you mean crash?" crush
expect 0 'usage: xetilectl [COMMAND' --help
expect 0 'xetilectl 0.' --version
expect 2 "no command 'walk'" walk
expect 0 'usage: xetilectl list' list --help
expect 2 "list has no option '--nonsense'" list --nonsense
expect 2 "no argument 'x'" list x
expect 0 'this machine has no Data Center GPU Max' list --sysfs "$tmp/none"
expect 0 '"cards":[]' list --json
if out=$("$ctl" list --json 2>&1 > /dev/full) || [ "${out%%: No space*}" = "$out" ]; then
	failed=$((failed + 1))
	echo "FAIL xetilectl list to a full disk: $out"
else
	passed=$((passed + 1))
fi
expect 0 'usage: xetilectl mode' mode --help
expect 2 'needs get, set or save' mode
expect 2 'needs get, set or save' mode show
expect 2 'takes no mode' mode get 2
expect 2 'needs one mode' mode set
expect 2 'no number of seconds' mode set --wait=x 2
expect 2 "takes no '2'" mode save 2
expect 2 'no option but --output' mode save --device 0
expect 2 'no option but --output' mode save --json
expect 2 'only mode save has --output' mode get --output=-
expect 2 'only mode save has --output' mode set --output=- 2
expect 1 'no card' mode get
expect 2 "'0:0' is no selector card" mode get --device 0:0
expect 0 'usage: xetilectl calibrate' calibrate --help
# F16: each verb has the letters of the others, and names an option that it does not know.
for verb in list topology metrics run who top mode bind map calibrate check crash selftest trace report xe-run; do
	expect 0 "usage: xetilectl $verb" "$verb" -h
	expect 2 "$verb has no option '--nonsense'" "$verb" --nonsense
	expect 2 "$verb has no option '-x'" "$verb" -x
done
for verb in 'run f' 'mode get' calibrate who top topology 'crash --last'; do
	# shellcheck disable=SC2086 # a verb and its argument
	expect 2 "'0:0' is no selector card" $verb -d 0:0
done
expect 2 "mode: -d needs a value" mode get -d
expect 2 "run: --kernel needs a value" run f --kernel
# Options may follow the arguments, and behind -- there are none.
expect 2 '    ^' run f null -d 0.x
expect 2 "'0:0' is no selector card" run f null --device 0:0
expect 2 'is not KIND:VALUE' run f -- --json
expect 2 "--timeout '0' is no number" run f --timeout 0
expect 2 "argument '?[31m' is not KIND" run f "$(printf '\033[31m')"
expect 0 '"cards":[]' list -j
expect 2 "no argument 'x'" calibrate x
expect 2 'is not in 1m..4g' calibrate --size 1k
expect 2 'is not in 1..1000' calibrate --rounds 0
expect 1 'no card' calibrate
expect 0 'usage: xetilectl run' run --help
expect 2 'needs a file' run
expect 2 'is not X[,Y[,Z]]' run --groups 1,a f
expect 2 'more than three' run --groups 1,2,3,4 f
expect 2 'is not default or published' run --rule other f
expect 2 "color 'odd'" run --color odd f
expect 2 'is not KIND:VALUE' run f 5
expect 2 'none of u8' run f u33:5
expect 2 'no value of type u8' run f u8:256
expect 2 'no value of type u32' run f u32:-1
expect 2 'no value of type i8' run f i8:128
expect 2 'no value of type u32' run f u32:5x
expect 2 'no value of type u64' run f u64:18446744073709551616
expect 2 'no value of type f32' run f f32:
expect 2 'no size of a buffer' run f buf:0
expect 2 'no size of a buffer' run f buf:x
expect 2 'no option' run f buf:64:odd=1
expect 2 'either in= or fill=' run f buf:64:in=x:fill=u8,1
expect 2 'is not TYPE,NUMBER' run f buf:64:dump=u32
expect 2 'has 16 elements of type u32, not 17' run f buf:64:dump=u32,17
expect 2 'color= must be the last option' run f buf:64:color=even:dump=u32,4
expect 2 'it has in=, out=, fill=, dump=, color=' run f buf:64:colour=even
expect 2 'a number, then k, m or g' run f buf:4q
expect 1 'no card' run f a=3 b=buf:64:fill=u8,1 c=null
expect 2 'no size of a buffer' run f b=buf:0
expect 2 "color 'chunk:5'" run f buf:64:dump=u32,16:color=chunk:5
expect 2 'bytes of two hex digits' run f hex:
expect 2 'bytes of two hex digits' run f hex:123
expect 2 'bytes of two hex digits' run f hex:0g
expect 2 'no size of local memory' run f slm:0
expect 1 'no card' run f buf:64k:fill=f32,iota:dump=f32,4:color=chunk:64k u8:255 i8:-128 f32:1e3 hex:00ff u64:0xffffffffffffffff slm:1k null

# The least address space in which the program starts with so many ARGs has no room for the table
# of the ARGs, which takes 20 times as much as a step of the search, or more.
out_of_memory() {
	# shellcheck disable=SC2046 # a word for each ARG
	set -- $(yes null | head -n 60000)
	for kb in $(seq 8000 1000 100000); do
		(ulimit -v "$kb"; "$ctl" run --help "$@") > /dev/null 2>&1 || continue
		(ulimit -v "$kb"; "$ctl" run f "$@") > "$tmp/memory" 2>&1
		[ $? -eq 1 ] && grep -q 'out of memory' "$tmp/memory"
		return
	done
	return 1
}
if out_of_memory; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL xetilectl run without memory: $(cat "$tmp/memory")"
fi

ZE_AFFINITY_MASK=0,
expect 1 "ZE_AFFINITY_MASK '0,' is no list" list
expect 1 '    ^' list
ZE_FLAT_DEVICE_HIERARCHY=' flat' ZE_AFFINITY_MASK='1, 2' expect 0 '"hierarchy":"flat"' list --json
ZE_AFFINITY_MASK=999999
ZE_FLAT_DEVICE_HIERARCHY=FLAT
export ZE_FLAT_DEVICE_HIERARCHY
expect 0 '"tiles":[]' list --json

# --- crash: a dump that was saved, and a folder as sysfs would show dumps ---

here=$(dirname "$0")
dump=$here/crash.dump
expect 0 'usage: xetilectl crash' crash --help
expect 2 "no argument 'x'" crash x
expect 2 '--file names the dump' crash --file f --last
expect 2 '--file names the dump' crash --file f --device 0
expect 1 'no card' crash --last
expect 1 'no card 0' crash -d 0
expect 1 "$tmp/none: No such file" crash --file "$tmp/none"
expect 1 'is no dump of xetile' crash --file "$0"
expect 1 'is no dump of xetile' crash --file /dev/null
expect 1 'Is a directory' crash --file "$tmp"
truncate -s 5M "$tmp/long"
expect 1 'is longer than any dump' crash --file "$tmp/long"
expect 0 'tile0.ccs0 stood at 0x10001100, and ran MI_SEMAPHORE_WAIT (0e00c003)' crash --file "$dump"

# same NAME FILE ARG...: the command prints what FILE has.
same() {
	name=$1
	file=$2
	shift 2
	if "$ctl" "$@" 2>&1 | cmp - "$file"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
	fi
}
same 'crash: the golden text' "$here/crash.golden" crash --file "$dump"
same 'crash: from standard input' "$here/crash.golden" crash --file - < "$dump"
same 'crash --raw' "$dump" crash --raw --file "$dump"
# A batch on the far side of 4 GiB; NOOPs before its begin, and around the head of a ring; a context
# that has left its engine; a command of no length there is; a begin behind what is no command.
same 'crash: odd pieces' "$here/crash-odd.golden" crash --file "$here/crash-odd.dump"

# An engine's name that a terminal would obey, and a piece longer than any of the driver's
{
	sed "s/on tile1.ccs2/on $(printf '\033')ccs2/" "$here/crash-odd.dump"
	echo 'ring of context 0'
	awk 'BEGIN { for (i = 0; i < 600; i++)
		printf "  %05x: 0 0 0 0 0 0 0 0\n", 32 * i }'
} > "$tmp/cut"
expect 0 '?ccs2' crash --file "$tmp/cut"
expect 0 'MI_NOOP, 4086 times' crash --file "$tmp/cut"
case $out in
*"$(printf '\033')"*)
	failed=$((failed + 1))
	echo "FAIL crash: an escape in an engine's name" ;;
*)
	passed=$((passed + 1)) ;;
esac

# A dump that is cut off anywhere, or in which any byte is another one, ends the command with an
# error, or without: with nothing else, and with no byte that a terminal could obey.
bytes=$(wc -c < "$dump")
at=1
bad=
while [ "$at" -lt "$bytes" ]; do
	head -c "$at" "$dump" > "$tmp/cut"
	"$ctl" crash --file "$tmp/cut" > "$tmp/text" 2>&1
	[ $? -le 1 ] || bad="$bad cut:$at"
	cp "$dump" "$tmp/cut"
	printf "$(printf '\\%03o' $((at * 7 % 256)))" |
		dd of="$tmp/cut" bs=1 seek="$at" conv=notrunc status=none
	"$ctl" crash --file "$tmp/cut" >> "$tmp/text" 2>&1
	[ $? -le 1 ] || bad="$bad byte:$at"
	! tr -d '\n\040-\176' < "$tmp/text" | grep -q . || bad="$bad text:$at"
	at=$((at + 23))
done
if [ -z "$bad" ]; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL crash of bad dumps:$bad"
fi
head -c 2000 "$dump" > "$tmp/cut"
expect 1 'the dump ends early' crash --file "$tmp/cut"

# show NUMBER PCI FILE: sysfs shows a dump of the device.
dumps=$tmp/dumps
show() {
	mkdir -p "$dumps/devcd$1"
	ln -sfn "../../../devices/pci0000:00/$2" "$dumps/devcd$1/failing_device"
	cp "$3" "$dumps/devcd$1/data"
}
rm -rf "$dumps"
expect 1 'no dump: no batch was stopped' crash --sysfs "$dumps"
echo 'another driver' > "$tmp/other"
show 7 0000:00:05.0 "$tmp/other"
expect 1 'no dump: no batch was stopped' crash --sysfs "$dumps"
show 3 0000:00:03.0 "$dump"
expect 0 'ran MI_SEMAPHORE_WAIT' crash --sysfs "$dumps"
sed 's/^  process 5/  process 77/' "$dump" > "$tmp/newer"
show 12 0000:00:03.0 "$tmp/newer"
expect 0 '  process 77' crash --sysfs "$dumps"
expect 0 '  process 77' crash --raw --sysfs "$dumps"

# --- who and top: what they print of records, without a card ---

expect 0 'usage: xetilectl who' who --help
expect 0 'usage: xetilectl who' who -h
expect 2 "who has no option '--nonsense'" who --nonsense
expect 2 "who has no option '-x'" who -x
expect 2 "who has no option '-x'" who -xy
expect 2 "who has no option '--help=1'" who --help=1
expect 2 'who: -d needs a value' who -d
expect 2 'who: --device needs a value' who --device
expect 2 "takes no argument 'b'" who 0 b
expect 2 "named twice: '0' and '1'" who -d 0 1
expect 1 'no card 0' who 0.1
expect 1 'no card 0' who 0
expect 1 'the driver xetile has no card' who
expect 1 'no card 1' who -d1 --json
expect 0 'usage: xetilectl top' top --help
expect 2 "top has no option '--json=1'" top --json=1
expect 2 'is not in 0.1..3600 seconds' top --interval 0
expect 2 'is not in 0.1..3600 seconds' top -i 1x
expect 2 'is not in 0.1..3600 seconds' top -i 1e3
expect 2 'is not in 0.1..3600 seconds' top -i ''
expect 2 'is not in 0.1..3600 seconds' top -i .
expect 2 'is not in 0.1..3600 seconds' top -i .05
expect 1 'the driver xetile has no card' top -i .5
expect 2 'is not in 0.1..3600 seconds' top -i 3600.1
expect 1 'the driver xetile has no card' top -i 3600
expect 2 'is not in 1..1000000' top -n 0
expect 2 'is not in 1..1000000' top -n -1
expect 2 'is not in 1..1000000' top -n 1.5
expect 2 'is not in 1..1000000' top -n 99999999999999999999
expect 2 '--once is one frame' top --once -n 2
expect 1 'the driver xetile has no card' top --once

# A record's numbers and names are hostile, too: see its comments.
view=$tmp/tests/view
records="$here/who.before $here/who.now"
# usage: prints NAME GOLDEN WORD...; view prints what the file GOLDEN has
prints() {
	name=$1
	golden=$here/$2
	shift 2
	"$view" "$@" > "$tmp/text" 2>&1
	if cmp "$tmp/text" "$golden"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		diff "$golden" "$tmp/text" | head -n 10
	fi
}
# usage: holds NAME COMMAND...; the command is true
holds() {
	name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
	fi
}
# shellcheck disable=SC2086 # two words
{
prints 'top, 80 columns' top.80.golden top $records cut
prints 'top, 120 columns' top.120.golden top $records cut width=120
prints 'top, a line for all tiles' top.card.golden top $records cut card order=1
prints 'top, the first look' top.first.golden top - "$here/who.now" cut order=2
prints 'who, 80 columns' who.80.golden who - "$here/who.now"
prints 'who, 120 columns' who.120.golden who - "$here/who.now" width=120
for width in 20 40 79 80 81 100 119 120 200; do
	"$view" top $records cut width=$width > "$tmp/text"
	"$view" top $records cut card width=$width >> "$tmp/text"
	"$view" help $records cut width=$width >> "$tmp/text"
	holds "top: no line has more than $width columns" \
		test "$(awk -v w=$width 'length > w' "$tmp/text" | wc -l)" = 0
done
"$view" who - "$here/who.now" > "$tmp/text"
"$view" help $records >> "$tmp/text"
holds 'who: no line has more than 80 columns' test "$(awk 'length > 80' "$tmp/text" | wc -l)" = 0
for height in 1 5 8 9 10 20; do
	holds "top: $height lines" test \
		"$("$view" top $records height=$height | tail -n +7 | wc -l)" -le "$height"
done
holds 'top: a screen of 9 lines has 9' test "$("$view" top $records height=9 | wc -l)" = 9
holds 'top: moved down by 3' test "$("$view" top $records first=3 | sed 1,6d | wc -l)" = 2

# Nothing reaches a terminal raw, and color is bold, reverse and nothing else.
"$view" top $records > "$tmp/text"
"$view" who $records width=200 >> "$tmp/text"
! tr -d '\n\040-\176' < "$tmp/text" | grep -q .
holds 'top and who: no byte that a terminal could obey' test $? = 0
"$view" top $records color cut > "$tmp/color"
"$view" top $records cut | sed 's/ *$//' > "$tmp/text"
holds 'top: color is there' grep -q "$(printf '\033')\\[7m" "$tmp/color"
sed "s/$(printf '\033')\\[[017]m//g; s/ *\$//" "$tmp/color" | cmp - "$tmp/text"
holds 'top: color changes no text' test $? = 0
}

"$tmp/tests/parse" > "$tmp/parse"
holds "the parsers: $(cat "$tmp/parse")" test $? = 0
passed=$((passed + $(sed -n 's/ passed.*//p' "$tmp/parse")))

# --- run: calling the compiler ---

work=$tmp/compile
rm -rf "$work"
mkdir -p "$work/bin" "$work/tmp" "$work/a b"
: > "$work/a b/k.cl"
: > "$work/k.cl"
# It makes what -out_dir names, or stops its caller.
cat > "$work/bin/ocloc" <<-END
	#!/bin/sh
	echo "\$*" > "$work/called"
	case \$* in *-DSTOP*) kill -TERM \$PPID ;; esac
	while [ "\$1" != -out_dir ]; do shift; done
	: > "\$2/k.bin"
END
chmod +x "$work/bin/ocloc"
compile() {
	PATH="$work/bin:$PATH" TMPDIR="$work/tmp" "$tmp/tests/compile" "$@" > "$work/out" 2>&1
}
compile "$work/k.cl"
holds 'run: headers beside the source are found' grep -qF -e "-I$work/" "$work/called"
compile "$work/a b/k.cl" -DN=4
holds 'run: a folder with a blank is no option' grep -q 'options -cl-kernel-arg-info  *-DN=4$' "$work/called"
(trap '' CHLD && compile "$work/k.cl")
holds 'run: a caller that ignores SIGCHLD' test $? = 0
(compile "$work/k.cl" -DSTOP) 2> "$work/err"
holds 'run: SIGTERM ends it' test $? = 143
holds 'run: nothing is left of a compilation' test -z "$(ls "$work/tmp")"

# --- top: the terminal ---

# Sends the keys when the terminal has the screen, and keeps it until the command has ended.
send() {
	for _ in $(seq 1000); do
		[ ! -e "$tmp/status" ] && ! grep -qsF '[?1049h' "$tmp/screen" || break
		sleep 0.02
	done
	# shellcheck disable=SC2059 # the keys are a format
	printf "$sent"
	for _ in $(seq 1000); do
		[ ! -e "$tmp/after" ] || break
		sleep 0.02
	done
}
# usage: live NAME KEYS WORDS...; the command of WORDS runs in a terminal of 7 lines that sends KEYS.
# Its status is $status; $tmp/screen is what the terminal got. It is as it was afterwards.
live() {
	what=$1
	sent=$2
	shift 2
	# The shell between them lives on when the terminal sends an interrupt.
	cat > "$tmp/inner" <<-END
		trap : INT
		stty rows 7 cols 45
		stty -a > "$tmp/before"
		$*
		echo "\$?" > "$tmp/status"
		stty -a > "$tmp/after"
	END
	rm -f "$tmp/status" "$tmp/before" "$tmp/after" "$tmp/screen"
	send | TERM=xterm script -qefc "sh $tmp/inner" "$tmp/screen" > /dev/null 2> "$tmp/err"
	status=$(cat "$tmp/status")
	holds "$what: the terminal is as it was" cmp "$tmp/before" "$tmp/after"
	holds "$what: the screen is given back" \
		test "$(grep -o "$escape\[?1049h" "$tmp/screen" | wc -l)" = \
		"$(grep -o "$escape\[?1049l" "$tmp/screen" | wc -l)"
}
# usage: shows NAME WORDS...; the terminal got all of the words
shows() {
	what=$1
	shift
	for words in "$@"; do
		holds "$what: '$words'" grep -qF -e "$words" "$tmp/screen"
	done
}
escape=$(printf '\033')
keys=$tmp/tests/keys
if command -v script > /dev/null; then
	unknown='\033OQ\033[15~\033[1;5C'
	live 'keys' "x$unknown"'\033[A\033OB\033[C\033[D\033[5~\033[6~\033[H\033q' "$keys"
	shows 'keys' 'key 120 color 45x7' 'key 256' 'key 257' 'key 259' 'key 258' 'key 260' 'key 261' \
		'key 262' 'key 27' 'key 113' "$escape[?1049h" 'second'
	holds 'keys: status' test "$status" = 0
	! grep -qF third "$tmp/screen"
	holds 'keys: no line more than there are' test $? = 0
	! grep -q 'key \(49\|53\|59\|67\|79\|81\|91\|126\) ' "$tmp/screen"
	holds 'keys: those that are not known are not taken apart' test $? = 0
	holds 'keys: what is behind a full screen is not erased' \
		test "$(grep -o "$escape\[J" "$tmp/screen" | wc -l)" = 1
	live 'no color' q "NO_COLOR=1 $keys"
	shows 'no color' 'key 113 45x7'
	live 'interrupt' '\003' "$keys"
	holds 'interrupt: status' test "$status" = 130
	for signal in 1 3 15; do
		live "signal $signal" '' "$keys $signal"
		holds "signal $signal: status" test "$status" = $((128 + signal))
	done
	live 'window' q "$keys 28"
	shows 'window' 'event 1 key 0'
	# It stops, gives the screen back meanwhile, and goes on. The shell must have jobs for that.
	live 'stop' q "set -m; $keys 20; jobs -p > $tmp/job;" \
		"stty -a | cmp - $tmp/before && echo 'as it was';" \
		"echo state \$(cut -d ' ' -f 3 /proc/\$(cat $tmp/job)/stat); fg"
	shows 'stop' 'state T' 'as it was' 'event 1 key 0' 'key 113'
	holds 'stop: it had the screen twice' \
		test "$(grep -o "$escape\[?1049h" "$tmp/screen" | wc -l)" = 2
	# Where no shell could continue it, it goes on.
	live 'no stop' q "timeout --foreground -s KILL 20 $keys 20"
	shows 'no stop' 'event 1 key 0' 'key 113'
	holds 'no stop: status' test "$status" = 0
	holds 'no stop: it had the screen twice' \
		test "$(grep -o "$escape\[?1049h" "$tmp/screen" | wc -l)" = 2
	live 'dumb' '' "TERM=dumb $keys"
	holds 'dumb: status' test "$status" = 3
else
	echo 'skip: top is not tried in a terminal, there is no script'
fi

# --- what is installed (the library's own file for pkg-config, too) ---

top=$(cd "${0%/*}/../../.." && pwd)
make -s -C "$top/libxetile" O="$tmp/none_lib" PREFIX=/usr LIBDIR=/usr/lib/x DESTDIR="$tmp/inst" -n install \
	2> "$tmp/inst.err" | grep -q "@PREFIX@|/usr|.*> $tmp/inst/usr/lib/x/pkgconfig/libxetile.pc" &&
	! readelf -d "$tmp/install/xetilectl" | grep -q 'R.*PATH'
holds 'install: no folder of the build is searched, and the prefix is that of the install' test $? = 0

make -s -C "$top/libxetile" O="$tmp/none_lib" DESTDIR="$tmp/inst" -n install 2> "$tmp/inst.err" |
	grep -q "chmod 644 .*libxetile.pc"
holds 'install: everybody may read what pkg-config reads, whatever the umask' test $? = 0

# --- list: why there is no card, in a folder that is as /sys ---

pci=$tmp/none_sys/bus/pci/devices/0000:3a:00.0
rm -rf "$tmp/none_sys"
mkdir -p "$pci"
echo 0x8086 > "$pci/vendor"
echo 0x0bd5 > "$pci/device"
rm -rf "$tmp/none_bare"
cp -r "$tmp/none_sys" "$tmp/none_bare"
expect 0 '0000:3a:00.0 has no driver' list --sysfs "$tmp/none_sys"
expect 0 'modprobe xetile' list --sysfs "$tmp/none_sys"
mkdir -p "$tmp/none_sys/module/xetile"
expect 0 'drivers/xetile/bind' list --sysfs "$tmp/none_sys"
ln -s ../../../bus/pci/drivers/vfio-pci "$pci/driver"
expect 0 '0000:3a:00.0 is held by vfio-pci' list --sysfs "$tmp/none_sys"
ln -sfn ../../../bus/pci/drivers/xetile "$pci/driver"
expect 0 '0000:3a:00.0 is hidden by ZE_AFFINITY_MASK=' list --sysfs "$tmp/none_sys"
ZE_AFFINITY_MASK='' expect 0 'but no node' list --sysfs "$tmp/none_sys"
mkdir -p "$pci/drm/renderD999"
expect 0 '0000:3a:00.0: cannot open /dev/dri/renderD999: No such file' list --sysfs "$tmp/none_sys"
expect 0 'remedy: have the container get the node' list --sysfs "$tmp/none_sys"

# shellcheck source=plan.sh
. "$here/plan.sh"

# shellcheck source=map.sh
. "$here/map.sh"
# shellcheck source=selftest.sh
. "$here/selftest.sh"
# shellcheck source=trace.sh
. "$here/trace.sh"
# shellcheck source=report.sh
. "$here/report.sh"

# shellcheck source=completion.sh
. "$here/completion.sh"

# shellcheck source=metrics.sh
. "$here/metrics.sh"

# shellcheck source=topology.sh
. "$here/topology.sh"
# shellcheck source=pictures.sh
. "$here/pictures.sh"
# shellcheck source=bind.sh
. "$here/bind.sh"

# --- xe-run (S95); what a program gets is in card.sh ---

expect 0 'usage: xetilectl xe-run' xe-run --help
expect 2 'xe-run needs a PROGRAM' xe-run
expect 2 'xe-run needs a PROGRAM' xe-run --color even --
expect 2 'xe-run needs --color or --cslice' xe-run true
expect 2 '--min-size needs --color' xe-run --cslice 0 --min-size 1m true
expect 2 "--min-size 'much' is no size" xe-run --color even --min-size much true
expect 2 "--cslice '4' is not in 0..3" xe-run --cslice 4 true
expect 2 "--cslice '' is not in 0..3" xe-run --cslice= true
expect 2 "--color 'tile:0' is not even, follow, chunk:SIZE or spill" xe-run --color tile:0 true
expect 2 "--color 'map:0*1' is not even" xe-run --color 'map:0*1' true
expect 2 "--color 'tile:least' is not even" xe-run --color tile:least true
expect 2 '--color: ' xe-run --color chunk:1 true
expect 2 '--color: ' xe-run --color odd true
expect 1 'there is no card to run on' xe-run --color spill -- true --color odd
expect 1 'this machine has no Data Center GPU Max' xe-run --cslice 0 true

# --- check: a folder as sysfs would show a card, with config space and registers as files ---

expect 0 'usage: xetilectl check' check --help
expect 2 "takes no argument 'b'" check a b
expect 2 'is no PCI address' check ../x
expect 1 'no card below' check --sysfs "$tmp/nothing"

sys=$tmp/sysfs
address=0000:3a:00.0
card=$sys/$address

# put FILE OFFSET HEX...: writes bytes into a file
put() {
	file=$card/$1
	at=$2
	shift 2
	# shellcheck disable=SC2059 # the format is the bytes
	printf "$(printf '\\%03o' "$@")" | dd of="$file" bs=1 seek=$((at)) conv=notrunc status=none
}

# good_card: a Max 1100 that answers as expected in all that is read without --wake
good_card() {
	rm -rf "$sys"
	mkdir -p "$card"
	echo 0x8086 > "$card/vendor"
	echo 0x0bda > "$card/device"
	truncate -s 4096 "$card/config"
	truncate -s 16M "$card/resource0"
	printf '%s\n' '0x100000000 0x100ffffff 0x14220c' '0 0 0' '0x2000000000 0x2fffffffff 0x14220c' \
		'0 0 0' '0 0 0' '0 0 0' > "$card/resource"
	put config 0x00 0x86 0x80 0xda 0x0b 0x02 0x00 0x10 0x00 0x2f 0x00 0x80 0x03
	put config 0x34 0x70		# PCI Express, then power management
	put config 0x50 0xc0
	put config 0x70 0x10 0xd0 0x02 0x00
	put config 0x82 0x05 0x01	# gen 5, x16
	put config 0xd0 0x01 0x00 0x03 0x00
	put config 0x100 0x01 0x00 0x01 0x14	# errors, then SR-IOV
	put config 0x140 0x10 0x00 0x01 0x00
	put resource0 0x101010 0x80
	put resource0 0x1083a0 0x00 0x30	# 48 GiB at 0
	put resource0 0x108100 0 0 0 0xff 0x0b
	put resource0 0x1080c0 0 0 0x10 0xff 0x0b
	put resource0 0x281014 0x20 0x12 0x06	# RP0, RP1, RPn
}

# lie NAME FILE OFFSET BYTE...: the good card with other bytes has one DIFF, in line NAME
lie() {
	name=$1
	shift
	good_card
	put "$@"
	expect 1 "DIFF     card.$name " check --sysfs "$sys" "$address"
	expect 1 ' 1 DIFF,' check --sysfs "$sys" "$address"
}

good_card
expect 0 ' 0 DIFF,' check --sysfs "$sys"
expect 0 "$address: 8086:0bda revision 2f, 1 tile" check --sysfs "$sys"
expect 0 'PASS     card.config.link                   gen 5, x16' check --sysfs "$sys"
expect 0 'PASS     card.config.aer' check --sysfs "$sys"
expect 0 'PASS     card.config.sriov' check --sysfs "$sys"
expect 0 'PASS     tile0.memory.end ' check --sysfs "$sys" "$address"
expect 0 '"name":"tile0.memory.range","verdict":"PASS"' check --json --sysfs "$sys"

lie config.revision config 0x08 0x25
lie config.class config 0x0a 0x00
lie config.ggtt config 0x50 0x80
lie config.sriov config 0x150 0x02
lie config.aer config 0x104 0x10
lie firmware.hbm-trained resource0 0x101010 0x00
# A slower link and an unknown base die are no fault.
good_card
put config 0x82 0x04 0x00
put config 0x08 0x37
expect 0 'UNKNOWN  card.config.link                   gen 4, x0' check --sysfs "$sys"
expect 0 'UNKNOWN  card.config.revision ' check --sysfs "$sys"
# Lists of capabilities that run in circles end.
good_card
put config 0x71 0x70
put config 0x102 0x01 0x10
expect 0 'UNKNOWN  card.config.sriov' check --sysfs "$sys"

good_card
truncate -s 64 "$card/config"
expect 0 'UNKNOWN  card.config.ggtt' check --sysfs "$sys"
good_card
put config 0x04 0x00
expect 1 "echo 1 > $card/enable" check --sysfs "$sys"
good_card
put config 0xd4 0x03
expect 1 'the card sleeps (D3)' check --sysfs "$sys"
good_card
put config 0x00 0xff 0xff 0xff 0xff
expect 1 'config space reads all ones' check --sysfs "$sys"
good_card
put config 0x02 0x34 0x12
expect 1 'not a card that the driver knows' check --sysfs "$sys"
good_card
put resource0 0x101800 0xff 0xff 0xff 0xff
expect 1 'registers read all ones' check --sysfs "$sys"
good_card
truncate -s 4096 "$card/resource0"
expect 1 'BAR0 is too small' check --sysfs "$sys"
good_card
rm "$card/resource0"
expect 1 'it has no BAR0' check --sysfs "$sys"
good_card
rm "$card/config"
expect 1 'no such PCI device' check --sysfs "$sys" "$address"
good_card
ln -s /sys/bus/pci/drivers/xe "$card/driver"
expect 0 'bound to xe: the values are those that xe has made' check --sysfs "$sys"
expect 0 '"driver":"xe"' check --sysfs "$sys" --json
expect 1 'bound to xe, which owns wells and mailbox' check --wake --sysfs "$sys"
# Wells that do not wake, and a mailbox without an answer, end the audit within its time limits.
good_card
expect 1 'DIFF     tile0.wells.render ' check --wake --sysfs "$sys"
expect 1 'DIFF     card.firmware.pcode-complete ' check --pcode --sysfs "$sys"
# A second card, and one that does not answer before it: both are told, the JSON stays whole.
good_card
cp -r "$card" "$sys/0000:05:00.0"
truncate -s 0 "$sys/0000:05:00.0/config"
expect 1 "$address: 8086" check --sysfs "$sys"
expect 1 '0000:05:00.0: config space cannot be read' check --sysfs "$sys"
expect 1 '"cards":[{"address":"0000:05:00.0","error":"config space cannot be read"},{"address":"'$address'"' \
	check --json --sysfs "$sys"
expect 1 '"cards":[{"address":"x","error":"there is no such PCI device; ' \
	check --json --sysfs "$sys" x
# What others name is text of JSON, whatever bytes it has.
expect 1 '"address":"\u00ff\u007f\u001b\\\"' check --json --sysfs "$sys" "$(printf '\377\177\033\\"')"

# The JSON output is JSON, as far as python3 is there to check.
if command -v python3 > /dev/null; then
	if "$ctl" list --json | python3 -m json.tool > "$tmp/list.json"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo 'FAIL list --json is no JSON'
	fi
	if "$ctl" check --json --sysfs "$sys" 2> "$tmp/err" | python3 -m json.tool > "$tmp/check.json"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo 'FAIL check --json is no JSON'
	fi
	# shellcheck disable=SC2086 # two words
	{
	"$view" json - "$here/who.now" > "$tmp/who.json"
	"$view" json $records >> "$tmp/who.json"
	}
	holds 'who and top --json are as their schema says' \
		python3 "$here/schema.py" "$here/who.schema.json" < "$tmp/who.json"
	sed 's/"seconds":[^,]*,//' "$tmp/who.json" |
		python3 "$here/schema.py" "$here/who.schema.json" | grep -q ': no seconds'
	holds 'the schema misses what is not there' test $? = 0
else
	echo 'skip: JSON is not checked, there is no python3'
fi
echo "xetilectl: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
