// SPDX-License-Identifier: MIT
/*
 * xetilectl: shows cards, changes their CCS mode, runs compiled kernels, measures distances, audits
 * cards without a driver, decodes crashes. The program uses only the public interface of libxetile;
 * the audit uses none of it.
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

int ctl_open(const char *selector, struct xetile_platform **platform,
	     struct xetile_device **device)
{
	if (xetile_platform_open(platform))
		return ctl_failed("cannot look for cards");
	if (!xetile_platform_select(*platform, selector, device))
		return CTL_OK;
	xetile_platform_close(*platform);
	*platform = NULL;
	return ctl_failed("device");
}

void ctl_json_string(const char *text)
{
	/* Bytes beyond ASCII may be no UTF-8: each is the character of its number. */
	putchar('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

int main(int argc, char **argv)
{
	size_t i;

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
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	return ctl_usage("there is no command '%s'", argv[1]);
}
