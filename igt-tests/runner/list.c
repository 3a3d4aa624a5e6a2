// SPDX-License-Identifier: MIT
#include "list.h"

#include <stdlib.h>
#include <string.h>

#include "process.h"

struct listing {
	struct text text;
	double end;
};

void names_add(struct names *n, const char *name)
{
	n->s = realloc(n->s, (n->num + 1) * sizeof(*n->s));
	if (!n->s)
		die("out of memory");
	n->s[n->num++] = copy(name);
}

bool names_has(const struct names *n, const char *name)
{
	for (unsigned int i = 0; i < n->num; i++) {
		if (!strcmp(n->s[i], name))
			return true;
	}
	return false;
}

char *names_joined(const struct names *n)
{
	struct text t = { 0 };

	text_add(&t, "", 0);
	for (unsigned int i = 0; i < n->num; i++)
		text_addf(&t, "%s%s", i ? "," : "", n->s[i]);
	return t.s;
}

void names_free(struct names *n)
{
	for (unsigned int i = 0; i < n->num; i++)
		free(n->s[i]);
	free(n->s);
	*n = (struct names) { 0 };
}

static void piece(void *ctx, const char *s, size_t len)
{
	struct listing *l = ctx;

	text_add(&l->text, s, len);
}

static bool enough(void *ctx, bool heard)
{
	struct listing *l = ctx;

	return now() > l->end;
}

/* A name is one word. Any other line is no name. */
static void add_line(void *ctx, const char *line)
{
	if (*line && !strpbrk(line, " \t:"))
		names_add(ctx, line);
}

bool list_subtests(const char *program, struct names *to)
{
	char *argv[] = { (char *)program, "--list-subtests", NULL };
	struct listing l = { .end = now() + 60 };
	struct process p;
	int status = -1;

	process_start(&p, NULL, argv);
	if (process_read(&p, 1, piece, enough, &l)) {
		status = process_wait(&p);
		each_line(text_get(&l.text), add_line, to);
	} else {
		process_end(&p);
	}
	text_free(&l.text);
	return !status;
}
