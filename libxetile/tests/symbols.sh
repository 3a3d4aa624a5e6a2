#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared library exports the functions that the public header declares, and no others.
#   symbols.sh BUILD_DIR SOURCE_DIR
name="the library exports the functions that its header declares"
exported=$(nm -D --defined-only "$1/libxetile.so" | awk '$2 == "T" { print $3 }' |
	sed 's/@.*//' | sort)
declared=$(grep -v '^ \*' "$2/include/xetile.h" | grep -o 'xetile_[a-z_0-9]*(' |
	tr -d '(' | sort -u)
if [ -n "$exported" ] && [ "$exported" = "$declared" ]; then
	echo "ok   $name"
	exit 0
fi
echo "FAIL $name"
printf '%s\n' "$exported" > "$1/exported"
printf '%s\n' "$declared" > "$1/declared"
diff "$1/exported" "$1/declared"
exit 1
