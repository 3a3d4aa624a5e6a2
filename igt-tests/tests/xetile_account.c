// SPDX-License-Identifier: MIT
/*
 * The use of shared resources is counted against the client that causes it: in fdinfo, and in the
 * client's control group, also for the copies that are made when idle buffers give their pages
 * back.
 *
 * suite: igt
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_memcg.h"
#include "xetile_swap.h"

IGT_TEST_DESCRIPTION("A client is charged for its use of shared resources");

/* --- memory ---------------------------------------------------------------------- */

#define LONE	64u

/* fdinfo counts contexts and page tables as memory of the file. */
static void test_fdinfo(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t vm, queue, bo = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	uint64_t roots, tables, context;

	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-hbm0"), 0);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-system"), SZ_64K);

	vm = xetile_vm(fd);
	roots = xetile_fdinfo_bytes(fd, "drm-resident-hbm0");
	igt_assert_eq_u64(roots, SZ_4K);
	if (card->device.num_tiles > 1)
		igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-hbm1"), SZ_4K);

	/* Each lone mapping needs a table of its own on each tile. */
	for (uint64_t i = 1; i <= LONE; i++)
		xetile_vm_map(fd, vm, bo, 0, i << 30, SZ_64K);
	tables = xetile_fdinfo_bytes(fd, "drm-resident-hbm0") - roots;
	igt_assert_lte_u64(LONE * SZ_4K, tables);
	if (card->device.num_tiles > 1)
		igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-hbm1"), roots + tables);

	queue = xetile_copy_queue(fd, vm);
	context = xetile_fdinfo_bytes(fd, "drm-total-hbm0") - roots - tables;
	/* the ring and the registers */
	igt_assert_lte_u64(SZ_64K / 2, context);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-system"), SZ_64K + SZ_4K);
	/* This memory is not shared. */
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-shared-hbm0"), 0);

	xetile_queue_destroy(fd, queue);
	xetile_assert_soon(xetile_fdinfo_bytes(fd, "drm-total-hbm0") == roots + tables);
	xetile_assert_soon(xetile_fdinfo_bytes(fd, "drm-total-system") == SZ_64K);
	xetile_vm_destroy(fd, vm);
	xetile_assert_soon(!xetile_fdinfo_bytes(fd, "drm-total-hbm0"));
	xetile_bo_close(fd, bo);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-system"), 0);
	close(fd);
}

/* --- control groups --------------------------------------------------------------- */

#define GROUPS		"/tmp/xetile-groups"
#define GROUP		GROUPS "/client"
#define GROUP_MAX	(32ull << 20)
#define PIECE		(4ull << 20)

/* Creates a group whose @controller counts, with the limit @max in @file. */
static void group_begin(const char *controller, const char *file, const char *max)
{
	char path[96], text[32];

	mkdir(GROUPS, 0700);
	igt_require_f(!mount("none", GROUPS, "cgroup2", 0, NULL), "no control groups\n");
	mkdir(GROUP, 0700);
	snprintf(text, sizeof(text), "+%s", controller);
	snprintf(path, sizeof(path), GROUP "/%s", file);
	igt_require_f(!xetile_write_file(GROUPS "/cgroup.subtree_control", text) &&
		      !access(path, W_OK), "the kernel has no control group for %s\n",
		      controller);
	igt_assert_eq(xetile_write_file(path, max), 0);
}

static void group_end(void)
{
	if (!access(GROUP, F_OK))
		xetile_assert_soon(!rmdir(GROUP));
	if (!access(GROUPS "/cgroup.procs", F_OK))
		igt_assert(!umount(GROUPS));
	rmdir(GROUPS);
}

/* Returns how many pieces a member of the group gets; @err becomes the errno of the next one. */
static unsigned int take_pieces(const struct xetile_card *card, uint32_t placement, int *err)
{
	struct drm_xetile_bo_create args;
	unsigned int n = 0;
	int fd;

	igt_assert_eq(xetile_write_file(GROUP "/cgroup.procs", "0"), 0);
	fd = xetile_reopen(card->fd);
	do {
		args = (struct drm_xetile_bo_create) {
			.size = PIECE, .placement = placement,
		};
		*err = __xetile_bo_create(fd, &args);
	} while (!*err && ++n < 2 * GROUP_MAX / PIECE);
	close(fd);
	return n;
}

