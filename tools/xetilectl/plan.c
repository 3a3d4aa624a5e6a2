// SPDX-License-Identifier: MIT
/*
 * xetilectl plan: how much of a launch's accesses to a buffer is remote, before it runs.
 */
#include "plan.h"

#include <getopt.h>
#include <string.h>

#include "buffer.h"
#include "ctl.h"
#include "options.h"
#include "save.h"
#include "xyz.h"

static void usage(FILE *out)
{
	fputs("usage: xetilectl plan --size SIZE --groups X[,Y[,Z]] [options] ACCESS...\n\n"
	      "Forecasts how many bytes of a buffer each tile accesses in its own HBM and in that\n"
	      "of other tiles, for a launch that is partitioned over a card's tiles, and names the\n"
	      "color that has the fewest remote bytes. Nothing runs.\n"
	      "  --size SIZE        bytes of the buffer\n"
	      "  --color COLOR      its color, as for xetilectl run (default even)\n"
	      "  --groups X[,Y[,Z]] work-groups\n"
	      "  --local X[,Y[,Z]]  work-items of a group (default 32)\n"
	      "  --rule RULE        partition: default or published\n"
	      "  --tiles N          on a card of so many tiles; without a card\n"
	      "  --device, -d SELECTOR  on this device (default: the first card)\n"
	      "  --svg FILE         write a picture\n"
	      "  --map FILE         write the better color's list, if it is a map\n"
	      "  --json             print one line of JSON\n\n"
	      "Each ACCESS says what a work-item does with the buffer; all are added:\n"
	      "  stream:BYTES       its own element; all lie one behind the other\n"
	      "  stencil:BYTES:halo=X[,Y[,Z]]  also so many neighbors in each direction\n"
	      "  rows:BYTES:pitch=X[,Y[,Z]]    its own, at a pitch of so many bytes; 0: the same\n"
	      "  gather:BYTES:file=FILE        the one whose number is in FILE, binary\n"
	      "with options between: :write, :offset=SIZE, :items=X[,Y[,Z]] (those that access),\n"
	      ":edge=skip|clamp|inside, :pitch= (of a stencil), :type=u32|u64 (in FILE).\n", out);
}

struct words {
	const char *size, *color, *groups, *local, *rule, *device, *svg, *map;
	unsigned int tiles;
	bool json;
};

/* --- what is asked ------------------------------------------------------------------ */

static int find_tiles(struct plan *plan, const struct words *words)
{
	struct xetile_platform *platform;
	struct xetile_device_info info;
	struct xetile_device *device;
	int ret;

	ret = buffer_tiles(words->tiles, words->device);
	if (ret)
		return ret;
	if (words->tiles) {
		plan->tiles = words->tiles;
		plan->tile_mask = (1u << words->tiles) - 1;
		return CTL_OK;
	}
	ret = ctl_open(words->device, &platform, &device);
	if (ret) {
		fputs("  --tiles N plans without a card\n", stderr);
		return ret;
	}
	if (xetile_device_get_info(device, &info))
		ret = ctl_failed("device");
	plan->tiles = info.card_tiles;
	plan->tile_mask = info.tile_mask;
	xetile_platform_close(platform);
	return ret;
}

static int parse_launch(struct xetile_launch_desc *launch, const struct words *words)
{
	int ret;

	if (!words->groups)
		return ctl_usage("plan needs --groups");
	ret = xyz_parse_u32("--groups", words->groups, launch->groups);
	if (!ret && words->local)
		ret = xyz_parse_u32("--local", words->local, launch->local);
	if (ret || !words->rule)
		return ret;
	if (strcmp(words->rule, "default") && strcmp(words->rule, "published"))
		return ctl_usage("--rule '%s' is not default or published", words->rule);
	launch->rule = *words->rule == 'p' ? XETILE_PLAN_PUBLISHED : XETILE_PLAN_DEFAULT;
	return CTL_OK;
}

