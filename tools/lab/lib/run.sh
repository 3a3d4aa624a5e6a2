# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# lab run and lab shell: write the caller's wishes into a folder, which the inner part
# (lib/inside) and the guest (guest/start) read.

run_usage()
{
	cat <<-END
	usage: lab run [option...] -- CMD...     run CMD as root in the guest
	       lab shell [option...]             an interactive shell there
	  --kernel NAME         the guest's kernel: 6.12, 7.2, $(kernel_names) (6.12)
	  --cards N             virtual cards (1)
	  --switch              cards 0 and 1 are behind one PCIe switch, and reach each other's HBM
	  --tiles 1|2|4         tiles of each card (1)
	  --hbm SIZE            HBM of each tile (1G)
	  --cslices MASK        compute slices of each tile, hex (0xf)
	  --card-opt "OPT..."   further options for each card's process
	  --module FILE         load this module (build/modules/KERNEL/xetile.ko)
	  --module-opt "OPT..." its parameters
	  --no-module           load none
	  --memory SIZE         the guest's memory (4G; $(kernel_names): 6G)
	  --cpus N              the guest's processors (2)
	  --boot "WORD..."      further words for the guest's kernel
	  --alone TEST[,TEST]   the guest has only these programs of build/igt-tests, what runs
	                        them, and the module, all in its memory, and no folder of the
	                        host: so its devices may lose their power, and it is woken up
	                        a second after it fell asleep (the distribution's kernels only)
	  --swap SIZE           a disk for the guest to swap to. When the guest has hibernated
	                        to it and powered off, it is started again
	  --cluster             the guest also has Open MPI, MPICH and Slurm
	  --net FOLDER,0|1      it is the first or the second guest of two with a network that is
	                        theirs alone, through sockets in FOLDER, which is the tree's
	  --plugin FILE[,OPT...] a plugin for QEMU, which then emulates the processor
	                        in software, even where KVM works
	  --timeout S           stop CMD after S seconds (600; shell, and 0: never;
	                        $(kernel_names): $(kernel_slowness debug) times as long)
	  --log DIR             keep console.log, stdout, stderr, card*.log, out/
	  --verbose             say how long things took
	In the guest the tree is /xetile (writes there vanish), and /out is kept in the
	log folder's out/. vpvcctl talks to a card, plug pulls a card out and puts it back.
	Exit status: that of CMD; 96: the module would not load or unload; 98: a card's
	process failed; 99: the kernel log holds a complaint; 124: timeout; 125: the
	guest ended by itself.
	END
}

run_main()
{
	local verb=$1 root initrd run status log= terminal=
	local kernel=6.12 cards=1 tiles=1 hbm=1G cslices=0xf card_opt= memory=
	local cpus=2 timeout=600 module=default module_opt= verbose= boot= plugin= accel
	local alone= swap= switch= cluster= net= over=
	[ -t 2 ] && verbose=1 # somebody is watching
	shift

	if [ "$verb" = shell ]; then
		timeout=0
		terminal=$(stty -g 2>/dev/null)
	fi
	while [ $# -gt 0 ]; do
		case $1 in
		--no-module) module=; shift; continue ;;
		--verbose) verbose=1; shift; continue ;;
		--switch) switch=1; shift; continue ;;
		--cluster) cluster=1; shift; continue ;;
		--help) run_usage; return 0 ;;
		--) shift; break ;;
		--kernel|--cards|--tiles|--hbm|--cslices|--card-opt|--memory|--cpus|\
		--timeout|--module|--module-opt|--log|--boot|--plugin|--alone|--swap|--net)
			[ $# -ge 2 ] || die "$1 needs a value" ;;
		-*) run_usage >&2; die "unknown option $1" ;;
		*) break ;;
		esac
		case $1 in
		--kernel) kernel=$2 ;;
		--cards) cards=$2 ;;
		--tiles) tiles=$2 ;;
		--hbm) hbm=$2 ;;
		--cslices) cslices=$2 ;;
		--card-opt) card_opt=$2 ;;
		--memory) memory=$2 ;;
		--cpus) cpus=$2 ;;
		--timeout) timeout=$2 ;;
		--module) module=$2 ;;
		--module-opt) module_opt=$2 ;;
		--log) log=$2 ;;
		--boot) boot+=" $2" ;;
		--plugin) plugin=$2 ;;
		--alone) alone=$2 ;;
		--swap) swap=$2 ;;
		--net) net=$2 ;;
		esac
		shift 2
	done
	run_number "--cards" "$cards"
	run_number "--cpus" "$cpus"
	run_number "--timeout" "$timeout"
	[ "$verb" = shell ] && [ $# = 0 ] && set -- bash -i
	[ $# -gt 0 ] || die "run: no command"

	case $net in
	''|?*,[01]) [ -d "$TREE/${net%,*}" ] || die "--net: there is no folder ${net%,*}" ;;
	*) die "--net takes FOLDER,0 or FOLDER,1, not \"$net\"" ;;
	esac

	root=$(root_get) || exit
	[ -z "$cluster" ] || over=$(cluster_get "$root") || exit
	if kernel_is_ours "$kernel"; then
		kernel_get "$root" "$kernel"
	fi
	[ -n "$memory" ] || memory=$(kernel_memory "$kernel")
	initrd=$(initramfs_get "$root" "$kernel") || exit
	if [ "$module" = default ]; then
		module=/xetile/build/modules/$kernel/xetile.ko
	elif [ -n "$module" ] && [ "${module#/}" = "$module" ]; then
		module=/xetile/$module
	fi
	case $module in
	/xetile/*) [ -e "$TREE${module#/xetile}" ] ||
		die "${module#/xetile/} is not built (make build, or --no-module)" ;;
	esac
	if [ "$cards" -gt 0 ] && [ ! -x "$TREE/build/vpvc/vpvc" ]; then
		die "build/vpvc/vpvc is not built (make build, or --cards 0)"
	fi

	if [ -n "$log" ]; then
		mkdir -p "$log" && run=$(cd "$log" && pwd) || die "cannot make $log"
		rm -rf --one-file-system "$run/out"
	else
		mkdir -p "$TREE/build/lab" &&
			run=$(mktemp -d "$TREE/build/lab/run.XXXXXX") || die "cannot make a log folder"
	fi
	mkdir -p "$run/out"
	run_command "$@" > "$run/out/command"
	{
		shell_words lab_module= "$module" lab_module_options= "$module_opt" \
			lab_initrd= "$initrd" \
			lab_limit= "$((timeout * $(kernel_slowness "$kernel")))"
		if [ "$verb" = shell ]; then
			shell_words lab_terminal= "${TERM:-dumb}" \
				lab_rows= "$(tput lines 2>/dev/null)" \
				lab_columns= "$(tput cols 2>/dev/null)"
		else
			shell_words lab_terminal= ''
		fi
	} > "$run/out/settings"

	accel=$(accel_get "$root") || exit
	[ -z "$plugin" ] || accel=tcg
	LAB_INITRD=$initrd LAB_KERNEL=$kernel LAB_CARDS=$cards LAB_TILES=$tiles \
	LAB_HBM=$hbm LAB_CSLICES=$cslices LAB_CARD_OPT=$card_opt \
	LAB_MEMORY=$memory LAB_CPUS=$cpus LAB_TIMEOUT=$timeout LAB_VERB=$verb \
	LAB_SLOWNESS=$(kernel_slowness "$kernel") LAB_VERBOSE=$verbose LAB_ACCEL=$accel \
	LAB_BOOT=$boot LAB_PLUGIN=$plugin LAB_ALONE=$alone LAB_SWAP=$swap \
	LAB_SWITCH=$switch LAB_NET=$net \
		chroot_become "$root" "$run" "$over" /xetile/tools/lab/lib/inside <&0 &
	lab_cleanup_pid $!
	wait $!
	status=$?
	lab_cleanup_pids=()
	[ -z "$terminal" ] || stty "$terminal"
	if [ -n "$log" ]; then
		:
	elif [ $status = 0 ] || { [ "$verb" = shell ] && [ $status -lt 96 ]; }; then
		rm -rf --one-file-system "$run"
	else
		say "exit status $status; console, output and cards' logs: $run"
	fi
	return $status
}

run_number()
{
	case $2 in
	''|*[!0-9]*) die "$1 takes a number, not \"$2\"" ;;
	esac
}

# Prints the command as a script with exactly these words, whatever characters they hold.
run_command()
{
	local word

	printf 'exec'
	for word; do
		printf " '%s'" "${word//\'/\'\\\'\'}"
	done
	echo
}

# usage: shell_words NAME= VALUE [NAME= VALUE]...
shell_words()
{
	while [ $# -ge 2 ]; do
		printf "%s'%s'\n" "$1" "${2//\'/\'\\\'\'}"
		shift 2
	done
}
