// SPDX-License-Identifier: MIT
#include "xetile_leaves.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS	4096u

void xetile_leaves_read(int fd, unsigned int tile, struct xetile_leaves *l)
{
	const struct {
		const char *key;
		uint64_t *to;
	} keys[] = {
		{ "tables", &l->tables },
		{ "mapped_4k", &l->of_4k }, { "mapped_64k", &l->of_64k },
		{ "mapped_2m", &l->of_2m }, { "mapped_1g", &l->of_1g },
		{ "null_64k", &l->null_64k }, { "null_2m", &l->null_2m },
		{ "null_1g", &l->null_1g },
	};
	FILE *f = xetile_debugfs_open(fd, "vms");
	unsigned int at = ~0u, found = 0;
	char line[128], word[64];
	uint64_t number;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "tile%u", &at) == 1 || at != tile ||
		    sscanf(line, " %63s %" SCNu64, word, &number) != 2)
			continue;
		for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
			if (!strcmp(word, keys[i].key)) {
				*keys[i].to = number;
				found++;
			}
	}
	fclose(f);
	igt_assert_eq(found, ARRAY_SIZE(keys));
}

/* The leaves of [@addr, @end), whose memory is as contiguous and as aligned as the addresses */
static void add_largest(uint64_t addr, uint64_t end, uint64_t largest, uint64_t *num)
{
	static const uint64_t sizes[] = { SZ_1G, SZ_2M, SZ_64K };

	while (addr < end)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			if (sizes[i] <= largest && addr % sizes[i] == 0 &&
			    end - addr >= sizes[i]) {
				num[i]++;
				addr += sizes[i];
				break;
			}
}

static void add_null(const struct xetile_mapping *m, struct xetile_leaves *l)
{
	uint64_t num[3] = { 0 };

	add_largest(m->addr, m->addr + m->range, SZ_1G, num);
	l->null_1g += num[0];
	l->null_2m += num[1];
	l->null_64k += num[2];
}

static void add_bo(int fd, const struct xetile_mapping *m, struct xetile_leaves *l)
{
	struct drm_xetile_color_run *runs = calloc(MAX_RUNS, sizeof(*runs));
	uint32_t n = xetile_bo_runs(fd, m->bo, runs, MAX_RUNS);
	uint64_t largest = (m->addr - m->offset) % SZ_2M ? SZ_64K : SZ_2M;
	uint64_t at = 0, num[3] = { 0 };

	igt_assert_lte(n, MAX_RUNS);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t from = at, to = at + runs[i].pages * SZ_64K;

		igt_assert_lt(runs[i].tile, DRM_XETILE_MAX_TILES);
		at = to;
		from = from < m->offset ? m->offset : from;
		to = to > m->offset + m->range ? m->offset + m->range : to;
		if (from < to)
			add_largest(from - m->offset + m->addr, to - m->offset + m->addr, largest,
				    num);
	}
	free(runs);
	l->of_2m += num[1];
	l->of_64k += num[2];
}

void xetile_leaves_check(const struct xetile_card *card, const struct xetile_leaves *before,
			 const struct xetile_mapping *maps, unsigned int num)
{
	for (uint32_t tile = 0; tile < card->device.num_tiles; tile++) {
		struct xetile_leaves want = before[tile], is;

		for (unsigned int i = 0; i < num; i++) {
			if (maps[i].tile != tile)
				continue;
			if (maps[i].bo)
				add_bo(card->fd, &maps[i], &want);
			else
				add_null(&maps[i], &want);
		}
		xetile_leaves_read(card->fd, tile, &is);
		/* Whether pieces of 2 MiB of a run follow each other in HBM is up to the driver. */
		igt_assert_f(is.of_4k == want.of_4k && is.of_64k == want.of_64k &&
			     is.of_2m + is.of_1g * 512 == want.of_2m + want.of_1g * 512 &&
			     is.null_64k == want.null_64k && is.null_2m == want.null_2m &&
			     is.null_1g == want.null_1g,
			     "tile %u: leaves of 4 KiB, 64 KiB, 2 MiB, 1 GiB; without memory\n"
			     "is   %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			     "; %" PRIu64 " %" PRIu64 " %" PRIu64 "\n"
			     "want %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			     "; %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", tile,
			     is.of_4k, is.of_64k, is.of_2m, is.of_1g,
			     is.null_64k, is.null_2m, is.null_1g,
			     want.of_4k, want.of_64k, want.of_2m, want.of_1g,
			     want.null_64k, want.null_2m, want.null_1g);
	}
}
