// SPDX-License-Identifier: MIT
/*
 * xetilectl report: what this program tells of the cards of a machine, on a page that can be sent.
 */
#include "report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"
#include "options.h"
#include "report_read.h"
#include "save.h"

#define MOST_ARGUMENTS	8

static void usage(FILE *out)
{
	fputs("usage: xetilectl report [-o FILE] [--json]\n\n"
	      "Writes a page of HTML, which needs no network, about the cards that this process may\n"
	      "use: what they are, pictures of them and of a buffer, modes, processes, figures and\n"
	      "errors, an audit, the last dump, versions, and the driver's lines of the kernel's log.\n"
	      "Root sees more. It tells names of processes and users: read it before you send it.\n"
	      "  --output, -o FILE  the page (default xetile-report.html); others may not read it\n"
	      "  --json, -j         print one line of JSON about the page\n", out);
}

/* A section that a command of this program makes */
static const struct source {
	const char *id, *title;
	const char *arguments[MOST_ARGUMENTS];
	bool draws;		/* with --svg FILE, which is added */
} sources[] = {
	{ "cards", "Cards", { "list" } },
	{ "topology", "Topology", { "topology" }, true },
	{ "map", "A buffer over the tiles", { "map", "--size", "16m" }, true },
	{ "modes", "CCS modes", { "mode", "get" } },
	{ "processes", "Processes", { "who" } },
	{ "load", "Load", { "top", "--once", "--interval", "0.5" } },
	{ "health", "Figures and errors", { "metrics" } },
	{ "check", "Audit", { "check" } },
	{ "dump", "The last batch that was stopped", { "crash" } },
};

#define NUM_SOURCES	(sizeof(sources) / sizeof(sources[0]))
#define NUM_SECTIONS	(NUM_SOURCES + 2)

static char *join(const char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("xetilectl", out);
	for (; *words; words++)
		fprintf(out, " %s", *words);
	fclose(out);
	return text;
}

/* The command writes its picture to a file without a name, which a signal cannot leave behind. */
static void run(const struct source *source, struct report_section *section)
{
	const char *arguments[MOST_ARGUMENTS + 3] = { 0 };
	int fd = source->draws ? memfd_create("picture", 0) : -1;
	unsigned int n = 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (; source->arguments[n]; n++)
		arguments[n] = source->arguments[n];
	section->id = source->id;
	section->title = source->title;
	section->about = join(arguments);
	if (fd >= 0) {
		arguments[n++] = "--svg";
		arguments[n++] = path;
	}
	section->text = report_read_command(arguments, &section->status);
	if (fd < 0)
		return;
	if (!section->status)
		section->picture = report_read_file(path);
	close(fd);
}

static bool fill(struct report *report)
{
	bool tells = isatty(STDERR_FILENO);
	struct report_section *s = report->sections;
	unsigned int i;

	for (i = 0; i < NUM_SOURCES; i++, s++) {
		if (tells)
			fprintf(stderr, "\r\033[K%s", sources[i].title);
		run(&sources[i], s);
	}
	if (tells)
		fputs("\r\033[K", stderr);
	*s++ = (struct report_section) {
		"versions", "Versions", strdup("kernel, driver, program, environment"),
		report_read_versions(),
	};
	*s = (struct report_section) { "log", "The kernel's log", strdup("lines with \"xetile\"") };
	s->text = report_read_log("xetile", &s->status);
	for (i = 0; i < report->num; i++) {
		if (!report->sections[i].about || !report->sections[i].text)
			return false;
	}
	return true;
}

static int write_page(const struct report *report, const char *path)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out || (report_html(out, report), fclose(out))) {
		fputs("xetilectl: out of memory\n", stderr);
		ret = CTL_FAILED;
	} else {
		ret = save_replace_private(path, text, size);
	}
	free(text);
	return ret;
}

static int show(const struct report *report, const char *path, bool json)
{
	unsigned int i, less = 0;

	for (i = 0; i < report->num; i++)
		less += report->sections[i].status != 0;
	if (json)
		report_json(report, path);
	else
		printf("%s: %u sections, %u of them not complete\n", path, report->num, less);
	return CTL_OK;
}

int ctl_report(int argc, char **argv)
{
	struct report_section sections[NUM_SECTIONS] = { 0 };
	struct report report = { .sections = sections, .num = NUM_SECTIONS };
	const char *path = "xetile-report.html";
	char when[64] = "", host[HOST_NAME_MAX + 1] = "";
	time_t now = time(NULL);
	bool json = false;
	const struct option_line lines[] = {
		{ "output", 'o', OPTION_FILE, &path },
		{ "json", 'j', OPTION_FLAG, &json },
		{ NULL },
	};
	const struct option_table table = { "report", lines, 0, usage };
	unsigned int i;
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
	gethostname(host, sizeof(host) - 1);
	report.when = when;
	report.host = host;
	if (fill(&report)) {
		ret = write_page(&report, path);
	} else {
		fputs("xetilectl: out of memory\n", stderr);
		ret = CTL_FAILED;
	}
	if (!ret)
		ret = show(&report, path, json);
	for (i = 0; i < report.num; i++) {
		free((char *)sections[i].about);
		free(sections[i].text);
		free(sections[i].picture);
	}
	return ret;
}
