// SPDX-License-Identifier: MIT
/*
 * DOC: another driver's packaged tests, in a guest: runs the subtests of a list until all have
 * a result or until the card or the driver may be in disorder: a subtest took too long (timeout)
 * or waits for an engine that has stopped by an error (stuck), the kernel complained, or an
 * engine still works when no test is left. The host then boots anew and goes on. The guest also
 * ends when it is old.
 *
 * One process runs the subtests of a test that stand together in the list, because a start of
 * the process takes far longer than most subtests. The first failure in a process counts, and
 * every later pass; a subtest that fails later runs again, in another process. A hang counts
 * only in the first subtest of a process, because no other subtest can be to blame for it.
 *
 * A subtest has failed when one of its threads said so and the subtest then says nothing while no
 * engine works, because its other threads wait for that thread. A subtest that is expected never
 * to end is given up before its limit, once it says nothing and, for as long, no engine of the
 * cards takes or leaves a context. Any other subtest hangs when, for a tenth of its limit,
 * nothing moved and the guest's processors were idle.
 */
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"
#include "card.h"
#include "complaints.h"
#include "klog.h"
#include "todo.h"

/* The most subtests that one process runs */
#define BATCH_SIZE	60
/*
 * LOOK: seconds between two looks at a subtest that says nothing. LOOKS: a subtest hangs when
 * nothing moved in so many looks in a row. Together they are more than the five seconds after
 * which the driver ends a job, where it can.
 */
#define LOOK		2
#define LOOKS		4

struct guest {
	const char *programs, *root, *out, *kmsg, *stat, *trace;
	struct complaints *complaints;
	double lifetime, look;
	/* of the process that runs now: */
	const struct todo *todo;
	struct names counted;		/* "NAME OUTCOME SECONDS" */
	bool failed;			/* a subtest that was not expected to fail has failed */
	bool orderly;			/* whether this guest may go on */
	struct cards cards;
	unsigned int silent, still;	/* looks in a row: without a word, without a move */
	char *moves;			/* of the last look */
	double since;			/* of the last move */
	unsigned long long idle;	/* at the last move, hundredths of a second */
};

static char *out_path(const struct guest *g, const char *name)
{
	return format("%s/%s", g->out, name);
}

static void put(const struct guest *g, const char *name, const char *mode, const char *s)
{
	char *path = out_path(g, name);

	file_put(path, mode, s);
	free(path);
}

/* Returns "TEST@SUBTEST"; without a subtest the first name of the process. */
static char *full_name(const struct batch *b, const char *subtest)
{
	const struct guest *g = b->ctx;

	return subtest ? format("%s@%s", b->test, subtest) : copy(g->todo->names.s[0]);
}

/* Notes the outcome of a subtest, if it counts. */
static void finished(struct guest *g, const char *name, enum outcome outcome, const char *seconds)
{
	char *line;

	if ((outcome == TIMEOUT || outcome == STUCK) && g->counted.num)
		return;
	if (outcome == FAIL && strcmp(g->todo->how, HOW_FAILS)) {
		if (g->failed)
			return;
		g->failed = true;
	}
	line = format("%s %s %s\n", name, outcome_name(outcome), seconds);
	names_add(&g->counted, line);
	/* The host finds the line in this file if the guest dies. */
	put(g, "batch", "a", line);
	free(line);
}

static void finished_now(struct batch *b, const char *name, enum outcome outcome)
{
	char *seconds = format("%.0f", now() - b->start);

	finished(b->ctx, name, outcome, seconds);
	free(seconds);
}

static void said_line(struct batch *b, const char *line)
{
	struct guest *g = b->ctx;

	g->silent = 0;
	free(g->moves);
	g->moves = NULL;
}

static void begins(struct batch *b, const char *subtest)
{
	char *name = full_name(b, subtest), *line = format("%s\n", name);

	put(b->ctx, "running", "w", line);
	free(line);
	free(name);
}

static void ends(struct batch *b, const struct result *r)
{
	char *name = full_name(b, r->subtest);

	finished(b->ctx, name, r->outcome, r->seconds);
	free(name);
}

/* Returns the time that the guest's processors were idle, in hundredths of a second. */
static unsigned long long idle_time(const char *path)
{
	unsigned long long idle = 0;
	char *s = file_read(path);

	if (s)
		sscanf(s, "%*s %*u %*u %*u %llu", &idle);
	free(s);
	return idle;
}

