#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of xetilectl on a card: the output of list, modes set and refused, kernels with
# buffers and values of every kind, and the messages of failures. They need a machine, or a
# guest, with the driver loaded; they use card 0, whose tiles are in CCS mode 1 afterwards.
#
# usage: card.sh XETILECTL KERNELS.BIN
ctl=$1
kernels=$2	# libxetile/kernels/kernels.bin, a file with several kernels
one=${2%/*}/../tests/data/triad_26_27.bin	# a file with one kernel
passed=0
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset ZE_AFFINITY_MASK ZE_FLAT_DEVICE_HIERARCHY XETILE_IMPLICIT_SCALING \
	EnableImplicitScaling ZEX_NUMBER_OF_CCS MultiStoragePolicy MultiStorageGranularity \
	XETILE_DEVICE_SELECTOR

# Ratios of the machine's own cards stay out of the way.
XETILE_STATE_DIR=$tmp/state
export XETILE_STATE_DIR

# usage: judge STATUS WHAT; counts the test WHAT, which passed if STATUS is 0
judge() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL xetilectl $2: status $status"
		head -n 8 "$tmp/out" "$tmp/err"
	fi
}

run() {
	"$ctl" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
}

# expect CODE WORDS ARG...: the command ends with CODE, and either output has WORDS.
expect() {
	code=$1
	words=$2
	shift 2
	run "$@"
	cat "$tmp/out" "$tmp/err" > "$tmp/both"
	[ "$status" = "$code" ] && grep -qF -e "$words" "$tmp/both"
	judge $? "$*, without '$words' or not $code"
}

# expect_json FILTER ARG...: jq's FILTER holds for the command's JSON.
expect_json() {
	filter=$1
	shift
	run "$@"
	[ "$status" = 0 ] && jq -e "$filter" "$tmp/out" > /dev/null 2>> "$tmp/err"
	judge $? "$*, not $filter"
}

# --- list ---------------------------------------------------------------------------

run list --json
tiles=$(jq '.cards[0].tiles | length' "$tmp/out")
all=$(jq '[.cards[].tiles[]] | length' "$tmp/out")
pci=$(jq -r '.cards[0].pci' "$tmp/out")
expect_json '.hierarchy == "composite" and (.cards | length) >= 1' list --json
expect_json '.cards[0] | .vendor_id == 32902 and .num_tiles == (.tiles | length) and
	.hbm_total == ([.tiles[].hbm_total] | add) and
	.num_cslices == ([.tiles[].num_cslices] | add)' list --json
expect_json '[.cards[0].tiles[] | .ccs_mode == 1 and
	([.engines[] | select(.class == "compute")] | length) == 1 and
	([.engines[] | select(.class == "copy")] | length) >= 1 and
	.hbm_visible <= .hbm_total and .distance[.tile | tostring] < .distance.system] | all' \
	list --json
expect 0 "card 0:" list
expect 0 "distance: tile 0:" list
expect 0 "CCS mode 1 of 1" list
ZE_FLAT_DEVICE_HIERARCHY=FLAT expect_json "(.tiles | length) >= $tiles and .tiles[0].flat == 0" \
	list --json
ZE_FLAT_DEVICE_HIERARCHY=FLAT expect 0 "tile 0.0 (flat 0)" list
# A tile's number in flat hierarchy is the same in each listing, with and without a mask.
expect_json '[.cards[].tiles[].flat] == [range([.cards[].tiles[]] | length)]' list --json
ZE_FLAT_DEVICE_HIERARCHY=FLAT expect_json '.hierarchy == "flat" and
	[.tiles[].flat] == [range(.tiles | length)]' list --json
ZE_FLAT_DEVICE_HIERARCHY=COMBINED expect_json '.hierarchy == "combined" and
	[.tiles[].flat] == [range(.tiles | length)]' list --json
last=$((all - 1))
ZE_FLAT_DEVICE_HIERARCHY=FLAT ZE_AFFINITY_MASK=$last \
	expect_json "[.tiles[].flat] == [$last]" list --json
ZE_AFFINITY_MASK=0.0 expect_json '.cards[0].tiles | length == 1' list --json
ZE_AFFINITY_MASK=999 expect 0 'is hidden by ZE_AFFINITY_MASK=999' list

# Cards have a name, and are found by PCI address and node.
expect_json '.cards[0].name | startswith("Data Center GPU Max")' list --json
expect 0 ': Data Center GPU Max' list
! grep -q '.\{81\}' "$tmp/out"
judge $? 'list: 80 columns'
expect 0 'Data Center GPU Max'
grep -q "^         $pci, renderD" "$tmp/out"
judge $? 'the overview: where the card is'
! grep -q '.\{81\}' "$tmp/out"
judge $? 'the overview: 80 columns'
for name in "$pci" "${pci#0000:}" "$(ls /dev/dri/renderD* | head -n 1)" \
	"$(basename "$(ls /dev/dri/renderD* | head -n 1)")"; do
	expect 0 '0.0: CCS mode 1' mode get -d "$name"
done
XETILE_DEVICE_SELECTOR=0.0 expect_json '.device == "0.0"' run --json --kernel fill "$kernels" buf:64 u32:1
XETILE_DEVICE_SELECTOR=0.9 expect 1 'XETILE_DEVICE_SELECTOR: 0.9: card 0 has no tile 9' \
	run --kernel fill "$kernels" buf:64 u32:1

# --- topology ---------------------------------------------------------------------------

run list --json
cp "$tmp/out" "$tmp/list"
run topology --json
cp "$tmp/out" "$tmp/topology"
jq -e --slurpfile list "$tmp/list" '$list[0].cards as $cards |
	[.cards[].tiles[] | {selector, hbm: .hbm.total, num_eus, ccs_modes}] ==
	[$cards[].tiles[] | {selector, hbm: .hbm_total, num_eus, ccs_modes}] and
	(.links | length) == (.cards | length * (length - 1) / 2)' "$tmp/topology" > "$tmp/out"
judge $? 'topology: the cards and tiles of list, and a link for each two cards'
expect_json '[.cards[] | .path[-1] == .pci and (.path[0] | startswith("pci"))] | all' topology --json
expect_json '[.cards[] | .num_tiles as $t | .distances | length == ($t + 1) * ($t + 1)] | all' \
	topology --json
expect_json '[.cards[].tiles[] | [.cslices[] | select(.present) | .cslice] ==
	([.compute_engines[].cslices[]] | sort)] | all' topology --json
expect_json '.cards | length == 1 and .[0].card == 0' topology --json -d 0
expect 2 'is no card, but a part of card 0' topology 0.0
expect 0 '+- tile 0.0, flat 0 ' topology --svg "$tmp/picture"
! grep -q '.\{81\}' "$tmp/out"
judge $? 'topology: 80 columns'
grep -q '>tile 0.0, flat 0<' "$tmp/picture"
judge $? 'topology: the picture has the tile'
ZE_FLAT_DEVICE_HIERARCHY=FLAT run topology --json
jq -S 'del(.cards[].tiles[].hbm.free)' "$tmp/out" > "$tmp/flat"
jq -S 'del(.cards[].tiles[].hbm.free)' "$tmp/topology" | cmp - "$tmp/flat" > "$tmp/out"
judge $? 'topology: the same in flat hierarchy'

# --- metrics ------------------------------------------------------------------------------

prom=$tmp/xetile.prom
run metrics --output "$prom"
[ "$status" = 0 ] && [ ! -s "$tmp/out" ]
judge $? 'metrics: a file, and no words'
if command -v python3 > /dev/null; then
	python3 "${0%/*}/metrics.py" < "$prom" > "$tmp/out" 2> "$tmp/err"
	judge $? 'metrics: the grammar'
else
	echo 'skip: the grammar of metrics is not checked, there is no python3'
fi
run list --json
total=$(jq '.cards[0].tiles[0].hbm_total' "$tmp/out")
for line in "xetile_cards $(jq '.cards | length' "$tmp/out")" \
	"xetile_card_up{pci=\"$pci\"} 1" \
	"xetile_hbm_size_bytes{pci=\"$pci\",tile=\"0\"} $total" \
	"xetile_ccs_mode{pci=\"$pci\",tile=\"0\"} 1" \
	"xetile_errors_total{pci=\"$pci\",tile=\"0\",severity=\"fatal\",kind=\"hbm\"} 0" \
	"xetile_throttled{pci=\"$pci\",tile=\"0\",reason=\"pl1\"} 0"; do
	grep -qxF -e "$line" "$prom"
	judge $? "metrics: $line"
done
for begin in "xetile_frequency_hertz{pci=\"$pci\",tile=\"0\",kind=\"rp0\"} [1-9]" \
	"xetile_energy_joules_total{pci=\"$pci\"} " \
	"xetile_clients_complete{pci=\"$pci\"} 1"; do
	grep -q -e "^$begin" "$prom"
	judge $? "metrics: $begin"
done
# A process that has the card open is a client with its memory and its time.
if exec 8<> "$(jq -r '.cards[0].node' "$tmp/out")"; then
	expect 0 ",pid=\"$$\",uid=\"0\",command=\"card.sh\"} 1" metrics
	expect 0 ",engine=\"compute\"} 0.000000" metrics
	exec 8>&-
fi

# --- plan (W18) -----------------------------------------------------------------------

words="--size 4m --groups 4096 --local 256 --json stream:4"
# shellcheck disable=SC2086 # words
{
expect_json "(.tiles | length) == $tiles and .partition.parts == $tiles and .remote == 0 and
	.total == 4194304" plan $words
expect_json ".partition.parts == 1 and .tiles[$((tiles - 1))].local == .total and .remote == 0" \
	plan --device "0.$((tiles - 1))" $words
expect_json ".share == ($tiles - 1) / $tiles" plan --color tile:0 $words
}
expect 2 "xetilectl: --color" plan --color "tile:$tiles" --size 1m --groups 1 stream:4

# --- calibrate ----------------------------------------------------------------------

# The figures of a virtual card mean nothing: what is tested is that they are there and are used.
expect 0 'distances not measured: the distances are an order only' list
expect_json '.cards[0].distances | startswith("not measured")' list --json
expect_json '[.cards[0].tiles[].ratio == {}] | all' list --json
expect 0 'nothing is stored' calibrate --size 1m --rounds 2 --dry-run
expect 2 "'0.0' is no card" calibrate --device 0.0
expect_json ".file == \"$XETILE_STATE_DIR/$pci.distances\" and
	([.ratios[] | select(.tile != \"cpu\")] | length) == $tiles * ($tiles + 1) and
	([.ratios[] | select(.tile == .memory) | .read == 1 and .write == 1] | all)" \
	calibrate --size 1m --rounds 2 --json
expect 0 "stored in $XETILE_STATE_DIR/$pci.distances" calibrate --size 1m --rounds 2
expect 0 "distances measured on this card: $XETILE_STATE_DIR/$pci.distances" list
expect_json "[.cards[0].tiles[] | .ratio[.tile | tostring] == {\"read\": 1, \"write\": 1} and
	(.ratio | length) == $tiles + 1] | all" list --json
sed -i 's/revision ../revision 00/' "$XETILE_STATE_DIR/$pci.distances"
expect 0 'distances ignored: ' list
expect 0 'it is of another card' list
expect_json '[.cards[0].tiles[].ratio == {}] | all' list --json
rm "$XETILE_STATE_DIR/$pci.distances"

# --- selftest -----------------------------------------------------------------------------

# Copy engines of a virtual card may end before the next one begins: then one is not reached.
vpvcctl=${0%/*}/../../lab/vpvcctl
# all_cards COMMAND...: each card gets the command.
all_cards() {
	for port in /dev/virtio-ports/vpvc.*; do
		[ ! -e "$port" ] || "$vpvcctl" "${port##*.}" "$@" > /dev/null
	done
}
all_cards inject slow us=1000
# What a test of all cards has in CCS mode 1
units='[.cards[] | (.tiles | length) as $n | (if $n > 1 then 1 else 0 end) +
	([.tiles[] | [.engines[] | select(.class == "copy")] | length + 3] | add)] | add'
units=$("$ctl" list --json | jq "$units")
expect_json ".verdict == \"pass\" and (.units | length) == $units and
	all(.units[]; .verdict == \"pass\" and .wrong == null and .tests > 0) and
	([.units[] | select(.kind == \"hbm\")] | length == $all and all(.bytes == 1048576))" \
	selftest --memory 1m --json
cp "$tmp/out" "$tmp/lines"
# In mode 2 each slice of the tile is tested, and nothing else of a slice that is named.
slices=$("$ctl" topology --json | jq -c '[.cards[0].tiles[0].cslices[] | select(.present) | .cslice]')
expect 0 '0.0: CCS mode 2' mode set --device 0.0 2
expect_json "[.units[] | select(.kind == \"compute\")] | length == 2 and
	([.[].cslices[]] | sort) == $slices and ([.[].device] == [\"0.0.0\", \"0.0.1\"])" \
	selftest --memory 64k --json 0.0
expect_json '.units | length == 1 and .[0].device == "0.0.1" and .[0].tests == 6' \
	selftest --json -d 0.0.1
expect 0 '0.0: CCS mode 1' mode set 1
# A card that does wrong is found out, and the wrong unit and word are named.
if [ -e /dev/virtio-ports/vpvc.0 ]; then
	"$vpvcctl" 0 inject copy-lost engine=tile0.bcs1 count=1 > "$tmp/out"
	run selftest --memory 64k --json 0.0
	jq -e '.verdict == "fail" and ([.units[] | select(.verdict != "pass")] |
		length == 1 and (.[0] | .kind == "copy" and .device == "0.0" and .engine == "BCS1" and
		.wrong.words >= 512 and .wrong.word_bytes == 8 and .wrong.found == "0x5a5a5a5a5a5a5a5a"))' \
		"$tmp/out" > /dev/null 2>> "$tmp/err" && [ "$status" = 3 ]
	judge $? 'selftest: a copy engine that loses bytes'
	cat "$tmp/out" >> "$tmp/lines"
	# All copies. (Memory that is new may have been zero before.)
	"$vpvcctl" 0 inject copy-lost engine=tile0 size=64 count=0 > "$tmp/out"
	run selftest --memory 1m --json 0.0
	"$vpvcctl" 0 inject copy-lost off > "$tmp/both"
	jq -e 'all(.units[] | select(.kind != "clear"); (.verdict == "fail") == (.kind != "compute")) and
		all(.units[] | select(.kind == "hbm"); .reason == "the pattern: wrong result" and
		.wrong.words > 0 and .bytes == 1048576)' "$tmp/out" > /dev/null 2>> "$tmp/err" &&
		[ "$status" = 3 ]
	judge $? 'selftest: a tile whose copies lose bytes'
	cat "$tmp/out" >> "$tmp/lines"
	# Without delays the first engine copies several times before the others begin: its second copy.
	bcs=$("$ctl" list --json | jq '[.cards[0].tiles[0].engines[] | select(.class == "copy") | .instance][0]')
	"$vpvcctl" 0 inject slow off > /dev/null
	"$vpvcctl" 0 inject copy-lost "engine=tile0.bcs$bcs" skip=20 count=1 > /dev/null
	run selftest --memory 64k --json 0.0
	"$vpvcctl" 0 inject copy-lost off > /dev/null
	"$vpvcctl" 0 inject slow us=1000 > /dev/null
	jq -e "any(.units[]; .engine == \"BCS$bcs\" and .kind == \"copy\" and .verdict == \"fail\")" "$tmp/out" \
		> /dev/null 2>> "$tmp/err" && [ "$status" = 3 ]
	judge $? 'selftest: the second copy of an engine'
	ccs=$("$ctl" list --json | jq '.cards[0].tiles[0].engines[] | select(.class == "compute") | .instance')
	"$vpvcctl" 0 inject fault "engine=tile0.ccs$ccs" address=0 size=0x800000000000 > "$tmp/out"
	expect 3 "kernel fill: page fault on tile 0 CCS$ccs" selftest --memory 64k 0.0
	! grep -q '.\{81\}' "$tmp/out"
	judge $? 'selftest: 80 columns'
else
	echo 'skip: selftest of a card that does wrong is for a virtual card'
fi
all_cards inject clear
python3 "${0%/*}/schema.py" "${0%/*}/selftest.schema.json" < "$tmp/lines" > "$tmp/err"
judge $? 'selftest --json is as its schema says'

# --- mode ---------------------------------------------------------------------------

expect 0 '0.0: CCS mode 1' mode get
expect_json ".tiles | length == $tiles and all(.ccs_mode == 1)" mode get --json
expect 0 '0.0: CCS mode 2' mode set 2
expect_json ".tiles | length == $tiles and all(.ccs_mode == 2)" mode get --json
expect 2 "'0.0.0' is a slice" mode set --device 0.0.0 1
expect_json '.tiles == [{"selector": "0.0", "ccs_mode": 1}]' \
	mode set --device 0.0 --wait=5 --json 1
expect 0 '0.0: CCS mode 1' mode set --wait 1
expect 2 "mode '3' is not 1, 2 or 4" mode set 3
expect 1 "0.9" mode set --device 0.9 2
expect 2 "'0.0.0' is a slice" mode set --device 0.0.0 2
expect 2 "'0.0.0' is a slice" mode get --device 0.0.0
expect 0 '0.0: CCS mode 1' mode get --device 0.0
expect 1 "no card 77" mode get --device 77

# --- mode save (W8) -----------------------------------------------------------------------

# There is no udev in the guest. apply_rules FILE does what udev does with the keys of these rules
# when a DRM device comes, for all that are there, and fails for a key that it does not know.
apply_rules() {
	set -f
	grep -v '^#' "$1" > "$tmp/plain" || return
	while IFS= read -r rule; do
		for card in $(ls /sys/class/drm); do
			card=/sys/class/drm/$card
			[ -e "$card/device" ] || continue
			pci_device=$(readlink -f "$card/device")
			for key in $(echo "$rule" | tr -d ' ' | tr , ' '); do
				value=${key#*\"}
				value=${value%\"}
				case $key in
				'ACTION=="'*) have=add ;;
				'SUBSYSTEM=="'*) have=$(basename "$(readlink "$card/subsystem")") ;;
				'KERNEL=="'*) have=${card##*/} ;;
				'KERNELS=="'*) have=${pci_device##*/} ;;
				'DRIVERS=="'*) have=$(basename "$(readlink "$pci_device/driver")") ;;
				'ATTR{'*'}="'*)
					file=${key#*\{}
					printf %s "$value" > "$card/${file%%\}*}" || return
					continue ;;
				*) return 1 ;;
				esac
				# shellcheck disable=SC2254 # a pattern
				case $have in
				$value) ;;
				*) break ;;
				esac
			done
		done
	done < "$tmp/plain"
	set +f
}

