// SPDX-License-Identifier: MIT
/*
 * DOC: the suites of this driver's tests: runs the subtests of each test named in one process and
 * prints each outcome as it comes. After a crash or a hang, another process runs the subtests
 * that are left.
 */
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch.h"
#include "complaints.h"
#include "klog.h"
#include "list.h"

struct suite {
	const char *folder;
	double limit;			/* seconds that a subtest may take; 0: any */
	double end;			/* when all tests have to end; 0: never */
	double look;
	double patience;		/* seconds that a program of between or after may take */
	const char *filter, *kmsg;
	struct complaints *complaints;
	struct names between, after;	/* programs with their arguments */
	unsigned int passed, failed, skipped;
	bool blocked;			/* the kernel holds a process: nothing more can run */
	/* of the test that runs now: */
	const char *test;
	struct names done;		/* subtests */
	unsigned int failed_before;
};

static void note(struct batch *b, const char *line)
{
	if (!strncmp(line, "note: ", 6)) {
		printf("     %s", line + 6);
		fflush(stdout);
	}
}

struct why {
	char *condition, *words;
	bool found;
};

/* Finds the words behind a condition that is not met, if there are any. */
static void why_line(void *ctx, const char *line)
{
	static const char requirement[] = "Test requirement: ";
	struct why *w = ctx;

	if (w->condition && !w->found) {
		w->found = true;
		if (strncmp(line, "Subtest", 7) && strncmp(line, "Last errno", 10) && *line)
			w->words = copy(line);
	}
	if (!strncmp(line, requirement, strlen(requirement))) {
		free(w->condition);
		free(w->words);
		*w = (struct why) { .condition = copy(line + strlen(requirement)) };
	}
}

static void say_skip(struct suite *s, const struct result *r)
{
	struct why w = { 0 };

	each_line(text_get(&r->text), why_line, &w);
	printf("skip %s@%s: %s\n", s->test, r->subtest,
	       w.words ? w.words : w.condition ? w.condition : "");
	free(w.words);
	free(w.condition);
}

static void say_failure(struct suite *s, const char *subtest, const char *why, const char *text)
{
	s->failed++;
	printf("FAIL %s%s%s%s%s\n", s->test, subtest ? "@" : "", subtest ? subtest : "",
	       why ? ": " : "", why ? why : "");
	fputs(text, stdout);
	if (*text && text[strlen(text) - 1] != '\n')
		putchar('\n');
	fflush(stdout);
}

/*
 * Adds to @out the complaints in @log that the filter leaves: it takes out the kernel's own faults.
 *
 * Return: whether the filter, which ends as grep does, did its work.
 */