/*
 * Returns whether no engine took or left a context: for some looks in a row, if the subtest is
 * expected to hang, else for a tenth of its limit, in which the processors were idle.
 */
static bool nothing_moves(struct guest *g)
{
	struct text moves = { 0 };
	unsigned long long idle = idle_time(g->stat);
	double seconds = now() - g->since;

	cards_moves(&g->cards, &moves);
	if (g->moves && !strcmp(g->moves, moves.s)) {
		g->still++;
		text_free(&moves);
	} else {
		free(g->moves);
		g->moves = moves.s;
		g->still = 0;
		g->since = now();
		g->idle = idle;
	}
	if (!strcmp(g->todo->how, HOW_HANGS))
		return g->still >= LOOKS;
	return g->still && seconds >= g->todo->limit / 10 &&
	       idle - g->idle >= seconds * sysconf(_SC_NPROCESSORS_ONLN) * 80;
}

/* Returns whether a thread of the subtest has failed and no engine works. */
static bool has_given_up(const struct guest *g, const struct batch *b)
{
	return strstr(text_get(&b->text), "Failed assertion") &&
	       !cards_any(&g->cards, "active") && !cards_any(&g->cards, "stopped");
}

static enum outcome enough(struct batch *b, bool heard)
{
	struct guest *g = b->ctx;

	if (heard) {
		g->silent = 0;
		return NONE;
	}
	g->silent++;
	cards_ask(&g->cards);
	if (cards_any(&g->cards, "stopped"))
		return STUCK;
	if (nothing_moves(g))
		return TIMEOUT;
	return g->silent >= 2 && has_given_up(g, b) ? FAIL : NONE;
}

static void given_up(struct batch *b)
{
	struct guest *g = b->ctx;
	char *name = full_name(b, b->running);

	finished_now(b, name, b->hangs);
	free(name);
	text_addf(&b->text, "given up after %.0f s\n", now() - b->start);
	if (g->still)
		text_addf(&b->text, "no engine took or left a context for %.0f s\n",
			  now() - g->since);
	text_addf(&b->text, "the card's engines, twice:\n");
	cards_ask(&g->cards);
	cards_restless(&g->cards, &b->text);
	sleep(1);
	cards_ask(&g->cards);
	cards_restless(&g->cards, &b->text);
	cards_preempted(&g->cards, &b->text);
	text_addf(&b->text, "and what the test waits for:\n");
	process_where(&b->process, &b->text);
	/* A process that hangs is left alone: it ends with the guest. */
	if (b->hangs == FAIL)
		process_end(&b->process);
	else
		g->orderly = false;
}

/*
 * Takes the exit status for the outcome if the process ended without a word about it.
 */
static void close_batch(struct guest *g, struct batch *b)
{
	char *name = full_name(b, b->running);
	bool whole_test = !strchr(name, '@') ||
			  !strcmp(strchr(name, '@') + 1, b->test); /* a test without subtests */
	int status;

	if (!b->hangs) {
		status = process_wait(&b->process);
		if (b->running || !g->counted.num) {
			text_addf(&b->text, "exit status %d\n", status);
			finished_now(b, name, status == 77 ? SKIP :
				     whole_test && !status ? PASS : FAIL);
		}
	}
	free(name);
}

/* Writes the logs of @name: its output, @said, and the kernel's messages. */
static void keep(const struct guest *g, const char *name, const char *said, const char *kernel)
{
	char *path = format("logs/%s", name), *log = format("logs/%s.dmesg", name);

	put(g, path, "w", said);
	if (*kernel)
		put(g, log, "w", kernel);
	free(log);
	free(path);
}

