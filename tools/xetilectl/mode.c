// SPDX-License-Identifier: MIT
/*
 * xetilectl mode: shows, sets or saves the number of compute engines of a tile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "options.h"

#define RULES_FILE	"/etc/udev/rules.d/70-xetile-ccs-mode.rules"

static void usage(FILE *out)
{
	fputs("usage: xetilectl mode get [--device CARD[.TILE]] [--json]\n"
	      "       xetilectl mode set [--device CARD[.TILE]] [--wait[=SECONDS]] [--json] 1|2|4\n"
	      "       xetilectl mode save [--output FILE]\n\n"
	      "A card (default: the first one) means all its tiles. Queues that exist keep their mode. With a\n"
	      "ccs_mode_policy \"fixed\" or \"default\" the mode cannot change while compute queues\n"
	      "exist on the tile; --wait sleeps until they are gone, for ever or for SECONDS at\n"
	      "most.\n\n"
	      "save writes rules for udev that bring the present modes of all cards back, to\n"
	      "FILE (default " RULES_FILE "; -: standard output).\n", out);
}

static int print_tile(struct xetile_device *tile, bool json, bool first)
{
	int mode = xetile_device_get_ccs_mode(tile);
	char selector[32];

	if (mode < 0)
		return ctl_failed("mode");
	xetile_device_selector(tile, selector, sizeof(selector));
	if (json)
		printf("%s{\"selector\":\"%s\",\"ccs_mode\":%d}", first ? "" : ",", selector, mode);
	else
		printf("%s: CCS mode %d\n", selector, mode);
	return CTL_OK;
}

static int print_modes(struct xetile_device *device, bool json)
{
	struct xetile_device_info info;
	unsigned int i;
	int ret = CTL_OK;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("device");
	if (json)
		printf("{\"tiles\":[");
	if (info.kind == XETILE_DEVICE_ROOT) {
		for (i = 0; i < xetile_device_num_sub_devices(device) && !ret; i++)
			ret = print_tile(xetile_device_sub_device(device, i), json, !i);
	} else {
		ret = print_tile(device, json, true);
	}
	if (json)
		printf("]}\n");
	return ret;
}

static int set_mode(struct xetile_device *device, const char *text, int timeout_ms)
{
	if (strcmp(text, "1") && strcmp(text, "2") && strcmp(text, "4"))
		return ctl_usage("mode '%s' is not 1, 2 or 4", text);
	if (xetile_device_set_ccs_mode(device, *text - '0', timeout_ms))
		return ctl_failed("cannot set the mode");
	return CTL_OK;
}

/*
 * A slice has no mode of its own: a change would hold for its neighbours, too. In mode 1 the
 * library returns the tile for the tile's only slice, so this function looks at the selector.
 */
static bool names_slice(const char *selector)
{
	const char *dot = strchr(selector, '.');

	return dot && strchr(dot + 1, '.');
}

/* The options of the command line; NULL, 0 and false if they are not there */
struct options {
	const char *selector, *output;
	int timeout_ms;
	bool json;
};

static int save(int argc, char **argv, const struct options *o)
{
	if (argc)
		return ctl_usage("mode save takes no '%s'", *argv);
	if (o->selector || o->timeout_ms || o->json)
		return ctl_usage("mode save has no option but --output");
	return ctl_mode_save(o->output ? o->output : RULES_FILE);
}

static int get_or_set(bool set, int argc, char **argv, const struct options *o)
{
	struct xetile_platform *platform;
	struct xetile_device *device;
	int ret;

	if (o->output)
		return ctl_usage("only mode save has --output");
	if (argc != set)
		return ctl_usage(set ? "mode set needs one mode" : "mode get takes no mode");
	ret = o->selector ? ctl_open(o->selector, &platform, &device) :
			    ctl_open_card(NULL, &platform, &device);
	if (ret)
		return ret;
	if (o->selector && names_slice(o->selector))
		ret = ctl_usage("'%s' is a slice: only cards and tiles have a mode", o->selector);
	if (!ret && set)
		ret = set_mode(device, *argv, o->timeout_ms);
	if (!ret)
		ret = print_modes(device, o->json);
	xetile_platform_close(platform);
	return ret;
}

/* @text NULL: --wait alone, which waits for ever */
static int read_wait(const struct option_line *line, const char *text)
{
	uint64_t seconds;

	if (text && (xetile_size_parse(text, &seconds) || seconds > 1000000))
		return ctl_usage("--wait=%s is no number of seconds", text);
	*(int *)line->value = text ? (int)seconds * 1000 : -1;
	return CTL_OK;
}

int ctl_mode(int argc, char **argv)
{
	struct options o = { 0 };
	const struct option_line lines[] = {
		{ "device", 'd', OPTION_DEVICE, &o.selector },
		{ "wait", 'w', OPTION_READ_MAYBE, &o.timeout_ms, read_wait },
		{ "output", 'o', OPTION_FILE, &o.output },
		{ "json", 'j', OPTION_FLAG, &o.json },
		{ NULL },
	};
	const struct option_table table = { "mode", lines, OPTIONS_ANY, usage, OPTION_TEXT,
					    "get set save 1 2 4" };
	const char *verb;
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	verb = optind < argc ? argv[optind++] : "";
	if (!strcmp(verb, "save"))
		return save(argc - optind, argv + optind, &o);
	if (strcmp(verb, "get") && strcmp(verb, "set"))
		return ctl_usage("mode needs get, set or save");
	return get_or_set(!strcmp(verb, "set"), argc - optind, argv + optind, &o);
}
