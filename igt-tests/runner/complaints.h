/* SPDX-License-Identifier: MIT */
/*
 * DOC: messages that a healthy kernel does not say, matched by a file of regular expressions, and
 * the warnings whose cause is known and excused: the lines "known FUNCTION CAUSE" of another file.
 * The CAUSE's text in double quotes must stand in the warning. Pure but for the reading of both
 * files.
 */
#ifndef RUNNER_COMPLAINTS_H
#define RUNNER_COMPLAINTS_H

#include "text.h"

struct complaints;

/* @known: NULL if no warning is excused. Dies if a file is missing or holds no expression. */
struct complaints *complaints_read(const char *patterns, const char *known);
bool complaints_match(const struct complaints *c, const char *line);
/*
 * Adds to @out the complaints in @log that are not excused, each warning as a whole.
 *
 * Return: whether there is any.
 */
bool complaints_find(const struct complaints *c, const char *log, struct text *out);

#endif