static void keep_logs(const struct guest *g, const struct batch *b)
{
	char *last = full_name(b, b->running), *rest;
	struct text kernel = { 0 };

	for (unsigned int i = 0; i < b->num_results; i++) {
		const struct result *r = &b->results[i];
		char *name = full_name(b, r->subtest), *said = batch_kernel(b, r->subtest);

		keep(g, name, text_get(&r->text), said);
		free(said);
		free(name);
	}
	/* Messages during a subtest that told no outcome, or before any subtest. */
	text_add(&kernel, "", 0);
	for (unsigned int i = 0; i < b->num_sections; i++) {
		const struct section *s = &b->sections[i];

		if (b->running && s->subtest ? !strcmp(s->subtest, b->running) : !b->num_results)
			text_add(&kernel, text_get(&s->text), s->text.len);
	}
	rest = format("%s%s", text_get(&b->common), text_get(&b->text));
	if (b->running || !b->num_results)
		keep(g, last, rest, kernel.s);
	free(rest);
	text_free(&kernel);
	free(last);
}

/* Has the program --trace, if there is one, keep the events before a warning or a hang. */
static void keep_trace(const struct guest *g, const struct batch *b)
{
	char *name = full_name(b, b->hangs ? b->running : NULL), *command;

	if (g->trace) {
		command = format("%s '%s/logs/%s.trace' %s", g->trace, g->out, name,
				 b->hangs ? "always" : "");
		if (system(command))
			fprintf(stderr, "runner: %s failed\n", g->trace);
		free(command);
	}
	free(name);
}

/* Writes the results, up to the first subtest about which the kernel complained. */
static void judge(struct guest *g)
{
	for (unsigned int i = 0; i < g->counted.num; i++) {
		char name[256], outcome[16], seconds[32], *path, *kernel, *result;
		struct text complaint = { 0 };
		bool complains;

		if (sscanf(g->counted.s[i], "%255s %15s %31s", name, outcome, seconds) != 3)
			continue;
		path = format("%s/logs/%s.dmesg", g->out, name);
		kernel = file_read(path);
		complains = kernel && complaints_find(g->complaints, kernel, &complaint);
		result = format("%s %s %s\n", name, complains ? "kernel" : outcome, seconds);
		put(g, "results", "a", result);
		if (complains)
			g->orderly = false;
		free(result);
		free(kernel);
		free(path);
		text_free(&complaint);
		if (complains)
			break;
	}
}

/*
 * Returns whether all engines come to rest within some seconds. An engine may need a moment for
 * jobs that its test left, because the driver looks for a lost interrupt once a second.
 */
static bool at_rest(struct guest *g, const char *name)
{
	struct text restless = { 0 };
	char *lines, *rest, *one;

	for (unsigned int tries = 0; tries < 5; tries++) {
		cards_ask(&g->cards);
		text_clear(&restless);
		cards_restless(&g->cards, &restless);
		if (!restless.len) {
			text_free(&restless);
			return true;
		}
		sleep(1);
	}
	lines = copy(restless.s);
	rest = lines;
	while ((one = strsep(&rest, "\n")) && *one) {
		char *said = format("after %s: %s\n", name, one);

		put(g, "restless", "a", said);
		free(said);
	}
	free(lines);
	text_free(&restless);
	return false;
}

/* Runs one process. Return: whether more may run in this guest. */
static bool run_batch(struct guest *g)
{
	static const struct batch_ops ops = {
		.line = said_line, .begins = begins, .ends = ends, .enough = enough,
		.given_up = given_up,
	};
	const struct todo *t = g->todo;
	char *program = format("%s/%s", g->programs, t->test), *subtests, *last;
	char *whole = format("%s@%s", t->test, t->test);
	struct names names = { 0 };
	struct batch b = {
		.ops = &ops, .ctx = g, .test = t->test, .limit = t->limit, .look = g->look,
		.log = klog_open(g->kmsg), .most_level = 7,
	};
	char *running = format("%s\n", t->names.s[0]);
	bool orderly;

	for (unsigned int i = 0; i < t->names.num; i++)
		names_add(&names, t->names.s[i] + strlen(t->test) + 1);
	subtests = names_joined(&names);
	names_free(&names);
	g->failed = false;
	g->orderly = true;
	g->silent = 0;
	g->still = 0;
	g->since = now();
	put(g, "batch", "w", "");
	put(g, "running", "w", running);
	batch_run(&b, g->root, !strcmp(t->names.s[0], whole) ? (char *[]) { program, NULL } :
		  (char *[]) { program, "--run-subtest", subtests, NULL });
	close_batch(g, &b);
	keep_logs(g, &b);
	keep_trace(g, &b);
	judge(g);
	put(g, "batch", "w", "");
	put(g, "running", "w", "");
	last = full_name(&b, b.num_results ? b.results[b.num_results - 1].subtest : b.running);
	orderly = g->orderly && at_rest(g, last);
	free(last);
	names_free(&g->counted);
	if (b.log >= 0)
		close(b.log);
	batch_free(&b);
	free(running);
	free(subtests);
	free(whole);
	free(program);
	return orderly;
}

