# SPDX-License-Identifier: MIT
#
# usage: awk -v folder=tools/peer -f complaints.awk LOG
#
# Prints what a healthy kernel does not say (the file complaints), except the
# warnings that the file known gives a cause for.
BEGIN {
	getline complaint < (folder "/complaints")
	while ((getline line < (folder "/known")) > 0) {
		split(line, word, " ")
		if (line != "" && line !~ /^#/)
			known[word[1]] = 1
	}
}

# A warning goes from the one mark to the other; a console that shows no notices
# lacks the first.
/cut here/ || (/WARNING: / && !warning) {
	warning = 1
	text = ""
	excused = 0
}

warning {
	text = text $0 "\n"
	if (/WARNING:/)
		for (name in known)
			if (index($0, name "+"))
				excused = 1
	if (/end trace/) {
		if (!excused)
			printf "%s", text
		warning = 0
	}
	next
}

$0 ~ complaint {
	print
}

END {
	if (warning && !excused)
		printf "%s", text
}
