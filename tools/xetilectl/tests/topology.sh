# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# xetilectl topology, of cards that are made up. A part of run.sh, whose functions it calls.

expect 0 'usage: xetilectl topology' topology --help
expect 2 "topology has no option '--nonsense'" topology --nonsense
expect 2 "no argument '1'" topology 0 1
expect 2 'the device is named twice' topology -d 0 1
expect 2 "'0:0' is no selector card" topology 0:0
expect 1 'no card' topology 0
expect 0 '{"cards":[],"links":[]}' topology --json
expect 0 'has no driver' topology --sysfs "$tmp/none_bare"
rm -f "$tmp/x.svg"
expect 1 "there is no card to draw, '$tmp/x.svg' is not written" topology --svg "$tmp/x.svg"
expect 1 'modprobe xetile' topology --svg "$tmp/x.svg" --sysfs "$tmp/none_bare"
holds 'topology: no picture of nothing' test ! -e "$tmp/x.svg"

# usage: place SYSFS PCI PATH; a card's folder lies in those of its bridges
place() {
	mkdir -p "$1/devices/$3/$2" "$1/bus/pci/devices"
	ln -s "../../../devices/$3/$2" "$1/bus/pci/devices/$2"
}
buses=$tmp/buses
rm -rf "$buses"
root=pci0000:00/0000:00:03.0
place "$buses/switch" 0000:03:00.0 $root/0000:01:00.0/0000:02:00.0
place "$buses/switch" 0000:04:00.0 $root/0000:01:00.0/0000:02:01.0
place "$buses/host" 0000:03:00.0 $root
place "$buses/host" 0000:04:00.0 pci0000:00/0000:00:04.0
place "$buses/machine" 0000:03:00.0 $root
place "$buses/machine" 0000:04:00.0 pci0000:80/0000:80:01.0
place "$buses/flat" 0000:03:00.0 x
mkdir -p "$buses/nothing"

# usage: shows_topology CASE BUSES; the text is the golden one, the JSON is as its schema says, and the
# picture agrees with it
shows_topology() {
	shown="$1-$2"
	"$tmp/tests/topology" text "$1" "$buses/$2" > "$tmp/text"
	cmp "$tmp/text" "$here/topology.$shown.golden"
	holds "topology: the text of $shown" test $? = 0
	holds "topology: no line of $shown has more than 80 columns" \
		test "$(awk 'length > 80' "$tmp/text" | wc -l)" = 0
	command -v python3 > /dev/null || return
	"$tmp/tests/topology" json "$1" "$buses/$2" > "$tmp/topology.json"
	holds "topology: $shown --json is as its schema says" \
		python3 "$here/schema.py" "$here/topology.schema.json" < "$tmp/topology.json"
	"$tmp/tests/topology" svg "$1" "$buses/$2" > "$tmp/topology.svg"
	holds "topology: the picture of $shown" \
		python3 "$here/topology_svg.py" "$tmp/topology.svg" "$tmp/topology.json"
}
shows_topology two switch
shows_topology one flat
shows_topology four host
shows_topology two machine
command -v python3 > /dev/null ||
	echo 'skip: JSON and pictures of topology are not checked, there is no python3'

# usage: linked BUSES LINK; what lies between the two cards
linked() {
	"$tmp/tests/topology" json two "$buses/$1" > "$tmp/topology.json"
	holds "topology: cards by $1" grep -qF "\"links\":[{\"cards\":[0,1],$2}]" "$tmp/topology.json"
}
linked switch '"through":"switch","bridge":"0000:01:00.0"'
linked host '"through":"host","bridge":"pci0000:00"'
linked machine '"through":"machine","bridge":null'
linked nothing '"through":"unknown","bridge":null'

# A path of many bridges ends with the card all the same, and no name of a bridge is obeyed.
place "$buses/deep" 0000:03:00.0 "pci0000:00/$(seq -s / 20)"
place "$buses/odd" 0000:03:00.0 "pci0000:00/$(printf 'a\033[31m\001')"
"$tmp/tests/topology" json one "$buses/deep" > "$tmp/topology.json"
holds 'topology: a deep path has the card' \
	grep -qF '"path":["pci0000:00","1","2","3","4","5","6","7","8","9","10","11","12","13","14","0000:03:00.0"]' \
	"$tmp/topology.json"
"$tmp/tests/topology" text one "$buses/deep" > "$tmp/text"
holds 'topology: a deep tree has the card' grep -q '0000:03:00.0  *card 0$' "$tmp/text"
for form in text svg; do
	"$tmp/tests/topology" "$form" one "$buses/odd" > "$tmp/text"
	! tr -d '\n\040-\176' < "$tmp/text" | grep -q .
	holds "topology: no byte of a bridge in $form that a terminal could obey" test $? = 0
done