# The driver of a card is bound anew.
rebind() {
	echo "$pci" > /sys/bus/pci/drivers/xetile/unbind &&
		echo "$pci" > /sys/bus/pci/drivers/xetile/bind
}

expect 0 '0.0: CCS mode 2' mode set --device 0.0 2
expect 0 "\"$pci\", DRIVERS==\"xetile\", ATTR{device/tile0/gt0/ccs_mode}=\"2\"" \
	mode save --output -
[ "$(grep -c '^ACTION=="add", ' "$tmp/out")" = "$all" ]
judge $? 'mode save: a rule for each tile'
cp "$tmp/out" "$tmp/wanted"
echo 'old' > "$tmp/modes.rules"
ZE_AFFINITY_MASK=999 ZE_FLAT_DEVICE_HIERARCHY=FLAT \
	expect 0 "$tmp/modes.rules: the CCS modes of $all tile" mode save --output "$tmp/modes.rules"
cmp -s "$tmp/modes.rules" "$tmp/wanted" && [ "$(stat -c %a "$tmp/modes.rules")" = 644 ] &&
	[ "$(ls "$tmp"/modes.rules*)" = "$tmp/modes.rules" ]
judge $? 'mode save: the file is replaced, and nothing else is left'
expect 1 "cannot write '$tmp/none/x': No such file" mode save --output "$tmp/none/x"
expect 1 "$tmp is no regular file" mode save --output "$tmp"
ln -s /dev/null "$tmp/masked.rules"
expect 1 'masked.rules is no regular file' mode save --output "$tmp/masked.rules"
[ -h "$tmp/masked.rules" ] && [ -c /dev/null ]
judge $? 'mode save: a mask stays'
rebind
judge $? 'mode save: the card is bound anew'
expect_json 'all(.tiles[]; .ccs_mode == 1)' mode get --json
apply_rules "$tmp/modes.rules"
judge $? 'mode save: the rules can be followed'
expect_json '[.tiles[] | (.ccs_mode == 2) == (.selector == "0.0")] | all' mode get --json
"$ctl" mode save --output - | cmp -s - "$tmp/wanted"
judge $? 'mode save: the modes are back'
expect 0 '0.0: CCS mode 1' mode set 1

