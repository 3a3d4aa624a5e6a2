#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # used by those who read it
#
# usage: complaint.sh < LOG | . complaint.sh
#
# Run as a program, prints the lines of a kernel's log that fail a run. Faults that the kernel finds
# in itself, without a module, do not.

# Expressions for messages that a healthy kernel never says. The runner of tests reads the same
# file.
complaint=$(grep -v '^#' "${BASH_SOURCE[0]%/*}/complaints" | paste -s -d '|')

# usage: complaint_filter < CONSOLE
# Prints the log without the faults that the kernel finds in itself, if no module takes part in
# them: data races, of which the kernel has many; and the complaint that the slots' driver takes
# its own lock and the bus's lock in both orders (pciehp_unconfigure_device() releases its own
# lock in between, but lockdep still counts the order). A module also takes part in a race inside
# a function that it called, because that function works on the module's data. One race counts
# as the kernel's own even then: __synchronize_hardirq() waits for a bit of the interrupt's
# descriptor without the lock under which handle_irq_event() clears the bit, and then looks again
# with the lock. The last lines tell how many such faults there were.
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
			if (what != "") printf "%s", text # cut off: a module may take part
			for (what in others) printf "lab: %d %s\n", others[what], what
		}'
}

[ "${BASH_SOURCE[0]}" != "$0" ] || complaint_filter | grep -E "$complaint"
