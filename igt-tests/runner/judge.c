// SPDX-License-Identifier: MIT
/*
 * DOC: another driver's subtests, on the host: chooses those that run in a guest of some kind
 * (plan), and compares their outcomes with the expected ones (judge).
 */
#include "verbs.h"

#include <errno.h>
#include <glob.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaints.h"
#include "expect.h"
#include "list.h"

struct judge {
	const char *folder;		/* holds the file expectations */
	const char *dir, *kernel, *tiles, *root;
	char **expectations, **skips;
	struct complaints *complaints;
	struct text verdicts;
	unsigned int passed, failed;
	/* of the subtest that is judged now: */
	struct expected e;
	char name[256], outcome[32], seconds[32], boot[32];
};

/* Returns the lines of the kind in a file. */
static char **table(const char *folder, const char *name, const char *kind)
{
	char *path = format("%s/%s", folder, name), **lines = file_table_of(path, kind);

	free(path);
	return lines;
}

static char *read_at(const char *folder, const char *name)
{
	char *path = format("%s/%s", folder, name), *s = file_read(path);

	free(path);
	return s;
}

struct grep {
	regex_t pattern;
	unsigned int most;
	struct text found;
};

static void grep_line(void *ctx, const char *line)
{
	struct grep *g = ctx;

	if (!g->most || regexec(&g->pattern, line, 0, NULL, 0))
		return;
	g->most--;
	text_addf(&g->found, "%s ", line);
}

/* Returns the first @most lines of @s that match, as one line, to be freed. */
static char *grep(const char *s, const char *pattern, unsigned int most)
{
	struct grep g = { .most = most };

	if (regcomp(&g.pattern, pattern, REG_EXTENDED | REG_NOSUB))
		die("%s is no expression", pattern);
	text_add(&g.found, "", 0);
	each_line(s ? s : "", grep_line, &g);
	regfree(&g.pattern);
	return g.found.s;
}

static const char skip_words[] = "Test requirement:|^SKIP|Last errno|requirement not met|"
				 "^No known gpu|^Skipping:|^No dynamic|^loop_kernel not";

/* Returns the test's own words for a skip or a failure. */
static char *why(const struct judge *j)
{
	char *name = format("logs/%s%s", j->name, strcmp(j->outcome, "kernel") ? "" : ".dmesg");
	char *log = read_at(j->dir, name), *reason;
	struct text complaint = { 0 };

	if (!strcmp(j->outcome, "skip")) {
		reason = grep(log, skip_words, 3);
	} else if (!strcmp(j->outcome, "fail")) {
		reason = grep(log, "Failed assertion|CRITICAL|Received signal|error:", 2);
	} else if (!strcmp(j->outcome, "kernel")) {
		complaints_find(j->complaints, log ? log : "", &complaint);
		reason = grep(text_get(&complaint), "WARNING|BUG|:", 1);
	} else {
		reason = copy("");
	}
	text_free(&complaint);
	free(log);
	free(name);
	return reason;
}

/* Returns whether the reason holds a text of a line "skip". */
static bool good_reason(const struct judge *j, const char *reason)
{
	char *text = format("%s %s", j->name, reason);
	bool good = false;

	for (char **line = j->skips; *line; line++)
		good = good || strstr(text, *line);
	free(text);
	return good;
}

/* Returns whether one of @quote, "A" or "B", stands in any of the subtest's logs. */
static bool one_proven(const struct judge *j, char *quote)
{
	static const char or[] = "\" or \"";
	char *paths[] = {
		format("logs/%s", j->name), format("logs/%s.dmesg", j->name),
		format("console/card0.%s", j->boot), format("console/console.%s", j->boot),
	};
	bool proven = !*quote;
	char *next;

	for (; quote; quote = next) {
		next = strstr(quote, or);
		if (next) {
			*next = 0;
			next += strlen(or);
		}
		for (unsigned int i = 0; !proven && i < 4; i++) {
			char *log = read_at(j->dir, paths[i]);

			proven = log && strstr(log, quote);
			free(log);
		}
	}
	for (unsigned int i = 0; i < 4; i++)
		free(paths[i]);
	return proven;
}

static bool proven(const struct judge *j)
{
	char *all = copy(j->e.quotes ? j->e.quotes : ""), *rest = all, *one;
	bool yes = true;

	while ((one = strsep(&rest, "\n")))
		yes = one_proven(j, one) && yes;
	free(all);
	return yes;
}

struct word {
	const char *word;
	bool found, whole;
};

static void word_line(void *ctx, const char *line)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	struct word *w = ctx;
	const char *s = line;

	if (w->whole) {
		w->found = w->found || !strcmp(line, w->word);
		return;
	}
	while ((s = strstr(s, w->word))) {
		char after = s[strlen(w->word)];

		if ((s == line || !strchr(letters, s[-1])) && (!after || !strchr(letters, after)))
			w->found = true;
		s++;
	}
}

/*
 * Returns whether the kernel's own package shows that the kernel lacks the name: in the header of
 * the driver's interface, or in the configuration.
 */
