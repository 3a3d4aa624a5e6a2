# SPDX-License-Identifier: MIT
#
# usage: awk -f collect.awk SAMPLES PLUGIN.OUT
#
# Prints one line for each operation of one guest's run, made of all its samples:
#
#   name|kernel|user|caller|threads|irq|scheduler|waiting|equal|equal callers|samples|
#   reads|writes|messages|equal|hold|unlocks|unlock|of it in interrupts|interrupts|interrupt|loads
#
# The instructions are those of the sample with the fewest, without the scheduler's. "equal" is
# the number of samples with exactly as many; "equal callers" is the number of samples whose
# caller's part is the smallest. The card's writes and messages are the most frequent pair; the
# reads are the fewest of the samples with this pair, because one of the drivers reads registers
# from time to time for no operation, and the loads of contexts are those of the same sample. The
# hold is the longest for which a spinlock of the driver kept interrupts off in any sample. For
# the calls of the driver's unlock and of its interrupt handler there are the number of calls and
# the instructions of the largest call, from the sample where the largest call is the smallest.
# The profile follows, one line for each function: NAME|who|count|function|module.
#
# Checks, too, that the plugin counts known numbers right: loops of three instructions, in every
# sample and with any number of timer interrupts; string instructions once, with and without a
# page fault in them. Fails if the plugin does not.
FNR == 1 {
	file++
	n = 0
}

file == 1 && $1 == "operation" {
	tag = $2
	sub(/^operation [0-9]+ /, "")
	name[tag] = $0
	tags[$0] = tag
	order[++num] = tag
}

file == 1 && $1 == "sample" {
	card[++n] = $3 " " $4 " " $5 " " $6
}

file == 2 && $1 == "sample" {
	tag = $2
	if (!(++n in card)) {
		print "collect: the guest has no line for sample " n > "/dev/stderr"
		failed = 1
		exit
	}
	kernel = $3 + $5 + $7
	user = $4 + $6 + $8
	total = kernel + user
	samples[tag]++
	if (!(tag in least_caller) || $3 + $4 < least_caller[tag]) {
		least_caller[tag] = $3 + $4
		equal_caller[tag] = 0
	}
	equal_caller[tag] += $3 + $4 == least_caller[tag]
	split(card[n], c, " ")
	k = tag SUBSEP c[2] " " c[3]
	if (!(k in reads) || c[1] < reads[k]) {
		reads[k] = c[1]
		loads[k] = c[4]
	}
	if (++seen[k] > most[tag]) {
		most[tag] = seen[k]
		usual[tag] = c[2] " " c[3]
	}
	if (!(tag in least) || total < least[tag]) {
		least[tag] = total
		equal[tag] = 0
		kernels[tag] = kernel
		users[tag] = user
		line[tag] = kernel "|" user "|" $3 + $4 "|" $5 + $6 "|" $7 + $8 "|" $10 "|" $9
	}
	equal[tag] += total == least[tag]
	if ($16 > hold[tag])
		hold[tag] = $16
	# A sample without a call does not tell the cost of a call.
	if ($17 && (!(tag in unlock) || $18 < unlock[tag])) {
		unlock[tag] = $18
		unlocks[tag] = $17 "|" $18 "|" ($19 ? $18 : 0)
	}
	if ($20 && (!(tag in interrupt) || $21 < interrupt[tag])) {
		interrupt[tag] = $21
		interrupts[tag] = $20 "|" $21
	}
}

file == 2 && $1 == "profile" {
	print "profile|" name[$2] "|" $3 "|" $4 "|" $5 "|" $6
}

function wrong(what)
{
	print "bench: self-test: " what > "/dev/stderr"
	failed = 1
}

# usage: is(NAME, N): checks that every sample has N user instructions
function is(name, n,    tag)
{
	tag = tags[name]
	if (!(name in tags) || users[tag] != n)
		wrong(name ": " users[tag] " instructions instead of " n)
	if (name !~ /faults/ && equal[tag] != samples[tag])
		wrong(name ": " equal[tag] " of " samples[tag] " samples are equal")
}

function self_tests(    base, string)
{
	base = users[tags["nothing"]]
	string = users[tags["string of 1"]]
	is("nothing", base)
	if (kernels[tags["nothing"]] != 0)
		wrong("an empty sample has kernel instructions")
	# Two instructions come before the loop: one for the number of rounds, and a jump.
	is("loop of 1000", base + 2 + 3 * 1000)
	is("loop of 10000000", base + 2 + 3 * 10000000)
	is("string of 1", string)
	is("string of 4096", string)
	is("string that faults", string)
}

END {
	if (failed)
		exit 1
	for (i = 1; i <= num; i++) {
		tag = order[i]
		if (!samples[tag]) {
			print "collect: there is no sample of " name[tag] > "/dev/stderr"
			exit 1
		}
		split(usual[tag], c, " ")
		print "row|" name[tag] "|" line[tag] "|" equal[tag] "|" equal_caller[tag] "|" \
			samples[tag] "|" \
			reads[tag, usual[tag]] "|" c[1] "|" c[2] "|" most[tag] "|" hold[tag] + 0 "|" \
			(tag in unlocks ? unlocks[tag] : "0|0|0") "|" \
			(tag in interrupts ? interrupts[tag] : "0|0") "|" loads[tag, usual[tag]]
	}
	self_tests()
	exit failed
}
