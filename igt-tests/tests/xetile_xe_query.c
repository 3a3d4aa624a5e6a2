// SPDX-License-Identifier: MIT
/*
 * DEVICE_QUERY of the xe driver's interface: each answer beside those of QUERY, and every wrong way
 * to ask for it. The device's name does not matter, because every name has both interfaces.
 * Statements: M20.
 *
 * suite: igt soak-alone 1-tile 2nd-card 4-tiles
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <drm/xe_drm.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Description of the card by DRM_IOCTL_XE_DEVICE_QUERY");

/* Headers may be older than these. */
#define QUERY_PXP_STATUS	9
#define QUERY_EU_STALL		10
#define QUERY_FIRST_UNKNOWN	11

/* Anybody but root */
#define USER	1000

/* What NEO reads of the table of the configuration */
enum { MAX_SLICES = 1, THREADS_PER_EU = 15, MAX_DSS = 70, MAX_EUS_PER_DSS = 71, SLM_PER_DSS = 73 };

static const uint32_t fact_queries[] = {
	DRM_XE_DEVICE_QUERY_ENGINES, DRM_XE_DEVICE_QUERY_MEM_REGIONS, DRM_XE_DEVICE_QUERY_CONFIG,
	DRM_XE_DEVICE_QUERY_GT_LIST, DRM_XE_DEVICE_QUERY_HWCONFIG, DRM_XE_DEVICE_QUERY_GT_TOPOLOGY,
	DRM_XE_DEVICE_QUERY_OA_UNITS,
};

static int device_query(int fd, struct drm_xe_device_query *query)
{
	return xetile_ioctl(fd, DRM_IOCTL_XE_DEVICE_QUERY, query);
}

/* Asks twice, as programs do: for the size, and for the answer, which the caller frees. */
static void *ask(int fd, uint32_t what, uint32_t *size)
{
	struct drm_xe_device_query query = { .query = what };
	uint8_t *answer;

	igt_assert_eq(device_query(fd, &query), 0);
	*size = query.size;
	igt_assert_neq(*size, 0);
	/* One byte more, which the call must not write */
	answer = malloc(*size + 1);
	igt_assert(answer);
	memset(answer, 0xa5, *size + 1);
	query.data = to_user(answer);
	igt_assert_eq(device_query(fd, &query), 0);
	igt_assert_eq_u32(query.size, *size);
	igt_assert_eq(answer[*size], 0xa5);
	return answer;
}

/* The engine that queues of both interfaces call so, or NULL */
static const struct drm_xetile_query_engine *
native_engine(const struct drm_xetile_query_engine *all, uint32_t num,
	      const struct drm_xe_engine_class_instance *eci)
{
	uint32_t compute = 0;

	for (uint32_t i = 0; i < num; i++) {
		if (all[i].tile != eci->gt_id)
			continue;
		if (all[i].engine_class == DRM_XETILE_ENGINE_COPY) {
			if (eci->engine_class == DRM_XE_ENGINE_CLASS_COPY &&
			    eci->engine_instance == all[i].instance)
				return &all[i];
		} else if (eci->engine_class == DRM_XE_ENGINE_CLASS_COMPUTE &&
			   eci->engine_instance == compute++) {
			/* Numbers of virtual slices, whatever the instance is */
			return &all[i];
		}
	}
	return NULL;
}

static void test_engines(int fd)
{
	struct drm_xetile_query_engine native[64];
	struct drm_xe_query_engines *list;
	uint32_t num, size;
	uint64_t seen = 0;

	num = xetile_query(fd, DRM_XETILE_QUERY_ENGINES, XETILE_ARRAY(native, ARRAY_SIZE(native)));
	igt_assert_lte(num, ARRAY_SIZE(native));
	list = ask(fd, DRM_XE_DEVICE_QUERY_ENGINES, &size);
	igt_assert_eq_u32(list->num_engines, num);
	igt_assert_eq_u32(list->pad, 0);
	igt_assert_eq_u32(size, sizeof(*list) + num * sizeof(list->engines[0]));
	for (uint32_t i = 0; i < num; i++) {
		const struct drm_xe_engine *engine = &list->engines[i];
		const struct drm_xetile_query_engine *same;

		same = native_engine(native, num, &engine->instance);
		igt_assert(same);
		/* No engine is named twice. */
		igt_assert(!(seen & 1ull << (same - native)));
		seen |= 1ull << (same - native);
		igt_assert_eq(engine->instance.pad, 0);
		for (unsigned int r = 0; r < ARRAY_SIZE(engine->reserved); r++)
			igt_assert_eq_u64(engine->reserved[r], 0);
	}
	free(list);
}

