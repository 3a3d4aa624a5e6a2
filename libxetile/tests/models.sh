#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the example "models" in each of its models, on the cards of a guest, and compares the
# virtual card's counters with the bytes that the model should cost: they are exact. The last run
# of each model is printed as a row of the table in Documentation/gpu/xetile/models.rst. On a
# machine without virtual cards, only the results of the jobs are checked.
#
# usage: models.sh MODELS KERNELS.BIN VPVCCTL CARDS TILES
#   CARDS, TILES: cards of the machine, tiles of each
models=$1
kernels=$2
vpvcctl=$3
cards=$4
tiles=$5
elements=1048576
bytes=$((elements * 4))		# of an array
page=65536			# of elements that a part needs of its neighbour
passed=0
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset ZE_AFFINITY_MASK ZE_FLAT_DEVICE_HIERARCHY XETILE_IMPLICIT_SCALING \
	EnableImplicitScaling ZEX_NUMBER_OF_CCS MultiStoragePolicy MultiStorageGranularity

# usage: judge STATUS WHAT
judge() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $2"
		cat "$tmp/out" "$tmp/err"
	fi
}

# usage: each_card COMMAND...; gives vpvcctl the command for each card
each_card() {
	for card in $(seq 0 $((cards - 1))); do
		"$vpvcctl" "$card" "$@" || return 1
	done
}

# Prints the sums of a class of engines over all cards: bytes read and written in the HBM of the
# engine's tile, in that of other tiles, and in the machine's memory. The last copy engine of each
# tile is left out, because the driver clears and moves buffers with it.
#   $1: ccs or bcs
sums() {
	jq -rs --arg class "$1" '[.[].tiles[]
		| [.engines[] | select(.class == $class and .present)] | sort_by(.instance)
		| if $class == "bcs" then .[:-1] else . end | .[]] as $e
		| [["read_local", "write_local"], ["read_remote", "write_remote"],
		   ["read_system", "write_system"]]
		| map(map(. as $name | [$e[][$name]] | add) | @tsv) | join(" ")' \
		"$tmp/counters"
}

# usage: costs MODEL KERNELS_REMOTE KERNELS_BUS COPIES_REMOTE BUS_READ BUS_WRITTEN
#   Runs a model and compares the bytes: of kernels, in other tiles' HBM and over the bus; of
#   copies, in other tiles' HBM and read and written over the bus. All others must be local.
costs() {
	mkfifo "$tmp/hold"
	"$models" --elements $elements --kernel "$kernels" --hold "$1" \
		< "$tmp/hold" > "$tmp/out" 2> "$tmp/err" &
	pid=$!
	exec 7> "$tmp/hold"
	# The first run is over, and what the driver and the library prepare once is prepared.
	while ! grep -q '^ready' "$tmp/out" && kill -0 $pid 2> /dev/null; do
		sleep 0.1
	done
	[ ! -x "$vpvcctl" ] || each_card reset-counters > /dev/null
	exec 7>&-		# the end of the input is the line it waits for
	wait $pid
	judge $? "models $1"
	rm "$tmp/hold"
	[ -x "$vpvcctl" ] || return
	each_card counters > "$tmp/counters"
	# shellcheck disable=SC2046,SC2086 # words
	compare "$@" $(sums ccs) $(sums bcs)
}

# Prints a row of the table, in KiB.
row() {
	printf '  %-9s kernels: local %5d remote %5d bus %5d   copies: local %5d remote %5d bus %5d\n' \
		"$model" $(($1 / 1024)) $(($2 / 1024)) $(($3 / 1024)) $(($4 / 1024)) \
		$(($5 / 1024)) $(($6 / 1024))
}

compare() {
	model=$1
	kernel_remote=$2 kernel_bus=$3 copy_remote=$4 bus_read=$5 bus_written=$6
	shift 6
	# Local bytes, remote bytes and bytes on the bus, read and written; of kernels, then of copies
	[ $# = 12 ] || { judge 1 "models $model: no counters"; return; }
	# Two arrays are read and one is written, in each of the two steps.
	[ $(($3 + $4)) = "$kernel_remote" ] && [ $(($5 + $6)) = "$kernel_bus" ] &&
		[ $(($1 + $2)) = $((6 * bytes - kernel_remote - kernel_bus)) ]
	judge $? "models $model: kernels: $*: remote is not $kernel_remote, or bus not $kernel_bus"
	shift 6
	# A copied byte is read once and written once, and one of both is over the bus.
	copy_local=$((bus_read + bus_written - copy_remote))
	[ $(($3 + $4)) = "$copy_remote" ] && [ "$5" = "$bus_read" ] && [ "$6" = "$bus_written" ] &&
		[ $(($1 + $3)) = "$bus_written" ] && [ $(($1 + $2)) = $copy_local ]
	judge $? "models $model: copies: $*: remote is not $copy_remote, or bus not $bus_read $bus_written"
	row $((6 * bytes - kernel_remote - kernel_bus)) "$kernel_remote" "$kernel_bus" \
		$copy_local "$copy_remote" $((bus_read + bus_written))
}

# Inputs come over the bus once, and results go over the bus once.
in=$((2 * bytes + page))
if [ "$cards" -gt 1 ] && [ "$tiles" = 1 ]; then
	# S132: the neighbour's elements cross the bus twice, because virtual cards do not reach
	# each other's HBM: a buffer that both use is in the machine's memory.
	more=$(((cards - 1) * page))
	costs d 0 0 0 $((in + more)) $((bytes + more))
	grep -q "the cards share a buffer" "$tmp/out"
	judge $? "models d: no buffer of both cards"
else
	"$models" --kernel "$kernels" d > "$tmp/out" 2> "$tmp/err"
	[ $? = 77 ] || [ "$cards" -gt 1 ]
	judge $? "models d: not skipped"
fi
if [ "$cards" = 1 ]; then
	next=$(((tiles - 1) * page))
	others=$((tiles - 1))
	# S127, S128: tiles share nothing, so the neighbour's elements cross the bus twice.
	costs a 0 0 0 $((in + next)) $((bytes + next))
	# S129: a tile reads the neighbour's elements from its HBM.
	costs b $next 0 0 $in $bytes
	# S131: the division of the work meets that of the default color but for a page, which is
	# written and read; the copy engines are those of the first tile.
	last=0
	[ "$tiles" = 1 ] || last=$page
	costs c $((2 * next)) 0 $((3 * bytes * others / tiles + last)) $in $bytes
	# W11: each byte is copied by the engine of the tile where it lies: of all engines of the
	# card the one that is nearest to a part's elements, or all, each for its share.
	costs b-nearest $next 0 0 $in $bytes
	costs c-split $((2 * next)) 0 0 $in $bytes
	# S121: kernels that work in host memory use the bus for each access.
	costs b-host 0 $((6 * bytes)) 0 0 0
	# S9, S10: one allocation for all arrays has the color of no array.
	if [ "$tiles" = 2 ]; then
		pages=$((bytes / page / 2))	# a tile's part of an array
		# The first tile has the inputs and one page of b. So it writes b in the other
		# tile's HBM but for that page, reads b there twice, and writes its results there;
		# the other tile reads its inputs from the first.
		first=$((pages - 1 + pages - 1 + pages + pages))
		second=$((2 * pages))
		# The copies of the results, and of the page behind b
		costs c-pool $(((first + second) * page)) 0 $(((2 * pages + 1) * page)) $in $bytes
	fi
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
