/* SPDX-License-Identifier: MIT */
/*
 * Two files of results beside each other, bit by bit: corpus-same NAME FILE FILE.
 * A line for each run that differs, then one with their numbers.
 */
#include <string.h>

#include "results.h"

static int same(const struct corpus_result *a, const struct corpus_result *b)
{
	return !strcmp(a->config, b->config) && !strcmp(a->file, b->file) &&
	       !strcmp(a->kernel, b->kernel) && !strcmp(a->status, b->status) &&
	       a->simd == b->simd && a->bytes == b->bytes &&
	       !memcmp(a->data, b->data, a->bytes);
}

int main(int argc, char **argv)
{
	unsigned int equal = 0, differ = 0;
	struct corpus_result *list[2];

	if (argc != 4) {
		fprintf(stderr, "usage: corpus-same NAME FILE FILE\n");
		return 2;
	}
	for (int i = 0; i < 2; i++) {
		list[i] = corpus_results_read(argv[2 + i]);
		if (!list[i])
			return 1;
	}
	for (const struct corpus_result *a = list[0], *b = list[1]; a || b;
	     a = a ? a->next : NULL, b = b ? b->next : NULL) {
		const struct corpus_result *one = a ? a : b;

		if (a && b && same(a, b)) {
			equal++;
			continue;
		}
		differ++;
		printf("%s: %s %s %s: not the same\n", argv[1], one->config, one->file,
		       one->kernel);
	}
	printf("%s: %u runs the same bit by bit by the general path, %u not\n", argv[1], equal,
	       differ);
	corpus_results_free(list[0]);
	corpus_results_free(list[1]);
	return differ || !equal;
}
