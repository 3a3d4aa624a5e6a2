# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# xetilectl selftest: the command line, the known answers, and a made-up test whose units fail. A part
# of run.sh, whose functions it calls. card.sh tests a card.

expect 0 'usage: xetilectl selftest' selftest --help
expect 2 "selftest takes no argument '1'" selftest 0 1
expect 2 "the device is named twice: '0' and '1'" selftest -d 0 1
expect 2 "--memory 'much' is not all, or 64k and more" selftest -m much
expect 2 "--memory '4k' is not all, or 64k and more" selftest --memory 4k
expect 2 "'0:0' is no selector card" selftest 0:0
expect 1 'no card' selftest
expect 1 'no card' selftest --memory all --json 0

selftest=$tmp/tests/selftest
"$selftest" answers > "$tmp/text"
holds "selftest: $(cat "$tmp/text")" test $? = 0
passed=$((passed + $(sed -n 's/ passed.*//p' "$tmp/text")))
"$selftest" text | cmp - "$here/selftest.golden"
holds 'selftest: the text' test $? = 0
holds 'selftest: 80 columns' test "$("$selftest" text | grep -c '.\{81\}')" = 0
! "$selftest" text | tr -d '\n\040-\176' | grep -q .
holds 'selftest: no byte that a terminal could obey' test $? = 0
if command -v python3 > /dev/null; then
	"$selftest" json > "$tmp/text"
	holds 'selftest --json is as its schema says' \
		python3 "$here/schema.py" "$here/selftest.schema.json" < "$tmp/text"
else
	echo 'skip: the JSON of selftest is not checked, there is no python3'
fi
