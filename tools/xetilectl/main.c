// SPDX-License-Identifier: MIT
/*
 * xetilectl: shows cards and who uses them, changes their CCS mode, runs compiled kernels, measures
 * distances, audits cards without a driver, decodes crashes. The program uses only the public
 * interface of libxetile; the audit uses none of it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctl.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
	{ "list", ctl_list, "show cards, tiles, compute slices and engines" },
	{ "run", ctl_run, "run one kernel of a compiled file" },
	{ "who", ctl_who, "show which processes use a card, and what they have of it" },
	{ "top", ctl_top, "show the same again and again, with what is busy" },
	{ "mode", ctl_mode, "show, set or save the number of compute engines per tile" },
	{ "calibrate", ctl_calibrate, "measure how far a card's memories are" },
	{ "check", ctl_check, "audit a card that no driver drives" },
	{ "crash", ctl_crash, "show what a stopped batch has left behind, decoded" },
};

#define NUM_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void help(FILE *out)
{
	size_t i;

	fputs("usage: xetilectl COMMAND [options]\n\n", out);
	for (i = 0; i < NUM_COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].what);
	fputs("\nxetilectl COMMAND --help shows the options. Devices are card[.tile[.cslice]].\n"
	      "Exit status: 0 done, 1 failed, 2 the command line is wrong.\n", out);
}

int ctl_failed(const char *what)
{
	fprintf(stderr, "xetilectl: %s: %s\n", what, xetile_last_error());
	return CTL_FAILED;
}

int ctl_usage(const char *fmt, ...)
{
	va_list args;

	fputs("xetilectl: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs("; see --help\n", stderr);
	return CTL_USAGE;
}

int ctl_flush(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return CTL_OK;
	perror("xetilectl: cannot write");
	return CTL_FAILED;
}

/* The selector of the card of the first device that no mask hides; @text has room for it. */
static int select_first(struct xetile_platform *platform, char *text, size_t size)
{
	struct xetile_device *first = xetile_platform_device(platform, 0);
	struct xetile_device_info info;

	if (!first) {
		fputs("xetilectl: there is no card of the xetile driver, or ZE_AFFINITY_MASK hides all cards\n"
		      "  remedy: load the driver (modprobe xetile), or unset ZE_AFFINITY_MASK\n", stderr);
		return CTL_FAILED;
	}
	if (xetile_device_get_info(first, &info))
		return ctl_failed("card");
	snprintf(text, size, "%u", info.card);
	return CTL_OK;
}

int ctl_open(const char *selector, struct xetile_platform **platform,
	     struct xetile_device **device)
{
	char first[16];
	int ret = CTL_OK;

	if (xetile_platform_open(platform))
		return ctl_failed("cannot look for cards");
	if (!selector)
		ret = select_first(*platform, first, sizeof(first));
	if (!ret && xetile_platform_select(*platform, selector ? selector : first, device))
		ret = ctl_failed("device");
	if (!ret)
		return CTL_OK;
	xetile_platform_close(*platform);
	*platform = NULL;
	return ret;
}

int main(int argc, char **argv)
{
	size_t i;
	int ret;

	if (argc < 2) {
		help(stderr);
		return CTL_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		help(stdout);
		return CTL_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("xetilectl %d.%d\n", XETILE_VERSION_MAJOR, XETILE_VERSION_MINOR);
		return CTL_OK;
	}
	for (i = 0; i < NUM_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		ret = commands[i].run(argc - 1, argv + 1);
		return ret ? ret : ctl_flush();
	}
	return ctl_usage("there is no command '%s'", argv[1]);
}