static bool kernel_lacks(const struct judge *j)
{
	char *link = format("%s/lib/modules/%s", j->root, j->kernel), release[256] = "";
	bool option = !strncmp(j->e.lacks, "CONFIG_", 7);
	char *unset = format("# %s is not set", j->e.lacks), *path, *s;
	struct word w = { .word = option ? unset : j->e.lacks, .whole = option };
	char *flavour;

	if (readlink(link, release, sizeof(release) - 1) < 0)
		die("%s: %s", link, strerror(errno));
	if (option) {
		path = format("%s/boot/config-%s", j->root, release);
	} else {
		flavour = strrchr(release, '-');
		if (flavour)
			*flavour = 0;
		path = format("%s/usr/src/linux-headers-%s-common/include/uapi/drm/xe_drm.h",
			      j->root, release);
	}
	s = file_read(path);
	each_line(s ? s : "", word_line, &w);
	w.found = option ? w.found : s && *s && !w.found;
	free(s);
	free(path);
	free(unset);
	free(link);
	return w.found;
}

static void verdict(struct judge *j, const char *problem, const char *reason)
{
	struct text t = { 0 };

	if (problem)
		text_addf(&t, "FAILED (%s): ", problem);
	text_addf(&t, "%-6s %-50s %s s%s%s\n", j->outcome, j->name, j->seconds,
		  *reason ? "  " : "", reason);
	*(problem ? &j->failed : &j->passed) += 1;
	fputs(t.s, stdout);
	text_add(&j->verdicts, t.s, t.len);
	text_free(&t);
}

static void judge_line(void *ctx, const char *line)
{
	struct judge *j = ctx;
	char *reason, *not;

	if (sscanf(line, "%255s %31s %31s %31s", j->name, j->outcome, j->seconds, j->boot) != 4)
		return;
	expect(j->expectations, j->name, j->kernel, j->tiles, &j->e);
	reason = why(j);
	not = format("NOT %s", j->e.want);
	if (!fits(j->outcome, j->e.want))
		verdict(j, not, reason);
	else if (!strcmp(j->outcome, "skip"))
		verdict(j, good_reason(j, reason) ? NULL : "NO GOOD REASON", reason);
	else if (!strcmp(j->outcome, "pass"))
		verdict(j, NULL, "");
	else if (!proven(j))
		verdict(j, "CAUSE NOT IN LOG", j->e.quotes);
	else if (j->e.lacks && !kernel_lacks(j))
		verdict(j, "THE KERNEL HAS IT", j->e.lacks);
	else
		verdict(j, NULL, *j->e.cause ? j->e.cause : reason);
	free(not);
	free(reason);
	expected_free(&j->e);
}

/* Prints how often each warning of known cause was seen. These are no failures. */
static void known_complaints(const struct judge *j)
{
	char **line, *pattern = format("%s/logs/*.dmesg", j->dir);
	struct text all = { 0 };
	glob_t g = { 0 };

	if (!glob(pattern, 0, NULL, &g)) {
		for (size_t i = 0; i < g.gl_pathc; i++) {
			char *s = file_read(g.gl_pathv[i]);

			text_add(&all, s ? s : "", s ? strlen(s) : 0);
			free(s);
		}
		globfree(&g);
	}
	for (line = table(j->folder, "expectations", "known"); *line; line++) {
		char *cause = strchr(*line, ' '), *rest = copy(text_get(&all)), *s = rest, *one;
		char *name = format("%.*s+", (int)strcspn(*line, " "), *line);
		unsigned int count = 0;

		while ((one = strsep(&s, "\n")))
			count += strstr(one, "WARNING:") && strstr(one, name);
		if (count)
			printf("known: %u warnings in %.*s:%s\n", count, (int)strlen(name) - 1,
			       name, cause ? cause : "");
		free(name);
		free(rest);
	}
	text_free(&all);
	free(pattern);
}

static void seen_line(void *ctx, const char *line)
{
	printf("seen: %s\n", line);
}

/* Adds the first word of the line. */
static void first_word(void *ctx, const char *line)
{
	char *name = format("%.*s", (int)strcspn(line, " "), line);

	names_add(ctx, name);
	free(name);
}

/* Returns the number of subtests in the file wanted that have no result. */
static unsigned int missing(const char *wanted, const char *results)
{
	struct names want = { 0 }, have = { 0 };
	unsigned int n = 0;

	each_line(wanted, first_word, &want);
	each_line(results, first_word, &have);
	for (unsigned int i = 0; i < want.num; i++)
		n += !names_has(&have, want.s[i]);
	names_free(&want);
	names_free(&have);
	return n;
}

