# SPDX-License-Identifier: MIT
#
# usage: awk -v folder=tools/peer -f complaints.awk LOG
#
# Prints what a healthy kernel does not say (the file complaints), except the
# warnings that the file known gives a cause for.
function excused(   name) {
	for (name in culprits)
		if (!index(text, known[name]))
			return 0
	return !unknown && named >= begun
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
!warning && /cut here|WARNING: / {
	warning = 1
	begun = named = ended = unknown = 0
	text = last "\n"
	split("", culprits)
}

{
	last = $0
}

# Two processors may warn at once, their lines mixed.
warning {
	text = text $0 "\n"
	if (/cut here/)
		begun++
	if (/WARNING: /) {
		named++
		culprit = ""
		for (name in known)
			if (index($0, name "+"))
				culprit = name
		if (culprit == "")
			unknown = 1
		else
			culprits[culprit] = 1
	} else if ($0 ~ complaint && !/cut here|Call Trace:/) {
		unknown = 1
	}
	if (/end trace/ && ++ended >= begun && ended >= named) {
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
