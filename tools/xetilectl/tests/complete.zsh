# SPDX-License-Identifier: MIT
#
# Prints what zsh offers for the last word of a command line, for which its own functions are replaced.
#   complete.zsh COMPLETION DRIVERS WORD...
_xetilectl_drivers=$2
compadd() {
	local word
	shift
	for word; do [[ $word == $typed* ]] && print -r -- $word; done
}
compset() { typed=${typed#*=} }
_files() {
	local name
	for name in $typed*(N); do [[ $1 != -/ || -d $name ]] && print -r -- $name; done
}
words=("${@[3,-1]}")
CURRENT=$#words
typed=$words[-1]
. $1
