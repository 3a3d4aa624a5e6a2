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
/* Returns the string in @t, never NULL. */
const char *text_get(const struct text *t);

/* Calls @line for each line of @s, without the newline, which the last line may lack. */
void each_line(const char *s, void (*line)(void *ctx, const char *line), void *ctx);

/* Returns all of the file, to be freed, or NULL. */
char *file_read(const char *path);
/*
 * Returns the lines of a file that neither are empty nor begin with '#', then NULL. Dies if the
 * file cannot be read.
 */
char **file_table(const char *path);
/* As file_table(), but returns only the lines that begin with the word @kind, without this word. */
char **file_table_of(const char *path, const char *kind);
/* @mode: of fopen(). Dies if the file cannot be written. */
void file_put(const char *path, const char *mode, const char *s);

/* Returns whether the shell's pattern fits the name. */
bool matches(const char *pattern, const char *name);
/*
 * Returns whether @list, IGT's patterns with commas between them, selects @name. The last pattern
 * that fits decides; one that begins with '!' deselects.
 */
bool selected(const char *list, const char *name);

/* Returns seconds, by a clock that stands still while the machine sleeps. */
double now(void);

#endif
