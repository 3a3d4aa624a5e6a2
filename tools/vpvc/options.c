// SPDX-License-Identifier: MIT
/*
 * The command line, read by main() before the card is made.  Each value is checked,
 * and a refusal names the values that are allowed.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "card/inject_command.h"
#include "core/strict.h"
#include "pvc_pci_regs.h"
#include "spec.h"

#define GIB		(1ull << 30)
#define MIB		(1ull << 20)
/* Fields of TILE_ADDR_RANGE: seven bits for base and size each, in GiB */
#define MAX_GIB		127

static const char usage[] =
	"usage: vpvc --socket PATH [options]\n"
	"A virtual Ponte Vecchio card.  It serves one vfio-user connection and exits with it.\n"
	"  --socket PATH      vfio-user socket to listen on\n"
	"  --control PATH     control socket: counters, registers, reset-counters, info,\n"
	"                     translate, peek, inject\n"
	"  --tiles N          1, 2 or 4 (default 1)\n"
	"  --hbm SIZE         HBM of each tile in GiB, as 16 or 16G (default 1G)\n"
	"  --usable SIZE      HBM of each tile that drivers may use, in MiB, an even number,\n"
	"                     as 240 or 240M (default and maximum: --hbm minus\n"
	"                     --carve)\n"
	"  --carve SIZE       MiB at the top of each tile's HBM that drivers may not use, an even\n"
	"                     number (default and minimum: 16, as on sold cards)\n"
	"  --ready MS         time that firmware needs after a start, a reset of the function or\n"
	"                     a loss of power: pcode does not answer, then with errors, then\n"
	"                     that it is not ready, and HBM is not trained (default 50)\n"
	"  --window SIZE      size of BAR2, by which the host reaches HBM, in MiB, a power of\n"
	"                     two, as 256 or 256M (default and maximum: the HBM of all tiles,\n"
	"                     rounded up to a power of two)\n"
	"  --resizable        BAR2 has the size of --window at first, and can be resized\n"
	"  --cslices MASK     compute slices that each tile has, hex 1..f (default 0xf)\n"
	"  --fused-dss MASK   subslices (DSS) that each tile lacks, hex; DSS 16n to 16n+15 are\n"
	"                     those of slice n (default 0)\n"
	"  --device-id HEX    PCI device id (default 0bd5)\n"
	"  --quirk NAME       a broken card: all-ones, no-cslices, hbm-overlap, small-ggtt, early\n"
	"                     (a stepping that was never sold)\n"
	"  --inject FAULT     arm a fault from the start, see below; may be given 16 times\n"
	"  --publish FILE     name by which other cards reach this card's HBM, see --peer\n"
	"  --peer FILE        this card and another one, whose --publish this is, are behind one\n"
	"                     switch: accesses to the other card's BAR2 reach its HBM; its BAR2\n"
	"                     has all HBM (no --window)\n"
	"  --log FILE         write the log to FILE instead of stderr\n"
	"  --replug           when the guest lets the card go, offer it again as after power on\n"
	"  --tlb              engines keep translations until they are invalidated\n"
	"  --handlers NAME    code that executes EU instructions: general, any, avx2, avx512\n"
	"                     (default: the fastest that the host's processor can run)\n"
	"  --seed N           fill memory and registers with noise made from N at power on\n"
	"                     (default 0: no noise)\n"
	"  --strict           punish all that silicon punishes, see below (default)\n"
	"  --lenient          punish none of it\n"
	"  --spec             print the tables of registers, commands and faults\n";

static const char strict_usage[] =
	"What the card punishes; --NAME has it punish one more, --no-NAME one less. Options are\n"
	"obeyed in their order.\n";

static const char inject_usage[] =
	"Faults, for --inject and for \"inject FAULT\" on the control socket. Spaces or commas\n"
	"separate words; \"NAME off\" disarms a fault, \"clear\" disarms all. E names an engine\n"
	"(tile0.bcs8), a whole tile (tile0) or all (default). skip=N lets N events pass, then\n"
	"count=N events are hit (default 1, 0 = all). A reset disarms nothing.\n";

static int refuse(const char *option, const char *value, const char *allowed)
{
	fprintf(stderr, "vpvc: %s %s: must be %s\n", option, value, allowed);
	return -EINVAL;
}

