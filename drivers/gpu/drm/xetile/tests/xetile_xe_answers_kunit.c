// SPDX-License-Identifier: GPL-2.0-only
/* What runtimes of the xe driver read of a card, over all tiles, fuses and modes */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../xe/xetile_xe_answers.c"
#include "../xe/xetile_xe_answers_hwconfig.c"
#include "../xe/xetile_xe_answers_topology.c"

#define GUARD	64

/* Each tile has other fuses than its neighbours, as harvested parts may. */
static void facts_make(struct xetile_xe_facts *facts, unsigned int tiles, unsigned int mode,
		       u32 slices, u16 copies)
{
	unsigned int t, s;

	memset(facts, 0, sizeof(*facts));
	facts->num_tiles = tiles;
	facts->device_id = 0x0bd5;
	facts->revision = 0x2f;
	facts->ip_release = 60;
	facts->timestamp_hz = 19200000;
	facts->max_priority = 2;
	facts->sees_used = true;
	facts->threads_per_eu = 8;
	facts->max_slm = 128 << 10;
	facts->system_total = 3ull << 33;
	facts->system_used = 5 << 12;
	for (t = 0; t < tiles; t++) {
		struct xetile_xe_tile *tile = &facts->tiles[t];

		for (s = 0; s < 4; s++)
			if (slices & 1u << s)
				tile->dss_mask |= (0xffffull >> t) << (16 * s);
		tile->l3_mask = 0x00ff00ff00ff00ffull << t;
		tile->eu_mask = 0xff >> t;
		tile->num_ccs = mode;
		tile->bcs_mask = copies;
		tile->hbm_total = (64ull + t) << 30;
		tile->hbm_used = (1ull + t) << 30;
		tile->hbm_visible = t & 1 ? tile->hbm_total : 256 << 20;
	}
}

/* Asks for an answer in zeros, and returns its bytes: behind them is nothing. */
static size_t ask(struct kunit *test, const struct xetile_xe_facts *facts,
		  size_t (*what)(const struct xetile_xe_facts *facts, void *answer), u64 *answer)
{
	char *bytes = (char *)answer;
	size_t size, at;

	memset(answer, 0, XETILE_XE_ANSWER);
	memset(bytes + XETILE_XE_ANSWER, 0x5a, GUARD);
	size = what(facts, answer);
	KUNIT_ASSERT_LE(test, size, (size_t)XETILE_XE_ANSWER);
	for (at = size; at < XETILE_XE_ANSWER; at++)
		KUNIT_ASSERT_EQ(test, bytes[at], 0);
	for (at = XETILE_XE_ANSWER; at < XETILE_XE_ANSWER + GUARD; at++)
		KUNIT_ASSERT_EQ(test, bytes[at], 0x5a);
	return size;
}

static u64 buffer[(XETILE_XE_ANSWER + GUARD) / sizeof(u64)];
static struct xetile_xe_facts facts;

static void check_engines(struct kunit *test)
{
	struct drm_xe_query_engines *list = (void *)buffer;
	unsigned int t, i, n = 0;
	size_t size = ask(test, &facts, xetile_xe_engines, buffer);

	for (t = 0; t < facts.num_tiles; t++) {
		for (i = 0; i < facts.tiles[t].num_ccs; i++, n++) {
			KUNIT_EXPECT_EQ(test, list->engines[n].instance.engine_class, 4);
			KUNIT_EXPECT_EQ(test, list->engines[n].instance.engine_instance, i);
			KUNIT_EXPECT_EQ(test, list->engines[n].instance.gt_id, t);
		}
		for (i = 0; i < 16; i++) {
			if (!(facts.tiles[t].bcs_mask & 1u << i))
				continue;
			KUNIT_EXPECT_EQ(test, list->engines[n].instance.engine_class, 1);
			KUNIT_EXPECT_EQ(test, list->engines[n].instance.engine_instance, i);
			KUNIT_EXPECT_EQ(test, list->engines[n].instance.gt_id, t);
			n++;
		}
	}
	KUNIT_EXPECT_EQ(test, list->num_engines, n);
	KUNIT_EXPECT_EQ(test, size, 8 + (size_t)n * 32);
}