# --- mode set by a group (W5) ----------------------------------------------------------------

nodes=$(ls /dev/dri/card* /dev/dri/renderD*)
# as GROUPS ARG...: the command as a user with no rights but those of groups. Debian's group video
# (44), which the guest has, stands for render.
as() {
	groups=$1
	shift
	setpriv --reuid 65534 --regid 65534 --groups "$groups" "$ctl" "$@" \
		> "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
}
# As udev does when the administrator has taken the mark of a comment away.
policy=${0%/*}/../udev/70-xetile.rules
rule=$(sed -n 's/^#ACTION=="add", SUBSYSTEM=="drm", KERNEL=="card\*", DRIVERS=="xetile", RUN+="\(.*\)"$/\1/p' \
	"$policy" | sed 's/render/video/')
[ "$(grep -cv '^#\|^$' "$policy")" = 0 ] && [ -n "$rule" ]
judge $? 'the shipped policy does nothing, and holds a rule'
# shellcheck disable=SC2086 # names without spaces
chmod a+rw $nodes
as 65534,44 mode set --device 0.0 2
[ "$status" = 1 ] && grep -qF 'Permission denied' "$tmp/err"
judge $? 'the group may not set the mode before'
for card in /sys/class/drm/card*; do
	path=$(readlink -f "$card")
	path=${path#/sys}
	eval "$(echo "$rule" | sed "s|%p|$path|g")"
	judge $? 'the policy can be followed'
done
as 65534,44 mode set --device 0.0 2
grep -qF '0.0: CCS mode 2' "$tmp/out"
judge $? 'the group sets the mode'
as 65534 mode set --device 0.0 1
[ "$status" = 1 ] && grep -qF 'Permission denied' "$tmp/err"
judge $? 'others do not set the mode'
expect 0 '0.0: CCS mode 1' mode set 1

# --- a mode of the process's own (S95, W5) -------------------------------------------------------

# The second command of seed 002, on a card in mode 1, as an ordinary user, beside who has a tile.
"$ctl" run --device 0.0 --timeout 600 --kernel spin "$kernels" buf:64 buf:64 > /dev/null 2>&1 < /dev/null &
spinner=$!
for _ in $(seq 100); do
	! grep -q . /sys/class/drm/card*/device/tile0/gt0/ccs_mode_holders || break
	sleep 0.2
done
export ZEX_NUMBER_OF_CCS=0:2
expect_json '.cards[0].tiles | all(.ccs_mode == 2)' list --json
export ZE_AFFINITY_MASK=0.0.1
as 65534 run --device 0.0.1 --kernel fill "$kernels" buf:128 u32:1
[ "$status" = 0 ]
judge $? 'ZEX_NUMBER_OF_CCS gives a process its mode beside others'
unset ZEX_NUMBER_OF_CCS ZE_AFFINITY_MASK
expect 0 '0.0: CCS mode 1' mode get
kill "$spinner"
wait "$spinner" 2> /dev/null

# --- xe-run (S95) ----------------------------------------------------------------------------------

expect 127 "cannot run '$tmp/none'" xe-run --color even -- "$tmp/none" --json
expect 126 "cannot run '$tmp'" xe-run --color spill --min-size 1m -- "$tmp"
expect 1 'there is no card 99' xe-run --device 99 --cslice 0 true
# The file that keeps it stays open in the program, one for each card.
nodes=$("$ctl" list --json | jq '.cards | length')
expect 5 "$nodes files" xe-run --color chunk:1m --cslice 1 sh -c \
	'echo "$(readlink /proc/self/fd/* | grep -c renderD) files"; exit 5'
expect 0 'which runtimes look for' xe-run --color even true

# --- bind (S95, S104) ------------------------------------------------------------------------------

run list --json
slices=$(jq '.cards[0].tiles[0].num_cslices' "$tmp/out")
expect 1 'tile 0.0 is in CCS mode 1, in which it has no slices' bind --by cslice --rank 0 --ranks 2 true
expect 0 '>      0  0 ' bind --by card --rank 0 --ranks 1 --dry-run
expect_json ".ranks | length == $all and ([.[].environment.ZE_AFFINITY_MASK] | unique | length) == $all" \
	bind --by tile --ranks "$all" --dry-run --json
python3 "${0%/*}/schema.py" "${0%/*}/bind.schema.json" < "$tmp/out" > "$tmp/err"
judge $? 'bind --json is as its schema says'
expect 1 "$((all + 1)) ranks, but $all tile" bind --by tile --ranks $((all + 1)) --dry-run
expect 127 "cannot run '$tmp/none'" bind --by tile --rank 0 --ranks 1 -- "$tmp/none" --json
expect 126 "cannot run '$tmp'" bind --by tile --rank 0 --ranks 1 -- "$tmp"
XETILE_DEVICE_SELECTOR=9 expect 7 'mask 0.0 COMPOSITE 1, none, none' bind --by tile --rank 0 --ranks "$all" sh -c \
	'echo "mask $ZE_AFFINITY_MASK $ZE_FLAT_DEVICE_HIERARCHY $ZE_ENABLE_PCI_ID_DEVICE_ORDER, ${ZEX_NUMBER_OF_CCS-none}, ${XETILE_DEVICE_SELECTOR-none}"; exit 7'
# (On two cards of one tile the last tile is the other card's.)
wish=$("$ctl" list --json | jq -r '[range(.cards | length) | "\(.):2"] | join(",")')
ZE_FLAT_DEVICE_HIERARCHY=FLAT ZEX_NUMBER_OF_CCS=$wish expect 0 "mask $last FLAT, 0:2" \
	bind --by tile --rank $last --ranks "$all" sh -c \
	'echo "mask $ZE_AFFINITY_MASK $ZE_FLAT_DEVICE_HIERARCHY, ${ZEX_NUMBER_OF_CCS-none}"'
# Inside of a mask two ranks have the two slices of a mode of their own, as list and who see them. The
# process becomes the program, so a rank is a process that is known.
export ZE_AFFINITY_MASK=0.0 XETILE_DEVICE_SELECTOR=0
expect 1 '3 ranks, but 2 cslices that ZE_AFFINITY_MASK leaves' bind --by cslice --mode 2 --ranks 3 --dry-run
expect 0 '       2  0.0.1         1' bind --by cslice --mode 2 --ranks 3 --share --dry-run
# The mask may name a slice that only this mode makes.
ZE_AFFINITY_MASK=0.0.1 expect 0 '       0  0.0.1         1    2' bind --by cslice --mode 2 --ranks 1 --dry-run
ZE_AFFINITY_MASK=0.0.3 expect 1 'there is no card to bind to' bind --by cslice --mode 2 --ranks 1 --dry-run
ZE_AFFINITY_MASK=0.0.x expect 1 "ZE_AFFINITY_MASK '0.0.x'" bind --by cslice --mode 2 --ranks 1 --dry-run
for rank in 0 1; do
	export MPI_LOCALRANKID=$rank MPI_LOCALNRANKS=2
	expect_json '(.cards | length) == 1 and (.cards[0].tiles | length) == 1 and
		(.cards[0].tiles[0] | .ccs_mode == 2 and .num_cslices == '$((slices / 2))')' bind --by cslice --mode 2 -- "$ctl" list --json
	expect 1 "0.0.$((1 - rank)): tile 0 has no cslice" bind --by cslice --mode 2 -- \
		"$ctl" run -d "0.0.$((1 - rank))" --kernel fill "$kernels" buf:64 u32:1
	"$ctl" bind --by cslice --mode 2 -- "$ctl" run --timeout 600 --kernel spin "$kernels" buf:64 buf:64 \
		> /dev/null 2>&1 < /dev/null &
	eval "rank$rank=$!"
done
unset ZE_AFFINITY_MASK XETILE_DEVICE_SELECTOR MPI_LOCALRANKID MPI_LOCALNRANKS
for _ in $(seq 100); do
	run who --json
	! jq -e '[.processes[].slices[]?] | length == 2' "$tmp/out" > /dev/null || break
	sleep 0.2
done
jq -e "[.processes[] | {pid, slice: .slices[]}] |
	([.[] | select(.pid == $rank0 and .slice.virtual == 0 and .slice.ccs_mode == 2)] | length) == 1 and
	([.[] | select(.pid == $rank1 and .slice.virtual == 1 and .slice.ccs_mode == 2)] | length) == 1 and
	(.[0].slice.physical - .[1].slice.physical) == .[0].slice.physical" "$tmp/out" > /dev/null 2>> "$tmp/err"
judge $? 'bind: two ranks run on slices of their own'
kill "$rank0" "$rank1"
wait "$rank0" "$rank1" 2> /dev/null
expect 0 '0.0: CCS mode 1' mode get

# --- who and top (W4, W10, S71) ----------------------------------------------------------------

# The views, the keys and the terminal are tested without a card, in run.sh.
node=$(ls /dev/dri/renderD* | head -n 1)
here=${0%/*}
# json FILTER WHAT: jq's FILTER holds for the output that is there.
json() {
	jq -e "$1" "$tmp/out" > /dev/null 2>> "$tmp/err"
	judge $? "$2, not $1"
}

expect_json '.processes == [] and .complete and .seconds == null' who --json
# In mode 2 a process has virtual slice 1 of tile 0, and all that fdinfo tells of it grows.
expect 0 '0.0: CCS mode 2' mode set --device 0.0 2
"$ctl" run --device 0.0.1 --timeout 600 --kernel spin "$kernels" buf:64m buf:64 > /dev/null 2>&1 < /dev/null &
spinner=$!
for _ in $(seq 100); do
	run who --json
	! jq -e '.processes[0].tiles[0].compute_seconds > 0.1' "$tmp/out" > /dev/null || break
	sleep 0.2
done
json ".processes | length == 1 and .[0].pid == $spinner and .[0].uid == 0 and
	.[0].command == \"xetilectl\" and .[0].clients == 1 and .[0].busy == null and
	(.[0].tiles[0] | .hbm >= 67108864 and .compute_queues == 1 and .compute_seconds > 0.1) and
	([.[0].tiles[1:][] | .compute_seconds == 0 and .compute_queues == 0] | all)" 'who: its client'
cp "$tmp/out" "$tmp/lines"
# The physical slices are those of the virtual one, by the time that the card counts for them.
expect_json '(.tiles[0].busy > 0) and ([.tiles[1:][].busy == 0] | all) and .watts > 0 and
	.seconds >= 0.3 and (.processes | length == 1)' top --once --interval 0.3 --json
json '.processes[0] | .tiles[0].busy > 0 and
	(.slices | length == 1 and .[0].tile == 0 and .[0].virtual == 1 and .[0].ccs_mode == 2) and
	([.tiles[0].cslices[] | select(.busy > 0) | .cslice] == .slices[0].physical)' 'top: its slices'
cat "$tmp/out" >> "$tmp/lines"
python3 "$here/schema.py" "$here/who.schema.json" < "$tmp/lines" > "$tmp/err"
judge $? 'who and top --json are as their schema says'
ZE_AFFINITY_MASK=0.0 expect_json '(.tiles[0].copy_busy != null) and
	([.tiles[1:][].copy_busy == null] | all)' top --once --interval 0.1 --json
as 65534 top --once --interval 0.1 --json
[ "$status" = 0 ]
judge $? 'top: others than root may see their own'
json '.processes == [] and (.complete | not) and .watts == null' 'top: they see no more'

# A file that a process has given to two children is one client, and a name is no command for the
# terminal. (The process lives until its input ends.)
mkfifo "$tmp/life"
cat > "$tmp/hostile" <<-'END'
	exec 3<> "$1"
	printf '\033[2J\nx\233"' > /proc/$$/comm
	sleep 600 &
	first=$!
	sleep 600 &
	read -r _
	kill $first $!
END
sh "$tmp/hostile" "$node" < "$tmp/life" > /dev/null 2>&1 &
hostile=$!
exec 4> "$tmp/life"
for _ in $(seq 50); do
	run who --json
	! jq -e "[.processes[] | select(.pid == $hostile and .shared_with == 2)] | length == 1" \
		"$tmp/out" > /dev/null || break
	sleep 0.1
done
json "(.processes | length == 2) and (.processes[] | select(.pid == $hostile) |
	.shared_with == 2 and .clients == 1 and (.command | startswith(\"\\u001b[2J\\nx\")))" \
	'who: a file of several processes'
run who
! tr -d '\n\040-\176' < "$tmp/out" | grep -q .
judge $? 'who: a name with an escape sequence'
grep -qF "$hostile root     ?[2J?x" "$tmp/out" && grep -q " $spinner root  .* 0\.0 .*[0-9] 1>[0-3]" "$tmp/out"
judge $? 'who: both are there'
exec 4>&-
wait "$hostile"

cat > "$tmp/inner" <<-END
	stty rows 24 cols 80
	stty -a > "$tmp/before"
	"$ctl" top --interval 0.1
	echo "\$?" > "$tmp/status"
	stty -a > "$tmp/after"
END
# until_there WORDS FILE: waits for the words.
until_there() {
	for _ in $(seq 200); do
		! grep -qsF "$1" "$2" || break
		sleep 0.1
	done
}
{
	until_there 'by busy' "$tmp/screen"
	printf 'mnptthx\033[C\033[B\033[A q'
	until_there '' "$tmp/after"
} | TERM=xterm script -qefc "sh $tmp/inner" "$tmp/screen" > /dev/null 2> "$tmp/err"
status=$(cat "$tmp/status")
[ "$status" = 0 ] && cmp -s "$tmp/before" "$tmp/after" &&
	tail -n 3 "$tmp/screen" | grep -qF "$(printf '\033')[?1049l"
judge $? 'top: q ends, and the terminal is as it was'
for words in 'by memory' 'by PID' 'by busy' 'the keys' 'CARD   BUSY' " $spinner root "; do
	grep -qF "$words" "$tmp/screen"
	judge $? "top: shows '$words'"
done
kill "$spinner"
wait "$spinner" 2> /dev/null
expect 0 '0.0: CCS mode 1' mode set 1

# --- trace (W10) -------------------------------------------------------------------------

instances=/sys/kernel/tracing/instances
[ -d "$instances" ] || mount -t tracefs tracefs /sys/kernel/tracing
# no_instance WHAT: nothing is left in the kernel
no_instance() {
	! ls "$instances" | grep -q '^xetilectl'
	judge $? "trace: nothing is left $1"
}
expect 0 'ended well' trace -o "$tmp/trace.json" "$ctl" run -d 0 --groups 64 --kernel fill "$kernels" buf:64k u32:1
grep -qE "^$tmp/trace.json: [0-9]+ events in .* 0 failed" "$tmp/err"
judge $? 'trace: what is in the file'
# A launch on the whole card is a turn on each tile's engine, as one.
jq -e --argjson n "$tiles" '[.traceEvents[] | select(.cat == "turn" and .args.class == "compute")] |
	length == $n and all(.args.engines == $n and .args.end == "done" and .dur > 0) and
	([.[].args.context] | unique | length) == 1 and
	([.[].tid / 100 | floor] | sort) == [range($n)]' "$tmp/trace.json" > "$tmp/out" 2> "$tmp/err"
judge $? 'trace: a launch on all tiles'
jq -e --argjson n "$tiles" '[.traceEvents[] | select(.cat == "job" and .args.error == 0)] | length >= $n' \
	"$tmp/trace.json" > "$tmp/out" 2> "$tmp/err"
judge $? 'trace: its job'
no_instance 'of a program'
expect 3 'page fault' trace --json -o "$tmp/fault.json" -- "$ctl" bind --by tile --mode 2 --rank 0 --ranks 1 -- \
	"$ctl" run -d 0.0.1 --kernel fill "$kernels" null u32:1
jq -e '.failed == 1 and .lost == 0 and .unknown == 0' "$tmp/out" > /dev/null 2>> "$tmp/err"
judge $? 'trace: a job that failed is counted'
cp "$tmp/out" "$tmp/lines"
jq -e '[.traceEvents[] | select(.cat == "fault")] | length == 1 and (.[0].name | startswith("failed: page fault"))' \
	"$tmp/fault.json" > "$tmp/out" && jq -e '[.traceEvents[] | select(.cat == "epoch") | .args.mode] ==
	[1, 2]' "$tmp/fault.json" >> "$tmp/out"
judge $? 'trace: a fault, and the epoch of another mode'
expect 127 'cannot run' trace -o "$tmp/none.json" "$tmp/none"
expect 1 "cannot write '$tmp/none/x'" trace -o "$tmp/none/x" touch "$tmp/traced"
[ ! -e "$tmp/traced" ]
judge $? 'trace: nothing runs whose trace cannot be written'
no_instance 'of a trace that cannot be written'
# What is there stays until the trace is whole, and a link of somebody is not followed.
echo old > "$tmp/old.json"
# shellcheck disable=SC2016 # of the program
expect 0 'still old' trace -o "$tmp/old.json" -- sh -c 'echo "still $(cat "$0")"' "$tmp/old.json"
head -c 1 "$tmp/old.json" | grep -q '{' && [ "$(ls "$tmp" | grep -c '^old.json')" = 1 ]
judge $? 'trace: the file is replaced when it is whole'
echo old > "$tmp/victim"
ln -s victim "$tmp/link.json"
expect 1 'is no regular file' trace -o "$tmp/link.json" -- touch "$tmp/traced"
[ "$(cat "$tmp/victim")" = old ] && [ ! -e "$tmp/traced" ]
judge $? 'trace: a link is not followed'
no_instance 'of a file that is a link'
# No file of the trace is the program's.
"$ctl" trace -o "$tmp/none.json" sh -c 'ls -l /proc/$$/fd' > "$tmp/out" 2> "$tmp/err" < /dev/null
! grep -q 'trac\|deleted' "$tmp/out"
judge $? 'trace: the program has its own files only'
expect 0 ': 0 events' trace -o "$tmp/none.json" --seconds 0.2
as 65534 trace -o /dev/null true
[ "$status" = 1 ] && grep -qF 'remedy: be root' "$tmp/err"
judge $? 'trace: others than root are told'
# A signal ends the trace and the program, and the file is written.
for signal in TERM INT USR1 ALRM; do
	rm -f "$tmp/signal.json"
	# (A shell has children in the background ignore INT.)
	env --default-signal "$ctl" trace -o "$tmp/signal.json" -- sleep 600 > "$tmp/out" 2> "$tmp/err" < /dev/null &
	tracer=$!
	for _ in $(seq 200); do
		! pgrep -P "$tracer" > /dev/null || break
		sleep 0.05
	done
	kill -s "$signal" "$tracer"
	wait "$tracer"
	status=$?
	[ "$status" -gt 128 ] && jq -e '.otherData.lost == "0"' "$tmp/signal.json" > /dev/null
	judge $? "trace: ended by $signal"
	no_instance "after $signal"
done
# Ctrl-C comes from the terminal to both: the program gets it once.
python3 - "$ctl" "$tmp/once.json" "$tmp/once" << 'END'
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "trace", "-o", sys.argv[2], "--", "sh", "-c",
             "trap 'echo got >> \"$0\"' INT; echo ready; n=0; while [ $n -lt 20 ]; do sleep 0.1; n=$((n + 1)); done",
             sys.argv[3]])
while b"ready" not in os.read(fd, 1000):
    pass
os.write(fd, b"\3")
try:
    while os.read(fd, 1000):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
[ $? = 0 ] && [ "$(cat "$tmp/once")" = got ] && [ -s "$tmp/once.json" ]
judge $? 'trace: Ctrl-C comes to the program once'
for file in trace.json fault.json; do
	[ ! -e "$tmp/$file" ] || python3 "$here/trace_check.py" "$tmp/$file" > "$tmp/out" 2> "$tmp/err"
	judge $? "trace: $file is whole"
done
tr -d '\n' < "$tmp/fault.json" | python3 "$here/schema.py" "$here/trace.schema.json" > "$tmp/err"
judge $? 'trace: the file is as its schema says'
python3 "$here/schema.py" "$here/trace_summary.schema.json" < "$tmp/lines" > "$tmp/err"
judge $? 'trace --json is as its schema says'
expect 0 '0.0: CCS mode 1' mode get

# Who may not ask for long kernels tests the same.
all_cards inject slow us=1000
setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice "$ctl" selftest --memory 64k --json > "$tmp/out" 2> "$tmp/err"
status=$?
[ "$status" = 0 ] && jq -e ".verdict == \"pass\" and (.units | length) == $units" "$tmp/out" > /dev/null
judge $? 'selftest of others than root'
all_cards inject clear

# --- report -------------------------------------------------------------------------------

# Only what needs a card without a driver, and a dump, is not there.
sections='cards topology map modes processes load health check dump versions log'
expect_json '([.sections[] | select(.status != 0) | .id] - ["check", "dump"]) == [] and
	[.sections[] | select(.picture) | .id] == ["topology", "map"]' report --json -o "$tmp/report.html"
cp "$tmp/out" "$tmp/lines"
# shellcheck disable=SC2086 # words
python3 "$here/report_check.py" "$tmp/report.html" $sections > "$tmp/out" 2> "$tmp/err"
judge $? 'report: the page is whole'
for words in "$pci" 'Initialized xetile' "tile=&quot;$((tiles - 1))&quot;" 'All lies as asked.'; do
	grep -qF -e "$words" "$tmp/report.html"
	judge $? "report: has '$words'"
done
[ "$(grep -c '^<svg ' "$tmp/report.html")" = 2 ]
judge $? 'report: two pictures'
mkdir -m 777 "$tmp/open"
chmod 755 "$tmp"
as 65534,44 report --json -o "$tmp/open/report.html"
[ "$status" = 0 ] && grep -q 'remedy: be root' "$tmp/open/report.html"
judge $? 'report: others than root are told what they do not see'
cat "$tmp/out" >> "$tmp/lines"
python3 "$here/schema.py" "$here/report.schema.json" < "$tmp/lines" > "$tmp/err"
judge $? 'report --json is as its schema says'

# --- mode set --wait (W6, W23) -----------------------------------------------------------------

# hold: a process has a compute queue on tile 0.0 until kill_holder, and its mode is everybody's.
hold() {
	for policy in /sys/class/drm/card*/device/tile0/gt0/ccs_mode_policy; do
		echo fixed > "$policy"
	done
	"$ctl" run --device 0.0 --timeout 600 --kernel spin "$kernels" buf:64 buf:64 \
		> "$tmp/holder" 2>&1 < /dev/null &
	holder=$!
	for _ in $(seq 100); do
		! grep -q . /sys/class/drm/card*/device/tile0/gt0/ccs_mode_holders || return 0
		sleep 0.2
	done
	cat "$tmp/holder" >&2
	return 1
}

kill_holder() {
	kill "$holder" 2> /dev/null
	wait "$holder" 2> /dev/null
}

# What a process has cost until now: ticks of CPU time, and how often it slept.
cost() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 12,13
	grep ctxt_switches "/proc/$1/status"
}

