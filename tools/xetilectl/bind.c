// SPDX-License-Identifier: MIT
/*
 * xetilectl bind: starts a program that sees its share of the cards and nothing else.
 */
#include "bind.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "ctl.h"
#include "none.h"
#include "options.h"
#include "program.h"

#define CCS_VARIABLE	"ZEX_NUMBER_OF_CCS"
#define MASK_VARIABLE	"ZE_AFFINITY_MASK"

static void usage(FILE *out)
{
	fputs("usage: xetilectl bind --by cslice|tile|card [options] [--] PROGRAM [ARG...]\n\n"
	      "Runs PROGRAM in this process with its share of the cards, which is all that it\n"
	      "sees. Each process of a job on this machine has a share by its rank, as its\n"
	      "launcher tells it: mpiexec ... xetilectl bind --by tile -- PROGRAM. Shares are\n"
	      "parts of what ZE_AFFINITY_MASK leaves.\n"
	      "  --by KIND       what a rank gets: a compute slice, a tile or a card\n"
	      "  --order ORDER   block: neighbors in rank share a card (default); round: they\n"
	      "                  get different cards\n"
	      "  --rank N        the rank of this process, from 0, needs --ranks\n"
	      "  --ranks M       the number of ranks on this machine\n"
	      "  --mode 1|2|4    the program has all tiles in this CCS mode, whatever others have\n"
	      "  --share         there may be more ranks than shares\n"
	      "  --dry-run       show the shares of all ranks, run nothing\n"
	      "  --json, -j      of --dry-run: print one line of JSON\n"
	      "The exit status is PROGRAM's; 127: there is no PROGRAM, 126: it cannot run.\n", out);
}

struct options {
	const char *by, *order;
	struct bind_job job;
	unsigned int mode;
	bool share, dry_run, json;
};

/* --- reading cards ------------------------------------------------------------------------- */

/* The slices have the names "card.tile.slice", and reading those asks no driver. */
static uint32_t read_slices(struct xetile_device *device)
{
	unsigned int i, slice;
	uint32_t slices = 0;
	char selector[32];

	for (i = 0; i < xetile_device_num_sub_devices(device); i++) {
		xetile_device_selector(xetile_device_sub_device(device, i), selector, sizeof(selector));
		if (sscanf(selector, "%*u.%*u.%u", &slice) == 1 && slice < XETILE_MAX_CSLICES)
			slices |= 1u << slice;
	}
	return slices;
}

/* Add a tile to the last card, or to another one if it is not of that. */
static int add_tile(struct bind_tree *tree, struct xetile_device *device)
{
	struct bind_card *card = tree->num ? &tree->cards[tree->num - 1] : NULL;
	struct xetile_device_info info;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("tile");
	if (!card || card->number != info.card) {
		card = &tree->cards[tree->num++];
		*card = (struct bind_card) {
			.number = info.card, .all_tiles = info.card_tiles, .numa_node = info.numa_node,
		};
		snprintf(card->pci, sizeof(card->pci), "%s", info.pci);
	}
	if (card->num_tiles == XETILE_MAX_TILES)
		return CTL_OK;
	card->tiles[card->num_tiles++] = (struct bind_tile) {
		.number = info.tile, .flat = info.flat, .mode = info.ccs_mode,
		.modes = info.ccs_modes, .slices = read_slices(device),
	};
	return CTL_OK;
}

/* In composite hierarchy the devices at the top are cards, else tiles. */
static int add_device(struct bind_tree *tree, struct xetile_device *device)
{
	unsigned int i;
	int ret = CTL_OK;

	if (tree->hierarchy != XETILE_COMPOSITE)
		return add_tile(tree, device);
	for (i = 0; i < xetile_device_num_sub_devices(device) && !ret; i++)
		ret = add_tile(tree, xetile_device_sub_device(device, i));
	return ret;
}

static int read_devices(struct bind_tree *tree, struct xetile_platform *platform)
{
	unsigned int i, num = xetile_platform_num_devices(platform);
	int ret = CTL_OK;

	tree->num = 0;
	tree->hierarchy = xetile_platform_hierarchy(platform);
	tree->cards = calloc(num + 1, sizeof(*tree->cards));
	if (!tree->cards) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	for (i = 0; i < num && !ret; i++)
		ret = add_device(tree, xetile_platform_device(platform, i));
	if (!ret && !tree->num) {
		fputs("xetilectl: bind: there is no card to bind to\n", stderr);
		none_explain(stderr, NONE_SYSFS);
		ret = CTL_FAILED;
	}
	return ret;
}