static void check_regions(struct kunit *test)
{
	struct drm_xe_query_mem_regions *list = (void *)buffer;
	struct drm_xe_mem_region *region = list->mem_regions;
	unsigned int t;

	KUNIT_EXPECT_EQ(test, ask(test, &facts, xetile_xe_mem_regions, buffer),
			8 + (1 + (size_t)facts.num_tiles) * 88);
	KUNIT_EXPECT_EQ(test, list->num_mem_regions, 1 + facts.num_tiles);
	KUNIT_EXPECT_EQ(test, region->mem_class, 0);
	KUNIT_EXPECT_EQ(test, region->min_page_size, 4096);
	KUNIT_EXPECT_EQ(test, region->total_size, facts.system_total);
	KUNIT_EXPECT_EQ(test, region->used, facts.sees_used ? facts.system_used : 0);
	KUNIT_EXPECT_EQ(test, region->cpu_visible_size, 0);
	for (t = 0; t < facts.num_tiles; t++) {
		const struct xetile_xe_tile *tile = &facts.tiles[t];

		region++;
		KUNIT_EXPECT_EQ(test, region->mem_class, 1);
		KUNIT_EXPECT_EQ(test, region->instance, 1 + t);
		KUNIT_EXPECT_EQ(test, region->min_page_size, 65536);
		KUNIT_EXPECT_EQ(test, region->total_size, tile->hbm_total);
		KUNIT_EXPECT_EQ(test, region->used, facts.sees_used ? tile->hbm_used : 0);
		KUNIT_EXPECT_EQ(test, region->cpu_visible_size, tile->hbm_visible);
		KUNIT_EXPECT_LE(test, region->cpu_visible_used, region->cpu_visible_size);
		KUNIT_EXPECT_LE(test, region->cpu_visible_used, region->used);
	}
}

static void check_gts(struct kunit *test)
{
	struct drm_xe_query_gt_list *list = (void *)buffer;
	u64 all = (2ull << facts.num_tiles) - 1, near = 0;
	unsigned int t;

	KUNIT_EXPECT_EQ(test, ask(test, &facts, xetile_xe_gt_list, buffer),
			8 + (size_t)facts.num_tiles * 96);
	KUNIT_EXPECT_EQ(test, list->num_gt, facts.num_tiles);
	for (t = 0; t < facts.num_tiles; t++) {
		const struct drm_xe_gt *gt = &list->gt_list[t];

		KUNIT_EXPECT_EQ(test, gt->type, 0);
		KUNIT_EXPECT_EQ(test, gt->tile_id, t);
		KUNIT_EXPECT_EQ(test, gt->gt_id, t);
		KUNIT_EXPECT_EQ(test, gt->reference_clock, facts.timestamp_hz);
		/* One region is near, and not that of another tile. */
		KUNIT_EXPECT_NE(test, gt->near_mem_regions, 0);
		KUNIT_EXPECT_EQ(test, gt->near_mem_regions & (gt->near_mem_regions - 1), 0);
		KUNIT_EXPECT_EQ(test, gt->near_mem_regions & near, 0);
		KUNIT_EXPECT_EQ(test, gt->near_mem_regions ^ gt->far_mem_regions, all);
		near |= gt->near_mem_regions;
		KUNIT_EXPECT_EQ(test, gt->ip_ver_major, 12);
		KUNIT_EXPECT_EQ(test, gt->ip_ver_minor, 60);
		KUNIT_EXPECT_EQ(test, gt->ip_ver_rev, 7);
	}
	/* No tile is near system memory. */
	KUNIT_EXPECT_EQ(test, near, all & ~1ull);
}

static u64 mask_of(const u8 **at, struct kunit *test, unsigned int gt, unsigned int type)
{
	const struct drm_xe_query_topology_mask *record = (const void *)*at;
	u64 mask = 0;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, record->gt_id, gt);
	KUNIT_EXPECT_EQ(test, record->type, type);
	KUNIT_ASSERT_EQ(test, record->num_bytes, 8);
	for (i = 0; i < 8; i++)
		mask |= (u64)record->mask[i] << (8 * i);
	*at += sizeof(*record) + 8;
	return mask;
}

