// SPDX-License-Identifier: MIT
/*
 * Compares two files of results bit by bit and prints a line for each run that differs.
 *
 * usage: conformance-same NAME UNORDERED FILE FILE
 *
 * The buffers of kernels in UNORDERED may differ; the other fields of their runs must not.
 */
#include <string.h>

#include "results.h"

#define MAX_UNORDERED	64

static struct {
	char file[96], kernel[64];
} unordered[MAX_UNORDERED];
static unsigned int num_unordered;

static int read_unordered(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];

	if (!f) {
		perror(path);
		return -1;
	}
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (num_unordered == MAX_UNORDERED ||
		    sscanf(line, "%95s %63s", unordered[num_unordered].file,
			   unordered[num_unordered].kernel) != 2) {
			fprintf(stderr, "%s: too many lines, or not FILE KERNEL: %s", path, line);
			fclose(f);
			return -1;
		}
		num_unordered++;
	}
	fclose(f);
	return 0;
}

static int is_unordered(const struct cts_result *r)
{
	for (unsigned int i = 0; i < num_unordered; i++)
		if (!strcmp(r->file, unordered[i].file) &&
		    !strcmp(r->kernel, unordered[i].kernel))
			return 1;
	return 0;
}

static int same(const struct cts_result *a, const struct cts_result *b)
{
	return !strcmp(a->config, b->config) && !strcmp(a->file, b->file) &&
	       !strcmp(a->kernel, b->kernel) && !strcmp(a->status, b->status) &&
	       a->simd == b->simd && a->bytes == b->bytes &&
	       (is_unordered(a) || !memcmp(a->data, b->data, a->bytes));
}

int main(int argc, char **argv)
{
	unsigned int equal = 0, differ = 0;
	struct cts_result *list[2];

	if (argc != 5) {
		fprintf(stderr, "usage: conformance-same NAME UNORDERED FILE FILE\n");
		return 2;
	}
	if (read_unordered(argv[2]))
		return 1;
	for (int i = 0; i < 2; i++) {
		list[i] = cts_results_read(argv[3 + i]);
		if (!list[i])
			return 1;
	}
	for (const struct cts_result *a = list[0], *b = list[1]; a || b;
	     a = a ? a->next : NULL, b = b ? b->next : NULL) {
		const struct cts_result *one = a ? a : b;

		if (a && b && same(a, b)) {
			equal++;
			continue;
		}
		differ++;
		printf("%s: %s %s %s: not the same\n", argv[1], one->config, one->file,
		       one->kernel);
	}
	printf("%s: %u runs are the same bit by bit by the general path, %u are not\n", argv[1],
	       equal, differ);
	cts_results_free(list[0]);
	cts_results_free(list[1]);
	return differ || !equal;
}