/* Whether a variable has a value; Intel's runtime knows a word for none. */
static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcasecmp(value, "default");
}

/* Read the cards as the environment leaves them. The caller frees .cards, also after a failure. */
static int read_tree(struct bind_tree *tree)
{
	struct xetile_platform *platform;
	int ret;

	*tree = (struct bind_tree) {
		.masked = is_set(MASK_VARIABLE), .wished = is_set(CCS_VARIABLE),
	};
	ret = xetile_platform_open(&platform);
	if (ret)
		return none_open(ret);
	ret = read_devices(tree, platform);
	xetile_platform_close(platform);
	return ret;
}

/* --- a mode of the program's own ----------------------------------------------------------- */

static int no_mode(const struct bind_card *card, const struct bind_tile *tile, unsigned int mode)
{
	if (!(tile->modes & 1u << mode))
		fprintf(stderr, "xetilectl: bind: tile %u.%u has no CCS mode %u\n"
			"  remedy: one of its modes, which xetilectl list shows\n",
			card->number, tile->number, mode);
	else
		fprintf(stderr, "xetilectl: bind: programs have no CCS mode of their own on tile %u.%u\n"
			"  remedy: xetilectl mode set --device %u %u\n",
			card->number, tile->number, card->number, mode);
	return CTL_FAILED;
}

/* Ask for a mode on the first @num cards, which are all. */
static int set_wish(unsigned int num, unsigned int mode)
{
	const size_t longest = sizeof("4294967295:4,");
	char *text = calloc(num + 1, longest), *at = text;
	unsigned int c;
	int ret = CTL_OK;

	for (c = 0; text && c < num; c++)
		at += snprintf(at, longest, "%s%u:%u", c ? "," : "", c, mode);
	if (!text || setenv(CCS_VARIABLE, text, 1)) {
		fputs("xetilectl: out of memory\n", stderr);
		ret = CTL_FAILED;
	}
	free(text);
	return ret;
}

/* "0.1.3,2" becomes "0.1,2". If a slice's number is wrong, that shows when the mask is read. */
static void drop_slices(char *mask)
{
	unsigned int dots = 0;
	char *from;

	for (from = mask; *from; from++) {
		dots = *from == ',' ? 0 : dots + (*from == '.');
		if (dots < 2)
			*mask++ = *from;
	}
	*mask = 0;
}

/* Read the cards with all slices of the tiles that the mask names, which may be of another mode. */
static int read_tiles(struct bind_tree *tree)
{
	const char *mask = getenv(MASK_VARIABLE);
	char *slices, *tiles;
	int ret = CTL_FAILED;

	if (!mask)
		return read_tree(tree);
	slices = strdup(mask);
	tiles = strdup(mask);
	if (slices && tiles) {
		drop_slices(tiles);
		ret = setenv(MASK_VARIABLE, tiles, 1) ? CTL_FAILED : read_tree(tree);
	}
	if (!slices || !tiles || setenv(MASK_VARIABLE, slices, 1)) {
		fputs("xetilectl: out of memory\n", stderr);
		ret = CTL_FAILED;
	}
	free(tiles);
	free(slices);
	return ret;
}

/* Ask for a mode on all cards, as the program will, and read the slices that this makes. */
static int wish(struct bind_tree *tree, unsigned int mode)
{
	unsigned int c, t;
	int ret;

	unsetenv(CCS_VARIABLE);
	ret = read_tiles(tree);
	for (c = 0; c < tree->num && !ret; c++) {
		for (t = 0; t < tree->cards[c].num_tiles && !ret; t++) {
			if (!(tree->cards[c].tiles[t].modes & 1u << mode))
				ret = no_mode(&tree->cards[c], &tree->cards[c].tiles[t], mode);
		}
	}
	free(tree->cards);
	tree->cards = NULL;
	ret = ret ? ret : set_wish(tree->num, mode);
	ret = ret ? ret : read_tree(tree);
	for (c = 0; c < tree->num && !ret; c++) {
		for (t = 0; t < tree->cards[c].num_tiles && !ret; t++) {
			if (tree->cards[c].tiles[t].mode != mode)
				ret = no_mode(&tree->cards[c], &tree->cards[c].tiles[t], mode);
		}
	}
	return ret;
}

/* --- the command --------------------------------------------------------------------------- */