static int parse(struct plan *plan, const struct words *words, int argc, char **argv)
{
	int ret;

	ret = parse_launch(&plan->launch, words);
	if (!ret && optind == argc)
		ret = ctl_usage("plan needs an ACCESS");
	for (; optind < argc && !ret; optind++) {
		ret = plan_access_parse(argv[optind], &plan->access[plan->num_accesses]);
		plan->num_accesses += !ret;
	}
	if (!ret)
		ret = find_tiles(plan, words);
	plan->color = words->color ? words->color : "even";
	return ret ? ret : buffer_read("plan", words->size, plan->color, plan->tiles, &plan->mem);
}

/* --- the answer --------------------------------------------------------------------- */

static void write_map(FILE *out, const struct plan *plan)
{
	const struct xetile_mem_desc *better = &plan->forecast.better;
	uint32_t i;

	for (i = 0; i < better->num_runs; i++)
		fprintf(out, "%u*%u\n", better->runs[i].tile, better->runs[i].pages);
}

/* Write a file, or none if no name is given. Returns CTL_OK, or CTL_FAILED after a message. */
static int save(const char *path, const struct plan *plan,
		void (*write)(FILE *out, const struct plan *plan))
{
	FILE *out;

	if (!path)
		return CTL_OK;
	out = save_open(path);
	if (!out)
		return CTL_FAILED;
	write(out, plan);
	return save_close(out, path);
}

static int show(const struct plan *plan, const struct words *words)
{
	bool has_map = plan->forecast.has_better && plan->forecast.better.num_runs;
	int ret;

	ret = save(words->svg, plan, plan_svg);
	if (!ret && has_map)
		ret = save(words->map, plan, write_map);
	if (ret)
		return ret;
	if (words->map && !has_map)
		fprintf(stderr, "xetilectl: no map is better: '%s' is not written\n", words->map);
	if (words->json)
		return plan_json(plan);
	plan_view(stdout, plan);
	return CTL_OK;
}

static int explain(struct plan *plan)
{
	const struct xetile_explain_desc desc = {
		.launch = &plan->launch, .tile_mask = plan->tile_mask, .mem = &plan->mem,
		.num_accesses = plan->num_accesses, .accesses = plan->access,
		.num_pieces = PLAN_PIECES, .pieces = plan->pieces,
	};

	return xetile_plan_explain(&desc, &plan->forecast) ? ctl_failed("plan") : CTL_OK;
}

int ctl_plan(int argc, char **argv)
{
	struct plan plan = { .launch = { .groups = { 1, 1, 1 }, .local = { 32, 1, 1 } } };
	struct words words = { 0 };
	const struct option_line lines[] = {
		{ "size", 0, OPTION_TEXT, &words.size },
		{ "color", 0, OPTION_TEXT, &words.color, .words = OPTIONS_COLORS },
		{ "groups", 0, OPTION_TEXT, &words.groups },
		{ "local", 0, OPTION_TEXT, &words.local },
		{ "rule", 0, OPTION_TEXT, &words.rule, .words = OPTIONS_RULES },
		{ "tiles", 0, OPTION_COUNT, &words.tiles },
		{ "device", 'd', OPTION_DEVICE, &words.device },
		{ "svg", 0, OPTION_FILE, &words.svg },
		{ "map", 0, OPTION_FILE, &words.map },
		{ "json", 0, OPTION_FLAG, &words.json },
		{ NULL },
	};
	const struct option_table table = { "plan", lines, PLAN_ACCESSES, usage, OPTION_TEXT,
					    "stream: stencil: rows: gather:" };
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	ret = parse(&plan, &words, argc, argv);
	if (!ret)
		ret = explain(&plan);
	if (!ret)
		ret = show(&plan, &words);
	while (plan.num_accesses)
		plan_access_free(&plan.access[--plan.num_accesses]);
	xetile_color_free(&plan.forecast.better);
	xetile_color_free(&plan.mem);
	return ret;
}
