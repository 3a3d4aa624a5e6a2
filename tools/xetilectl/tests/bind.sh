# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# xetilectl bind, of cards that are made up, and of variables as launchers set them. What a bound
# program sees of a card is in card.sh. A part of run.sh, whose functions it calls.

unset OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_LOCAL_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS \
	PALS_LOCAL_RANKID PALS_LOCAL_SIZE SLURM_LOCALID SLURM_STEP_TASKS_PER_NODE \
	SLURM_NTASKS_PER_NODE SLURM_NODEID

expect 0 'usage: xetilectl bind' bind --help
expect 2 'bind needs --by cslice, tile or card' bind true
expect 2 "--by 'slice' is not cslice, tile or card" bind --by slice true
expect 2 "--order 'odd' is not block or round" bind --by tile --order odd true
expect 2 'bind needs a PROGRAM, or --dry-run' bind --by tile
expect 2 'bind needs a PROGRAM, or --dry-run' bind --by tile --
expect 2 '--rank needs --ranks' bind --by tile --rank 0 true
expect 2 "--rank '-1' is not in 0..999999" bind --by tile --rank -1 --ranks 2 true
expect 2 "--rank '1x' is not in" bind --by tile --rank 1x --ranks 2 true
expect 2 "--rank '' is not in" bind --by tile --rank= --ranks 2 true
expect 2 "--ranks '0' is not in 1..1000000" bind --by tile --rank 0 --ranks 0 true
expect 2 "--mode '3' is not 1, 2 or 4" bind --by tile --mode 3 true
expect 2 "--mode '' is not 1, 2 or 4" bind --by tile --mode= true
expect 2 '--json is of --dry-run' bind --by tile --json true
expect 1 'no launcher has told the rank' bind --by tile true
expect 1 '--rank N and --ranks M' bind --by tile true
expect 1 'no launcher has told the rank' bind --by tile --ranks 2 true
expect 1 'no launcher has told the rank' bind --by tile --dry-run
expect 2 '--rank 2 of --ranks 2, which count from 0' bind --by tile --rank 2 --ranks 2 true
PALS_LOCAL_RANKID=2 PALS_LOCAL_SIZE=2 expect 1 'rank 2 of 2 ranks, which count from 0, by PALS' bind --by tile true
expect 1 'there is no card to bind to' bind --by tile --rank 1 --ranks 2 true
expect 1 'this machine has no Data Center GPU Max' bind --by tile --rank 1 --ranks 2 -- true
expect 1 'there is no card to bind to' bind --by cslice --mode 4 --ranks 2 --dry-run
# What follows the program is its own.
expect 1 'there is no card to bind to' bind --by tile --rank 0 --ranks 1 true --by nonsense -x
ZE_AFFINITY_MASK=x expect 1 "ZE_AFFINITY_MASK 'x' is no list" bind --by tile --rank 0 --ranks 1 true
PALS_LOCAL_RANKID=0 PALS_LOCAL_SIZE=2 expect 1 'there is no card to bind to' bind --by tile true

# --- the rank, by launchers' variables ---

# usage: tells WANTED VARIABLE=VALUE...; these say WANTED, or the message has it if they are refused
tells() {
	wanted=$1
	shift
	# shellcheck disable=SC2086 # a number, or nothing
	got=$(env "$@" "$tmp/tests/bind" job $ranks 2>&1)
	case $got in *"$wanted"*) true ;; *) false ;; esac
	holds "bind: with $* it says '$got', not '$wanted'" test $? = 0
}
ranks=
tells 'Open MPI 3 8' OMPI_COMM_WORLD_LOCAL_RANK=3 OMPI_COMM_WORLD_LOCAL_SIZE=8
tells 'MPICH or Intel MPI 0 1' MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1
tells 'PALS 11 12' PALS_LOCAL_RANKID=11 PALS_LOCAL_SIZE=12
tells 'Slurm 1 4' SLURM_LOCALID=1 SLURM_STEP_TASKS_PER_NODE=4
tells 'Slurm 1 4' SLURM_LOCALID=1 SLURM_NTASKS_PER_NODE=4
# The step's number comes before what was asked for; it is a list by node.
tells 'Slurm 1 2' SLURM_LOCALID=1 SLURM_STEP_TASKS_PER_NODE=2 SLURM_NTASKS_PER_NODE=4
tells 'Slurm 1 4' SLURM_LOCALID=1 SLURM_NODEID=1 'SLURM_STEP_TASKS_PER_NODE=4(x2),3,5'
tells 'Slurm 1 3' SLURM_LOCALID=1 SLURM_NODEID=2 'SLURM_STEP_TASKS_PER_NODE=4(x2),3,5'
tells 'Slurm 1 5' SLURM_LOCALID=1 SLURM_NODEID=3 'SLURM_STEP_TASKS_PER_NODE=4(x2),3,5'
tells 'no list of ranks that has one for this node' SLURM_LOCALID=1 SLURM_NODEID=4 \
	'SLURM_STEP_TASKS_PER_NODE=4(x2),3,5'
