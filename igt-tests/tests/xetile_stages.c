// SPDX-License-Identifier: MIT
/*
 * The start of a card in stages (the module's parameter probe_stage): each stage tries what it
 * says, ends, and is undone; a card that fails in a stage is told from one that does not; and the
 * logs in Documentation/gpu/xetile/bring-up.rst are those that the driver prints.
 *
 * suite: bringup
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_module.h"

IGT_TEST_DESCRIPTION("The start of a card in stages");

#define STAGES		7	/* after the last one the start goes on */
#define MAX_LINES	200

struct log {
	char lines[MAX_LINES][256];
	unsigned int num;
};

static struct log now, documented;

/* --- the log ------------------------------------------------------------------------------- */

static int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	igt_assert_lte(0, fd);
	lseek(fd, 0, SEEK_END);
	return fd;
}

/* Replaces every time, and the PCI address is cut off with the driver's name. */
static void normalise(char *line)
{
	char *at = line, *to;

	while ((at = strstr(at, " us"))) {
		for (to = at; to > line && to[-1] >= '0' && to[-1] <= '9'; to--)
			;
		if (to == at || (at[3] && !strchr(",: \n", at[3]))) {
			at++;
			continue;
		}
		*to = 'N';
		memmove(to + 1, at, strlen(at) + 1);
		at = to + 2;
	}
}

