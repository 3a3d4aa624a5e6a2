# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What came out against what had to.

# usage: judge DIR KERNEL TILES; adds to $passed and $failed
judge()
{
	local dir=$1 kernel=$2 tiles=$3 name outcome seconds boot want reason count

	: > "$dir/verdicts"
	while read -r name outcome seconds boot; do
		expect "$name" "$kernel" "$tiles"
		reason=''
		[ "$outcome" = pass ] || reason=$(why "$dir/logs/$name" "$outcome")
		if ! fits "$outcome" "$want"; then
			verdict "NOT $want" "$name" "$outcome" "$seconds" "$reason"
		elif [ "$outcome" = skip ] && ! good_reason "$name $reason"; then
			verdict "NO GOOD REASON" "$name" skip "$seconds" "$reason"
		elif [ "$outcome" = skip ]; then
			verdict "" "$name" skip "$seconds" "$reason"
		elif [ "$outcome" = pass ]; then
			verdict "" "$name" "$outcome" "$seconds"
		elif ! proven "$dir" "$name" "$boot"; then
			verdict "CAUSE NOT IN LOG" "$name" "$outcome" "$seconds" "$quotes"
		elif [ -n "$lacks" ] && ! kernel_lacks "$kernel" "$lacks"; then
			verdict "THE KERNEL HAS IT" "$name" "$outcome" "$seconds" "$lacks"
		else
			verdict "" "$name" "$outcome" "$seconds" "${cause:-$reason}"
		fi
	done < "$dir/results"
	known_complaints "$dir"
	[ ! -s "$dir/restless" ] || sed 's/^/seen: /' "$dir/restless"
	# What has no result at all.
	count=$(todo "$dir" | wc -l)
	if [ "$count" != 0 ]; then
		echo "FAILED: $count subtests did not run" | tee -a "$dir/verdicts"
		failed=$((failed + count))
	fi
}

# usage: proven DIR NAME BOOT: all that $quotes names, a line each, stands in the logs
proven()
{
	local dir=$1 name=$2 boot=$3 quote

	while read -r quote; do
		quote=${quote//'" or "'/$'\n'}
		[ -z "$quote" ] || grep -q -s -F -- "$quote" \
			"$dir/logs/$name" "$dir/logs/$name.dmesg" \
			"$dir/console/card0.$boot" "$dir/console/console.$boot" || return
	done <<< "$quotes"
}

# usage: fits OUTCOME WANT; WANT may be several, "pass|stuck".  What may pass may skip.
fits()
{
	local outcome=$1

	[ "$outcome" != skip ] || outcome=pass
	case "|$2|" in
	*"|$outcome|"*) return 0 ;;
	esac
	return 1
}

# usage: verdict PROBLEM NAME OUTCOME SECONDS REASON
verdict()
{
	local text

	printf -v text '%-6s %-50s %s s%s' "$3" "$2" "$4" "${5:+  $5}"
	if [ -n "$1" ]; then
		failed=$((failed + 1))
		text="FAILED ($1): $text"
	else
		passed=$((passed + 1))
	fi
	echo "$text"
	echo "$text" >> "$dir/verdicts"
}

# What is expected of subtest $1: sets want, cause, quotes if the cause is a line or
# several that its log must hold, and lacks if it is something the kernel does not know.
# The first line that fits decides.
expect()
{
	local line kernels tiles outcome text

	want=pass cause='' quotes='' lacks=''
	for line in "${expectations[@]}"; do
		# shellcheck disable=SC2254 # these are patterns
		case $1 in ${line%% *}) ;; *) continue ;; esac
		read -r _ kernels tiles outcome text <<< "$line"
		# shellcheck disable=SC2254
		case $2 in $kernels) ;; *) continue ;; esac
		# shellcheck disable=SC2254
		case $3 in $tiles) ;; *) continue ;; esac
		want=$outcome cause=$text
		[[ $text =~ \"(.*)\" ]] && quotes=${BASH_REMATCH[1]//'" and "'/$'\n'}
		[[ $text =~ lacks\ ((DRM_XE|CONFIG)_[A-Z0-9_]+) ]] && lacks=${BASH_REMATCH[1]}
		return
	done
}

# usage: kernel_lacks KERNEL NAME: a name in the interface's header or an option,
# by what the kernel's own package says
kernel_lacks()
{
	local root release file

	root=$(root_path)
	release=$(readlink "$root/lib/modules/$1")
	case $2 in
	CONFIG_*)
		grep -q -x -F "# $2 is not set" "$root/boot/config-$release" ;;
	*)
		file=$root/usr/src/linux-headers-${release%-*}-common/include/uapi/drm/xe_drm.h
		[ -s "$file" ] && ! grep -q -w "$2" "$file" ;;
	esac
}

# usage: good_reason TEXT: it holds a line of the file skips
good_reason()
{
	local line

	for line in "${skips[@]}"; do
		[[ $1 != *"$line"* ]] || return 0
	done
	return 1
}

# The tests' own words for a skip or a failure, on one line.
why()
{
	case $2 in
	skip)
		grep -s -h -E 'Test requirement:|^SKIP|Last errno|requirement not met|^No known gpu|^Skipping:|^No dynamic|^loop_kernel not' \
			"$1" | head -n 3 | tr '\n' ' ' ;;
	fail)
		grep -s -h -E 'Failed assertion|CRITICAL|Received signal|error:' "$1" |
			head -n 2 | tr '\n' ' ' ;;
	kernel)
		complains "$1.dmesg" | grep -m 1 -E 'WARNING|BUG|:' ;;
	esac
}

# How often which warning of known cause was seen: no failures, but said.
known_complaints()
{
	local name cause count

	while read -r name cause; do
		case $name in '#'*|'') continue ;; esac
		count=$(cat "$1"/logs/*.dmesg 2>/dev/null | grep 'WARNING:' | grep -c -F "$name+")
		[ "$count" = 0 ] || echo "known: $count warnings in $name: $cause"
	done < "$here/known"
}
