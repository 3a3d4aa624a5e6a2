// SPDX-License-Identifier: MIT
/*
 * xetilectl selftest: known answers of every engine of a card that takes work, and of its HBM.
 */
#include "selftest.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "options.h"

#define MEMORY	(256u << 20)

static void usage(FILE *out)
{
	fputs("usage: xetilectl selftest [DEVICE] [--memory SIZE|all] [--json]\n\n"
	      "Tests cards, or one card, tile or slice: kernels with known answers on the compute\n"
	      "engine of every slice, in the CCS mode that the tile is in, and on all tiles as one;\n"
	      "copies and fills by every copy engine; and patterns in HBM that is free. Others may\n"
	      "use the card meanwhile, but a copy engine that they keep busy may not be reached.\n"
	      "  --memory, -m SIZE|all  so much HBM of each tile (default 256m)\n"
	      "  --device, -d DEVICE    the same as DEVICE\n"
	      "  --json, -j             print one line of JSON\n"
	      "Exit status: 0 all passed, 3 a test failed, 1 some could not be run.\n", out);
}

static int read_memory(const struct option_line *line, const char *text)
{
	uint64_t *memory = line->value;

	if (!strcmp(text, "all"))
		*memory = UINT64_MAX;
	else if (xetile_size_parse(text, memory) || *memory < XETILE_COLOR_PAGE)
		return ctl_usage("--memory '%s' is not all, or 64k and more", text);
	return CTL_OK;
}

/* --- devices -------------------------------------------------------------------------------- */

static int test_tile(struct selftest *test, struct xetile_context *context,
		     struct xetile_device *tile)
{
	struct xetile_device *parts[XETILE_MAX_CSLICES] = { tile };
	unsigned int i, num = xetile_device_num_sub_devices(tile);
	int ret;

	/* In mode 1 the tile has no slices to be named. */
	for (i = 0; i < num && i < XETILE_MAX_CSLICES; i++)
		parts[i] = xetile_device_sub_device(tile, i);
	ret = selftest_kernels(test, context, SELFTEST_COMPUTE, parts, num ? num : 1);
	if (!ret)
		ret = selftest_copies(test, context, tile);
	return ret ? ret : selftest_memory(test, context, tile);
}

static int test_root(struct selftest *test, struct xetile_context *context,
		     struct xetile_device *root)
{
	unsigned int i, num = xetile_device_num_sub_devices(root);
	struct xetile_device_info info;
	int ret = CTL_OK;

	if (xetile_device_get_info(root, &info))
		return ctl_failed("card");
	/* A mask may leave some of the tiles only, and no queue is on those alone. */
	if (info.implicit_scaling && info.num_tiles > 1 && info.num_tiles == info.card_tiles)
		ret = selftest_kernels(test, context, SELFTEST_GANG, &root, 1);
	for (i = 0; i < num && !ret; i++)
		ret = test_tile(test, context, xetile_device_sub_device(root, i));
	return ret;
}

/* A card that cannot be opened keeps no other from its test. */
static int note_closed(struct selftest *test, struct xetile_device *device,
		       enum xetile_device_kind kind)
{
	struct selftest_unit *unit;

	unit = selftest_add(test, kind == XETILE_DEVICE_ROOT ? SELFTEST_GANG : SELFTEST_COMPUTE,
			    device);
	if (!unit)
		return CTL_FAILED;
	selftest_not_run(unit, "cannot open the card: %s", xetile_last_error());
	return CTL_OK;
}

static int test_device(struct selftest *test, struct xetile_device *device)
{
	struct xetile_context *context;
	struct xetile_device_info info;
	int ret;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("device");
	if (xetile_context_create(device, &context))
		return note_closed(test, device, info.kind);
	if (info.kind == XETILE_DEVICE_ROOT)
		ret = test_root(test, context, device);
	else if (info.kind == XETILE_DEVICE_TILE)
		ret = test_tile(test, context, device);
	else
		ret = selftest_kernels(test, context, SELFTEST_COMPUTE, &device, 1);
	xetile_context_destroy(context);
	return ret;
}

/* --- a card that is lost ---------------------------------------------------------------------- */

static sigjmp_buf lost;

/* Only words of mapped memory are read or written where it comes: no call is left half done. */
static void note_lost(int number)
{
	siglongjmp(lost, 1);
}

/*
 * The memory of a card that is gone, which was mapped, is a bus error. What a unit did wrong until
 * then is kept; of those that did nothing wrong, who knows which had all of their tests.
 */
static int test_safely(struct selftest *test, struct xetile_device *device)
{
	const struct sigaction action = { .sa_handler = note_lost };
	const unsigned int first = test->num;
	struct sigaction before;
	volatile int ret = CTL_FAILED;
	unsigned int i;

	sigaction(SIGBUS, &action, &before);
	if (!sigsetjmp(lost, 1))
		ret = test_device(test, device);
	sigaction(SIGBUS, &before, NULL);
	for (i = first; ret && i < test->num; i++)
		selftest_not_run(&test->units[i], "the card was lost before its test ended");
	return ret;
}

static int test_all(struct selftest *test, struct xetile_platform *platform)
{
	unsigned int i, num = xetile_platform_num_devices(platform);
	int ret = CTL_OK;

	/* Also after a card that was lost in its test */
	for (i = 0; i < num; i++) {
		if (test_safely(test, xetile_platform_device(platform, i)))
			ret = CTL_FAILED;
	}
	return ret;
}

/* --- the command ------------------------------------------------------------------------------ */

static int show(const struct selftest *test, bool json)
{
	static const int codes[] = {
		[SELFTEST_PASS] = CTL_OK, [SELFTEST_FAIL] = CTL_KERNEL,
		[SELFTEST_NOT_RUN] = CTL_FAILED,
	};
	int ret;

	if (json)
		selftest_json(test);
	else
		selftest_view(stdout, test);
	ret = ctl_flush();
	return ret ? ret : codes[selftest_verdict(test)];
}

int ctl_selftest(int argc, char **argv)
{
	struct selftest test = { .memory = MEMORY, .progress = isatty(STDERR_FILENO) };
	const char *named = NULL, *selector;
	struct xetile_platform *platform;
	struct xetile_device *device;
	bool json = false;
	const struct option_line lines[] = {
		{ "device", 'd', OPTION_DEVICE, &named },
		{ "memory", 'm', OPTION_READ, &test.memory, read_memory, "all" },
		{ "json", 'j', OPTION_FLAG, &json },
		{ NULL },
	};
	const struct option_table table = { "selftest", lines, 1, usage, OPTION_DEVICE };
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	ret = options_device(argc, argv, named, &selector);
	/* Also without a selector: it refuses a machine that has no card. */
	if (!ret)
		ret = ctl_open(selector, &platform, &device);
	if (ret)
		return ret;
	ret = selector ? test_safely(&test, device) : test_all(&test, platform);
	selftest_progress(&test, NULL, NULL, 0);
	xetile_platform_close(platform);
	/* What was found until a test could not go on is told. */
	if (!ret || test.num)
		ret = show(&test, json);
	free(test.units);
	return ret;
}