/* The pages of a BO are charged to the process that creates the BO, up to its group's limit. */
static void test_memory_group(const struct xetile_card *card)
{
	char max[24];

	snprintf(max, sizeof(max), "%llu", GROUP_MAX);
	group_begin("memory", "memory.max", max);
	igt_fork(child, 1) {
		unsigned int n;
		int err;

		n = take_pieces(card, DRM_XETILE_PLACE_SYSTEM, &err);
		igt_assert_eq(err, -ENOMEM);
		igt_assert_lte(1, n);
		igt_assert_lte(n, GROUP_MAX / PIECE);
	}
	igt_waitchildren();
	/* Processes outside the group are not limited. */
	for (unsigned int i = 0; i < 2 * GROUP_MAX / PIECE; i++) {
		uint32_t bo = xetile_bo(card->fd, PIECE, DRM_XETILE_PLACE_SYSTEM);

		xetile_bo_close(card->fd, bo);
	}
}

#define HELD		(3 * GROUP_MAX)
#define WORDS		0x600d0000u

/*
 * Takes more HBM than its group may have of memory, until the pipe @stop ends; then checks that the
 * HBM's contents survived eviction.
 */
static void hold_hbm(const struct xetile_card *card, int ready, int stop)
{
	int fd;
	uint32_t *maps[HELD / PIECE];
	char c;

	igt_assert_eq(xetile_write_file(GROUP "/cgroup.procs", "0"), 0);
	fd = xetile_reopen(card->fd);
	for (unsigned int i = 0; i < HELD / PIECE; i++) {
		maps[i] = xetile_bo_map(fd, xetile_bo_color(fd, PIECE, DRM_XETILE_COLOR_TILE, 1, 0),
					PIECE);
		maps[i][PIECE / 4 - 1] = WORDS + i;
	}
	igt_assert_eq(write(ready, "", 1), 1);
	igt_assert_eq(read(stop, &c, 1), 0);
	for (unsigned int i = 0; i < HELD / PIECE; i++)
		igt_assert_eq_u32(maps[i][PIECE / 4 - 1], WORDS + i);
}

/* HBM is evicted even when its owner's group cannot pay for the system memory. */
static void test_evicted_group(const struct xetile_card *card)
{
	struct drm_xetile_bo_create args = {
		.size = (card->tiles[0].hbm_total - HELD / 2) / SZ_2M * SZ_2M,
		.placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	int ready[2], stop[2];
	char max[24], c;

	snprintf(max, sizeof(max), "%llu", GROUP_MAX);
	group_begin("memory", "memory.max", max);
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(stop), 0);
	igt_fork(child, 1) {
		close(stop[1]);
		hold_hbm(card, ready[1], stop[0]);
	}
	close(ready[1]);
	igt_assert_eq(read(ready[0], &c, 1), 1);
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	xetile_bo_close(card->fd, args.handle);
	close(stop[1]);
	igt_waitchildren();
	close(stop[0]);
	close(ready[0]);
}

/*
 * Returns the number of a tile's HBM in a dmem file of the group; @region becomes the region's
 * name.
 */
static unsigned long long dmem_value(const char *path, unsigned int tile, char *region)
{
	unsigned long long value = 0;
	char line[256], name[16];
	bool found = false;
	FILE *file = fopen(path, "re");

	igt_assert_f(file, "%s: %m\n", path);
	snprintf(name, sizeof(name), "/hbm%u ", tile);
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, name) && sscanf(line, "%127s %llu", region, &value) == 2;
	fclose(file);
	igt_assert_f(found, "%s: no region is called hbm%u\n", path, tile);
	return value;
}

static unsigned long long dmem_current(unsigned int tile)
{
	char region[128];

	return dmem_value(GROUP "/dmem.current", tile, region);
}

#define PIECES		(GROUP_MAX / PIECE)

/* Creates a buffer in equal parts on the tiles of @tile_mask. Returns 0 or -errno. */
static int take_piece(int fd, uint64_t size, uint32_t tile_mask, uint32_t placement,
		      uint32_t *bo)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_EVEN, .tile_mask = tile_mask,
	};
	int err = __xetile_bo_create(fd, &args);

	*bo = args.handle;
	return err;
}