static void test_mode(int fd)
{
	struct drm_xe_device_query query = { .query = DRM_XE_DEVICE_QUERY_ENGINES };
	uint32_t size;
	void *answer = ask(fd, DRM_XE_DEVICE_QUERY_ENGINES, &size);

	xetile_set_ccs_mode(fd, "2");
	test_engines(fd);
	/* The size of the former mode is wrong now. */
	query.size = size;
	query.data = to_user(answer);
	igt_assert_eq(device_query(fd, &query), -EINVAL);
	xetile_set_ccs_mode(fd, "1");
	igt_assert_eq(device_query(fd, &query), 0);
	free(answer);
}

static void test_mem_regions(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles, size;
	struct drm_xe_query_mem_regions *list;

	list = ask(card->fd, DRM_XE_DEVICE_QUERY_MEM_REGIONS, &size);
	igt_assert_eq_u32(list->num_mem_regions, 1 + tiles);
	igt_assert_eq_u32(size, sizeof(*list) + (1 + tiles) * sizeof(list->mem_regions[0]));
	for (uint32_t i = 0; i <= tiles; i++) {
		const struct drm_xe_mem_region *region = &list->mem_regions[i];

		igt_assert_eq(region->instance, i);
		igt_assert_lte_u64(region->used, region->total_size);
		igt_assert_lte_u64(region->cpu_visible_used, region->cpu_visible_size);
		igt_assert_lte_u64(region->cpu_visible_used, region->used);
		if (!i) {
			igt_assert_eq(region->mem_class, DRM_XE_MEM_REGION_CLASS_SYSMEM);
			igt_assert_eq_u32(region->min_page_size, SZ_4K);
			igt_assert(region->total_size);
			igt_assert_eq_u64(region->cpu_visible_size, 0);
			continue;
		}
		igt_assert_eq(region->mem_class, DRM_XE_MEM_REGION_CLASS_VRAM);
		igt_assert_eq_u32(region->min_page_size, SZ_64K);
		igt_assert_eq_u64(region->total_size, card->tiles[i - 1].hbm_total);
		igt_assert_eq_u64(region->cpu_visible_size, card->tiles[i - 1].hbm_visible);
	}
	free(list);
}

/* Bytes of tile 0 in use, as the query says it */
static uint64_t used_of(int fd)
{
	struct drm_xe_query_mem_regions *list;
	uint32_t size;
	uint64_t used;

	list = ask(fd, DRM_XE_DEVICE_QUERY_MEM_REGIONS, &size);
	used = list->mem_regions[1].used;
	free(list);
	return used;
}

static void test_used(int fd)
{
	uint64_t before;
	uint32_t bo;

	xetile_wait_hbm_free(fd);
	before = used_of(fd);
	bo = xetile_bo_color(fd, SZ_2M, DRM_XETILE_COLOR_TILE, 1, 0);
	igt_assert_lte_u64(before + SZ_2M, used_of(fd));
	xetile_bo_close(fd, bo);
	/* What others have is for those who may watch the machine. */
	igt_fork(child, 1) {
		igt_assert_eq(setuid(USER), 0);
		igt_assert_eq_u64(used_of(fd), 0);
	}
	igt_waitchildren();
}

static uint64_t config_of(int fd, unsigned int which)
{
	struct drm_xe_query_config *config;
	uint32_t size;
	uint64_t value;

	config = ask(fd, DRM_XE_DEVICE_QUERY_CONFIG, &size);
	igt_assert_lt(which, config->num_params);
	igt_assert_eq_u32(size, sizeof(*config) + config->num_params * sizeof(config->info[0]));
	value = config->info[which];
	free(config);
	return value;
}

