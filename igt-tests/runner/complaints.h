/* SPDX-License-Identifier: MIT */
/*
 * DOC: what a healthy kernel does not say (a file of regular expressions), and the warnings
 * whose cause is known and excused: "FUNCTION CAUSE", and what the CAUSE has in double quotes
 * must stand in the warning. Pure but for the reading of both files.
 */
#ifndef RUNNER_COMPLAINTS_H
#define RUNNER_COMPLAINTS_H

#include "text.h"

struct complaints;

/* @known: NULL if none is excused. Dies if a file is not there or holds no expression. */
struct complaints *complaints_read(const char *patterns, const char *known);
bool complaints_match(const struct complaints *c, const char *line);
/* Adds to @out what of @log is not excused, a warning as a whole. Return: whether any is. */
bool complaints_find(const struct complaints *c, const char *log, struct text *out);

#endif