/* Fills each tile up to the group's limit there; a tile does not count for another tile's limit. */
static void fill_group(int fd, unsigned int num_tiles, uint32_t bos[][PIECES])
{
	uint32_t bo;

	for (unsigned int t = 0; t < num_tiles; t++) {
		for (unsigned int i = 0; i < PIECES; i++) {
			igt_assert_eq(take_piece(fd, PIECE, 1u << t, DRM_XETILE_PLACE_HBM,
						 &bos[t][i]), 0);
			igt_assert_eq_u64(dmem_current(t), (i + 1) * PIECE);
		}
		igt_assert_eq(take_piece(fd, PIECE, 1u << t, DRM_XETILE_PLACE_HBM, &bo), -ENOSPC);
		igt_assert_eq_u64(dmem_current(t), GROUP_MAX);
		if (t + 1 < num_tiles)
			igt_assert_eq_u64(dmem_current(t + 1), 0);
	}
}

/*
 * A buffer of all tiles is refused, and charged on no tile, until each tile has room for its part.
 */
static void share_group(int fd, unsigned int num_tiles, uint32_t bos[][PIECES])
{
	uint32_t all = (1u << num_tiles) - 1, shared;

	for (unsigned int t = 0; t < num_tiles; t++) {
		igt_assert_eq(take_piece(fd, num_tiles * PIECE, all, DRM_XETILE_PLACE_HBM, &shared),
			      -ENOSPC);
		for (unsigned int other = 0; other < t; other++)
			igt_assert_eq_u64(dmem_current(other), GROUP_MAX - PIECE);
		xetile_bo_close(fd, bos[t][0]);
		xetile_assert_soon(dmem_current(t) == GROUP_MAX - PIECE);
	}
	igt_assert_eq(take_piece(fd, num_tiles * PIECE, all, DRM_XETILE_PLACE_HBM, &shared), 0);
	for (unsigned int t = 0; t < num_tiles; t++)
		igt_assert_eq_u64(dmem_current(t), GROUP_MAX);
}

/*
 * The recolor of another group's buffer has the caller's group pay for all of it. When the limit is
 * lower, a buffer that may be in system memory goes there, and another one stays as it is.
 */
static void recolor_others(int fd, const uint32_t bos[2])
{
	struct drm_xetile_bo_range range = {
		.size = SZ_64K, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 2,
	};
	struct drm_xetile_bo_recolor args = { .ranges = DRM_XETILE_ARRAY(&range, 1) };
	struct drm_xetile_color_run runs[4];

	args.handle = bos[0];
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args), 0);
	igt_assert_eq(xetile_bo_runs(fd, bos[0], runs, 4), 1);
	igt_assert_eq_u32(runs[0].tile, DRM_XETILE_MEM_SYSTEM);
	args.handle = bos[1];
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args), -ENOSPC);
	igt_assert_eq(xetile_bo_runs(fd, bos[1], runs, 4), 2);
	igt_assert_eq_u32(runs[0].tile, 0);
	for (unsigned int t = 0; t < 2; t++)
		igt_assert_eq_u64(dmem_current(t), 0);
}

/*
 * A member of the group. @others are buffers of no member. Writes to @ready when it has all that the group may have, and goes on when
 * @go is readable.
 */
static void use_group(const struct xetile_card *card, const uint32_t others[2], int ready, int go)
{
	unsigned int num_tiles = card->device.num_tiles;
	uint32_t bos[DRM_XETILE_MAX_TILES][PIECES], vm, bo;
	struct drm_xetile_color_run run;
	char c;
	int fd;

	igt_assert_eq(xetile_write_file(GROUP "/cgroup.procs", "0"), 0);
	if (num_tiles > 1)
		recolor_others(card->fd, others);
	fd = xetile_reopen(card->fd);
	fill_group(fd, num_tiles, bos);
	share_group(fd, num_tiles, bos);
	/* A buffer that may be in system memory goes there. */
	igt_assert_eq(take_piece(fd, PIECE, 1, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
				 &bo), 0);
	igt_assert_eq(xetile_bo_runs(fd, bo, &run, 1), 1);
	igt_assert_eq_u32(run.tile, DRM_XETILE_MEM_SYSTEM);
	igt_assert_eq(write(ready, "", 1), 1);

	/* Evicted buffers are not charged; a buffer that returns to HBM is charged again. */
	igt_assert_eq(read(go, &c, 1), 1);
	for (unsigned int t = 0; t < num_tiles; t++)
		xetile_assert_soon(!dmem_current(t));
	vm = xetile_vm(fd);
	xetile_vm_map(fd, vm, bos[0][1], 0, SZ_1G, PIECE);
	igt_assert_eq_u64(dmem_current(0), PIECE);
	close(fd);
}

