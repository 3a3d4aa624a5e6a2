# SPDX-License-Identifier: MIT
#
# Turns gcov's JSON, a document for each object file, into an object for each source file: its
# lines and branches, how many of them ran, and the lines that never did. A line that several
# objects have counts as run if it ran in any of them.
#
# usage: jq --slurp --arg pattern REGEX -f coverage.jq

# The file's name in the tree, whichever copy of the file was compiled.
def in_tree($folder):
	(if startswith("/") then . else "\($folder)/\(.)" end) |
	until(test("/[^/]+/\\.\\./") | not; sub("/[^/]+/\\.\\./"; "/")) |
	sub("^.*/src/(?=drivers/|uapi/)"; "") | sub("^/xetile/"; "");

# How often each branch of a line was taken. Counts of a branch in several objects are added up.
def branches:
	group_by([.function, (.branches | length)]) |
	map(map(.branches | map(.count)) | transpose | map(add)) | add // [];

# Lines that never ran; neighbours in one function are one range.
def never:
	reduce .[] as $l ({open: null, list: []};
		if $l.count > 0 then .open = null
		elif .open == $l.function then .list[-1].last = $l.line
		else .open = $l.function |
			.list += [{first: $l.line, last: $l.line, function: $l.function}]
		end) | .list;

[.[] | .current_working_directory as $folder | .files[] |
	(.file | in_tree($folder)) as $file | select($file | test($pattern)) |
	.lines[] | {$file, line: .line_number, function: (.function_name // ""), count, branches}] |
group_by(.file) | map({
	file: .[0].file,
	lines: (group_by(.line) | map({
		line: .[0].line, function: .[0].function,
		count: (map(.count) | add), branches: branches}))
}) | map({
	file,
	lines: (.lines | length), ran: ([.lines[] | select(.count > 0)] | length),
	branches: ([.lines[].branches | length] | add),
	taken: ([.lines[].branches[] | select(. > 0)] | length),
	never: (.lines | never)
})
