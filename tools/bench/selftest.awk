# SPDX-License-Identifier: MIT
#
# usage: awk -f selftest.awk ROWS
#
# Whether the plugin counts what is known: loops of three instructions, in every
# sample and however many timer interrupts hit them, and string instructions once,
# with and without a page fault in them.
BEGIN { FS = "|" }

$1 == "row" {
	user[$2] = $4
	equal[$2] = $10
	samples[$2] = $12
	if ($2 == "nothing" && $3 != 0)
		wrong("an empty sample has kernel instructions")
}

function wrong(what)
{
	print "bench: self-test: " what > "/dev/stderr"
	failed = 1
}

# usage: is(NAME, N): so many user instructions, in every sample
function is(name, n)
{
	if (!(name in user) || user[name] != n)
		wrong(name ": " user[name] " instructions instead of " n)
	if (name !~ /faults/ && equal[name] != samples[name])
		wrong(name ": " equal[name] " of " samples[name] " samples are equal")
}

END {
	base = user["nothing"]
	is("nothing", base)
	# Two to get there: the number of rounds, a jump
	is("loop of 1000", base + 2 + 3 * 1000)
	is("loop of 10000000", base + 2 + 3 * 10000000)
	is("string of 1", user["string of 4096"])
	is("string of 4096", user["string of 1"])
	is("string that faults", user["string of 1"])
	exit failed
}