/* Reads the driver's lines since kmsg_open(), and closes the file. */
static void kmsg_close(int fd, struct log *log)
{
	char record[2048], *text, *end;
	ssize_t n;

	log->num = 0;
	while ((n = read(fd, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		record[n] = 0;
		text = strstr(record, "[drm] ");
		if (!text || !strstr(record, ";xetile "))
			continue;
		text += strlen("[drm] ");
		end = strchr(text, '\n');
		if (end)
			*end = 0;
		igt_assert_lt(log->num, MAX_LINES);
		snprintf(log->lines[log->num], sizeof(log->lines[0]), "%s", text);
		normalise(log->lines[log->num++]);
	}
	close(fd);
}

/* Is there a line that has @text, and behind it @end, unless that is NULL? */
static bool says_both(const struct log *log, const char *text, const char *end)
{
	for (unsigned int i = 0; i < log->num; i++) {
		const char *at = strstr(log->lines[i], text);

		if (at && (!end || strstr(at + strlen(text), end)))
			return true;
	}
	return false;
}

static bool says(const struct log *log, const char *text)
{
	return says_both(log, text, NULL);
}

static bool holds_something(void)
{
	return !system("grep -q xetile /proc/iomem /proc/interrupts");
}

/*
 * The audit of a card that nobody drives finds nothing: no engine runs, no interrupt is enabled,
 * no well is kept awake.
 */
static void check_untouched(void)
{
	char command[512], text[65536];
	size_t len;
	FILE *f;

	len = readlink("/proc/self/exe", text, sizeof(text) - 1);
	igt_assert_lt(0, (ssize_t)len);
	text[len] = 0;
	*strrchr(text, '/') = 0;
	snprintf(command, sizeof(command), "%.300s/../xetilectl/xetilectl check --wake 2>&1 |"
		 " grep -v UNKNOWN", text);
	f = popen(command, "r");
	igt_assert(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = 0;
	pclose(f);
	igt_assert_f(strstr(text, "PASS") && !strstr(text, "DIFF"), "not undone: %s\n", text);
}

/* Loads the module for one stage, reads its log, and unloads the module. */
static void run_stage_with(unsigned int stage, const char *fault, const char *more)
{
	char parameters[64];
	int log;

	xetile_module_unload();
	if (fault)
		lab_inject("%s", fault);
	log = kmsg_open();
	snprintf(parameters, sizeof(parameters), "probe_stage=%u %s", stage, more);
	igt_assert_eq(xetile_module_load(parameters), 0);
	kmsg_close(log, &now);
	lab_heal();
	igt_assert(!xetile_module_has_card());
	igt_assert(!holds_something());
	xetile_module_unload();
}

static void run_stage(unsigned int stage, const char *fault)
{
	run_stage_with(stage, fault, "");
}

static void check_card_works(void)
{
	int fd;

	xetile_module_unload();
	igt_assert_eq(xetile_module_load(""), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_stages(void)
{
	char text[64];

	for (unsigned int s = 0; s < STAGES; s++) {
		run_stage(s, NULL);
		for (unsigned int done = 0; done <= s; done++) {
			snprintf(text, sizeof(text), "stage %u: ", done);
			igt_assert_f(says(&now, text), "stage %u: no '%s'\n", s, text);
		}
		snprintf(text, sizeof(text), "stage %u: ", s + 1);
		igt_assert(!says(&now, text));
		snprintf(text, sizeof(text), "stage %u done in N us", s);
		igt_assert_f(says(&now, text), "no '%s'\n", text);
		igt_assert(!says(&now, "failed"));
		check_untouched();
		/* The card starts as if nothing had been. */
		check_card_works();
	}
}

static void test_reads_only(void)
{
	const char *at;
	char *answer;

	xetile_module_unload();
	free(lab_ask("reset-counters"));
	run_stage(0, NULL);
	answer = lab_ask("registers");
	for (at = answer; (at = strstr(at, "\"offset\":")); at++)
		igt_assert_f(!lab_number(at, "writes"), "register %lu was written\n",
			     strtoul(at + strlen("\"offset\":"), NULL, 10));
	free(answer);
}

static const struct {
	const char *name, *fault, *line;
	unsigned int stage;
	const char *end;		/* further on in the line, or NULL */
	bool fails;			/* the trial of the stage does */
} failures[] = {
	{ "wells", "register count=0 address=0x130044 value=0", "power well GT does not wake", 1 },
	{ "guc", "guc-ran tile=0", "tile0: another driver's firmware (GuC) runs", 1 },
	{ "reset", "reset-dead count=0", "cannot be reset", 2 },
	{ "replica", "register skip=4 address=0xe7c8 value=0x12 tile=0",
	  "PVC_LSC_CHICKEN_BIT_0 (0xe7c8) 0x00000012 in 1 of ", 3, ": lost", true },
	{ "locked", "register count=0 address=0x9424 mask=0x2 value=0x2 tile=0",
	  "PVC_MISCCPCTL (0x9424) 0x00000002 in 1 of 1 instances", 3, ": locked", true },
	/* Of two requests the first one is lost, or the second one */
	{ "frequency-low", "register address=0xa008 value=0 tile=0",
	  "tile0: asked for 300 MHz: request 0", 4, NULL, true },
	{ "frequency-high", "register skip=1 address=0xa008 value=0 tile=0",
	  "tile0: asked for 300 MHz: request 300", 4, "for 1600 MHz: request 0", true },
	{ "tables", "hang engine=tile0.bcs0 before=100", "tile0.bcs0: by page tables, ", 5,
	  " rounds: its engine does not end it in time", true },
	{ "context", "hang engine=tile0.bcs0 before=1",
	  "tile0.bcs0: context 2: its engine does not end it in time", 5, NULL, true },
	/* Part of a copy, or of a clear, is not written. */
	{ "copied", "copy-lost engine=tile0.bcs0 skip=2", "tile0.bcs0: by page tables, 20 rounds:",
	  5, "copy 16384, clear 0", true },
	{ "cleared", "copy-lost engine=tile0.bcs0 skip=3",
	  "tile0.bcs0: by page tables, 20 rounds:", 5, "copy 0, clear 16384", true },
	/* All of one round: a copy and a clear in one part each, and system memory page by page */
	{ "words", "copy-lost skip=3400 count=34", "tile0: 1000 rounds of 65536 bytes: 0; wrong ",
	  6, "words: clear 16384, copy 16384, to system 16384, from system 16384", true },
	{ "pages-copied", "copy-lost size=0x20000", "tile0: ", 6,
	  " bytes at once: 0; wrong pages: copy 256, clear 0", true },
	{ "pages-cleared", "copy-lost size=0x20000 skip=130", "tile0: ", 6,
	  " bytes at once: 0; wrong pages: copy 0, clear 256", true },
};

static void test_failure(unsigned int i)
{
	char failed[32];
	bool said;

	run_stage(failures[i].stage, failures[i].fault);
	snprintf(failed, sizeof(failed), "stage %u failed", failures[i].stage);
	said = says_both(&now, failures[i].line, failures[i].end) &&
	       (!failures[i].fails || says(&now, failed));
	for (unsigned int l = 0; l < now.num && !said; l++)
		igt_info("%s\n", now.lines[l]);
	igt_assert_f(said, "no '%s', or not failed\n", failures[i].line);
	check_card_works();
}

/*
 * With copy=cpu the CPU clears and copies HBM, also from HBM to HBM, which no buffer's move needs:
 * all of it is right although the engines write nothing. They are left with copies from and to the
 * trial's system memory, whose pages are not known; and these are told.
 */
static void test_by_cpu(void)
{
	run_stage_with(6, NULL, "copy=cpu");
	igt_assert(says(&now, "stage 6 done in N us"));
	run_stage_with(6, "copy-lost count=0", "copy=cpu");
	igt_assert(says_both(&now, "wrong words: clear 0, copy 0, to system ", ", from system "));
	igt_assert(!says(&now, "to system 0,"));
	igt_assert(!says(&now, "from system 0"));
	igt_assert(says(&now, "stage 6 failed"));
	check_card_works();
}

/*
 * Reads the lines of a stage from the document: the literal block behind the comment that says
 * which stage it is of.
 */
static void read_document(unsigned int stage, struct log *log)
{
	char path[300], line[250], mark[64];
	bool found = false;
	ssize_t len = readlink("/proc/self/exe", path, 200);
	FILE *f;

	igt_assert_lt(0, len);
	path[len] = 0;
	strcpy(strrchr(path, '/'), "/../../Documentation/gpu/xetile/bring-up.rst");
	f = fopen(path, "r");
	igt_assert_f(f, "no document beside the tests: %s\n", path);
	snprintf(mark, sizeof(mark), ".. The log of stage %u", stage);
	log->num = 0;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, mark, strlen(mark)))
			found = true;
		if (!found || line[0] != '\t') {
			if (found && log->num && line[0] != '\n')
				break;
			continue;
		}
		line[strcspn(line, "\n")] = 0;
		igt_assert_lt(log->num, MAX_LINES);
		snprintf(log->lines[log->num++], sizeof(log->lines[0]), "%s", line + 1);
	}
	fclose(f);
	igt_assert_f(found && log->num, "no log of stage %u in the document\n", stage);
}

static void test_documented(void)
{
	struct xetile_card card;
	unsigned int wrong = 0;

	igt_assert_eq(xetile_module_load(""), 0);
	xetile_open_card(&card);
	close(card.fd);
	igt_require_f(card.device.num_tiles == 1 && card.tiles[0].num_cslices == 1,
		      "the logs are those of a card with one tile and one slice\n");
	/* All of them are told before the test fails, because a new document is made of them. */
	for (unsigned int s = 0; s < STAGES; s++) {
		run_stage(s, NULL);
		read_document(s, &documented);
		for (unsigned int i = 0; i < now.num; i++) {
			igt_info("stage %u|%s\n", s, now.lines[i]);
			if (i < documented.num && strcmp(now.lines[i], documented.lines[i]))
				wrong++;
		}
		wrong += now.num != documented.num;
	}
	igt_assert_f(!wrong, "%u lines are documented otherwise; the lines above are right\n", wrong);
}

igt_main
{
	igt_fixture {
		int fd = lab_open();

		close(fd);
	}

	igt_describe("Each stage ends well, and what it did is undone");
	igt_subtest("stages")
		test_stages();

	igt_describe("Stage 0 writes no register");
	igt_subtest("reads-only")
		test_reads_only();

	for (unsigned int i = 0; i < ARRAY_SIZE(failures); i++) {
		igt_describe("A card that fails in a stage is told");
		igt_subtest_f("fails-%s", failures[i].name)
			test_failure(i);
	}

	igt_describe("copy=cpu: HBM is cleared and copied by the CPU, also to HBM");
	igt_subtest("by-cpu")
		test_by_cpu();

	igt_fixture
		xetile_module_unload();

	igt_describe("The documented logs are those that the driver prints");
	igt_subtest("documented")
		test_documented();

	igt_fixture {
		lab_heal();
		check_card_works();
	}
}
