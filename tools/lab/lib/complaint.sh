# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # used by those who read it

# What a healthy kernel never says: expressions, which the runner of tests reads as well.
complaint=$(grep -v '^#' "${BASH_SOURCE[0]%/*}/complaints" | paste -s -d '|')

# usage: complaint_filter < CONSOLE
# Without what the kernel finds in itself, no module taking part: data races, which are
# many and known to it; and that the slots' driver takes its lock and that of the bus in
# both orders (pciehp_unconfigure_device() lets go of its own in between, which lockdep
# remembers none the less). A module takes part in a race that it only called into, too:
# what it calls works on what is its own. But __synchronize_hardirq() waits for a bit of
# the interrupt's descriptor without the lock that handle_irq_event() clears it under, and
# looks again with it: nobody's but theirs. How many there were are the last lines.
complaint_filter()
{
	tr -d '\r' | awk '
		/BUG: KCSAN: / {
			begin("data races of the kernel\047s own", "=======")
			theirs = /data-race in __synchronize_hardirq \/ handle_irq_event$/
		}
		/possible circular locking dependency/ {
			begin("complaints about the locks of the slots\047 driver", "</TASK>")
			ours = 1; theirs = 0
		}
		what == "" { print; next }
		{ text = text $0 "\n" }
		/reset_lock.* at: pciehp_unconfigure_device\+/ { ours = 0 }
		/\+0x[0-9a-f]+\/0x[0-9a-f]+ \[[a-z0-9_]+\]/ { module = !theirs }
		$0 ~ end {
			if (ours || module) printf "%s", text; else others[what]++
			what = ""
		}
		function begin(kind, last)
		{
			if (what != "") printf "%s", text
			what = kind; end = last; text = ""; ours = 0; module = 0
		}
		END {
			if (what != "") printf "%s", text # cut off: nobody knows
			for (what in others) printf "lab: %d %s\n", others[what], what
		}'
}
