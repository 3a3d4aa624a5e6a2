// SPDX-License-Identifier: MIT
#include "todo.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

struct choice {
	struct names done;
	struct todo *next;
	unsigned int size, most;
	bool full;
};

static void result_line(void *ctx, const char *line)
{
	struct choice *c = ctx;
	char *name = format("%.*s", (int)strcspn(line, " "), line);

	names_add(&c->done, name);
	free(name);
}

static void begin(struct choice *c, const char *test, double limit, const char *how)
{
	*c->next = (struct todo) { copy(test), copy(how), limit };
	if (!strcmp(how, HOW_ALONE) || !strcmp(how, HOW_APART) || !strcmp(how, HOW_HANGS))
		c->size = 1;
	else if (!strcmp(how, HOW_FAILS))
		c->size = c->most;
}

static void list_line(void *ctx, const char *line)
{
	char name[256], how[16], *test;
	struct choice *c = ctx;
	double limit;

	if (c->full || sscanf(line, "%255s %lf %15s", name, &limit, how) != 3 ||
	    names_has(&c->done, name))
		return;
	test = format("%.*s", (int)strcspn(name, "@"), name);
	if (!c->next->test)
		begin(c, test, limit, how);
	else if (strcmp(c->next->test, test) || c->next->limit != limit ||
		 strcmp(c->next->how, how) || c->next->names.num >= c->size)
		c->full = true;
	if (!c->full)
		names_add(&c->next->names, name);
	free(test);
}

bool todo_next(const char *list, const char *results, unsigned int size, unsigned int most,
	       struct todo *next)
{
	struct choice c = { .next = next, .size = size, .most = most };

	*next = (struct todo) { 0 };
	each_line(results, result_line, &c);
	each_line(list, list_line, &c);
	names_free(&c.done);
	return next->test;
}

void todo_free(struct todo *t)
{
	free(t->test);
	free(t->how);
	names_free(&t->names);
}
