/* SPDX-License-Identifier: MIT */
/* DOC: strings that grow, files as one string, and the shell's patterns. */
#ifndef RUNNER_TEXT_H
#define RUNNER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A string of any length; all zero is an empty one, whose @s is NULL. */
struct text {
	char *s;
	size_t len, room;
};

/* Prints "runner: ..." and ends the program with status 2. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
char *format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *copy(const char *s);

void text_add(struct text *t, const char *s, size_t len);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *t);
void text_free(struct text *t);
/* What @t holds; never NULL. */
const char *text_get(const struct text *t);

/* Calls @line for each line of @s, without its end; a last one need not have one. */
void each_line(const char *s, void (*line)(void *ctx, const char *line), void *ctx);

/* All of the file, or NULL; to be freed. */
char *file_read(const char *path);
/* The lines that neither are empty nor begin with '#'; ends with NULL. Dies without the file. */
char **file_table(const char *path);
/* @mode: of fopen(). Dies if it cannot be written. */
void file_put(const char *path, const char *mode, const char *s);

bool matches(const char *pattern, const char *name);
/*
 * Whether @name is one of @list, IGT's patterns with commas: the last that fits decides,
 * and one with '!' before it says no.
 */
bool selected(const char *list, const char *name);

/* Seconds of a clock that stands still while the machine sleeps. */
double now(void);

#endif
