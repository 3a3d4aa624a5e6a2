// SPDX-License-Identifier: MIT
/*
 * xetilectl run: says how long a kernel took, by the clocks of the tiles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl.h"
#include "run.h"
#include "text.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void json_launch(const struct xetile_times *times)
{
	unsigned int i;

	printf("{\"ns\":%" PRIu64 ",\"tiles\":[", times->duration);
	for (i = 0; i < times->num_tiles; i++)
		printf("%s{\"tile\":%u,\"start_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 "}",
		       i ? "," : "", times->tiles[i].tile, times->tiles[i].start,
		       times->tiles[i].end);
	printf("]}");
}

static void text_launch(const struct xetile_times *times)
{
	char all[16], one[16];
	unsigned int i;

	text_ns(all, sizeof(all), times->duration);
	printf("time: %s", all);
	for (i = 0; i < times->num_tiles && times->num_tiles > 1; i++) {
		text_ns(one, sizeof(one), times->tiles[i].end - times->tiles[i].start);
		printf("%s tile %u %s", i ? "," : ":", times->tiles[i].tile, one);
	}
	putchar('\n');
}

/* The launches by their order say nothing that a reader could take in. */
static void text_launches(const struct run *run)
{
	uint64_t *ns = calloc(run->repeat, sizeof(*ns));
	char least[16], median[16], most[16];
	unsigned int i;

	if (!ns)
		return;
	for (i = 0; i < run->repeat; i++)
		ns[i] = run->times[i].duration;
	qsort(ns, run->repeat, sizeof(*ns), compare);
	text_ns(least, sizeof(least), ns[0]);
	text_ns(median, sizeof(median), ns[run->repeat / 2]);
	text_ns(most, sizeof(most), ns[run->repeat - 1]);
	printf("times of %u launches: least %s, median %s, most %s\n", run->repeat, least, median,
	       most);
	free(ns);
}

void run_print_times(const struct run *run)
{
	unsigned int i;

	if (!run->json) {
		if (run->repeat == 1)
			text_launch(run->times);
		else
			text_launches(run);
		return;
	}
	printf("\"launches\":[");
	for (i = 0; i < run->repeat; i++) {
		if (i)
			putchar(',');
		json_launch(&run->times[i]);
	}
	putchar(']');
}
