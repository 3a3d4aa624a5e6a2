// SPDX-License-Identifier: MIT
/*
 * DOC: for soaks: lists all subtests, and runs some of them at once, each in a process of its own,
 * whose exit status alone counts.
 */
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "list.h"
#include "process.h"

struct one {
	struct text said;
	double end;		/* when it is given up; 0: never */
};

int verb_list(int argc, char **argv)
{
	int missing = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: runner list FOLDER TEST...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		char *program = format("%s/%s", argv[0], argv[i]);
		struct names names = { 0 };

		missing += !list_subtests(program, &names) || !names.num;
		for (unsigned int n = 0; n < names.num; n++)
			printf("%s@%s\n", argv[i], names.s[n]);
		names_free(&names);
		free(program);
	}
	return missing != 0;
}

static void piece(void *ctx, const char *s, size_t n)
{
	struct one *o = ctx;

	text_add(&o->said, s, n);
}

static bool enough(void *ctx, bool heard)
{
	struct one *o = ctx;

	return o->end && now() > o->end;
}

/* Returns the last @n lines of @s. */
static const char *tail(const char *s, unsigned int n)
{
	const char *at = s + strlen(s);

	while (at > s && (at[-1] != '\n' || !at[0] || --n))
		at--;
	return at;
}

/* Runs one subtest, in a process of the runner. Return: 0 for a pass, 77 for a skip, or 1. */
static int run_one(const char *folder, const char *name, double limit)
{
	char *test = format("%.*s", (int)strcspn(name, "@"), name);
	char *program = format("%s/%s", folder, test), *whole;
	const char *subtest = strchr(name, '@');
	char *argv[] = { program, subtest ? "--run-subtest" : NULL,
			 subtest ? (char *)subtest + 1 : NULL, NULL };
	struct one o = { .end = limit > 0 ? now() + limit : 0 };
	struct text where = { 0 };
	double begin = now();
	struct process p;
	int status = -1;

	process_start(&p, NULL, argv);
	if (process_read(&p, 1, piece, enough, &o)) {
		status = process_wait(&p);
		if (status == 0 || status == 77)
			return status;
		text_addf(&where, "FAIL %s: status %d after %.0f s\n", name, status, now() - begin);
	} else {
		text_addf(&where, "FAIL %s: no end after %.0f s; where it waits:\n", name,
			  now() - begin);
		process_where(&p, &where);
		process_end(&p);
	}
	/* In one write, because other processes write as well. */
	whole = format("%s%s", where.s, tail(text_get(&o.said), 30));
	(void)!write(1, whole, strlen(whole));
	return 1;
}

int verb_together(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0, skipped = 0;
	double limit = 0;
	int i = 0, status;
	pid_t pid;

	if (argc > 2 && !strcmp(argv[0], "--limit")) {
		limit = atof(argv[1]);
		i = 2;
	}
	if (argc - i < 2) {
		fprintf(stderr, "usage: runner together [--limit S] FOLDER TEST[@SUBTEST]...\n");
		return 2;
	}
	/* Before any has begun, because a runner that gives up would leave those behind. */
	if (argc - i - 1 > PROCESS_MAX) {
		fprintf(stderr, "runner: %d tests at once, %d is the most\n", argc - i - 1,
			PROCESS_MAX);
		return 2;
	}
	for (int n = i + 1; n < argc; n++) {
		if (!process_fork(false))
			_exit(run_one(argv[i], argv[n], limit));
	}
	while ((pid = wait(&status)) > 0) {
		process_gone(pid);
		if (!status)
			passed++;
		else if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			skipped++;
		else
			failed++;
	}
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed != 0;
}
