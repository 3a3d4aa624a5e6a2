// SPDX-License-Identifier: MIT
#include "complaints.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KNOWN	32

struct known {
	char *function;		/* with the "+" that stands behind its name */
	char *proof;
};

struct complaints {
	regex_t patterns;	/* all expressions in one */
	unsigned int num_known;
	struct known known[MAX_KNOWN];
};

/* A warning begins with "cut here" and ends with "end trace". Two processors may warn at once. */
struct scan {
	const struct complaints *c;
	struct text *out, text;
	char *last;		/* the line before: a driver's own message precedes its warning */
	bool warning, unknown;
	unsigned int begun, named, ended;
	bool culprits[MAX_KNOWN];
};

static void add_known(struct complaints *c, char *line)
{
	struct known *k = &c->known[c->num_known++];
	char *quote = strchr(line, '"');

	if (c->num_known == MAX_KNOWN)
		die("too many known complaints");
	k->function = format("%.*s+", (int)strcspn(line, " "), line);
	k->proof = quote ? format("%.*s", (int)strcspn(quote + 1, "\""), quote + 1) :
			   copy("WARNING");
}

struct complaints *complaints_read(const char *patterns, const char *known)
{
	struct complaints *c = calloc(1, sizeof(*c));
	struct text all = { 0 };
	char **line;

	if (!c)
		die("out of memory");
	for (line = file_table(patterns); *line; line++)
		text_addf(&all, "%s%s", all.len ? "|" : "", *line);
	if (!all.len || regcomp(&c->patterns, all.s, REG_EXTENDED | REG_NOSUB))
		die("%s: no expressions", patterns);
	text_free(&all);
	for (line = known ? file_table_of(known, "known") : NULL; line && *line; line++)
		add_known(c, *line);
	return c;
}

bool complaints_match(const struct complaints *c, const char *line)
{
	return !regexec(&c->patterns, line, 0, NULL, 0);
}

static bool excused(const struct scan *s)
{
	for (unsigned int i = 0; i < s->c->num_known; i++) {
		if (s->culprits[i] && !strstr(text_get(&s->text), s->c->known[i].proof))
			return false;
	}
	return !s->unknown && s->named >= s->begun;
}

static void close_warning(struct scan *s)
{
	if (!excused(s))
		text_add(s->out, text_get(&s->text), s->text.len);
	s->warning = false;
}

static void name_culprit(struct scan *s, const char *line)
{
	bool unknown = true;

	for (unsigned int i = 0; i < s->c->num_known; i++) {
		if (!strstr(line, s->c->known[i].function))
			continue;
		s->culprits[i] = true;
		unknown = false;
	}
	s->named++;
	s->unknown = s->unknown || unknown;
}

static void scan_warning(struct scan *s, const char *line)
{
	bool begins = strstr(line, "cut here");

	text_addf(&s->text, "%s\n", line);
	if (begins)
		s->begun++;
	if (strstr(line, "WARNING: "))
		name_culprit(s, line);
	else if (!begins && !strstr(line, "Call Trace:") && complaints_match(s->c, line))
		s->unknown = true;
	if (strstr(line, "end trace") && ++s->ended >= s->begun && s->ended >= s->named)
		close_warning(s);
}

static void scan_line(void *ctx, const char *with_return)
{
	char *line = format("%.*s", (int)strcspn(with_return, "\r"), with_return);
	struct scan *s = ctx;

	/* A console that shows no notices lacks "cut here". */
	if (!s->warning && (strstr(line, "cut here") || strstr(line, "WARNING: "))) {
		s->warning = true;
		s->unknown = false;
		s->begun = 0;
		s->named = 0;
		s->ended = 0;
		memset(s->culprits, 0, sizeof(s->culprits));
		text_clear(&s->text);
		text_addf(&s->text, "%s\n", s->last ? s->last : "");
	}
	free(s->last);
	s->last = line;
	if (s->warning)
		scan_warning(s, line);
	else if (complaints_match(s->c, line))
		text_addf(s->out, "%s\n", line);
}

bool complaints_find(const struct complaints *c, const char *log, struct text *out)
{
	struct scan s = { .c = c, .out = out };
	size_t before = out->len;

	each_line(log, scan_line, &s);
	if (s.warning)
		close_warning(&s);
	text_free(&s.text);
	free(s.last);
	return out->len > before;
}