# sleeps PID: within three seconds the process did nothing at all. It may be on its way to its
# sleep at first. One that wakes up now and then never is that still.
sleeps() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		kill -0 "$1" || return 1
		before=$(cost "$1")
		sleep 3
		[ "$before" != "$(cost "$1")" ] || return 0
	done
	return 1
}

hold
judge $? 'a kernel holds the tile'
expect 1 "tile 0 of card 0 cannot go to CCS mode 2: the tile is in use by $holder xetilectl (1 queue)" \
	mode set --device 0.0 2
expect 1 'the tile is still in use by' mode set --device 0.0 --wait=1 2
as 65534,44 mode set --device 0.0 2
[ "$status" = 1 ] && grep -qF 'the tile is in use; root can read by whom' "$tmp/err"
judge $? 'who may not read the holders is told who can'
"$ctl" mode set --device 0.0 --wait 2 > "$tmp/first" 2>&1 < /dev/null &
first=$!
setpriv --reuid 65534 --regid 65534 --groups 44 "$ctl" mode set --device 0.0 --wait=500 2 \
	> "$tmp/second" 2>&1 < /dev/null &
second=$!
sleeps "$first"
judge $? 'mode set --wait takes no CPU time'
sleeps "$second"
judge $? 'mode set --wait=500, which cannot read the holders, takes no CPU time'
kill_holder
wait "$first" && grep -qF '0.0: CCS mode 2' "$tmp/first"
judge $? 'mode set --wait ends with the holder'
wait "$second" && grep -qF '0.0: CCS mode 2' "$tmp/second"
judge $? 'mode set --wait=500 ends with the holder'
expect 0 '0.0: CCS mode 1' mode set 1

