// SPDX-License-Identifier: MIT
/*
 * xetilectl xe-run: runs an unmodified program of Intel's runtimes with colors and slices, which
 * those have no words for. The driver keeps them for this process, in which the program runs.
 */
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "none.h"
#include "options.h"
#include "program.h"

static void usage(FILE *out)
{
	fputs("usage: xetilectl xe-run [options] [--] PROGRAM [ARG...]\n\n"
	      "Runs PROGRAM, which uses OpenCL, Level Zero or SYCL and is not changed, in this\n"
	      "process; its memory on the cards gets a color, and its work a slice.\n"
	      "  --color COLOR   of its buffers: even, follow or chunk:SIZE; spill: those of the\n"
	      "                  program, but what finds no room on a tile goes to another one\n"
	      "  --min-size SIZE buffers below SIZE stay where the program puts them\n"
	      "  --cslice N      virtual compute slice of its first compute engine, 0 to 3\n"
	      "  --device, -d D  only on this card (default: on all)\n"
	      "Programs that PROGRAM starts are other processes, which get nothing of it.\n"
	      "The exit status is PROGRAM's; 127: there is no PROGRAM, 126: it cannot run.\n", out);
}

struct options {
	const char *color, *device;
	uint64_t min_size;
	int cslice;		/* -1: none */
};

/* The file that keeps it stays open. */
static int set_card(struct xetile_device *device, const struct xetile_device_info *info,
		    const struct xetile_process_desc *desc)
{
	int fd, ret = xetile_process_set(device, desc, &fd);

	if (ret < 0)
		return ctl_failed("cannot say what the program gets");
	if (ret)
		fprintf(stderr, "xetilectl: xe-run: card %u is not called xe, which runtimes look for\n"
			"  remedy: load the driver with uapi=xe, see xetilectl(1)\n", info->card);
	return CTL_OK;
}

/* In flat hierarchy the devices of a card are neighbors. */
static int set_all(struct xetile_platform *platform, const struct xetile_process_desc *desc)
{
	unsigned int i, num = xetile_platform_num_devices(platform);
	struct xetile_device_info info = { 0 };
	bool is_first = true;
	uint32_t last = 0;
	int ret = CTL_OK;

	for (i = 0; i < num && !ret; i++) {
		struct xetile_device *device = xetile_platform_device(platform, i);

		if (xetile_device_get_info(device, &info))
			return ctl_failed("cannot say what the program gets");
		if (is_first || info.card != last)
			ret = set_card(device, &info, desc);
		is_first = false;
		last = info.card;
	}
	if (!num) {
		fputs("xetilectl: xe-run: there is no card to run on\n", stderr);
		none_explain(stderr, NONE_SYSFS);
		ret = CTL_FAILED;
	}
	return ret;
}

static int set_device(const char *selector, const struct xetile_process_desc *desc)
{
	struct xetile_device_info info;
	struct xetile_platform *platform;
	struct xetile_device *device;
	int ret;

	if (!selector) {
		if (xetile_platform_open(&platform))
			return ctl_failed("cannot look for cards");
		ret = set_all(platform, desc);
	} else {
		ret = ctl_open(selector, &platform, &device);
		if (ret)
			return ret;
		ret = xetile_device_get_info(device, &info) ? ctl_failed("cannot say what the program gets") :
		      set_card(device, &info, desc);
	}
	xetile_platform_close(platform);
	return ret;
}

static int read_cslice(const struct option_line *line, const char *text)
{
	if (strlen(text) != 1 || !strchr("0123", *text))
		return ctl_usage("--cslice '%s' is not in 0..3", text);
	*(int *)line->value = *text - '0';
	return CTL_OK;
}

static int read_size(const struct option_line *line, const char *text)
{
	if (xetile_size_parse(text, line->value))
		return ctl_usage("--min-size '%s' is no size, as 64k or 1m", text);
	return CTL_OK;
}

/* Returns CTL_OK, or CTL_USAGE after a message. */
static int read_color(const char *text, struct xetile_mem_desc *color)
{
	if (xetile_color_parse(text, color))
		return ctl_usage("--color: %s", xetile_last_error());
	if (!color->flags && (color->color == XETILE_COLOR_EVEN ||
			      color->color == XETILE_COLOR_CHUNK ||
			      color->color == XETILE_COLOR_FOLLOW))
		return CTL_OK;
	xetile_color_free(color);
	return ctl_usage("--color '%s' is not even, follow, chunk:SIZE or spill", text);
}

int ctl_xe_run(int argc, char **argv)
{
	struct options o = { .cslice = -1 };
	const struct option_line lines[] = {
		{ "color", 0, OPTION_TEXT, &o.color, NULL, "even follow chunk: spill" },
		{ "min-size", 0, OPTION_READ, &o.min_size, read_size },
		{ "cslice", 0, OPTION_READ, &o.cslice, read_cslice, "0 1 2 3" },
		{ "device", 'd', OPTION_DEVICE, &o.device },
		{ NULL },
	};
	const struct option_table table = { "xe-run", lines, OPTIONS_ANY, usage, OPTION_FILE,
					    .is_program = true };
	struct xetile_mem_desc color = { 0 };
	struct xetile_process_desc desc = { 0 };
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	if (optind == argc)
		return ctl_usage("xe-run needs a PROGRAM");
	if (!o.color && o.cslice < 0)
		return ctl_usage("xe-run needs --color or --cslice");
	if (o.min_size && !o.color)
		return ctl_usage("--min-size needs --color");
	if (o.color && !strcmp(o.color, "spill")) {
		desc.flags |= XETILE_PROCESS_SPILL;
	} else if (o.color) {
		ret = read_color(o.color, &color);
		desc.color = &color;
	}
	if (o.cslice >= 0) {
		desc.flags |= XETILE_PROCESS_CSLICE;
		desc.cslice = o.cslice;
	}
	desc.min_size = o.min_size;
	if (!ret)
		ret = set_device(o.device, &desc);
	return ret ? ret : program_run("xe-run", argv + optind);
}
