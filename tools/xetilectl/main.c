// SPDX-License-Identifier: MIT
/*
 * xetilectl: shows cards, their parts, figures and who uses them, changes their CCS mode, runs
 * compiled kernels, gives processes of a job their shares, forecasts how much of them is remote,
 * draws colors, measures distances, audits cards without a driver, tests them, decodes crashes. The
 * program uses only the public interface of libxetile; the audit uses none of it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "none.h"
#include "options.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
	{ "list", ctl_list, "show cards, tiles, compute slices and engines" },
	{ "topology", ctl_topology, "draw cards, how far their memories are, and the buses between" },
	{ "run", ctl_run, "run one kernel of a compiled file" },
	{ "who", ctl_who, "show which processes use a card, and what they have of it" },
	{ "top", ctl_top, "show the same again and again, with what is busy" },
	{ "metrics", ctl_metrics, "write the cards' figures for Prometheus" },
	{ "mode", ctl_mode, "show, set or save the number of compute engines per tile" },
	{ "bind", ctl_bind, "run a program of a job with its share of the cards" },
	{ "xe-run", ctl_xe_run, "run a program of Intel's runtimes with colors and slices" },
	{ "plan", ctl_plan, "forecast how much of a launch is remote, and the better color" },
	{ "map", ctl_map, "draw which tile each page of a buffer lies on" },
	{ "calibrate", ctl_calibrate, "measure how far a card's memories are" },
	{ "check", ctl_check, "audit a card that no driver drives" },
	{ "selftest", ctl_selftest, "test engines and memory of cards by known answers" },
	{ "trace", ctl_trace, "write what the driver does, as a file for Perfetto" },
	{ "report", ctl_report, "write all that can be told of the cards, as a page" },
	{ "crash", ctl_crash, "show what a stopped batch has left behind, decoded" },
};

#define NUM_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void help(FILE *out)
{
	size_t i;

	fputs("usage: xetilectl [COMMAND [options]]\n\n"
	      "Without a command it shows the cards and who uses them.\n\n", out);
	for (i = 0; i < NUM_COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].what);
	fputs("\nxetilectl COMMAND --help shows the options. Devices are card[.tile[.cslice]],\n"
	      "or a card's PCI address or node.\n"
	      "Exit status: 0 done, 1 failed, 2 the command line is wrong, 3 the kernel failed.\n", out);
}

int ctl_failed(const char *what)
{
	fprintf(stderr, "xetilectl: %s: %s\n", what, xetile_last_error());
	return CTL_FAILED;
}

/* A caret stands below the text, so that what to do is at the end of the first line. */
int ctl_usage(const char *fmt, ...)
{
	char text[1024], *line;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* Names of a file's kernels and arguments hold any bytes, and a terminal obeys some. */
	for (line = text; *line; line++)
		*line = (*line > 0 && *line < ' ' && *line != '\n') || *line == 0x7f ? '?' : *line;
	line = text + strcspn(text, "\n");
	fprintf(stderr, "xetilectl: %.*s; see --help%s\n", (int)(line - text), text, line);
	return CTL_USAGE;
}

int ctl_flush(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return CTL_OK;
	perror("xetilectl: cannot write");
	return CTL_FAILED;
}

/* Find the device on an open platform. Returns as ctl_open(). */
static int find(struct xetile_platform *platform, const char *selector,
		struct xetile_device **device)
{
	int err;

	err = xetile_platform_select(platform, selector, device);
	if (!err)
		return CTL_OK;
	if (err == -EINVAL)
		return ctl_usage("%s", xetile_last_error());
	ctl_failed("device");
	if (!xetile_platform_num_devices(platform))
		none_explain(stderr, NONE_SYSFS);
	return CTL_FAILED;
}

int ctl_open(const char *selector, struct xetile_platform **platform,
	     struct xetile_device **device)
{
	int ret;

	ret = xetile_platform_open(platform);
	if (ret)
		return none_open(ret);
	ret = find(*platform, selector, device);
	if (!ret)
		return CTL_OK;
	xetile_platform_close(*platform);
	*platform = NULL;
	return ret;
}

int ctl_open_card(const char *selector, struct xetile_platform **platform,
		  struct xetile_device **card)
{
	struct xetile_device_info info = { 0 };
	char number[16];
	int ret = ctl_open(selector, platform, card);

	if (ret)
		return ret;
	if (xetile_device_get_info(*card, &info))
		ret = ctl_failed("card");
	else if (selector && info.kind != XETILE_DEVICE_ROOT)
		ret = ctl_usage("'%s' is no card, but a part of card %u", selector, info.card);
	else if (info.kind != XETILE_DEVICE_ROOT) {
		/* In flat hierarchy the first device is a tile, and a tile has no parent. */
		snprintf(number, sizeof(number), "%u", info.card);
		ret = find(*platform, number, card);
	}
	if (!ret)
		return CTL_OK;
	xetile_platform_close(*platform);
	*platform = NULL;
	return ret;
}

/* Whether two words differ by one letter that is wrong, missing, too many, or swapped. */
static bool is_near(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), same = 0;

	if (la > lb)
		return is_near(b, a);
	while (same < la && a[same] == b[same])
		same++;
	a += same;
	b += same;
	if (lb - la == 1)
		return !strcmp(a, b + 1);
	if (la != lb || !*a)
		return false;
	return !strcmp(a + 1, b + 1) || (a[1] && a[0] == b[1] && a[1] == b[0] && !strcmp(a + 2, b + 2));
}

static int unknown(const char *name)
{
	size_t i;

	for (i = 0; i < NUM_COMMANDS; i++) {
		if (is_near(name, commands[i].name))
			return ctl_usage("there is no command '%s': did you mean %s?", name,
					 commands[i].name);
	}
	return ctl_usage("there is no command '%s'", name);
}

/* The options of all commands, for what completes them in a shell. Nothing is done. */
static int print_options(void)
{
	size_t i;

	options_print(stdout);
	for (i = 0; i < NUM_COMMANDS; i++)
		commands[i].run(1, (char *[]) { (char *)commands[i].name, NULL });
	options_print(NULL);
	return ctl_flush();
}

int main(int argc, char **argv)
{
	size_t i;
	int ret;

	if (argc < 2) {
		ret = ctl_overview();
		return ret ? ret : ctl_flush();
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return CTL_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("xetilectl %d.%d\n", XETILE_VERSION_MAJOR, XETILE_VERSION_MINOR);
		return CTL_OK;
	}
	if (!strcmp(argv[1], "--options"))
		return print_options();
	for (i = 0; i < NUM_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		ret = commands[i].run(argc - 1, argv + 1);
		return ret ? ret : ctl_flush();
	}
	return unknown(argv[1]);
}
