# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# xetilectl metrics, of a recorded sample and files that are as those of sysfs. A part of run.sh, whose
# functions it calls.

expect 0 'usage: xetilectl metrics' metrics --help
expect 2 "metrics takes no argument '0'" metrics 0
expect 0 'xetile_cards 0' metrics
expect 0 '# TYPE xetile_errors_total counter' metrics --output -
expect 1 "cannot write '$tmp/none/x': No such file" metrics --output "$tmp/none/x"
expect 1 "$tmp is no regular file" metrics --output "$tmp"
holds 'metrics: a full disk is told' sh -c '! "$1" metrics > /dev/full 2> /dev/null' x "$ctl"

# The file is replaced by another one: who has the old one open reads all of it.
prom=$tmp/prom
rm -rf "$prom"
mkdir "$prom"
echo old > "$prom/xetile.prom"
chmod 644 "$prom/xetile.prom"
ln "$prom/xetile.prom" "$prom/old"
expect 0 '' metrics --output "$prom/xetile.prom"
holds 'metrics: the old file is whole' test "$(cat "$prom/old")" = old
"$ctl" metrics | cmp - "$prom/xetile.prom"
holds 'metrics: the new file is whole' test $? = 0
holds 'metrics: nothing else is left, and all may read it' \
	test "$(cd "$prom" && stat -c '%n %a' xetile.prom && ls | wc -l)" = 'xetile.prom 644
2'
chmod 640 "$prom/xetile.prom"
expect 0 '' metrics --output "$prom/xetile.prom"
holds 'metrics: a file keeps its mode' test "$(stat -c %a "$prom/xetile.prom")" = 640
ln -sfn old "$prom/link"
expect 1 'link is no regular file' metrics --output "$prom/link"
expect 0 '' metrics -o "$prom/new"
holds 'metrics: all may read a new file' test "$(stat -c %a "$prom/new")" = 644

# A card that the driver has is told, whether the library finds it or not, unless a mask hides it.
bound=$tmp/bound
rm -rf "$bound"
mkdir -p "$bound/bus/pci/drivers/xetile/0000:3b:00.0" "$bound/bus/pci/drivers/xetile/module" \
	"$bound/bus/pci/drivers/xetile/10000:01:00.0"
ZE_AFFINITY_MASK='' expect 0 'xetile_card_up{pci="0000:3b:00.0"} 0' metrics --sysfs "$bound"
ZE_AFFINITY_MASK='' expect 0 'xetile_card_up{pci="10000:01:00.0"} 0' metrics --sysfs "$bound"
ZE_AFFINITY_MASK=x expect 1 'xetile_card_up{pci="0000:3b:00.0"} 0' metrics --sysfs "$bound"
expect 0 'xetile_cards 0' metrics --sysfs "$bound"
rm -f "$prom/failed"
ZE_AFFINITY_MASK=x expect 1 'cannot look for cards' metrics --sysfs "$bound" -o "$prom/failed"
holds 'metrics: a file, though no card was found' test "$(grep '^xetile' "$prom/failed")" = 'xetile_cards 2
xetile_card_up{pci="0000:3b:00.0"} 0
xetile_card_up{pci="10000:01:00.0"} 0'

tile=$prom/bus/pci/devices/0000:3a:00.0/tile1
mkdir -p "$tile/errors" "$tile/memory" "$tile/gt0/freq0/throttle" "${tile%1}0/memory"
echo 9126805504 > "${tile%1}0/memory/used_bytes"
echo 68719476736 > "$tile/memory/total_bytes"
echo 12abc > "$tile/errors/correctable_gt"
echo 18446744073709551616 > "$tile/errors/correctable_soc"
printf 5 > "$tile/errors/correctable_hbm"
echo 18446744073710 > "$tile/gt0/freq0/max_freq"
echo 7 > "$tile/errors/correctable_l3_fabric"
echo 4294967295 > "$tile/errors/fatal_hbm"
echo x > "$tile/errors/fatal_gt"
echo -1 > "$tile/errors/fatal_soc"
echo 9 > "$tile/errors/nothing"
echo 1600 > "$tile/gt0/freq0/act_freq"
echo 1250 > "$tile/gt0/freq0/rp0_freq"
echo 3 > "$tile/gt0/freq0/other"
echo 1 > "$tile/gt0/freq0/throttle/status"
echo 1 > "$tile/gt0/freq0/throttle/reason_vr_tdc"
"$tmp/tests/metrics" "$prom" "$here/who.now" > "$tmp/text"

