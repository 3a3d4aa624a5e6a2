#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes the page of a card that is in use, also by a process with a hostile name, in a guest.
#
# usage: report_guest.sh XETILECTL KERNELS.BIN PAGE
set -eu
ctl=$1 kernels=$2 page=$3

"$ctl" mode set 2 > /dev/null
"$ctl" run --device 0.0.1 --timeout 600 --kernel spin "$kernels" buf:64m buf:64 > /dev/null 2>&1 < /dev/null &
spinner=$!
# (The shell's own name is that of the file.)
cp /bin/sleep "/tmp/<b>&\"'<img x>"
# shellcheck disable=SC2288 # that is its name
"/tmp/<b>&\"'<img x>" 600 3<> "$(find /dev/dri -name 'renderD*' | head -n 1)" &
hostile=$!
for _ in $(seq 100); do
	! "$ctl" who --json | jq -e '[.processes[].slices[]?] | length == 1' > /dev/null || break
	sleep 0.1
done
# A dump, and lines of the kernel's log
"$ctl" run --device 0.1 --kernel fill "$kernels" null u32:1 > /dev/null 2>&1 || [ $? = 3 ]
"$ctl" report --json -o "$page"
chmod a+r "$page"
kill "$spinner" "$hostile"
wait || :