static bool filtered(const struct suite *s, const char *log, struct text *out)
{
	char path[] = "/tmp/runner.XXXXXX", piece[4096], *command;
	int fd = mkstemp(path);
	size_t n, len = strlen(log);
	int status = -1;
	FILE *f;

	if (fd < 0 || write(fd, log, len) != (ssize_t)len)
		die("%s cannot be written", path);
	close(fd);
	command = format("%s < %s", s->filter, path);
	f = popen(command, "r");
	while (f && (n = fread(piece, 1, sizeof(piece), f)) > 0)
		text_add(out, piece, n);
	if (f)
		status = pclose(f);
	unlink(path);
	free(command);
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

static void settled(struct batch *b, const struct result *r, const char *kernel)
{
	struct suite *s = b->ctx;
	struct text said = { 0 }, rest = { 0 };

	names_add(&s->done, r->subtest);
	if (s->complaints && complaints_find(s->complaints, kernel, &said) && s->filter) {
		if (filtered(s, kernel, &rest)) {
			text_free(&said);
			said = rest;
		} else {
			text_addf(&said, "%s failed\n", s->filter);
			text_free(&rest);
		}
	}
	if (said.len) {
		say_failure(s, r->subtest, "the kernel complained", text_get(&said));
		if (r->outcome == FAIL)
			fputs(text_get(&r->text), stdout);
	} else if (r->outcome == PASS) {
		s->passed++;
		printf("ok   %s@%s", s->test, r->subtest);
		/* Long subtests tell where the time goes. */
		if (strncmp(r->seconds, "0.", 2))
			printf(" (%s s)", r->seconds);
		putchar('\n');
	} else if (r->outcome == SKIP) {
		s->skipped++;
		say_skip(s, r);
	} else {
		say_failure(s, r->subtest, NULL, text_get(&r->text));
	}
	fflush(stdout);
	text_free(&said);
}

static enum outcome enough(struct batch *b, bool heard)
{
	struct suite *s = b->ctx;

	return s->end && now() > s->end ? TIMEOUT : NONE;
}

static void given_up(struct batch *b)
{
	struct suite *s = b->ctx;

	text_addf(&b->text, "given up after %.0f s; where it waits:\n", now() - b->start);
	process_where(&b->process, &b->text);
	if (!process_end(&b->process)) {
		text_addf(&b->text, "and the kernel does not let it go\n");
		s->blocked = true;
	}
}

/*
 * Says how the process ended, if its subtests did not tell.
 *
 * Return: whether the process ran all subtests that it had to run.
 */
static bool close_batch(struct suite *s, struct batch *b)
{
	int status = b->hangs ? -1 : process_wait(&b->process);
	char *why = b->hangs ? format("no end") : format("status %d", status);
	bool in_order = status == 0 || status == 77 || status == 98;

	if (b->running) {
		names_add(&s->done, b->running);
		say_failure(s, b->running, why, text_get(&b->text));
	} else if (b->hangs || !b->num_results) {
		char *no_subtest = format("no subtest ran, %s", why);

		say_failure(s, NULL, b->num_results ? why : no_subtest, text_get(&b->text));
		free(no_subtest);
	} else if (status != 0 && status != 77 && s->failed == s->failed_before) {
		say_failure(s, NULL, why, text_get(&b->text));
	}
	free(why);
	return in_order && !b->running;
}

static void run_batch(struct suite *s, const char *pattern, bool *complete)
{
	static const struct batch_ops ops = {
		.line = note, .settled = settled, .enough = enough, .given_up = given_up,
	};
	char *program = format("%s/%s", s->folder, s->test);
	char *argv[] = { program, pattern ? "--run-subtest" : NULL, (char *)pattern, NULL };
	struct batch b = {
		.ops = &ops, .ctx = s, .test = s->test, .limit = s->limit, .look = s->look,
		.log = s->complaints ? klog_open(s->kmsg) : -1, .most_level = 6,
	};

	s->failed_before = s->failed;
	batch_run(&b, NULL, argv);
	*complete = close_batch(s, &b);
	if (b.log >= 0)
		close(b.log);
	batch_free(&b);
	free(program);
}

/* Adds the subtests that @pattern selects and that have no result yet. */
static void remaining(struct suite *s, const char *pattern, struct names *left)
{
	char *program = format("%s/%s", s->folder, s->test);
	struct names all = { 0 };

	list_subtests(program, &all);
	for (unsigned int i = 0; i < all.num; i++) {
		if ((!pattern || selected(pattern, all.s[i])) && !names_has(&s->done, all.s[i]))
			names_add(left, all.s[i]);
	}
	names_free(&all);
	free(program);
}

/* Returns whether nothing more can run or has time to run. */
static bool over(const struct suite *s)
{
	return s->blocked || (s->end && now() > s->end);
}

static void show(void *ctx, const char *s, size_t n)
{
	fwrite(s, 1, n, stdout);
}

static bool patience_ends(void *ctx, bool heard)
{
	const double *end = ctx;

	return now() > *end;
}

/*
 * Runs a program, @words, that must end well. @before: the test that ran before it, which is
 * to blame otherwise, or NULL.
 */
static void run_other(struct suite *s, const struct names *words, const char *before)
{
	double end = now() + s->patience;
	char **argv, *problem = NULL;
	struct text where = { 0 };
	struct process p;
	int status;

	if (!words->num)
		return;
	argv = calloc(words->num + 1, sizeof(*argv));
	if (!argv)
		die("out of memory");
	for (unsigned int i = 0; i < words->num; i++)
		argv[i] = words->s[i];
	process_start(&p, NULL, argv);
	if (process_read(&p, s->look, show, patience_ends, &end)) {
		status = process_wait(&p);
		if (status)
			problem = format("ended with status %d", status);
	} else {
		problem = format("did not end within %.0f s; where it waits:", s->patience);
		process_where(&p, &where);
		if (!process_end(&p)) {
			text_addf(&where, "and the kernel does not let it go\n");
			s->blocked = true;
		}
	}
	if (problem) {
		s->failed++;
		if (before)
			printf("FAIL %s: after it %s %s\n", before, words->s[0], problem);
		else
			printf("FAIL %s: %s\n", words->s[0], problem);
		fputs(text_get(&where), stdout);
		fflush(stdout);
	}
	text_free(&where);
	free(problem);
	free(argv);
}

static void run_test(struct suite *s, const char *name)
{
	char *test = copy(name), *pattern = strchr(test, '@'), *joined = NULL;
	bool complete;

	if (pattern)
		*pattern++ = 0;
	s->test = test;
	for (;;) {
		unsigned int done = s->done.num;
		struct names left = { 0 };

		run_batch(s, joined ? joined : pattern, &complete);
		if (!complete)
			remaining(s, pattern, &left);
		/* A process that brought no result would bring none again. */
		if (!left.num || done == s->done.num)
			break;
		free(joined);
		joined = names_joined(&left);
		if (!over(s))
			run_other(s, &s->between, name);
		if (over(s)) {
			char *why = format("%u subtests did not run: %s", left.num, joined);

			say_failure(s, NULL, why, "");
			free(why);
			break;
		}
		printf("     %s goes on with %u subtests\n", test, left.num);
		names_free(&left);
	}
	free(joined);
	names_free(&s->done);
	free(test);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: runner suite [option...] FOLDER TEST[@SUBTEST,...]...\n"
		"  --limit S          seconds that a subtest may take (any)\n"
		"  --end S            seconds until all is given up (never)\n"
		"  --complaints FILE  expressions for messages of the kernel that fail a subtest\n"
		"  --filter PROGRAM   reads a log with such messages, prints those that count\n"
		"  --between WORD     a program that must end well between two tests, and its\n"
		"                     arguments, an option each\n"
		"  --after WORD       likewise at the end\n"
		"  --patience S       seconds that these programs may take (300)\n"
		"  --look S           seconds between two looks at a silent one (1)\n"
		"  --kmsg FILE        the kernel's log (/dev/kmsg)\n");
	return 2;
}