static void check_topology(struct kunit *test)
{
	const u8 *at = (const u8 *)buffer;
	size_t size = ask(test, &facts, xetile_xe_topology, buffer);
	unsigned int t;

	for (t = 0; t < facts.num_tiles; t++) {
		KUNIT_EXPECT_EQ(test, mask_of(&at, test, t, 1), 0);
		KUNIT_EXPECT_EQ(test, mask_of(&at, test, t, 2), facts.tiles[t].dss_mask);
		KUNIT_EXPECT_EQ(test, mask_of(&at, test, t, 3), facts.tiles[t].l3_mask);
		KUNIT_EXPECT_EQ(test, mask_of(&at, test, t, 5), facts.tiles[t].eu_mask);
	}
	KUNIT_EXPECT_EQ(test, size, (size_t)(at - (const u8 *)buffer));
}

/* M20: tiles x slices x copy engines x modes */
static void xe_answers_all(struct kunit *test)
{
	static const u16 copies[] = { 0x001, 0x007, 0x0ff, 0x067, 0x1ff };
	unsigned int tiles, mode, c;
	u32 slices;

	for (tiles = 1; tiles <= XETILE_XE_TILES; tiles++) {
		for (slices = 1; slices < 16; slices++) {
			for (mode = 1; mode <= 4; mode *= 2) {
				for (c = 0; c < ARRAY_SIZE(copies); c++) {
					facts_make(&facts, tiles, mode, slices, copies[c]);
					facts.sees_used = c & 1;
					check_engines(test);
					check_regions(test);
					check_gts(test);
					check_topology(test);
				}
			}
		}
	}
}

/* M20: the configuration promises nothing that the driver does not have. */
static void xe_answers_config(struct kunit *test)
{
	struct drm_xe_query_config *config = (void *)buffer;

	facts_make(&facts, 2, 1, 15, 0xff);
	KUNIT_EXPECT_EQ(test, ask(test, &facts, xetile_xe_config, buffer), (size_t)8 + 5 * 8);
	KUNIT_EXPECT_EQ(test, config->num_params, 5);
	KUNIT_EXPECT_EQ(test, config->info[0], 0x2f0bd5);
	KUNIT_EXPECT_EQ(test, config->info[1], 1);
	KUNIT_EXPECT_EQ(test, config->info[2], 65536);
	KUNIT_EXPECT_EQ(test, config->info[3], 57);
	KUNIT_EXPECT_EQ(test, config->info[4], 2);
}

/* M20: a runtime finds what it needs by key, whatever the order is. */
static void xe_answers_hwconfig(struct kunit *test)
{
	static const struct { u32 key, value; } wants[] = {
		{ 1, 8 }, { 70, 64 }, { 71, 8 }, { 15, 8 }, { 73, 128 }, { 64, 3264 }, { 11, 3 },
	};
	const u32 *table = (const u32 *)buffer;
	size_t words, at;
	unsigned int i;

	facts_make(&facts, 2, 1, 15, 0xff);
	words = ask(test, &facts, xetile_xe_hwconfig, buffer) / sizeof(u32);
	KUNIT_EXPECT_EQ(test, words, 3 * ARRAY_SIZE(wants));
	for (i = 0; i < ARRAY_SIZE(wants); i++) {
		unsigned int found = 0;

		for (at = 0; at + 2 < words; at += 2 + table[at + 1]) {
			if (table[at] != wants[i].key)
				continue;
			KUNIT_EXPECT_EQ(test, table[at + 1], 1);
			KUNIT_EXPECT_EQ(test, table[at + 2], wants[i].value);
			found++;
		}
		KUNIT_EXPECT_EQ(test, found, 1);
	}
}

static struct kunit_case xe_answers_cases[] = {
	KUNIT_CASE(xe_answers_all),
	KUNIT_CASE(xe_answers_config),
	KUNIT_CASE(xe_answers_hwconfig),
	{}
};

static struct kunit_suite xe_answers_suite = {
	.name = "xetile_xe_answers",
	.test_cases = xe_answers_cases,
};

kunit_test_suite(xe_answers_suite);
