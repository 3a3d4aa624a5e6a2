// SPDX-License-Identifier: MIT
/*
 * QUERY: the description of the card, and every wrong way to ask for it.
 * Statements: S32-S34, S37, S69, S84-S86, S102, S103, C6, W9.
 *
 * suite: igt soak-alone 1-tile 2nd-card 4-tiles
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Description of the card by DRM_IOCTL_XETILE_QUERY");

static const struct {
	uint32_t item;
	uint32_t elem;
	uint32_t first;		/* size of an element in version 1.0 */
} items[] = {
	{ DRM_XETILE_QUERY_DEVICE, sizeof(struct drm_xetile_query_device), 64 },
	{ DRM_XETILE_QUERY_TILES, sizeof(struct drm_xetile_query_tile), 64 },
	{ DRM_XETILE_QUERY_ENGINES, sizeof(struct drm_xetile_query_engine), 16 },
	{ DRM_XETILE_QUERY_DISTANCES, sizeof(struct drm_xetile_query_distance), 8 },
};

/*
 * Asks twice, as programs do: for the number of elements, and for the elements. Allocates @data for
 * them. Returns their number.
 */
static uint32_t query_alloc(int fd, uint32_t item, uint32_t elem, void **data)
{
	struct drm_xetile_query q = { .item = item };
	uint32_t num;

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &q), 0);
	igt_assert_eq_u32(q.elem_size, elem);
	num = q.answer.count;
	igt_assert_neq(num, 0);
	*data = malloc(num * elem);
	igt_assert(*data);
	q.answer.data = to_user(*data);
	q.answer.stride = elem;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &q), 0);
	igt_assert_eq_u32(q.answer.count, num);
	return num;
}

static void test_tiles(const struct xetile_card *card)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < card->device.num_tiles; i++) {
		const struct drm_xetile_query_tile *t = &card->tiles[i];

		igt_assert_eq_u32(t->tile, i);
		igt_assert_lte_u64(t->hbm_used, t->hbm_total);
		igt_assert_lte_u64(t->hbm_visible, t->hbm_total);
		igt_assert(t->hbm_total % DRM_XETILE_COLOR_PAGE == 0);
		igt_assert_eq_u32(t->num_cslices, __builtin_popcount(t->cslice_mask));
		igt_assert_eq_u32(t->num_dss, __builtin_popcountll(t->dss_mask));
		igt_assert(t->ccs_modes & (1u << t->ccs_mode));
		for (uint32_t mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode++)
			igt_assert_eq(!!(t->ccs_modes & (1u << mode)),
				      mode != 3 && t->num_cslices % mode == 0);
		total += t->hbm_total;
	}
	igt_assert(total);
}

static void test_engines(const struct xetile_card *card)
{
	unsigned int compute[DRM_XETILE_MAX_TILES] = { 0 }, copy[DRM_XETILE_MAX_TILES] = { 0 };
	uint32_t slices[DRM_XETILE_MAX_TILES] = { 0 };
	struct drm_xetile_query_engine *e;
	uint32_t n = query_alloc(card->fd, DRM_XETILE_QUERY_ENGINES, sizeof(*e), (void **)&e);

	for (uint32_t i = 0; i < n; i++) {
		igt_assert_lt(e[i].tile, card->device.num_tiles);
		igt_assert_eq(e[i].pad, 0);
		if (e[i].engine_class == DRM_XETILE_ENGINE_COPY) {
			igt_assert_eq(e[i].cslice_mask, 0);
			copy[e[i].tile]++;
			continue;
		}
		igt_assert_eq(e[i].engine_class, DRM_XETILE_ENGINE_COMPUTE);
		/* No cslice belongs to two engines. */
		igt_assert_eq(slices[e[i].tile] & e[i].cslice_mask, 0);
		igt_assert_neq(e[i].num_eus, 0);
		slices[e[i].tile] |= e[i].cslice_mask;
		compute[e[i].tile]++;
	}
	for (uint32_t t = 0; t < card->device.num_tiles; t++) {
		igt_assert_eq(compute[t], card->tiles[t].ccs_mode);
		igt_assert_eq_u32(slices[t], card->tiles[t].cslice_mask);
		igt_assert_eq(copy[t], card->tiles[t].num_copy_engines);
	}
	free(e);
}