tells 'no number of ranks without SLURM_NODEID' SLURM_LOCALID=1 SLURM_STEP_TASKS_PER_NODE=4,3
for list in '' x '4(' '4(x' '4(x2' '4(x2]' '4(x)' '4(y2)' '4,' ',4' 4x '4(x2)3' '4,,3' -4 9999999; do
	for node in 0 2; do
		# The first node has its number, whatever is behind the comma.
		[ "$node" = 2 ] || [ "${list#4,}" = "$list" ] || continue
		tells "SLURM_STEP_TASKS_PER_NODE='$list' is no list" SLURM_LOCALID=0 \
			"SLURM_NODEID=$node" "SLURM_STEP_TASKS_PER_NODE=$list"
	done
done
tells "SLURM_NODEID='x' is no number of a node" SLURM_LOCALID=0 SLURM_NODEID=x \
	SLURM_STEP_TASKS_PER_NODE=4
# Two launchers: the one that started the process, whose variables the outer one does not know.
outer='SLURM_LOCALID=0 SLURM_STEP_TASKS_PER_NODE=1 PALS_LOCAL_RANKID=0 PALS_LOCAL_SIZE=1'
# shellcheck disable=SC2086 # words
{
tells 'PALS 0 1' $outer
tells 'MPICH or Intel MPI 5 6' $outer MPI_LOCALRANKID=5 MPI_LOCALNRANKS=6
tells 'Open MPI 2 3' $outer MPI_LOCALRANKID=5 MPI_LOCALNRANKS=6 OMPI_COMM_WORLD_LOCAL_RANK=2 \
	OMPI_COMM_WORLD_LOCAL_SIZE=3
}
# What is no number is no rank 0, and no other launcher is asked.
for value in '' x -1 1x ' 1' +1 0x1 1.0 99999999999999999999; do
	tells "PALS_LOCAL_RANKID='$value' is no rank" "PALS_LOCAL_RANKID=$value" PALS_LOCAL_SIZE=2 \
		SLURM_LOCALID=0 SLURM_STEP_TASKS_PER_NODE=1
	tells "PALS_LOCAL_SIZE='$value' is no number of ranks" PALS_LOCAL_RANKID=0 \
		"PALS_LOCAL_SIZE=$value"
done
tells "MPI_LOCALRANKID='?[31m' is no rank" "MPI_LOCALRANKID=$(printf '\033[31m')"
tells 'but no PALS_LOCAL_SIZE' PALS_LOCAL_RANKID=0
tells 'but no SLURM_STEP_TASKS_PER_NODE' SLURM_LOCALID=0
tells 'name it with --ranks M' SLURM_LOCALID=0
tells 'rank 2 of 2 ranks, which count from 0, by PALS' PALS_LOCAL_RANKID=2 PALS_LOCAL_SIZE=2
tells 'rank 0 of 0 ranks' PALS_LOCAL_RANKID=0 PALS_LOCAL_SIZE=0
ranks=5
tells '- -1 5' X=
tells 'PALS 4 5' PALS_LOCAL_RANKID=4
tells 'PALS 4 5' PALS_LOCAL_RANKID=4 PALS_LOCAL_SIZE=x
tells 'rank 5 of 5' PALS_LOCAL_RANKID=5 PALS_LOCAL_SIZE=8

# --- the shares ---

# usage: shares CASE BY ORDER RANKS RANK [share]; the text is the golden one, and the JSON is as its
# schema says
shares() {
	shown="$1-$2-$3"
	"$tmp/tests/bind" text "$@" > "$tmp/text"
	cmp "$tmp/text" "$here/bind.$shown.golden"
	holds "bind: the text of $shown" test $? = 0
	holds "bind: no line of $shown has more than 80 columns" \
		test "$(awk 'length > 80' "$tmp/text" | wc -l)" = 0
	command -v python3 > /dev/null || return
	"$tmp/tests/bind" json "$@" > "$tmp/bind.json"
	holds "bind: $shown --json is as its schema says" \
		python3 "$here/schema.py" "$here/bind.schema.json" < "$tmp/bind.json"
}
shares six cslice block 48 3
shares six tile round 12 11
shares masked card block 2 -1
shares mixed cslice round 7 1
shares flat card block 2 0
shares long card block 1 -1
command -v python3 > /dev/null || echo 'skip: JSON of bind is not checked, there is no python3'