/*
 * Where the kernel has a control group for HBM, HBM is charged by tile, and the limit of a group
 * does not hurt other clients.
 */
static void test_hbm_group(const struct xetile_card *card)
{
	uint32_t other = xetile_bo(card->fd, 2 * GROUP_MAX, DRM_XETILE_PLACE_HBM);
	uint32_t tiles = (1u << card->device.num_tiles) - 1, others[2];
	struct drm_xetile_color_run run;
	int ready[2], go[2];
	char c;

	group_begin("dmem", "dmem.max", "");
	for (unsigned int t = 0; t < card->device.num_tiles; t++) {
		char region[128], max[192];

		igt_assert_eq_u64(dmem_value(GROUPS "/dmem.capacity", t, region),
				  card->tiles[t].hbm_total);
		snprintf(max, sizeof(max), "%s %llu", region, GROUP_MAX);
		igt_assert_eq(xetile_write_file(GROUP "/dmem.max", max), 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(take_piece(card->fd, 2 * GROUP_MAX, tiles & 3, i ? DRM_XETILE_PLACE_HBM :
					 DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
					 &others[i]), 0);
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(go), 0);
	igt_fork(child, 1) {
		close(go[1]);
		use_group(card, others, ready[1], go[0]);
	}
	close(ready[1]);
	igt_assert_eq(read(ready[0], &c, 1), 1);
	/* No buffer was evicted for a client that was over its limit. */
	igt_assert_lte(1, xetile_bo_runs(card->fd, other, &run, 1));
	igt_assert_eq_u32(run.tile, 0);
	xetile_evict_all(card->fd);
	igt_assert_eq(write(go[1], "", 1), 1);
	igt_waitchildren();
	for (unsigned int t = 0; t < card->device.num_tiles; t++)
		xetile_assert_soon(!dmem_current(t));
	close(go[0]);
	close(go[1]);
	close(ready[0]);
	for (unsigned int i = 0; i < 2; i++)
		xetile_bo_close(card->fd, others[i]);
	xetile_bo_close(card->fd, other);
	xetile_bo_close(card->fd, xetile_bo(card->fd, 2 * GROUP_MAX, DRM_XETILE_PLACE_HBM));
}

/* --- the shrinker ---------------------------------------------------------------- */

#define BUFS		16u
#define BUF_BYTES	(SZ_64K * 4)

static uint32_t pattern(unsigned int buf, unsigned int i)
{
	return (buf + 1) * 0x01000193u + i * 0x9e3779b1u;
}

static bool is_pattern(const uint32_t *map, unsigned int buf)
{
	for (unsigned int i = 0; i < BUF_BYTES / 4; i++)
		if (map[i] != pattern(buf, i))
			return false;
	return true;
}

/*
 * Has the kernel shrink its caches. Returns whether idle buffers have given back @pages since
 * @before.
 */
static bool shrinks(const struct xetile_card *card, uint64_t before, uint64_t pages)
{
	igt_assert_eq(xetile_write_file("/proc/sys/vm/drop_caches", "2"), 0);
	return xetile_debugfs_sum(card->fd, "sysmem", "swapped") >= before + pages;
}

static void test_shrink(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t vm = xetile_vm(fd), queue;
	struct xetile_buf bufs[BUFS], batch, copy;
	struct xetile_batch b;
	uint64_t before;
	struct dam busy;

	swap_begin();
	dam_init(&busy, card->fd);
	queue = xetile_copy_queue(fd, vm);
	xetile_buf_init(&batch, fd, vm, SZ_1G, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&copy, fd, vm, 2 * SZ_1G, BUF_BYTES, DRM_XETILE_PLACE_HBM);
	for (unsigned int n = 0; n < BUFS; n++) {
		xetile_buf_init(&bufs[n], fd, vm, (3 + n) * SZ_1G, BUF_BYTES,
				DRM_XETILE_PLACE_SYSTEM);
		for (unsigned int i = 0; i < BUF_BYTES / 4; i++)
			bufs[n].map[i] = pattern(n, i);
	}

	before = xetile_debugfs_sum(card->fd, "sysmem", "swapped");
	xetile_assert_soon(shrinks(card, before, BUFS * BUF_BYTES / SZ_4K));
	/* A buffer that a job uses keeps its pages. */
	igt_assert_lte_u64(SZ_64K / SZ_4K, xetile_debugfs_sum(card->fd, "sysmem", "pages"));

	/* The engines find all contents, the batch as well. An engine reads half of the buffers. */
	for (unsigned int n = 0; n < BUFS / 2; n++) {
		batch_begin(&b, &batch, 0);
		batch_mem_copy(&b, copy.addr, bufs[n].addr, BUF_BYTES);
		batch_end(&b);
		xetile_run(fd, queue, batch_addr(&b));
		igt_assert_f(is_pattern(copy.map, n), "the engine misread buffer %u\n", n);
	}
	/* The processor finds all contents, too. */
	xetile_assert_soon(shrinks(card, before, BUFS * BUF_BYTES / SZ_4K * 3 / 2));
	for (unsigned int n = 0; n < BUFS; n++)
		igt_assert_f(is_pattern(bufs[n].map, n), "the CPU misread buffer %u\n", n);

	dam_open(&busy);
	dam_fini(&busy);
	close(fd);
	for (unsigned int n = 0; n < BUFS; n++)
		munmap(bufs[n].map, BUF_BYTES);
	munmap(batch.map, SZ_64K);
	munmap(copy.map, BUF_BYTES);
	swap_end();
}

/*
 * The copy of a buffer's pages is charged to the client that created the buffer, whichever process
 * makes the kernel shrink its caches.
 */
static void test_shrink_group(const struct xetile_card *card)
{
	uint64_t before = xetile_debugfs_sum(card->fd, "sysmem", "swapped");
	int ready[2], stop[2];
	char c;

	swap_begin();
	memcg_init();
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(stop), 0);
	igt_fork(child, 1) {
		int fd;

		close(stop[1]);
		memcg_enter();
		fd = xetile_reopen(card->fd);
		for (unsigned int n = 0; n < BUFS; n++)
			xetile_bo(fd, BUF_BYTES, DRM_XETILE_PLACE_SYSTEM);
		igt_assert_eq(write(ready[1], "", 1), 1);
		igt_assert_eq(read(stop[0], &c, 1), 0);
	}
	close(ready[1]);
	igt_assert_eq(read(ready[0], &c, 1), 1);
	xetile_assert_soon(shrinks(card, before, BUFS * BUF_BYTES / SZ_4K));
	igt_assert_lte_u64(BUFS * BUF_BYTES, memcg_bytes("stat", "shmem"));
	close(stop[1]);
	igt_waitchildren();
	close(stop[0]);
	close(ready[0]);
	memcg_fini();
	swap_end();
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("fdinfo must count contexts and page tables as memory of the file");
	igt_subtest("fdinfo")
		test_fdinfo(&card);
	igt_describe("Idle buffers must give their pages back, and have their contents when they "
		     "are used again");
	igt_subtest("shrink")
		test_shrink(&card);
	igt_describe("The copy of an idle buffer's pages must be charged to the group of the "
		     "buffer's creator");
	igt_subtest("shrink-group")
		test_shrink_group(&card);

	igt_describe("System memory of BOs must be charged to the group of their creator, up to "
		     "its limit");
	igt_subtest("memory-group")
		test_memory_group(&card);
	igt_fixture
		group_end();
	igt_describe("HBM must be evicted even if its owner's group cannot pay for the system "
		     "memory");
	igt_subtest("evicted-group")
		test_evicted_group(&card);
	igt_fixture
		group_end();
	igt_describe("HBM of BOs must be charged for each tile, up to the limit of the group on "
		     "that tile");
	igt_subtest("hbm-group")
		test_hbm_group(&card);
	igt_fixture
		group_end();

	igt_fixture
		close(card.fd);
}