static void test_config(const struct xetile_card *card)
{
	int fd = card->fd;

	igt_assert_eq_u64(config_of(fd, DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID),
			  card->device.device_id | card->device.revision << 16);
	/* Neither a hint for low latency nor mirrored addresses */
	igt_assert_eq_u64(config_of(fd, DRM_XE_QUERY_CONFIG_FLAGS),
			  DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM);
	igt_assert_eq_u64(config_of(fd, DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT), SZ_64K);
	igt_assert_eq_u64(config_of(fd, DRM_XE_QUERY_CONFIG_VA_BITS), 57);
	igt_assert_eq_u64(config_of(fd, DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY), 2);
	igt_fork(child, 1) {
		igt_assert_eq(setuid(USER), 0);
		igt_assert_eq_u64(config_of(fd, DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY), 1);
	}
	igt_waitchildren();
}

static void test_gt_list(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles, size;
	struct drm_xe_query_gt_list *list;

	list = ask(card->fd, DRM_XE_DEVICE_QUERY_GT_LIST, &size);
	igt_assert_eq_u32(list->num_gt, tiles);
	igt_assert_eq_u32(size, sizeof(*list) + tiles * sizeof(list->gt_list[0]));
	for (uint32_t i = 0; i < tiles; i++) {
		const struct drm_xe_gt *gt = &list->gt_list[i];

		igt_assert_eq(gt->type, DRM_XE_QUERY_GT_TYPE_MAIN);
		igt_assert_eq(gt->tile_id, i);
		igt_assert_eq(gt->gt_id, i);
		igt_assert_eq_u32(gt->reference_clock, card->device.timestamp_hz);
		igt_assert_eq_u64(gt->near_mem_regions, 1ull << (1 + i));
		igt_assert_eq_u64(gt->near_mem_regions | gt->far_mem_regions,
				  (1ull << (1 + tiles)) - 1);
		igt_assert_eq_u64(gt->near_mem_regions & gt->far_mem_regions, 0);
		igt_assert_eq(gt->ip_ver_major, 12);
		igt_assert_eq(gt->ip_ver_minor, 60);
		igt_assert_eq(gt->ip_ver_rev, card->device.revision & 7);
	}
	free(list);
}

/* The value of @key in a table of @words, which must have it once */
static uint32_t table_find(const uint32_t *table, uint32_t words, uint32_t key)
{
	uint32_t at = 0, value = 0, found = 0;

	while (at < words) {
		igt_assert_lte(at + 3, words);
		igt_assert_eq_u32(table[at + 1], 1);
		if (table[at] == key) {
			value = table[at + 2];
			found++;
		}
		at += 2 + table[at + 1];
	}
	igt_assert_eq_u32(at, words);
	igt_assert_eq_u32(found, 1);
	return value;
}

static void test_hwconfig(const struct xetile_card *card)
{
	uint32_t size, words, *table;

	table = ask(card->fd, DRM_XE_DEVICE_QUERY_HWCONFIG, &size);
	igt_assert_eq(size % sizeof(*table), 0);
	words = size / sizeof(*table);
	/* All bits of a tile's mask of DSS have a place. */
	igt_assert_eq_u32(table_find(table, words, MAX_SLICES), 8);
	igt_assert_eq_u32(table_find(table, words, MAX_DSS), 64);
	igt_assert_lte(card->device.eus_per_dss, table_find(table, words, MAX_EUS_PER_DSS));
	igt_assert_eq_u32(table_find(table, words, THREADS_PER_EU), card->device.threads_per_eu);
	igt_assert_eq_u32(table_find(table, words, SLM_PER_DSS), card->device.max_slm / 1024);
	free(table);
}

/* The mask in a record, which must be one of @gt and @type. Steps to the next record. */
static uint64_t record_next(const uint8_t **at, const uint8_t *end, uint16_t gt, uint16_t type)
{
	const struct drm_xe_query_topology_mask *record = (const void *)*at;
	uint64_t mask = 0;

	igt_assert(*at + sizeof(*record) <= end);
	igt_assert_eq(record->gt_id, gt);
	igt_assert_eq(record->type, type);
	igt_assert_lte(record->num_bytes, sizeof(mask));
	for (uint32_t i = 0; i < record->num_bytes; i++)
		mask |= (uint64_t)record->mask[i] << (8 * i);
	*at += sizeof(*record) + record->num_bytes;
	igt_assert(*at <= end);
	return mask;
}

