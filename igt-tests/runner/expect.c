// SPDX-License-Identifier: MIT
#include "expect.h"

#include <stdlib.h>
#include <string.h>

#include "todo.h"

/* Cuts the next word off *@s and returns it. */
static char *word(char **s)
{
	char *w;

	do {
		w = strsep(s, " \t");
	} while (w && !*w);
	return w ? w : "";
}

/*
 * Returns the text between the first double quote and the last one, a line for each part that
 * must be in the logs.
 */
static char *quoted(const char *cause)
{
	static const char and[] = "\" and \"";
	const char *begin = strchr(cause, '"'), *end = strrchr(cause, '"'), *at;
	struct text t = { 0 };

	if (!begin || begin == end)
		return NULL;
	begin++;
	while ((at = strstr(begin, and)) && at < end) {
		text_addf(&t, "%.*s\n", (int)(at - begin), begin);
		begin = at + strlen(and);
	}
	text_addf(&t, "%.*s", (int)(end - begin), begin);
	return t.s;
}

/* Returns the name in "lacks DRM_XE_..." or "lacks CONFIG_...", or NULL. */
static char *lacked(const char *cause)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *s = cause;

	while ((s = strstr(s, "lacks "))) {
		s += strlen("lacks ");
		if (!strncmp(s, "DRM_XE_", 7) || !strncmp(s, "CONFIG_", 7))
			return format("%.*s", (int)strspn(s, letters), s);
	}
	return NULL;
}

void expect(char **table, const char *subtest, const char *kernel, const char *tiles,
	    struct expected *e)
{
	*e = (struct expected) { .want = copy("pass"), .cause = copy("") };
	for (; *table; table++) {
		char *line = copy(*table), *rest = line;
		bool fit = matches(word(&rest), subtest);

		fit = matches(word(&rest), kernel) && fit;
		fit = matches(word(&rest), tiles) && fit;
		if (fit) {
			expected_free(e);
			e->want = copy(word(&rest));
			e->cause = copy(rest ? rest : "");
			e->quotes = quoted(e->cause);
			e->lacks = lacked(e->cause);
		}
		free(line);
		if (fit)
			return;
	}
}

void expected_free(struct expected *e)
{
	free(e->want);
	free(e->cause);
	free(e->quotes);
	free(e->lacks);
	*e = (struct expected) { 0 };
}

bool fits(const char *outcome, const char *want)
{
	char *all = format("|%s|", want);
	char *one = format("|%s|", strcmp(outcome, "skip") ? outcome : "pass");
	bool fit = strstr(all, one);

	free(one);
	free(all);
	return fit;
}

char *limited(const struct expected *e, unsigned int limit, bool alone)
{
	const char *how = HOW_TOGETHER;

	if (!strcmp(e->want, "timeout")) {
		/* A hang that is expected need not be waited for so long. */
		limit /= 10;
		how = HOW_HANGS;
	} else if (strstr(e->want, "timeout")) {
		limit /= 20;
		how = HOW_APART;
	} else if (!strcmp(e->want, "dead")) {
		/* A subtest that kills the kernel would lose the logs of those before it. */
		alone = true;
	} else if (!strcmp(e->want, "fail")) {
		how = HOW_FAILS;
	} else if (strchr(e->want, '|')) {
		/* The process of a subtest that fails keeps the memory that the subtest had. */
		how = HOW_APART;
	}
	return format("%u %s", limit, alone ? HOW_ALONE : how);
}