# Who waits for a tile of a card that goes waits in vain, and must be told.
hold
"$ctl" mode set --device 0.0 --wait 2 > "$tmp/first" 2>&1 < /dev/null &
first=$!
sleeps "$first"
rebind
judge $? 'the card is bound anew beside one that waits'
wait "$first"
[ $? = 1 ] && grep -qF 'No such device' "$tmp/first"
judge $? 'mode set --wait ends with the card'
kill_holder
for policy in /sys/class/drm/card*/device/tile0/gt0/ccs_mode_policy; do
	echo epochs > "$policy"
done
expect 0 '0.0: CCS mode 1' mode get

# --- run: --info, wrong files and arguments -----------------------------------------------

expect 0 'triad: SIMD' run --info "$one"
expect 0 'argument 3: value, 4 bytes' run --info "$one"
expect_json '.kernels[] | select(.name == "group_sum") | .barriers > 0 and
	(.args | map(.kind)) == ["pointer", "pointer", "local"]' \
	run --info --json "$kernels"
expect 1 "$tmp/none" run "$tmp/none"
echo 'no kernel' > "$tmp/text"
expect 1 "$tmp/text" run "$tmp/text"
expect 1 'no kernel' run --kernel other "$kernels" buf:64
expect 2 'choose one with --kernel' run "$kernels" buf:64
expect 2 'has 4 arguments, not 1' run "$one" buf:64
grep -q '^  argument 3: value, 4 bytes' "$tmp/err"
judge $? 'run: the arguments that there are'
expect 2 'argument 0' run "$one" u32:1 buf:64 buf:64 f32:1
expect 1 'no card 77' run --device 77 "$one"
expect 1 "argument 0 'out': cannot allocate" run --kernel fill "$kernels" buf:1000000g u32:1
grep -q 'of HBM are in use$' "$tmp/err"
judge $? 'run: how much room there is'
# No wrong answer is given without a word: an argument too many, a kernel that is not there.
expect 2 'kernel fill has 2 arguments, not 3' run --kernel fill "$kernels" buf:64 u32:1 u32:4
expect 1 'has no kernel nope' run --info --kernel nope "$kernels"
expect 0 'argument 0: pointer, 8 bytes, uint* out' run --info --kernel fill "$kernels"
expect_json '.kernels | length == 1 and .[0].args[0].name == "out" and .[0].args[0].type == "uint*"' \
	run --info --json --kernel fill "$kernels"