# usage: has LINE; the text has it
has() {
	holds "metrics: $1" grep -qxF -e "$1" "$tmp/text"
}
of='pci="0000:3a:00.0"'
has 'xetile_cards 2'
has "xetile_card_info{$of,card=\"0\",name=\"Max \\\"1550\\\"\",node=\"/dev/dri/renderD128\"} 1"
has 'xetile_card_up{pci="0000:3b:00.0"} 0'
has "xetile_hbm_used_bytes{$of,tile=\"0\"} 9126805504"
has "xetile_hbm_size_bytes{$of,tile=\"1\"} 68719476736"
has "xetile_ccs_mode{$of,tile=\"0\"} 4"
has "xetile_errors_total{$of,tile=\"1\",severity=\"correctable\",kind=\"l3_fabric\"} 7"
has "xetile_errors_total{$of,tile=\"1\",severity=\"fatal\",kind=\"hbm\"} 4294967295"
has "xetile_errors_total{$of,tile=\"1\",severity=\"correctable\",kind=\"hbm\"} 5"
has "xetile_frequency_hertz{$of,tile=\"1\",kind=\"act\"} 1600000000"
has "xetile_frequency_hertz{$of,tile=\"1\",kind=\"rp0\"} 1250000000"
has "xetile_throttled{$of,tile=\"1\",reason=\"vr_tdc\"} 1"
has "xetile_energy_joules_total{$of} 1324"
has "xetile_tile_energy_joules_total{$of,tile=\"1\"} 500"
has "xetile_clients{$of} 5"
has "xetile_clients_complete{$of} 1"
client='client="6"'
has "xetile_client_info{$of,$client,pid=\"4790\",uid=\"1001\",command=\"lmp\"} 1"
! grep -E ',(pid|uid|command|card)=' "$tmp/text" | grep -qvE '^xetile_(card|client)_info[{]'
holds 'metrics: what may change is no label of a figure' test $? = 0
has "xetile_client_engine_seconds_total{$of,tile=\"0\",$client,engine=\"compute\"} 0.750000"
has "xetile_client_engine_seconds_total{$of,tile=\"0\",$client,engine=\"copy\"} 0.480000"
has "xetile_client_hbm_bytes{$of,tile=\"0\",$client} 6442450944"
has "xetile_client_system_bytes{$of,$client} 4096"
has "xetile_client_moved_bytes_total{$of,$client,reason=\"evict\"} 18874368"
holds 'metrics: what is no number of a known form is left out' \
	test "$(grep -cE '^xetile_(errors_total|frequency_hertz|throttled)[{]' "$tmp/text")" = 6
holds 'metrics: HBM that cannot be read is not 0' \
	test "$(grep -c '^xetile_hbm_[a-z]*_bytes{' "$tmp/text")" = 2
"$tmp/tests/metrics" "$prom" "$here/who.now" 0 > "$tmp/out"
! grep -q '^xetile_client_engine_seconds_total{' "$tmp/out"
holds 'metrics: no seconds by a clock that is not known' test $? = 0
! grep -q '^xetile_[a-z_]*{pci="0000:3b:00.0",.*tile=' "$tmp/text"
holds 'metrics: a card that does not answer has no figures' test $? = 0
! tr -d '\n\040-\176' < "$tmp/text" | grep -q .
holds 'metrics: no byte that a terminal could obey' test $? = 0
# A folder of very many files
for i in $(seq 300); do echo "$i" > "$tile/errors/many_$i"; done
"$tmp/tests/metrics" "$prom" "$here/who.now" > "$tmp/out" 2> "$tmp/err"
holds 'metrics: 256 files of a folder' test "$(grep -c '^xetile_errors_total{' "$tmp/out")" = 256
holds 'metrics: more files are told' grep -q '^xetilectl: 48 files of .*/tile1/errors are left out' "$tmp/err"
rm "$tile"/errors/many_*
# No client is told twice, and there is an end to them, at which those that used nothing are left out.
awk 'BEGIN {
	print "sample 1 1 1700000\ntile 0 1 1 1 0 0\ntile 1 1 1 1 0 0"
	for (i = 1; i <= 1500; i++) {
		use = i == 1200 ? "xetile-cycles-tile1-copy: 1\n" : i > 1480 ? "drm-resident-hbm1: " i "\n" : ""
		for (pid = 1; pid <= 2; pid++)
			print "client " pid " 0 root x\ndrm-driver: xetile\ndrm-pdev: 0000:3a:00.0\n" \
				"drm-client-id: " i "\n" use "."
	}
}' > "$tmp/many"
"$tmp/tests/metrics" "$prom" "$tmp/many" > "$tmp/many.text"
holds 'metrics: whole joules' grep -qx "xetile_energy_joules_total{$of} 2" "$tmp/many.text"
holds 'metrics: all clients are counted, once each' grep -qx "xetile_clients{$of} 1500" "$tmp/many.text"
sed -n 's/^xetile_client_system_bytes{.*,client="\([0-9]*\)".*/\1/p' "$tmp/many.text" | tr '\n' ' ' > "$tmp/told"
holds 'metrics: 100 clients are told, who used the most first' test "$(cat "$tmp/told")" = \
	"1200 $(seq 1500 -1 1481 | tr '\n' ' ')$(seq 79 | tr '\n' ' ')"

if command -v python3 > /dev/null; then
	holds 'metrics: the grammar' sh -c 'python3 "$0" < "$1" > "$1.series"' "$here/metrics.py" "$tmp/text"
	holds 'metrics: the grammar, of many clients' \
		sh -c 'python3 "$0" < "$1" > "$1.series"' "$here/metrics.py" "$tmp/many.text"
	holds 'metrics: the grammar, without a card' \
		sh -c 'python3 "$0" < "$1" > "$1.series"' "$here/metrics.py" "$prom/xetile.prom"
	# The reader sees what is wrong.
	for wrong in 's/_total counter/_total gauge/' 's/,pid=/,client=/' 's/\\"/"/' '/^# TYPE xetile_card_up/d' \
		's/^\(xetile_cards\) .*/\1 -1/' '/^# HELP xetile_clients /d' '$p'; do
		sed "$wrong" "$tmp/text" | python3 "$here/metrics.py" > "$tmp/out" 2>&1
		holds "metrics: the reader sees $wrong" grep -q AssertionError "$tmp/out"
	done
else
	echo 'skip: the grammar of metrics is not checked, there is no python3'
fi