static void test_topology(const struct xetile_card *card)
{
	const uint8_t *answer, *at, *end;
	uint32_t size;

	at = answer = ask(card->fd, DRM_XE_DEVICE_QUERY_GT_TOPOLOGY, &size);
	end = answer + size;
	for (uint32_t i = 0; i < card->device.num_tiles; i++) {
		const struct drm_xetile_query_tile *tile = &card->tiles[i];
		uint64_t mask;

		igt_assert_eq_u64(record_next(&at, end, i, DRM_XE_TOPO_DSS_GEOMETRY), 0);
		igt_assert_eq_u64(record_next(&at, end, i, DRM_XE_TOPO_DSS_COMPUTE),
				  tile->dss_mask);
		mask = record_next(&at, end, i, DRM_XE_TOPO_L3_BANK);
		igt_assert_eq(__builtin_popcountll(mask), tile->l3_banks);
		mask = record_next(&at, end, i, DRM_XE_TOPO_SIMD16_EU_PER_DSS);
		igt_assert_lte(card->device.eus_per_dss, __builtin_popcountll(mask));
		igt_assert_lte_u64(mask, 0xff);
	}
	igt_assert(at == end);
	free((void *)answer);
}

static int cycles_of(int fd, struct drm_xe_query_engine_cycles *cycles)
{
	struct drm_xe_device_query query = {
		.query = DRM_XE_DEVICE_QUERY_ENGINE_CYCLES, .size = sizeof(*cycles),
		.data = to_user(cycles),
	};

	return device_query(fd, &query);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	igt_assert_eq(clock_gettime(clock, &t), 0);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void check_cycles(int fd, const struct drm_xe_engine_class_instance *eci, clockid_t clock,
			 uint64_t hz)
{
	struct drm_xe_query_engine_cycles first = { *eci, clock }, second = { *eci, clock };
	uint64_t before = clock_ns(clock), ns, ticks;

	igt_assert_eq(cycles_of(fd, &first), 0);
	usleep(20000);
	igt_assert_eq(cycles_of(fd, &second), 0);
	/* What asks is as it was. */
	igt_assert_eq(memcmp(&first.eci, eci, sizeof(*eci)), 0);
	igt_assert_eq(first.clockid, clock);
	igt_assert_eq_u32(first.width, 36);
	igt_assert(!(first.engine_cycles >> 36 || second.engine_cycles >> 36));
	igt_assert_lte_u64(before, first.cpu_timestamp);
	igt_assert(first.cpu_timestamp < second.cpu_timestamp);
	igt_assert_lte_u64(second.cpu_timestamp, clock_ns(clock));
	/* The card's clock has the frequency that it says, within the time that the reads took. */
	ns = second.cpu_timestamp - first.cpu_timestamp;
	ticks = (second.engine_cycles - first.engine_cycles) & ((1ull << 36) - 1);
	ticks = ticks * 1000000000ull / hz;
	igt_assert_lte_u64(ticks, ns + second.cpu_delta + ns / 20 + 1000000);
	igt_assert_lte_u64(ns, ticks + first.cpu_delta + ns / 20 + 1000000);
}

static void test_cycles(const struct xetile_card *card)
{
	static const clockid_t clocks[] = {
		CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI,
	};
	struct drm_xe_query_engines *list;
	uint32_t size;

	list = ask(card->fd, DRM_XE_DEVICE_QUERY_ENGINES, &size);
	for (uint32_t i = 0; i < list->num_engines; i++)
		check_cycles(card->fd, &list->engines[i].instance, clocks[i % ARRAY_SIZE(clocks)],
			     card->device.timestamp_hz);
	free(list);
}

static void test_cycles_bad(const struct xetile_card *card)
{
	const struct drm_xe_query_engine_cycles good = {
		.eci = { .engine_class = DRM_XE_ENGINE_CLASS_COMPUTE }, .clockid = CLOCK_MONOTONIC,
	};
	static const clockid_t wrong[] = {
		CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_COARSE, -1, 1000,
	};
	struct drm_xe_query_engine_cycles cycles = good;
	struct drm_xe_device_query query = { .query = DRM_XE_DEVICE_QUERY_ENGINE_CYCLES };
	char name[32], *digit;

	igt_assert_eq(cycles_of(card->fd, &cycles), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		cycles = good;
		cycles.clockid = wrong[i];
		igt_assert_eq(cycles_of(card->fd, &cycles), -EINVAL);
	}
	cycles = good;
	cycles.eci.gt_id = card->device.num_tiles;
	igt_assert_eq(cycles_of(card->fd, &cycles), -EINVAL);
	cycles.eci.gt_id = 0xffff;
	igt_assert_eq(cycles_of(card->fd, &cycles), -EINVAL);
	cycles = good;
	cycles.eci.pad = 1;
	igt_assert_eq(cycles_of(card->fd, &cycles), -EINVAL);
	cycles = good;
	cycles.eci.engine_instance = card->tiles[0].ccs_mode;
	igt_assert_eq(cycles_of(card->fd, &cycles), -EINVAL);
	for (unsigned int class = 0; class < 8; class++) {
		cycles = good;
		cycles.eci.engine_class = class;
		cycles.eci.engine_instance = 0xffff;
		igt_assert_eq(cycles_of(card->fd, &cycles), -EINVAL);
		cycles.eci.engine_instance = 0;
		igt_assert_eq(cycles_of(card->fd, &cycles),
			      class == DRM_XE_ENGINE_CLASS_COMPUTE ||
			      class == DRM_XE_ENGINE_CLASS_COPY ? 0 : -EINVAL);
	}
	/* The copy engine of the driver's own is hidden. */
	xetile_kernel_engine(card->fd, name, sizeof(name));
	digit = name + strlen(name) - 1;
	cycles = good;
	cycles.eci.engine_class = DRM_XE_ENGINE_CLASS_COPY;
	cycles.eci.engine_instance = atoi(digit);
	igt_assert_eq(cycles_of(card->fd, &cycles), -EINVAL);

	query.size = sizeof(cycles) - 1;
	igt_assert_eq(device_query(card->fd, &query), -EINVAL);
	query.size = sizeof(cycles);
	query.data = BAD_POINTER;
	igt_assert_eq(device_query(card->fd, &query), -EFAULT);
}

static void test_bad(int fd)
{
	/* The call may leave these as they are, or write them. */
	const struct drm_xe_device_query cases[] = {
		{ .extensions = to_user(&fd) }, { .extensions = BAD_POINTER },
		{ .reserved = { 1 } }, { .reserved = { 0, 1 } },
	};
	struct drm_xe_device_query query;

	for (unsigned int i = 0; i < ARRAY_SIZE(fact_queries); i++) {
		uint32_t size;
		void *answer = ask(fd, fact_queries[i], &size);
		const uint32_t sizes[] = { 1, size - 1, size + 1, size + 4096, ~0u };

		for (unsigned int k = 0; k < ARRAY_SIZE(sizes); k++) {
			query = (struct drm_xe_device_query) {
				.query = fact_queries[i], .size = sizes[k],
				.data = to_user(answer),
			};
			igt_assert_eq(device_query(fd, &query), -EINVAL);
		}
		query.size = size;
		query.data = 0;
		igt_assert_eq(device_query(fd, &query), -EFAULT);
		query.data = BAD_POINTER;
		igt_assert_eq(device_query(fd, &query), -EFAULT);
		query.data = ~0ull - 3;
		igt_assert_eq(device_query(fd, &query), -EFAULT);
		for (unsigned int k = 0; k < ARRAY_SIZE(cases); k++) {
			query = cases[k];
			query.query = fact_queries[i];
			igt_assert_eq(device_query(fd, &query), -EINVAL);
		}
		free(answer);
	}
}

static void test_unknown(int fd)
{
	static const struct {
		uint32_t query;
		int err;
	} cases[] = {
		{ QUERY_EU_STALL, -ENODEV },
		{ QUERY_FIRST_UNKNOWN, -EINVAL },
		{ 1u << 31, -EINVAL },
		{ ~0u, -EINVAL },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_xe_device_query query = { .query = cases[i].query };

		igt_assert_eq(device_query(fd, &query), cases[i].err);
		igt_assert_eq_u32(query.size, 0);
	}
}

/* Asks for an answer of the right size, which is @size, and of wrong ones. */
static void check_absent(int fd, uint32_t what, uint32_t size, const void *data, int err)
{
	struct drm_xe_device_query query = { .query = what };

	igt_assert_eq(device_query(fd, &query), 0);
	igt_assert_eq_u32(query.size, size);
	query.data = to_user(data);
	igt_assert_eq(device_query(fd, &query), err);
	query.size = size + 1;
	igt_assert_eq(device_query(fd, &query), -EINVAL);
	query.size = size - 1;
	igt_assert_eq(device_query(fd, &query), -EINVAL);
}

static void test_absent(int fd)
{
	static const struct {
		struct drm_xe_query_uc_fw_version version;
		int err;
	} cases[] = {
		{ { .uc_type = XE_QUERY_UC_TYPE_GUC_SUBMISSION }, -ENODEV },
		{ { .uc_type = XE_QUERY_UC_TYPE_HUC }, -ENODEV },
		{ { .uc_type = XE_QUERY_UC_TYPE_HUC + 1 }, -EINVAL },
		{ { .uc_type = 0xffff }, -EINVAL },
		{ { .pad = 1 }, -EINVAL },
		{ { .pad2 = 1 }, -EINVAL },
		{ { .reserved = 1 }, -EINVAL },
	};
	struct drm_xe_query_oa_units *units;
	uint64_t words[1];
	uint32_t size;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		check_absent(fd, DRM_XE_DEVICE_QUERY_UC_FW_VERSION, sizeof(cases[i].version),
			     &cases[i].version, cases[i].err);
	check_absent(fd, DRM_XE_DEVICE_QUERY_UC_FW_VERSION, sizeof(cases[0].version),
		     (void *)BAD_POINTER, -EFAULT);
	check_absent(fd, QUERY_PXP_STATUS, sizeof(words), words, -ENODEV);
	units = ask(fd, DRM_XE_DEVICE_QUERY_OA_UNITS, &size);
	igt_assert_eq_u32(size, sizeof(*units));
	igt_assert_eq_u32(units->num_oa_units, 0);
	free(units);
}

igt_main
{
	struct xetile_card card;

	igt_fixture
		xetile_open_card(&card);

	igt_describe("The engines must be those that queues can use, compute ones by slice (M20)");
	igt_subtest("engines")
		test_engines(card.fd);

	igt_describe("The engines must follow the mode of the tile (M20)");
	igt_subtest("mode")
		test_mode(card.fd);

	igt_describe("System memory and the HBM of each tile must be a region (M20)");
	igt_subtest("mem-regions")
		test_mem_regions(&card);

	igt_describe("The memory in use must be true, and hidden from whom it does not concern");
	igt_subtest("used")
		test_used(card.fd);

	igt_describe("The configuration must be the card's, and promise nothing else (M20)");
	igt_subtest("config")
		test_config(&card);

	igt_describe("Each tile must have a GT of its number near its own HBM (M20)");
	igt_subtest("gt-list")
		test_gt_list(&card);

	igt_describe("The table must have room for the geometry of the whole part (M20)");
	igt_subtest("hwconfig")
		test_hwconfig(&card);

	igt_describe("The masks must be those of the fuses (M20)");
	igt_subtest("topology")
		test_topology(&card);

	igt_describe("The time of each engine must pass as on all clocks (M20)");
	igt_subtest("cycles")
		test_cycles(&card);

	igt_describe("No other clock and no hidden engine may be asked for");
	igt_subtest("cycles-bad")
		test_cycles_bad(&card);

	igt_describe("Wrong sizes, pointers, extensions and reserved fields must be refused");
	igt_subtest("bad")
		test_bad(card.fd);

	igt_describe("Who asks for what the card lacks must be told so, in the answer (M20)");
	igt_subtest("absent")
		test_absent(card.fd);

	igt_describe("What the card does not have must be answered as xe does");
	igt_subtest("unknown")
		test_unknown(card.fd);

	igt_fixture
		close(card.fd);
}
