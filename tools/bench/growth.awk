# SPDX-License-Identifier: MIT
#
# usage: awk -F '|' -f growth.awk -v versions=V -v qemu=Q ALL
#
# Prints one table from the rows of all guests, which are named by their kernel: the cost of an
# operation at each number of objects. The cost of an empty operation is subtracted.
$4 == "row" && $5 == "nothing" {
	base = $6 + $7
}

$4 == "row" && match($5, / @[0-9]+$/) {
	what = substr($5, 1, RSTART - 1)
	n = substr($5, RSTART + 2) + 0
	add(what, $6 + $7 - base, $10)
	# The largest unlock and the largest interrupt of this exec are rows of their own.
	if (what == "an empty exec, to its fence; queues wait for another engine") {
		if ($24 < 1 || $3 == "xetile" && $21 < 1) {
			print "growth: there is no interrupt or no unlock in " $5 ", " $3 > "/dev/stderr"
			failed = 1
			exit 1
		}
		if ($21)
			add("one unlock of the execution lock; queues wait for another engine", \
			    $22, $23)
		add("one interrupt; queues wait for another engine", $25, $25)
	}
}

function add(what, instructions, in_interrupts,    key)
{
	key = what SUBSEP $1 SUBSEP $3
	if (!(what in seen_what)) {
		seen_what[what] = 1
		order[++num_orders] = what
	}
	if (!((key, n) in total))
		counts[key] = counts[key] " " n
	# Of several runs the one with the fewest instructions counts, but the longest hold of all.
	if (!((key, n) in total) || instructions < total[key, n]) {
		total[key, n] = instructions
		irq[key, n] = in_interrupts
	}
	if ($20 > hold[key, n])
		hold[key, n] = $20
}

function row(what, kernel, driver,    key, num, list, i, n, cells, last)
{
	key = what SUBSEP kernel SUBSEP driver
	num = split(counts[key], list, " ")
	if (!num)
		return
	for (i = 1; i <= num; i++) {
		n = list[i]
		cells = cells sprintf(", \"%d: %d, %d, %d\"", n, total[key, n], irq[key, n], \
				      hold[key, n])
	}
	last = list[num]
	for (; i <= 3; i++)
		cells = cells ", \"\""
	printf "   \"%s\", \"%s\", \"%s\"%s, \"%s\"\n", what, kernel, driver, cells, \
		(num > 1 ? sprintf("%.2f", total[key, last] / total[key, list[1]]) : "")
}

END {
	if (failed)
		exit 1
	print ""
	print "Kernels " versions ", QEMU " qemu ", one processor, one run of each driver."
	print ""
	print ".. csv-table:: how many there are: instructions, of them in interrupts, longest hold of a spinlock"
	print "   :header: \"operation\", \"kernel\", \"driver\", \"few\", \"more\", \"many\", \"many to few\""
	print ""
	for (i = 1; i <= num_orders; i++)
		for (k = 1; k <= 2; k++) {
			kernel = k == 1 ? "6.12" : "7.2"
			row(order[i], kernel, "xe")
			row(order[i], kernel, "xetile")
		}
	print ""
}
