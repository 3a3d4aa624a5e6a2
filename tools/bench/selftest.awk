# SPDX-License-Identifier: MIT
#
# usage: awk -f selftest.awk ROWS
#
# Checks that the plugin counts known numbers right: loops of three instructions, in every
# sample and with any number of timer interrupts; string instructions once, with and without a
# page fault in them.
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

# usage: is(NAME, N): checks that every sample has N user instructions
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
	# Two instructions come before the loop: one for the number of rounds, and a jump.
	is("loop of 1000", base + 2 + 3 * 1000)
	is("loop of 10000000", base + 2 + 3 * 10000000)
	is("string of 1", user["string of 4096"])
	is("string of 4096", user["string of 1"])
	is("string that faults", user["string of 1"])
	exit failed
}