static int execute(const struct bind_plan *plan, const struct bind_job *job, char **argv)
{
	struct bind_env env;
	unsigned int i;

	bind_env_make(plan, &plan->shares[bind_plan_share(plan, job->rank, job->ranks)], &env);
	for (i = 0; i < env.num; i++) {
		if (env.vars[i].unset ? unsetenv(env.vars[i].name) :
		    setenv(env.vars[i].name, env.vars[i].value, 1)) {
			perror("xetilectl: bind");
			return CTL_FAILED;
		}
	}
	return program_run("bind", argv);
}

static int show(const struct bind_plan *plan, const struct options *o)
{
	if (o->json)
		bind_json(plan, &o->job);
	else
		bind_view(stdout, plan, &o->job);
	return CTL_OK;
}

/* @argv NULL: nothing is run. */
static int bind_rank(struct options *o, struct bind_plan *plan, char **argv)
{
	struct bind_tree tree = { 0 };
	int ret = bind_job_read(&o->job, argv);

	if (ret)
		return ret;
	ret = o->mode ? wish(&tree, o->mode) : read_tree(&tree);
	plan->tree = &tree;
	if (!ret)
		ret = bind_plan_make(plan, o->job.ranks);
	if (!ret)
		ret = argv ? execute(plan, &o->job, argv) : show(plan, o);
	free(plan->shares);
	free(tree.cards);
	return ret;
}

static int read_rank(const struct option_line *line, const char *text)
{
	if (!*text || strlen(text) > 6 || text[strspn(text, "0123456789")])
		return ctl_usage("--rank '%s' is not in 0..999999", text);
	*(int *)line->value = atoi(text);
	return CTL_OK;
}

static int read_mode(const struct option_line *line, const char *text)
{
	if (strlen(text) != 1 || !strchr("124", *text))
		return ctl_usage("--mode '%s' is not 1, 2 or 4", text);
	*(unsigned int *)line->value = *text - '0';
	return CTL_OK;
}

/* Check the options that depend on each other. Returns CTL_OK, or CTL_USAGE after a message. */
static int check(const struct options *o, struct bind_plan *plan, bool has_program)
{
	static const char *const kinds[] = { "card", "tile", "cslice" };
	unsigned int k = 0;

	if (!o->by)
		return ctl_usage("bind needs --by cslice, tile or card");
	while (k < 3 && strcmp(o->by, kinds[k]))
		k++;
	if (k == 3)
		return ctl_usage("--by '%s' is not cslice, tile or card", o->by);
	plan->by = BIND_CARD + k;
	if (strcmp(o->order, "block") && strcmp(o->order, "round"))
		return ctl_usage("--order '%s' is not block or round", o->order);
	plan->order = strcmp(o->order, "block") ? BIND_ROUND : BIND_BLOCK;
	plan->may_share = o->share;
	if (o->job.rank >= 0 && !o->job.ranks)
		return ctl_usage("--rank needs --ranks");
	if (o->job.rank >= 0 && o->job.rank >= (int)o->job.ranks)
		return ctl_usage("--rank %d of --ranks %u, which count from 0", o->job.rank,
				 o->job.ranks);
	if (o->json && !o->dry_run)
		return ctl_usage("--json is of --dry-run");
	if (!o->dry_run && !has_program)
		return ctl_usage("bind needs a PROGRAM, or --dry-run");
	return CTL_OK;
}

int ctl_bind(int argc, char **argv)
{
	struct options o = { .order = "block", .job.rank = -1 };
	const struct option_line lines[] = {
		{ "by", 0, OPTION_TEXT, &o.by, NULL, "cslice tile card" },
		{ "order", 0, OPTION_TEXT, &o.order, NULL, "block round" },
		{ "rank", 0, OPTION_READ, &o.job.rank, read_rank },
		{ "ranks", 0, OPTION_COUNT, &o.job.ranks },
		{ "mode", 0, OPTION_READ, &o.mode, read_mode, "1 2 4" },
		{ "share", 0, OPTION_FLAG, &o.share },
		{ "dry-run", 0, OPTION_FLAG, &o.dry_run },
		{ "json", 'j', OPTION_FLAG, &o.json },
		{ NULL },
	};
	const struct option_table table = { "bind", lines, OPTIONS_ANY, usage, OPTION_FILE,
					    .is_program = true };
	struct bind_plan plan = { 0 };
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	ret = check(&o, &plan, optind < argc);
	return ret ? ret : bind_rank(&o, &plan, o.dry_run ? NULL : argv + optind);
}
