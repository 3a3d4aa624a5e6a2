// SPDX-License-Identifier: MIT
/*
 * DOC: lines about another driver's tests that say nothing: no subtest has such a name, or an
 * earlier line decides about every one that has.
 */
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "text.h"

struct search {
	struct names subtests, kernels, tiles;
};

static void add_name(void *ctx, const char *line)
{
	if (*line)
		names_add(ctx, line);
}

static void add_words(struct names *to, const char *words)
{
	char *all = copy(words), *rest = all, *one;

	while ((one = strsep(&rest, " ")))
		add_name(to, one);
	free(all);
}

/* Returns whether the line "SUBTEST KERNEL TILES ..." fits. */
static bool fits_all(const char *line, const char *subtest, const char *kernel, const char *tiles)
{
	char name[256], k[32], t[32];

	return sscanf(line, "%255s %31s %31s", name, k, t) == 3 && matches(name, subtest) &&
	       matches(k, kernel) && matches(t, tiles);
}

/* Returns whether the line @line of @table is the first one that fits some subtest. */
static bool decides(char **table, char **line, const struct search *s)
{
	for (unsigned int i = 0; i < s->subtests.num * s->kernels.num * s->tiles.num; i++) {
		const char *tiles = s->tiles.s[i % s->tiles.num];
		unsigned int rest = i / s->tiles.num;
		const char *kernel = s->kernels.s[rest % s->kernels.num];
		const char *subtest = s->subtests.s[rest / s->kernels.num];
		char **first = table;

		while (first < line && !fits_all(*first, subtest, kernel, tiles))
			first++;
		if (first == line && fits_all(*line, subtest, kernel, tiles))
			return true;
	}
	return false;
}

static char *path_of(const char *folder, const char *name)
{
	return format("%s/%s", folder, name);
}

int verb_unused(int argc, char **argv)
{
	char *tests, *expectations, *list, **table, **line;
	struct search s = { 0 };
	unsigned int found = 0;

	if (argc != 4) {
		fprintf(stderr, "usage: runner unused FOLDER LIST KERNELS TILES\n"
			"  FOLDER: holds the files tests and expectations\n"
			"  LIST: a file with every subtest there is\n"
			"  KERNELS, TILES: all there are, with blanks between them\n");
		return 2;
	}
	tests = path_of(argv[0], "tests");
	expectations = path_of(argv[0], "expectations");
	list = file_read(argv[1]);
	if (!list)
		die("%s: %s", argv[1], strerror(errno));
	each_line(list, add_name, &s.subtests);
	add_words(&s.kernels, argv[2]);
	add_words(&s.tiles, argv[3]);
	table = file_table_of(expectations, "expect");
	for (line = table; *line; line++) {
		if (!decides(table, line, &s)) {
			printf("expect %s\n", *line);
			found++;
		}
	}
	for (line = file_table_of(tests, "quick"); *line; line++) {
		if (!names_has(&s.subtests, *line)) {
			printf("quick %s\n", *line);
			found++;
		}
	}
	names_free(&s.tiles);
	names_free(&s.kernels);
	names_free(&s.subtests);
	free(list);
	free(expectations);
	free(tests);
	return found != 0;
}