/* True: the whole string, less an optional @suffix, is a number of @base in [min, max]. */
static bool parse_number(const char *s, int base, uint64_t min, uint64_t max, const char *suffix,
			 uint64_t *out)
{
	char *end;

	/* strtoull() alone would accept signs and leading spaces. */
	if (!strchr("0123456789abcdefABCDEF", s[0]) || !s[0])
		return false;
	errno = 0;
	*out = strtoull(s, &end, base);
	if (errno || end == s)
		return false;
	if (*end && strcmp(end, suffix))
		return false;
	return *out >= min && *out <= max;
}

static int parse_quirk(struct card_options *opt, const char *name)
{
	if (!strcmp(name, "all-ones"))
		opt->quirk_all_ones = true;
	else if (!strcmp(name, "no-cslices"))
		opt->quirk_no_cslices = true;
	else if (!strcmp(name, "hbm-overlap"))
		opt->quirk_hbm_overlap = true;
	else if (!strcmp(name, "early"))
		opt->quirk_early = true;
	else if (!strcmp(name, "small-ggtt"))
		opt->quirk_small_ggtt = true;
	else
		return refuse("--quirk", name,
			      "all-ones, no-cslices, hbm-overlap, early or small-ggtt");
	return 0;
}

/* Keys of the options of core/strict.h */
#define KEY_PUNISH	0x1000
#define KEY_FORGIVE	0x2000
#define STRICT_OPTIONS(bit, name, text) \
	{ name, no_argument, NULL, KEY_PUNISH + STRICT_NR_##bit }, \
	{ "no-" name, no_argument, NULL, KEY_FORGIVE + STRICT_NR_##bit },

static void print_strict(void)
{
#define STRICT_PRINT(bit, name, text)	printf("  --%-16s %s\n", name, text);
	STRICTNESS(STRICT_PRINT)
}

static int parse_one(struct card_options *opt, int key, const char *arg)
{
	uint64_t n;

	switch (key) {
	case 's':
		opt->socket = arg;
		return 0;
	case 'c':
		opt->control = arg;
		return 0;
	case 'l':
		opt->log = arg;
		return 0;
	case 'P':
		opt->publish = arg;
		return 0;
	case 'p':
		opt->peer = arg;
		return 0;
	case 't':
		if (!parse_number(arg, 10, 1, PVC_MAX_TILES, "", &n) || n == 3)
			return refuse("--tiles", arg, "1, 2 or 4");
		opt->tiles = (unsigned int)n;
		return 0;
	case 'h':
		if (!parse_number(arg, 10, 1, MAX_GIB, "G", &n))
			return refuse("--hbm", arg, "a number of GiB, 1 to 127");
		opt->hbm = n * GIB;
		return 0;
	case 'u':
		if (!parse_number(arg, 10, 2, MAX_GIB * 1024, "M", &n) || n % 2)
			return refuse("--usable", arg, "an even number of MiB, 2 or more");
		opt->usable = n * MIB;
		return 0;
	case 'C':
		if (!parse_number(arg, 10, HBM_CARVE / MIB, MAX_GIB * 1024, "M", &n) || n % 2)
			return refuse("--carve", arg, "an even number of MiB, 16 or more");
		opt->carve = n * MIB;
		return 0;
	case 'R':
		if (!parse_number(arg, 10, 0, 1000000, "", &n))
			return refuse("--ready", arg, "a number of milliseconds, 0 to 1000000");
		opt->ready = (unsigned int)n;
		return 0;
	case 'z':
		opt->resizable = true;
		return 0;
	case 'w':
		if (!parse_number(arg, 10, 1, MAX_GIB * PVC_MAX_TILES * 1024, "M", &n) ||
		    n & (n - 1))
			return refuse("--window", arg, "a number of MiB, a power of two");
		opt->window = n * MIB;
		return 0;
	case 'm':
		if (!parse_number(arg, 16, 1, 0xf, "", &n))
			return refuse("--cslices", arg, "a hexadecimal mask, 1 to f "
				      "(none at all: --quirk no-cslices)");
		opt->cslices = (unsigned int)n;
		return 0;
	case 'f':
		if (!parse_number(arg, 16, 0, ~0ull - 1, "", &opt->fused_dss))
			return refuse("--fused-dss", arg,
				      "a hexadecimal mask of 64 bits, not all set");
		return 0;
	case 'd':
		if (!parse_number(arg, 16, 1, 0xfffe, "", &n))
			return refuse("--device-id", arg, "hexadecimal, 1 to fffe");
		opt->device_id = (uint16_t)n;
		return 0;
	case 'S':
		if (!parse_number(arg, 0, 0, ~0ull, "", &n))
			return refuse("--seed", arg, "a number");
		opt->seed = n;
		return 0;
	case 'i':
		if (opt->num_inject == CARD_MAX_INJECTIONS)
			return refuse("--inject", arg, "given 16 times at most");
		opt->inject[opt->num_inject++] = arg;
		return 0;
	case 'H':
		opt->handlers = arg;
		return 0;
	case 'r':
		opt->replug = true;
		return 0;
	case 'T':
		opt->tlb = true;
		return 0;
	case 'q':
		return parse_quirk(opt, arg);
	case 'X':
		opt->lenient = 0;
		return 0;
	case 'L':
		opt->lenient = STRICT_ALL;
		return 0;
	case KEY_PUNISH ... KEY_PUNISH + NUM_STRICT - 1:
		opt->lenient &= ~(1u << (key - KEY_PUNISH));
		return 0;
	case KEY_FORGIVE ... KEY_FORGIVE + NUM_STRICT - 1:
		opt->lenient |= 1u << (key - KEY_FORGIVE);
		return 0;
	default:
		return -EINVAL;
	}
}

int options_parse(struct card_options *opt, int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "control", required_argument, NULL, 'c' },
		{ "publish", required_argument, NULL, 'P' },
		{ "peer", required_argument, NULL, 'p' },
		{ "tiles", required_argument, NULL, 't' },
		{ "hbm", required_argument, NULL, 'h' },
		{ "usable", required_argument, NULL, 'u' },
		{ "carve", required_argument, NULL, 'C' },
		{ "ready", required_argument, NULL, 'R' },
		{ "window", required_argument, NULL, 'w' },
		{ "resizable", no_argument, NULL, 'z' },
		{ "cslices", required_argument, NULL, 'm' },
		{ "fused-dss", required_argument, NULL, 'f' },
		{ "device-id", required_argument, NULL, 'd' },
		{ "quirk", required_argument, NULL, 'q' },
		{ "inject", required_argument, NULL, 'i' },
		{ "log", required_argument, NULL, 'l' },
		{ "seed", required_argument, NULL, 'S' },
		{ "handlers", required_argument, NULL, 'H' },
		{ "replug", no_argument, NULL, 'r' },
		{ "tlb", no_argument, NULL, 'T' },
		{ "strict", no_argument, NULL, 'X' },
		{ "lenient", no_argument, NULL, 'L' },
		STRICTNESS(STRICT_OPTIONS)
		{ "spec", no_argument, NULL, 'o' },
		{ "help", no_argument, NULL, '?' + 256 },
		{ NULL, 0, NULL, 0 },
	};
	int key, err;

	*opt = (struct card_options) {
		.tiles = 1,
		.hbm = GIB,
		.carve = HBM_CARVE,
		.ready = 50,
		.cslices = 0xf,
		.device_id = PVC_PCI_DEVICE_MAX_1550,
	};
	optind = 0;
	while ((key = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (key == '?' + 256) {
			fputs(usage, stdout);
			fputs(inject_usage, stdout);
			inject_help(stdout, false);
			fputs(strict_usage, stdout);
			print_strict();
			return 1;
		}
		if (key == 'o') {
			for (unsigned int i = 0; spec_sections[i]; i++)
				spec_print(stdout, spec_sections[i]);
			return 1;
		}
		err = parse_one(opt, key, optarg);
		if (err)
			return err;
	}
	if (optind < argc) {
		fprintf(stderr, "vpvc: %s: not an option\n", argv[optind]);
		return -EINVAL;
	}
	if (!opt->socket) {
		fprintf(stderr, "vpvc: --socket PATH is needed\n");
		return -EINVAL;
	}
	if ((opt->tiles - 1) * opt->hbm > MAX_GIB * GIB) {
		fprintf(stderr, "vpvc: the last tile's HBM would begin beyond %u GiB\n", MAX_GIB);
		return -EINVAL;
	}
	if (opt->carve >= opt->hbm) {
		fprintf(stderr, "vpvc: --carve: nothing is left of --hbm\n");
		return -EINVAL;
	}
	if (opt->usable > opt->hbm - opt->carve) {
		fprintf(stderr, "vpvc: --usable: at most %llu MiB with this --hbm and --carve\n",
			(unsigned long long)((opt->hbm - opt->carve) / MIB));
		return -EINVAL;
	}
	if (opt->window >= 2 * opt->tiles * opt->hbm) {
		fprintf(stderr, "vpvc: --window: larger than the HBM of all tiles\n");
		return -EINVAL;
	}
	if (opt->quirk_hbm_overlap && opt->tiles < 2) {
		fprintf(stderr, "vpvc: --quirk hbm-overlap needs two tiles\n");
		return -EINVAL;
	}
	return 0;
}
