# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# xetilectl report: the command line, a page of a machine without a card, and one of hostile names. A
# part of run.sh, whose functions it calls. card.sh has the page of a card, report_browser.sh a browser.

sections='cards topology map modes processes load health check dump versions log'
page=$tmp/report.html
expect 0 'usage: xetilectl report' report --help
expect 2 "report takes no argument 'x'" report x
expect 1 "cannot write '$tmp/none/x" report -o "$tmp/none/x"
rm -f "$page"
# Where no card is found the page says why, section by section.
expect 0 "$page: 11 sections, " report -o "$page"
holds 'report: others may not read the page' test "$(stat -c %a "$page")" = 600
# A file that somebody has put there does not make it everybody's.
chmod 666 "$page"
expect 0 "$page: 11 sections, " report -o "$page"
holds 'report: others may not read the page that was theirs' test "$(stat -c %a "$page")" = 600
holds 'report: why there is no card' grep -q 'this machine has no Data Center GPU Max\|is hidden by' "$page"
holds 'report: what is not complete' grep -q '^<p class="status">not complete: status [0-9]*</p>$' "$page"
holds 'report: the environment' grep -qF "ZE_AFFINITY_MASK             &#39;999999&#39;" "$page"
# The longest word of the kernel's command line that says nothing about cards; it may be a password.
word=$(tr ' ' '\n' < /proc/cmdline | grep -vE '^(xetile\.|xe\.|i915\.|mod|iommu|intel|amd|pci)' |
	awk 'length > length(longest) { longest = $0 } END { print longest }')
if [ "${#word}" -gt 12 ]; then
	! grep -qF "$word" "$page"
	holds 'report: not the whole command line of the kernel' test $? = 0
else
	echo 'skip: the command line of this kernel has no long word that report would leave out'
fi
"$tmp/tests/report" cut
holds 'report: a text that is too long says so' test $? = 0
"$tmp/tests/report" > "$tmp/hostile.html"
! grep -n '<script\|<img\|onerror=alert(2)>' "$tmp/hostile.html"
holds 'report: no name is HTML' test $? = 0
grep -qF ']]&gt; --&gt; &amp;lt; &amp;#60;script&amp;#62;' "$tmp/hostile.html"
holds 'report: what looks like HTML stays what it was' test $? = 0
! tr -d '\n\t\040-\176' < "$tmp/hostile.html" | grep -q .
holds 'report: no byte but those of a text' test $? = 0
if command -v python3 > /dev/null; then
	# shellcheck disable=SC2086 # words
	holds 'report: the page is whole' python3 "$here/report_check.py" "$page" $sections
	holds 'report: a page of hostile names is whole' \
		python3 "$here/report_check.py" "$tmp/hostile.html" cards topology log dump
	"$ctl" report --json -o "$page" > "$tmp/text"
	"$tmp/tests/report" json >> "$tmp/text"
	holds 'report --json is as its schema says' \
		python3 "$here/schema.py" "$here/report.schema.json" < "$tmp/text"
else
	echo 'skip: pages of report are not checked, there is no python3'
fi
