# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Prints what bash offers for the last word of a command line.
#   complete.bash COMPLETION DRIVERS WORD...
# shellcheck disable=SC1090 # a file that is made
. "$1"
# shellcheck disable=SC2034 # the completion reads it
_xetilectl_drivers=$2
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"$(complete -p "$1" | sed 's/.* -F \([^ ]*\) .*/\1/')"
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