# Arguments by name, and values of the type that the kernel has
expect_json '.dumps == [{"arg": 0, "type": "u32", "values": [7, 7]}]' \
	run --json --kernel copy "$kernels" src=buf:128:fill=u32,7 dst=buf:128:dump=u32,2
expect 2 'argument 1 takes a value, not memory' run --kernel fill "$kernels" buf:64 buf:64
expect 2 "has no argument 'source'" run --kernel copy "$kernels" source=buf:128 dst=buf:128
expect 2 "'dst' is there twice" run --kernel copy "$kernels" dst=buf:128 dst=buf:128
expect 2 "argument 'src' is missing" run --kernel copy "$kernels" dst=buf:128
expect 2 'either all arguments have names or none' run --kernel copy "$kernels" dst=buf:128 buf:128

# --- run: launches ----------------------------------------------------------------------

# fill= writes a value of every kind and dump= prints it, for both buffers of copy.
while read -r type value shown; do
	expect_json ".dumps == [{\"arg\": 0, \"type\": \"$type\", \"values\": [$shown, $shown]}]" \
		run --json --kernel copy "$kernels" "buf:128:dump=$type,2" "buf:128:fill=$type,$value"
	expect 0 "arg 1 [0]: $value $value" \
		run --kernel copy "$kernels" buf:128 "buf:128:fill=$type,$value:dump=$type,2"