static void run_all(struct guest *g, const char *list)
{
	double begin = now();
	unsigned int size = BATCH_SIZE;
	bool ran = false, more = true;
	struct todo next;

	while (more && now() - begin < g->lifetime) {
		char *path = out_path(g, "results"), *results = file_read(path);
		bool alone;

		more = todo_next(list, results ? results : "", size, BATCH_SIZE, &next);
		free(results);
		free(path);
		if (!more)
			break;
		/* A subtest in a guest of its own runs neither after another nor before one. */
		alone = !strcmp(next.how, HOW_ALONE);
		more = !(alone && ran);
		if (more) {
			g->todo = &next;
			more = run_batch(g) && !alone;
			ran = true;
			/* Where one failed others will, and later failures have to run again. */
			size = g->failed ? 1 : 2 * size < BATCH_SIZE ? 2 * size : BATCH_SIZE;
		}
		todo_free(&next);
	}
}

static int usage(void)
{
	fprintf(stderr,
		"usage: runner todo [option...] LIST\n"
		"  LIST: \"TEST@SUBTEST SECONDS HOW\" a line, HOW as in todo.h\n"
		"  --programs FOLDER   of the tests, inside the root\n"
		"  --root FOLDER       to run them in (none)\n"
		"  --out FOLDER        for results, logs, batch, running, restless\n"
		"  --complaints FILE   expressions for messages that fail a subtest\n"
		"  --known FILE        the warnings that are excused (none)\n"
		"  --trace PROGRAM     PROGRAM FILE [always] keeps a trace in FILE\n"
		"  --lifetime S        seconds after which no other process begins (1800)\n"
		"  --look S            seconds between two looks at a silent one (2)\n"
		"  --kmsg FILE         the kernel's log (/dev/kmsg)\n"
		"  --cards PATTERN     the cards' control ports (/dev/virtio-ports/vpvc.*)\n"
		"  --stat FILE         how long processors were idle (/proc/stat)\n");
	return 2;
}

int verb_todo(int argc, char **argv)
{
	struct guest g = {
		.kmsg = "/dev/kmsg", .stat = "/proc/stat", .lifetime = 1800, .look = LOOK,
		.cards.ports = "/dev/virtio-ports/vpvc.*",
	};
	const char *complaints = NULL, *known = NULL;
	char *list, *logs;
	int i;

	for (i = 0; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "--programs"))
			g.programs = argv[i + 1];
		else if (!strcmp(argv[i], "--root"))
			g.root = argv[i + 1];
		else if (!strcmp(argv[i], "--out"))
			g.out = argv[i + 1];
		else if (!strcmp(argv[i], "--complaints"))
			complaints = argv[i + 1];
		else if (!strcmp(argv[i], "--known"))
			known = argv[i + 1];
		else if (!strcmp(argv[i], "--trace"))
			g.trace = argv[i + 1];
		else if (!strcmp(argv[i], "--lifetime"))
			g.lifetime = atof(argv[i + 1]);
		else if (!strcmp(argv[i], "--look"))
			g.look = atof(argv[i + 1]);
		else if (!strcmp(argv[i], "--kmsg"))
			g.kmsg = argv[i + 1];
		else if (!strcmp(argv[i], "--cards"))
			g.cards.ports = argv[i + 1];
		else if (!strcmp(argv[i], "--stat"))
			g.stat = argv[i + 1];
		else
			return usage();
	}
	if (argc - i != 1 || !g.programs || !g.out || !complaints)
		return usage();
	g.complaints = complaints_read(complaints, known);
	list = file_read(argv[i]);
	if (!list)
		die("%s: %s", argv[i], strerror(errno));
	logs = out_path(&g, "logs");
	mkdir(logs, 0777);
	free(logs);
	run_all(&g, list);
	free(list);
	text_free(&g.cards.answers);
	free(g.moves);
	return 0;
}