static void test_distances(const struct xetile_card *card)
{
	struct drm_xetile_query_distance *d;
	uint32_t tiles = card->device.num_tiles;
	uint32_t n = query_alloc(card->fd, DRM_XETILE_QUERY_DISTANCES, sizeof(*d), (void **)&d);

	igt_assert_eq_u32(n, tiles * (tiles + 1));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t hop = d[i].memory == DRM_XETILE_MEM_SYSTEM ? DRM_XETILE_HOP_BUS :
			       d[i].memory != d[i].tile ? DRM_XETILE_HOP_TILE : DRM_XETILE_HOP_NONE;

		igt_assert_eq_u32(d[i].hop, hop);
		igt_assert_eq_u32(d[i].pad, 0);
		/* One more hop is farther. */
		for (uint32_t j = 0; j < n; j++)
			igt_assert(d[i].hop >= d[j].hop || d[i].distance < d[j].distance);
		if (!hop)
			igt_assert_eq(d[i].distance, 10);
	}
	free(d);
}

/*
 * A program of a newer header, with longer elements, and a program with room for too few elements:
 * each gets the fields and elements that both sides know.
 */
static void test_stride(int fd)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(items); i++) {
		uint32_t elem = items[i].elem, num, stride = elem + 24;
		uint8_t *plain, *wide, *few;

		num = query_alloc(fd, items[i].item, elem, (void **)&plain);
		wide = malloc(num * stride);
		memset(wide, 0xa5, num * stride);
		igt_assert_eq_u32(xetile_query(fd, items[i].item, (struct drm_xetile_array) {
			to_user(wide), num, stride }), num);
		for (uint32_t n = 0; n < num; n++) {
			igt_assert_eq(memcmp(wide + n * stride, plain + n * elem, elem), 0);
			for (uint32_t at = elem; at < stride; at++)
				igt_assert_eq(wide[n * stride + at], 0);
		}
		few = malloc(num * elem);
		memset(few, 0xa5, num * elem);
		igt_assert_eq_u32(xetile_query(fd, items[i].item, (struct drm_xetile_array) {
			to_user(few), num - 1, elem }), num);
		igt_assert_eq(memcmp(few, plain, (num - 1) * elem), 0);
		for (uint32_t at = (num - 1) * elem; at < num * elem; at++)
			igt_assert_eq(few[at], 0xa5);
		/* A program of the first header, with shorter elements */
		memset(few, 0xa5, num * elem);
		igt_assert_eq_u32(xetile_query(fd, items[i].item, (struct drm_xetile_array) {
			to_user(few), num, items[i].first }), num);
		for (uint32_t n = 0; n < num; n++)
			igt_assert_eq(memcmp(few + n * items[i].first, plain + n * elem,
					     items[i].first), 0);
		free(few);
		free(wide);
		free(plain);
	}
}

static void test_bad(int fd)
{
	struct drm_xetile_array answer;
	void *data;

	for (unsigned int i = 0; i < ARRAY_SIZE(items); i++) {
		uint32_t elem = items[i].elem;
		uint32_t num = query_alloc(fd, items[i].item, elem, &data);
		const struct {
			int err;
			struct drm_xetile_array answer;
		} cases[] = {
			{ EINVAL, { to_user(data), num, items[i].first - 1 } },
			{ EINVAL, { to_user(data), num, 0 } },
			{ EINVAL, { to_user(data), num, DRM_XETILE_MAX_STRIDE + 1 } },
			{ EINVAL, { to_user(data), num, ~0u } },
			{ EFAULT, { BAD_POINTER, num, elem } },
			{ EFAULT, { BAD_POINTER, ~0u, elem + 8 } },
		};

		for (unsigned int k = 0; k < ARRAY_SIZE(cases); k++) {
			answer = cases[k].answer;
			igt_assert_eq(__xetile_query(fd, items[i].item, &answer), -cases[k].err);
			igt_assert_eq(memcmp(&answer, &cases[k].answer, sizeof(answer)), 0);
		}
		free(data);
	}
	answer = (struct drm_xetile_array) { 0 };
	igt_assert_eq(__xetile_query(fd, ARRAY_SIZE(items), &answer), -EINVAL);
	igt_assert_eq(__xetile_query(fd, ~0u, &answer), -EINVAL);
}

