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

	igt_fixture
		close(card.fd);
}
