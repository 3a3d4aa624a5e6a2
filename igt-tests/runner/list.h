/* SPDX-License-Identifier: MIT */
/* DOC: the names of a test's subtests, which the test itself lists. */
#ifndef RUNNER_LIST_H
#define RUNNER_LIST_H

#include <stdbool.h>

struct names {
	char **s;
	unsigned int num;
};

void names_add(struct names *n, const char *name);
bool names_has(const struct names *n, const char *name);
/* Returns the names with commas between them, to be freed. */
char *names_joined(const struct names *n);
void names_free(struct names *n);

/*
 * Adds the names that the program lists; none if it does not end within a minute.
 *
 * Return: whether the program ended well.
 */
bool list_subtests(const char *program, struct names *to);

#endif