int verb_suite(int argc, char **argv)
{
	struct suite s = { .kmsg = "/dev/kmsg", .look = 1, .patience = 300 };
	int i;

	for (i = 0; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		const char *value = argv[i + 1];

		if (!strcmp(argv[i], "--limit"))
			s.limit = atof(value);
		else if (!strcmp(argv[i], "--end"))
			s.end = atof(value) > 0 ? now() + atof(value) : 0;
		else if (!strcmp(argv[i], "--look"))
			s.look = atof(value);
		else if (!strcmp(argv[i], "--patience"))
			s.patience = atof(value);
		else if (!strcmp(argv[i], "--complaints"))
			s.complaints = complaints_read(value, NULL);
		else if (!strcmp(argv[i], "--filter"))
			s.filter = value;
		else if (!strcmp(argv[i], "--between"))
			names_add(&s.between, value);
		else if (!strcmp(argv[i], "--after"))
			names_add(&s.after, value);
		else if (!strcmp(argv[i], "--kmsg"))
			s.kmsg = value;
		else
			return usage();
	}
	if (argc - i < 2)
		return usage();
	s.folder = argv[i++];
	for (int first = i; i < argc; i++) {
		if (i > first && !over(&s))
			run_other(&s, &s.between, argv[i - 1]);
		if (over(&s)) {
			s.test = argv[i];
			say_failure(&s, NULL, "did not run", "");
		} else {
			run_test(&s, argv[i]);
		}
	}
	run_other(&s, &s.after, NULL);
	names_free(&s.after);
	names_free(&s.between);
	printf("%u passed, %u failed, %u skipped\n", s.passed, s.failed, s.skipped);
	return s.failed != 0;
}