done <<-END
	u8 255 255
	i8 -128 -128
	u16 65535 65535
	i16 -32768 -32768
	u32 4294967295 4294967295
	i32 -2147483648 -2147483648
	u64 1099511627776 1099511627776
	i64 -5 -5
	f32 0.5 0.5
	f64 -0.125 -0.125
	f32 inf null
	f64 nan null
END
for type in u8 u16 u32 i64 f32 f64; do
	expect_json '.dumps[0].values == [0, 1, 2, 3]' run --json --kernel copy "$kernels" \
		"buf:128:dump=$type,4" "buf:128:fill=$type,iota"
done
expect_json '.kernel == "fill" and .device == "0" and (.members | length) >= 1 and
	.dumps[0].values == [7, 8, 9]' \
	run --json --groups 2 --local 16,1,1 --kernel fill "$kernels" buf:128:dump=u32,3 u32:7
expect_json '.dumps[0].values == [258, 259]' \
	run --json --kernel fill "$kernels" buf:128:dump=u32,2 hex:02010000
expect_json '.dumps[0].values == [120, 376]' run --json --groups 2 --local 16 \
	--kernel group_sum "$kernels" buf:64:dump=u32,2 buf:128:fill=u32,iota slm:64
# F13: how long the kernel took, on each tile; each launch goes on with what the last one left.
expect_json '(.launches | length) == 1 and (.launches[0] | .ns > 0 and .ns <= .tiles[0].end_ns) and
	(.launches[0].tiles | map(.tile)) == (.members | map(.tile)) and
	all(.launches[0].tiles[]; .end_ns >= .start_ns)' \
	run --json --kernel fill "$kernels" buf:128 u32:1
expect_json '.dumps[0].values == [320] and (.launches | length) == 5 and
	([.launches[].tiles[0] | .start_ns, .end_ns] | . == sort)' \
	run --json --repeat 5 --groups 2 --kernel count "$kernels" buf:64:dump=u32,1
expect 0 'times of 3 launches: least ' run -n 3 --kernel fill "$kernels" buf:128 u32:1
expect 0 'time: ' run --kernel fill "$kernels" buf:128 u32:1
expect 2 '--repeat' run --repeat 0 --kernel fill "$kernels" buf:128 u32:1
# The color that was asked for beside the one that is kept
expect_json '.buffers | length == 1 and .[0] == {"arg": 0, "name": "out", "size": 65536,
	"color": "tile:0", "tiles": [65536], "system": 0, "misplaced": 0}' \
	run --json --kernel fill "$kernels" buf:64k:color=tile:0 u32:1
expect 0 '  0  out          64 KiB  tile:0      0                         yes' \
	run --kernel fill "$kernels" buf:64k u32:1 --color tile:0
free=$("$ctl" list --json | jq '.cards[0].tiles[0] | .hbm_total - .hbm_used')
more=$((free + (256 << 20)))
if [ "$tiles" -gt 1 ]; then
	expect_json '.buffers[0] | .misplaced > 0 and .misplaced == .tiles[1]' \
		run --json --kernel fill "$kernels" "buf:$more:color=tile:0" u32:1
	expect 0 'of argument 0 do not lie as asked' \
		run --kernel fill "$kernels" "buf:$more:color=tile:0" u32:1
	grep -q '  0*11*  NO: ' "$tmp/out"
	judge $? 'run: the bar of a buffer that lies elsewhere, too'
fi
expect 1 'no room in HBM' run --strict --kernel fill "$kernels" "buf:$more:color=tile:0" u32:1
# What map draws is what the runs say, page by page, and they are those of the color: 18 pages, of
# which the last one is not full.
drawn=
# A buffer that is still being cleared when its process ends goes when that is done. What has room
# depends on it.
given_back() {
	for _ in $(seq 100); do
		[ "$("$ctl" list --json | jq '.cards[0].tiles[0].hbm_used')" != "$before" ] || return
		sleep 0.1
	done
}
# usage: draws NAME WORDS ARG...; the text has the words. It and the picture are compared with the
# JSON below, for all names at once.
draws() {
	map=$tmp/map.$1
	words=$2
	shift 2
	drawn="$drawn $map.json $map.text $map.svg"
	"$ctl" map --json "$@" > "$map.json" 2> "$tmp/err"
	given_back
	run map --svg "$map.svg" "$@"
	cp "$tmp/out" "$map.text"
	[ "$status" = 0 ] && grep -qF "$words" "$tmp/out"
	judge $? "map: $words: $*"
}
# usage: pages_are NAME COLOR TILES; jq's TILES is a list of each page's tile, of $t tiles
pages_are() {
	draws "$1" 'All lies as asked.' --size 1100k --color "$2"
	jq -e --argjson t "$tiles" "$3 as \$want | .pages == 18 and .misplaced == 0 and
		(.tiles | length) == \$t and
		([.runs[] | range(.pages) as \$i | .kept] == \$want) and
		([.runs[] | range(.pages) as \$i | .asked] == \$want) and
		all(.tiles[]; .tile as \$n | .kept == ([\$want[] | select(. == \$n)] | length) * 65536)" \
		"$map.json" > /dev/null 2>> "$tmp/err"
	judge $? "map: the runs of $1 are its pages"
}
before=$("$ctl" list --json | jq '.cards[0].tiles[0].hbm_used')
pages_are even even "[range(\$t) | . as \$n | range((18 - \$n + \$t - 1) / \$t | floor) | \$n]"
pages_are chunk chunk:128k "[range(18) | (. / 2 | floor) % \$t]"
pages_are tile "tile:$((tiles - 1))" "[range(18) | \$t - 1]"
expect_json ".copies == $tiles and (.runs | length) == $tiles and .misplaced == 0 and
	all(.tiles[]; .kept == 1048576)" map --json --size 1m --color replicate
