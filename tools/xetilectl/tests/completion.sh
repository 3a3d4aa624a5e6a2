# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# Completion in bash and zsh. A part of run.sh, whose functions it calls.

table=$tmp/options.table
"$ctl" --options > "$table"
holds 'completion: a status for the table' test $? = 0
! grep -qvE '^[a-z-]+ (--[a-z-]+|-[a-zA-Z]|\*) (flag|maybe|file|folder|device|text)( |$)' "$table"
holds 'completion: each line of the table is known' test $? = 0

grep -E ' (--device|-d|--sysfs|--svg|--map|--output|-o|--file) ' "$table" |
	grep -vE ' ((--device|-d) device|--sysfs folder|(--svg|--map|--output|-o|--file) file)$' > "$tmp/text"
holds 'completion: devices, folders and files are told as such' test ! -s "$tmp/text"

# Each command is there, and each option that its help names: a help that is stale fails, too.
for verb in $("$ctl" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p'); do
	holds "completion: $verb" grep -q "^$verb \* " "$table"
	named=$("$ctl" "$verb" --help | grep -oE '(^|[^a-z-])--[a-z][a-z-]*' | grep -oE -e '--.*' | sort -u)
	for option in $named; do
		holds "completion: $verb $option" grep -q "^$verb $option " "$table"
	done
	# Each option of the table is in the help.
	printf '%s\n--help\n' "$named" | sort > "$tmp/text"
	sed -n "s/^$verb \(--[a-z-]*\) .*/\1/p" "$table" | sort | comm -23 - "$tmp/text" > "$tmp/err"
	holds "completion: the help of $verb has all options but $(tr '\n' ' ' < "$tmp/err")" \
		test ! -s "$tmp/err"
done

# What a shell has on a machine of two cards
places=$tmp/places
rm -rf "$places"
mkdir -p "$places/0000:03:00.0/tile0" "$places/0000:03:00.0/tile1" "$places/0000:03:00.0/drm/renderD128" \
	"$places/0000:0a:00.0/tile0" "$places/0000:0a:00.0/drm/renderD129" "$places/work/sub"
: > "$places/work/saved"
: > "$places/bind"
# usage: offers WANTED WORD...; for the last word the shell offers what is wanted
offers() {
	wanted=$1
	shift
	got=$(cd "$places/work" && "$shell" $flags "$here/complete.$shell" "$script" "$places" xetilectl "$@" |
		sort | tr '\n' ' ')
	[ "$got" = "${wanted:+$wanted }" ]
	holds "completion: $shell: $*: '$got', not '$wanted'" test $? = 0
}
for shell in bash zsh; do
	flags=
	script=$tmp/completion/xetilectl.bash
	[ "$shell" = bash ] || flags=-f script=$tmp/completion/_xetilectl
	sed -n "/_table='/,/^'/p" "$script" | sed '1d;$d' | cmp - "$table"
	holds "completion: $shell has the table" test $? = 0
	if ! command -v "$shell" > /dev/null; then
		echo "skip: completion in $shell is not tried, there is no $shell"
		continue
	fi
	offers 'top topology' to
	offers '' nonsense
	offers '--version' --v
	offers '--svg --sysfs' topology --s
	offers '--device --dry-run' calibrate --d
	offers '-d' who -d
	offers 'get' mode g
	offers '1 2 4 get save set' mode ''
	offers 'default published' run --rule ''
	[ "$shell" = bash ] || offers 'published' plan --rule=p
	offers 'replicate' run x.bin -c r
	offers 'all' selftest 0 --memory a
	offers 'saved sub' trace -o s
	offers 'gather:' plan --size 1m g
	offers '0 0.0 0.1 1 1.0 renderD128 renderD129' topology ''
	offers '0 0.0 0.1' run f -d 0
	offers '1 1.0' who --json 1
	offers 'renderD129' top --device renderD129
	offers 'saved sub' run s
	offers 'saved sub' topology --svg s
	offers 'sub' crash --sysfs s
	offers '' list ''
	offers '' top --count ''
	offers 'get' mode --wait g
done
# Bash has an "=" as a word of its own.
shell=bash flags='' script=$tmp/completion/xetilectl.bash
offers 'published' plan --rule = p
offers 'default published' plan --rule =
offers 'saved sub' topology --svg = s
# What a name has is not run.
mkdir "$places/0000:0a:00.0/drm/renderD\$(touch ran)"
offers '0 0.0 0.1' top --device 0
offers "renderD\$(touch ran)" who 'renderD$'
holds 'completion: no command in a name is run' test ! -e "$places/work/ran"

rm -rf "$tmp/completed"
# (Without the folders that a make around this one has for another system.)
env -u MAKEFLAGS -u BASH_COMPLETIONS -u ZSH_COMPLETIONS make -s -C "$here/.." O="$tmp" \
	LIBXETILE="$tmp/../libxetile" DESTDIR="$tmp/completed" PREFIX=/usr \
	-n install 2> "$tmp/err" | grep 'install -m' > "$tmp/text"
holds 'completion: bash finds what is installed' grep -q \
	"completed/usr/share/bash-completion/completions/xetilectl\$" "$tmp/text"
holds 'completion: zsh finds what is installed' grep -q \
	"_xetilectl .*completed/usr/share/zsh/site-functions\$" "$tmp/text"