int verb_judge(int argc, char **argv)
{
	struct judge j;
	char *results, *wanted, *restless, *known, *path;
	unsigned int left;

	if (argc != 6) {
		fprintf(stderr, "usage: runner judge FOLDER COMPLAINTS ROOT RUN KERNEL TILES\n"
			"  FOLDER: holds the file expectations\n"
			"  COMPLAINTS: expressions for messages of a kernel that fail a subtest\n"
			"  ROOT: the folder into which the kernels' packages are unpacked\n"
			"  RUN: holds results, wanted, logs, console, restless; takes verdicts\n");
		return 2;
	}
	j = (struct judge) {
		.folder = argv[0], .root = argv[2], .dir = argv[3], .kernel = argv[4],
		.tiles = argv[5],
		.expectations = table(argv[0], "expectations", "expect"),
		.skips = table(argv[0], "expectations", "skip"),
	};
	known = format("%s/expectations", j.folder);
	j.complaints = complaints_read(argv[1], known);
	results = read_at(j.dir, "results");
	wanted = read_at(j.dir, "wanted");
	restless = read_at(j.dir, "restless");
	if (!results || !wanted)
		die("%s: no results", j.dir);
	each_line(results, judge_line, &j);
	known_complaints(&j);
	each_line(restless ? restless : "", seen_line, NULL);
	left = missing(wanted, results);
	if (left) {
		printf("FAILED: %u subtests did not run\n", left);
		text_addf(&j.verdicts, "FAILED: %u subtests did not run\n", left);
		j.failed += left;
	}
	path = format("%s/verdicts", j.dir);
	file_put(path, "w", text_get(&j.verdicts));
	printf("%u passed, %u failed\n", j.passed, j.failed);
	free(path);
	free(restless);
	free(wanted);
	free(results);
	free(known);
	text_free(&j.verdicts);
	return j.failed != 0;
}

struct plan {
	char **tests, **expectations, **patterns;
	char **quick;			/* the only subtests that run, or NULL */
	const char *kernel, *tiles, *setting;
	unsigned int limit;
};

/* Returns the text behind the name in @line of the file tests if it fits @subtest, else NULL. */
static const char *about(const char *line, const char *subtest)
{
	int len = strcspn(line, " ");
	char *test = format("%.*s", len, line), *all = format("%s@", test);
	bool yes = matches(test, subtest) || !strncmp(subtest, all, strlen(all));

	free(all);
	free(test);
	return yes ? line + len + strspn(line + len, " ") : NULL;
}

static bool asked_for(const struct plan *p, const char *subtest)
{
	char **one;
	bool yes = !*p->patterns && !p->quick;

	for (one = p->quick; one && *one && !*p->patterns; one++)
		yes = yes || !strcmp(*one, subtest);
	for (one = p->patterns; *one; one++) {
		size_t len = strlen(*one);
		bool begins = !strncmp(subtest, *one, len);

		yes = yes || (begins && (!subtest[len] || subtest[len] == '@'));
	}
	return yes;
}

static void plan_line(void *ctx, const char *subtest)
{
	const char *own = "", *words;
	const struct plan *p = ctx;
	char *setting, *how;
	struct expected e;
	size_t len;
	bool alone;

	/* The last line that fits decides. */
	for (char **line = p->tests; *line; line++) {
		words = about(*line, subtest);
		own = words ? words : own;
	}
	len = strlen(own);
	alone = len >= 5 && !strcmp(own + len - 5, "alone");
	if (alone)
		len -= 5;
	while (len && own[len - 1] == ' ')
		len--;
	setting = format("%.*s", (int)len, own);
	if (!strcmp(setting, p->setting) && asked_for(p, subtest)) {
		expect(p->expectations, subtest, p->kernel, p->tiles, &e);
		how = limited(&e, p->limit, alone);
		printf("%s %s\n", subtest, how);
		free(how);
		expected_free(&e);
	}
	free(setting);
}

int verb_plan(int argc, char **argv)
{
	struct plan p;
	char *list;

	if (argc < 7) {
		fprintf(stderr,
			"usage: runner plan FOLDER LIST KERNEL TILES SETTING LIMIT all|quick [TEST...]\n"
			"  FOLDER: holds the files tests and expectations\n"
			"  LIST: a file with every subtest there is\n"
			"  SETTING: the kind of guest, as a line in the file tests names it, or empty\n");
		return 2;
	}
	p = (struct plan) {
		.tests = table(argv[0], "tests", "run"),
		.expectations = table(argv[0], "expectations", "expect"),
		.kernel = argv[2], .tiles = argv[3], .setting = argv[4], .limit = atoi(argv[5]),
		.quick = strcmp(argv[6], "quick") ? NULL : table(argv[0], "tests", "quick"),
		.patterns = argv + 7,
	};
	list = file_read(argv[1]);
	if (!list)
		die("%s: %s", argv[1], strerror(errno));
	each_line(list, plan_line, &p);
	free(list);
	return 0;
}

int verb_complaints(int argc, char **argv)
{
	struct text log = { 0 }, out = { 0 };
	bool any;

	if (argc < 3) {
		fprintf(stderr, "usage: runner complaints COMPLAINTS KNOWN LOG...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		char *s = file_read(argv[i]);

		text_add(&log, s ? s : "", s ? strlen(s) : 0);
		free(s);
	}
	any = complaints_find(complaints_read(argv[0], argv[1]), text_get(&log), &out);
	fputs(text_get(&out), stdout);
	text_free(&log);
	text_free(&out);
	return !any;
}