# usage: masks CASE BY ORDER RANKS [share]; the masks of the ranks, in order
masks() {
	"$tmp/tests/bind" json "$1" "$2" "$3" "$4" -1 ${5:+share} | grep -o '"ZE_AFFINITY_MASK":"[^"]*"' |
		cut -d '"' -f 4
}
# usage: gives WANTED CASE BY ORDER RANKS [share]
gives() {
	wanted=$1
	shift
	got=$(masks "$@" | tr '\n' ' ')
	holds "bind: $*: '$got', not '$wanted'" test "$got" = "$wanted "
}
# 48 ranks have 48 slices, in each order, and neighbors share a tile or no card.
for order in block round; do
	masks six cslice $order 48 > "$tmp/masks"
	holds "bind: 48 slices, $order" test "$(sort -u "$tmp/masks" | grep -c '^[0-5]\.[01]\.[0-3]$')" = 48
done
holds 'bind: round: each six ranks have six cards' test \
	"$(cut -d . -f 1 "$tmp/masks" | tr -d '\n')" = 012345012345012345012345012345012345012345012345
gives '0.0.0 1.0.0 2.0.0 3.0.0 4.0.0 5.0.0' six cslice block 6
gives '0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1' six tile block 12
gives '0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1' one tile block 12
gives '0 1 2 3 4 5' one card block 6
# Fewer ranks leave no card without one that others have two of.
gives '0.0.0 0.1.2 1.1.1 2.1.0 3.0.3 4.0.2 5.0.1' six cslice block 7
gives '0.0 1.0 2.0 3.0 4.0 5.0 0.1 1.1' six tile round 8
# Inside of a mask, what it leaves.
gives '1.1.0 1.1.1 1.1.2 1.1.3 4.0.1 4.0.3' masked cslice block 6
gives '1.1 4.0.1,4.0.3' masked tile block 2
gives '1.1.0 4.0.1 1.1.1 4.0.3 1.1.2 1.1.3' masked cslice round 6
# In flat hierarchy a mask has numbers of tiles, and none of slices.
gives '0 1 2 3' flat tile block 4
gives '0,1 2,3' flat card round 2
gives '0.0.0 0.0.1 0.1.0 0.1.1 1.0.0 1.0.1 1.1.0 1.1.1' flat cslice block 8
"$tmp/tests/bind" json flat tile block 4 0 > "$tmp/bind.json"
holds 'bind: flat stays flat' test "$(grep -o '"ZE_FLAT_DEVICE_HIERARCHY":"FLAT"' "$tmp/bind.json" | wc -l)" = 4
"$tmp/tests/bind" json flat cslice block 8 0 > "$tmp/bind.json"
holds 'bind: slices are composite' test "$(grep -o '"ZE_FLAT_DEVICE_HIERARCHY":"COMPOSITE"' "$tmp/bind.json" | wc -l)" = 8
# Ranks that share: blocks that differ by one, or in turn.
gives '1.1 1.1 1.1 4.0.1,4.0.3 4.0.1,4.0.3' masked tile block 5 share
gives '1.1 4.0.1,4.0.3 1.1 4.0.1,4.0.3 1.1' masked tile round 5 share
# For each number of ranks the table tells how many have the share, and no block differs by two.
for order in block round; do
	for n in $(seq 1 2 61); do
		"$tmp/tests/bind" text masked cslice $order "$n" -1 share | awk '
			$4 ~ /^[0-9]+$/ && $5 ~ /^0000:/ { users[$2]++; told[$2] = $3; if ($3 > most) most = $3 }
			END {
				for (name in users) {
					bad += users[name] != told[name] || users[name] < most - 1
					all += users[name]
				}
				exit bad || all != '"$n"'
			}'
		holds "bind: $n ranks on 6 slices, $order" test $? = 0
	done
done
# A mode that was asked for goes on, by the number that the card has where it is the only one.
"$tmp/tests/bind" json wished card block 2 0 > "$tmp/bind.json"
holds 'bind: modes by card' test \
	"$(grep -o '"ZEX_NUMBER_OF_CCS":"[^"]*"' "$tmp/bind.json" | cut -d '"' -f 4 | tr '\n' ' ')" = '0:4 0:2 '
"$tmp/tests/bind" json mixed card block 2 0 > "$tmp/bind.json"
holds 'bind: a card of two modes has no wish' grep -q \
	'"ZE_AFFINITY_MASK":"0"[^}]*"ZEX_NUMBER_OF_CCS":null' "$tmp/bind.json"

# usage: refuses WORDS CASE BY RANKS
refuses() {
	got=$("$tmp/tests/bind" text "$2" "$3" block "$4" 0 2>&1)
	[ $? = 1 ] && printf '%s\n' "$got" | grep -qF -e "$1"
	holds "bind: $*: '$got'" test $? = 0
}
refuses 'tile 0.0 is in CCS mode 1, in which it has no slices' one cslice 2
refuses '--mode 4 for this job alone, or for all xetilectl mode set --device 0 4' one cslice 2
refuses '49 ranks, but 48 cslices' six cslice 49
refuses '--share lets ranks share one' six cslice 49
refuses '7 ranks, but 6 cards' six card 7
refuses 'or --by tile' six card 7
refuses '3 ranks, but 2 tiles that ZE_AFFINITY_MASK leaves' masked tile 3