/* The driver's own ioctls have consecutive numbers from 0x40 on. Those below are xe's. */
static void test_unknown_ioctl(int fd)
{
	char buf[256] = { 0 };

	igt_assert_eq(DRM_XETILE_QUERY, 0x40);
	for (unsigned int nr = 0x20; nr < DRM_COMMAND_END - DRM_COMMAND_BASE; nr++)
		if (nr < DRM_XETILE_QUERY || nr > DRM_XETILE_PROCESS)
			igt_assert_eq(xetile_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE + nr, char[64]),
						   buf), -EINVAL);
}

/* Makes the ioctl as a 32-bit program does: by another entry, with 32-bit numbers and pointers. */
static int compat_ioctl(int fd, uint32_t request, void *arg)
{
	int ret;

	asm volatile("int $0x80" : "=a"(ret)
		     : "a"(54), "b"(fd), "c"(request), "d"((uint32_t)(uintptr_t)arg)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static void test_compat(const struct xetile_card *card)
{
	struct {
		struct drm_xetile_query query;
		struct drm_xetile_query_device device;
	} *low = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	igt_assert(low != MAP_FAILED);
	low->query = (struct drm_xetile_query) {
		.item = DRM_XETILE_QUERY_DEVICE, .answer = DRM_XETILE_ARRAY(&low->device, 1),
	};
	igt_assert_eq(compat_ioctl(card->fd, DRM_IOCTL_XETILE_QUERY, low), 0);
	igt_assert_eq(memcmp(&low->device, &card->device, sizeof(low->device)), 0);
	low->query.item = ~0u;
	igt_assert_eq(compat_ioctl(card->fd, DRM_IOCTL_XETILE_QUERY, low), -EINVAL);
	munmap(low, SZ_4K);
}

/* debugfs must agree with the calls, and with the fuses and registers. */
static void test_debugfs(const struct xetile_card *card)
{
	uint64_t modes = 0, banks = 0, copies = 0, dss = 0, used;
	uint32_t bo;

	for (uint32_t t = 0; t < card->device.num_tiles; t++) {
		modes += card->tiles[t].ccs_mode;
		banks += card->tiles[t].l3_banks;
		dss += card->tiles[t].dss_mask;
		copies += card->tiles[t].num_copy_engines;
	}
	igt_assert_eq_u64(xetile_debugfs_sum(card->fd, "tiles", "ccs_mode"), modes);
	igt_assert_eq_u64(xetile_debugfs_sum(card->fd, "tiles", "l3_banks"), banks);
	igt_assert_eq_u64(xetile_debugfs_sum(card->fd, "tiles", "dss_mask"), dss);
	igt_assert_eq_u64(xetile_debugfs_sum(card->fd, "tiles", "eus_per_dss"),
			  card->device.eus_per_dss * card->device.num_tiles);

	used = xetile_debugfs_sum(card->fd, "hbm", "used");
	bo = xetile_bo(card->fd, 8 * SZ_2M, DRM_XETILE_PLACE_HBM);
	igt_assert_eq_u64(xetile_debugfs_sum(card->fd, "hbm", "used"), used + 8 * SZ_2M);
	xetile_bo_close(card->fd, bo);
	igt_assert_lte_u64(xetile_debugfs_sum(card->fd, "hbm", "visible"),
			   xetile_debugfs_sum(card->fd, "hbm", "usable"));
	igt_assert_lte_u64(xetile_debugfs_sum(card->fd, "hbm", "usable"),
			   xetile_debugfs_sum(card->fd, "hbm", "size"));

	igt_assert(xetile_debugfs_sum(card->fd, "ggtt", "total:"));
	/* Each tile's MTCFG holds its number; the numbers add up. Each engine has a status page. */
	igt_assert_eq_u64(xetile_debugfs_sum(card->fd, "registers", "PVC_MTCFG") & 0xff,
			  card->device.num_tiles * (card->device.num_tiles - 1) / 2);
	igt_assert_lte_u64(copies * SZ_4K,
			   xetile_debugfs_sum(card->fd, "engines", "RING_HWS_PGA"));
	/* The engine that cleared the buffer must be free first. */
	xetile_wait_engines_free(card->fd);
	igt_assert(xetile_hbm_comes_back(card->fd, used));
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("The device must report its tiles, the 64 KiB color page (C6) and its "
		     "address space");
	igt_subtest("device") {
		igt_assert_eq(card.device.color_page, DRM_XETILE_COLOR_PAGE);
		igt_assert_eq(card.device.bind_align, SZ_64K);
		igt_assert_eq(card.device.bind_align_system, SZ_4K);
		igt_assert_lte(1, card.device.num_tiles);
		igt_assert_lte(card.device.num_tiles, DRM_XETILE_MAX_TILES);
		/* The hardware has 2^57 addresses, of which the driver keeps the last 2^48. */
		igt_assert_eq_u64(card.device.va_size, (1ull << 57) - (1ull << 48));
		igt_assert(card.device.timestamp_hz);
		igt_assert_neq(card.device.threads_per_eu, 0);
	}

	igt_describe("Tiles must report HBM, cslices and modes consistently (S32-S34, S69)");
	igt_subtest("tiles")
		test_tiles(&card);

	igt_describe("The tiles must be the same in the same order each time (S103)");
	igt_subtest("persistent-order") {
		for (int i = 0; i < 10; i++) {
			struct drm_xetile_query_tile again[DRM_XETILE_MAX_TILES] = { 0 };
			int fd = xetile_reopen(card.fd);

			igt_assert_eq_u32(xetile_query_tiles(fd, again), card.device.num_tiles);
			for (uint32_t t = 0; t < card.device.num_tiles; t++) {
				again[t].hbm_used = card.tiles[t].hbm_used;
				/* Nor does what moves count. */
				igt_assert_eq(memcmp(&again[t], &card.tiles[t],
					offsetof(struct drm_xetile_query_tile, moved_access)), 0);
			}
			close(fd);
		}
	}

	igt_describe("Every cslice must belong to exactly one compute engine (S84-S86)");
	igt_subtest("engines")
		test_engines(&card);

	igt_describe("Each tile must be closer to its own memory than to any other, by each hop");
	igt_subtest("distances")
		test_distances(&card);

	igt_describe("HBM in use must be reported per tile, to every client (W9)");
	igt_subtest("hbm-used") {
		uint64_t used = xetile_hbm_used(card.fd);

		for (uint32_t t = 0; t < card.device.num_tiles; t++) {
			struct drm_xetile_query_tile before[DRM_XETILE_MAX_TILES];
			struct drm_xetile_query_tile after[DRM_XETILE_MAX_TILES];
			uint32_t bo;

			xetile_query_tiles(card.fd, before);
			bo = xetile_bo_color(card.fd, 8 * SZ_2M, DRM_XETILE_COLOR_TILE, 1u << t, 0);
			xetile_query_tiles(card.fd, after);
			igt_assert_eq_u64(after[t].hbm_used, before[t].hbm_used + 8 * SZ_2M);
			xetile_bo_close(card.fd, bo);
		}
		igt_assert(xetile_hbm_comes_back(card.fd, used));
	}

	igt_describe("Longer elements, and arrays that are too short, must get what both sides "
		     "know");
	igt_subtest("stride")
		test_stride(card.fd);

	igt_describe("Bad sizes, pointers and items must be refused, and the failed call write "
		     "nothing");
	igt_subtest("bad-input")
		test_bad(card.fd);

	igt_describe("Unknown ioctl numbers must be refused");
	igt_subtest("bad-ioctl-number")
		test_unknown_ioctl(card.fd);

	igt_describe("32-bit programs must get the same answers");
	igt_subtest("compat")
		test_compat(&card);

	igt_describe("The debugfs files must agree with the calls");
	igt_subtest("debugfs") {
		igt_require(!geteuid());
		test_debugfs(&card);
	}

	igt_fixture
		close(card.fd);
}