expect_json ".device == \"0.0\" and .misplaced == 0 and .runs ==
	[{\"page\": 0, \"pages\": 16, \"asked\": null, \"kept\": 0}]" \
	map -j --size 1m -d 0.0 --color tile:least
if [ "$tiles" -gt 1 ]; then
	draws spilled 'NOT AS ASKED' --size "$more" --color tile:0
	grep -qF 'not all lies as asked, for want of room' "$tmp/err"
	judge $? 'map: what has no room is told'
	jq -e '.misplaced > 0 and .misplaced == .tiles[1].kept and .tiles[1].asked == 0 and
		.runs[-1].kept == 1' "$map.json" > /dev/null
	judge $? 'map: what has no room lies on the other tile'
fi
expect 1 'remedy: no --strict, or a smaller --size' map --strict --size "$more" --color tile:0
expect 2 'a buffer of 0 bytes has no color' map --size 0 --color tile:least
expect 2 'it has 1 pages of 64 KiB, the buffer 16' map --size 1m --color 'map:0*1'
expect 2 'xetilectl: --color' map --size 1m --color "tile:$tiles"
[ "$("$ctl" list --json | jq '.cards[0].tiles[0].hbm_used')" = "$before" ]
judge $? 'map: nothing is left of its buffers'
if command -v python3 > /dev/null; then
	# shellcheck disable=SC2086 # names without spaces
	python3 "$here/map_check.py" $drawn 2> "$tmp/err"
	judge $? 'map: the texts and pictures are the runs'
else
	echo 'skip: texts and pictures of map are not checked, there is no python3'
fi
expect 0 'ended well' run --device 0.0 --color even --timeout 100 --offset 0,0,0 \
	--kernel fill "$kernels" buf:64k:color=tile:0 u32:1
expect 0 'ended well' run --color chunk:64k --rule published --groups 64 \
	--kernel fill "$kernels" buf:64k u32:1

# in= and out= read and write files.
printf 'forty-two bytes of a file, which come back' > "$tmp/in"
expect 0 'ended well' run --kernel copy "$kernels" "buf:128:out=$tmp/copied" "buf:128:in=$tmp/in"
head -c "$(wc -c < "$tmp/in")" "$tmp/copied" | cmp -s - "$tmp/in"
judge $? 'run: a file, copied'
[ "$(wc -c < "$tmp/copied")" = 128 ] && [ "$(tail -c 80 "$tmp/copied" | tr -d '\0' | wc -c)" = 0 ]
judge $? 'run: behind a short file'
expect 1 'No such file' run --kernel copy "$kernels" buf:128 "buf:128:in=$tmp/none"
head -c 129 /dev/zero > "$tmp/long"
expect 1 'longer than the buffer' run --kernel copy "$kernels" buf:128 "buf:128:in=$tmp/long"
# A file that cannot be written is told before the kernel runs.
expect 1 'Is a directory' run --kernel copy "$kernels" "buf:128:out=$tmp" buf:128
! grep -q 'ended well' "$tmp/out"
judge $? 'run: no result is lost'
echo 'old contents, longer than the buffer' > "$tmp/copied"
expect 0 'ended well' run --kernel copy "$kernels" "buf:16:out=$tmp/copied" buf:16 --local 4
[ "$(wc -c < "$tmp/copied")" = 16 ]
judge $? 'run: a file is replaced'

# Source code is compiled where there is an ocloc: one that gives back what is compiled already.
echo '__kernel void fill(...)' > "$tmp/fill.cl"
mkdir "$tmp/bin"
cat > "$tmp/bin/ocloc" <<-END
	#!/bin/sh
	echo "\$*" > "$tmp/called"
	[ ! -e "$tmp/wrong" ] || { echo 'fill.cl:1: error'; exit 1; }
	while [ "\$1" != -out_dir ]; do shift; done
	cp "$kernels" "\$2/k"
END
chmod +x "$tmp/bin/ocloc"
PATH="$tmp/bin:$PATH" expect 0 'ended well' run --options -DN=4 --kernel fill "$tmp/fill.cl" buf:128 u32:1
grep -qxF "compile -file $tmp/fill.cl -device pvc --format zebin -out_dir $(sed 's/.*-out_dir //;s/ .*//' "$tmp/called") -output k -output_no_suffix -options -cl-kernel-arg-info -I$tmp/ -DN=4" \
	"$tmp/called"
judge $? 'run: how ocloc is called'
[ ! -e "$(sed 's/.*-out_dir //;s/ .*//' "$tmp/called")" ]
judge $? 'run: nothing is left of a compilation'
touch "$tmp/wrong"
PATH="$tmp/bin:$PATH" expect 1 'fill.cl:1: error' run "$tmp/fill.cl"
expect 1 'remedy: Debian 12: apt install' run "$tmp/fill.cl"
expect 1 'No such file' run "$tmp/none.cl"

# drop_dumps: what the kernel keeps of batches that were stopped before is deleted.
drop_dumps() {
	for dump in /sys/class/devcoredump/devcd*/data; do
		[ ! -e "$dump" ] || echo 0 > "$dump"
	done
}

# No process sets the flag: the driver stops the kernel after the time of --timeout. What it leaves
# behind is decoded: the engine stood in the command that started the kernel.
drop_dumps
expect 1 'no dump' crash
expect 3 'it did not end within 1 s' run --device 0.0 --timeout 1 --kernel spin "$kernels" buf:64 buf:64
for _ in $(seq 50); do
	! "$ctl" crash > /dev/null 2>&1 || break
	sleep 0.2
done
expect 0 ', and ran COMPUTE_WALKER (' crash
expect 0 ', and ran COMPUTE_WALKER (' crash -d 0
expect 0 ', and ran COMPUTE_WALKER (' crash --last
grep -q '^  > 0x[0-9a-f]*: 7208[0-9a-f]* COMPUTE_WALKER SIMD [0-9]*, .*kernel at 0x' "$tmp/out"
judge $? 'crash: the command is decoded'
grep -q '^  > 0x[0-9a-f]*: [0-9a-f]* MI_BATCH_BUFFER_START address 0x' "$tmp/out"
judge $? 'crash: the ring is decoded'
grep -q '^  instruction caches busy in subslices 0x[1-9a-f]' "$tmp/out"
judge $? 'crash: the kernel ran on execution units'
"$ctl" crash --raw | head -n 1 | grep -q '^\*\*\*\* xetile device coredump \*\*\*\*$'
judge $? 'crash --raw'
expect 1 'no dump' crash --sysfs "$tmp/none"
as 65534 crash
[ "$status" = 1 ] && grep -qF 'only root reads dumps' "$tmp/err"
judge $? 'crash: others than root are told'
drop_dumps
# Nothing is mapped at a null pointer, nor far behind a buffer.
expect 3 'page fault on tile 0 CCS' run --kernel fill "$kernels" null u32:1
grep -qF "argument 0 'out' is a null pointer" "$tmp/err"
judge $? 'run: the null pointer has a name'
expect 3 ': write at 0x' run --offset 1000000000 --kernel fill "$kernels" buf:64 u32:1
grep -q "  nearest: argument 0 'out', 64 B at .* 3.7 GiB behind its end" "$tmp/err"
judge $? 'run: the argument next to a fault'
expect 0 'ended well' run --kernel fill "$kernels" buf:128 u32:1

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
