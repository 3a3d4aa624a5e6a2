// SPDX-License-Identifier: MIT
#include "words.h"

#include <string.h>

static const char * const names[] = {
	[NONE] = "none", [PASS] = "pass", [SKIP] = "skip", [FAIL] = "fail",
	[TIMEOUT] = "timeout", [STUCK] = "stuck", [KERNEL] = "kernel",
};

const char *outcome_name(enum outcome outcome)
{
	return names[outcome];
}

/* "NAME: OUTCOME (SECONDSs)"; a line that is cut off tells no outcome. */
static void ended(struct words *w, char *s)
{
	char *colon = strstr(s, ": "), *seconds = colon ? strstr(colon, " (") : NULL;
	char *end = seconds ? strstr(seconds, "s)") : NULL;
	enum outcome outcome = FAIL;

	if (!end)
		return;
	*colon = *seconds = *end = 0;
	if (!strcmp(colon + 2, "SUCCESS"))
		outcome = PASS;
	else if (!strcmp(colon + 2, "SKIP"))
		outcome = SKIP;
	w->ops->ends(w->ctx, s, outcome, seconds + 2);
}

/* Takes the line in @w->line, which is whole. */
static void whole(struct words *w)
{
	static const char begins[] = "Starting subtest: ", ends[] = "Subtest ";
	char *s = w->line.s;

	w->ops->line(w->ctx, s);
	s[strcspn(s, "\r\n")] = 0;
	if (!strncmp(s, begins, strlen(begins)))
		w->ops->begins(w->ctx, s + strlen(begins));
	else if (!strncmp(s, ends, strlen(ends)))
		ended(w, s + strlen(ends));
	text_clear(&w->line);
}

void words_feed(struct words *w, const char *piece, size_t len)
{
	while (len) {
		const char *end = memchr(piece, '\n', len);
		size_t part = end ? (size_t)(end - piece) + 1 : len;

		text_add(&w->line, piece, part);
		if (end)
			whole(w);
		piece += part;
		len -= part;
	}
}

void words_close(struct words *w)
{
	if (w->line.len)
		whole(w);
	text_free(&w->line);
}
