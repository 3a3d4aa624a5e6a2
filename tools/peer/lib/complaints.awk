# SPDX-License-Identifier: MIT
#
# usage: awk -v folder=tools/peer -f complaints.awk LOG
#
# Prints what a healthy kernel does not say (the file complaints), except the
# warnings that the file known gives a cause for.
function excused() {
	return culprit != "" && index(text, known[culprit])
}

BEGIN {
	getline complaint < (folder "/complaints")
	while ((getline line < (folder "/known")) > 0) {
		split(line, word, " ")
		if (line != "" && line !~ /^#/)
			known[word[1]] = split(line, quoted, "\"") > 1 ? quoted[2] : "WARNING"
	}
}

# A warning goes from the one mark to the other; a console that shows no notices
# lacks the first, and the driver's words stand before the warning there.
/cut here/ || (/WARNING: / && !warning) {
	warning = 1
	text = last "\n"
	culprit = ""
}

{
	last = $0
}

warning {
	text = text $0 "\n"
	if (/WARNING:/)
		for (name in known)
			if (index($0, name "+"))
				culprit = name
	if (/end trace/) {
		if (!excused())
			printf "%s", text
		warning = 0
	}
	next
}

$0 ~ complaint {
	print
}

END {
	if (warning && !excused())
		printf "%s", text
}
