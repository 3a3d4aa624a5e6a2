#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Opens a page of xetilectl report in Chromium, without a window, and judges what the browser made of
# it: all sections are there and have a height, pictures were drawn, nothing is wider than the page, no
# script ran and nothing went wrong. Leaves a screenshot beside the page.
#
# usage: report_browser.sh PAGE ID...
set -eu
page=$1
shift
command -v chromium > /dev/null || { echo "report_browser: needs chromium (apt install chromium)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The page forbids scripts, so what judges it comes in where that is taken away.
policy="<meta http-equiv=\"Content-Security-Policy\""
grep -qF "$policy" "$page" || { echo "FAIL report: the page has no policy"; exit 1; }
grep -vF "$policy" "$page" | sed '/^<title>/a<script>window.wrong = []; window.onerror = e => window.wrong.push(String(e)); window.alert = e => window.wrong.push("alert");<\/script>' > "$work/page.html"
cat >> "$work/page.html" <<'END'
<script>
const width = document.documentElement.clientWidth;
const out = [];
for (const s of document.querySelectorAll("section"))
	out.push(s.id + (s.getBoundingClientRect().height > 30 ? "" : " is flat"));
for (const e of document.querySelectorAll("body, body *"))
	if (!e.closest("pre, figure") && e.getBoundingClientRect().right > width + 1)
		wrong.push(e.tagName + " is wider than the page");
for (const e of document.querySelectorAll("pre, figure"))
	if (e.getBoundingClientRect().right > width + 1)
		wrong.push(e.tagName + " is wider than the page");
if (document.documentElement.scrollWidth > width)
	wrong.push("the page scrolls to the side");
for (const e of document.querySelectorAll("svg"))
	if (!e.querySelectorAll("text").length || e.getBBox().width < 100)
		wrong.push("a picture is empty");
document.title = "JUDGED";
const result = document.createElement("pre");
result.id = "judge";
result.textContent = "SECTIONS " + out.join(",") + " PICTURES " +
	document.querySelectorAll("svg").length + " WRONG " + wrong.join("; ") + ".";
document.body.append(result);
</script>
END

# usage: open_page WIDTH OPTION...; Chromium's own complaints about buses are no matter.
open_page()
{
	size=$1
	shift
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
		--window-size="$size" "$@" 2> "$work/err"
}
wanted="SECTIONS $(echo "$*" | tr ' ' ',') PICTURES 2 WRONG ."
for size in 1280,1000 800,600; do
	open_page "$size" --dump-dom "file://$work/page.html" > "$work/dom" || { cat "$work/err"; failed=1; }
	got=$(sed -n 's/.*<pre id="judge">\(.*\)<\/pre>.*/\1/p' "$work/dom")
	if [ "$got" = "$wanted" ]; then
		echo "ok: $size: $got"
	else
		echo "FAIL report: $size: '$got', not '$wanted'"
		failed=1
	fi
done
# As it is: with its policy
open_page 1280,4000 --screenshot="${page%.html}.png" "file://$(readlink -f "$page")" || failed=1
[ -s "${page%.html}.png" ] || { echo "FAIL report: no screenshot"; cat "$work/err"; failed=1; }
echo "${page%.html}.png"
exit "$failed"
