// SPDX-License-Identifier: MIT
#include "text.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "runner: ");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

char *format(const char *format, ...)
{
	va_list args;
	char *s;

	va_start(args, format);
	if (vasprintf(&s, format, args) < 0)
		die("out of memory");
	va_end(args);
	return s;
}

char *copy(const char *s)
{
	return format("%s", s);
}

void text_add(struct text *t, const char *s, size_t len)
{
	if (t->len + len + 1 > t->room) {
		t->room = 2 * (t->len + len + 1);
		t->s = realloc(t->s, t->room);
		if (!t->s)
			die("out of memory");
	}
	memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = 0;
}

void text_addf(struct text *t, const char *format, ...)
{
	va_list args;
	char *s;
	int len;

	va_start(args, format);
	len = vasprintf(&s, format, args);
	va_end(args);
	if (len < 0)
		die("out of memory");
	text_add(t, s, len);
	free(s);
}

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->s)
		t->s[0] = 0;
}

void text_free(struct text *t)
{
	free(t->s);
	*t = (struct text) { 0 };
}

const char *text_get(const struct text *t)
{
	return t->s ? t->s : "";
}

void each_line(const char *s, void (*line)(void *ctx, const char *line), void *ctx)
{
	struct text t = { 0 };

	while (*s) {
		size_t len = strcspn(s, "\n");

		text_clear(&t);
		text_add(&t, s, len);
		line(ctx, t.s);
		s += len + (s[len] == '\n');
	}
	text_free(&t);
}

char *file_read(const char *path)
{
	FILE *f = fopen(path, "r");
	struct text t = { 0 };
	char piece[65536];
	size_t n;

	if (!f)
		return NULL;
	text_add(&t, "", 0);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		text_add(&t, piece, n);
	fclose(f);
	return t.s;
}

struct table {
	char **lines;
	size_t num;
};

static void table_line(void *ctx, const char *line)
{
	struct table *t = ctx;

	if (!*line || *line == '#')
		return;
	t->lines = realloc(t->lines, (t->num + 2) * sizeof(*t->lines));
	if (!t->lines)
		die("out of memory");
	t->lines[t->num++] = copy(line);
	t->lines[t->num] = NULL;
}

char **file_table(const char *path)
{
	struct table t = { calloc(1, sizeof(*t.lines)) };
	char *s = file_read(path);

	if (!s)
		die("%s: %s", path, strerror(errno));
	each_line(s, table_line, &t);
	free(s);
	return t.lines;
}

char **file_table_of(const char *path, const char *kind)
{
	char **lines = file_table(path), **to = lines;
	size_t len = strlen(kind);

	for (char **line = lines; *line; line++) {
		char *whole = *line;

		if (!strncmp(whole, kind, len) && whole[len] == ' ')
			*to++ = copy(whole + len + 1);
		free(whole);
	}
	*to = NULL;
	return lines;
}

void file_put(const char *path, const char *mode, const char *s)
{
	FILE *f = fopen(path, mode);

	if (!f || fputs(s, f) == EOF || fclose(f))
		die("%s: %s", path, strerror(errno));
}

bool matches(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, 0);
}

bool selected(const char *list, const char *name)
{
	char *all = copy(list), *rest = all, *one;
	bool yes = false;

	while ((one = strsep(&rest, ","))) {
		if (matches(one + (*one == '!'), name))
			yes = *one != '!';
	}
	free(all);
	return yes;
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
