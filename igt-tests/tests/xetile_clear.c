// SPDX-License-Identifier: MIT
/*
 * Fresh memory that could not be cleared holds what others left there: no job that is
 * submitted meanwhile sees it, whatever was cleared well afterwards.
 *
 * suite: faults
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Memory that could not be cleared is seen by nobody");

#define FRESH_ADDR	(2 * JOB_DATA_ADDR)
#define UNTOUCHED	0x600d

/*
 * The kernel's next write on tile 0 fails, and those behind it do not. Its commands take long
 * enough for all that follows to be there before.
 */
static void fail_next_clear(int fd)
{
	char engine[32];

	xetile_use_up_clear(fd);
	xetile_kernel_engine(fd, engine, sizeof(engine));
	lab_inject("slow engine=%s us=100000", engine);
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
}

/* Submitted while nobody knows how the clear will end; it copies out of what was to be clear. */
static void check_not_run(struct job *j)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	uint64_t before = lab_injected();
	struct xetile_batch b;

	sync.handle = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, 0);
	batch_mem_copy(&b, j->data.addr, FRESH_ADDR, SZ_4K);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(xetile_fence_status(j->fd, sync.handle), 0);
	igt_assert_eq(__xetile_wait(j->fd, sync.handle, 60000), 0);
	igt_assert_lte_u64(before + 1, lab_injected());
	igt_assert_eq(xetile_fence_status(j->fd, sync.handle), -ENODATA);
	igt_assert_eq_u32(j->data.map[1], UNTOUCHED);
	lab_heal();
	xetile_syncobj_destroy(j->fd, sync.handle);
}

static void check_lost(struct job *j, uint32_t bo, uint64_t size)
{
	uint32_t *map = xetile_bo_map(j->fd, bo, size);

	xetile_check_sigbus(map);
	munmap(map, size);
	igt_assert_eq(job_start(j), -ENODATA);
	xetile_vm_unmap(j->fd, j->vm, FRESH_ADDR, size);
	xetile_bo_close(j->fd, bo);
	igt_assert_eq(job_run(j), 1);
}

/*
 * Of the private BOs of a VM only the first is not cleared. They share a reservation, and the
 * clears a timeline, of which that keeps the last fence.
 */
static void test_private(int fd)
{
	struct drm_xetile_bo_create args = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	uint32_t bos[2];
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	j.data.map[1] = UNTOUCHED;
	args.vm_id = j.vm;
	fail_next_clear(fd);
	for (int i = 0; i < 2; i++) {
		igt_assert_eq(__xetile_bo_create(j.fd, &args), 0);
		bos[i] = args.handle;
		xetile_vm_map(j.fd, j.vm, bos[i], 0, FRESH_ADDR + i * SZ_2M, SZ_64K);
	}
	check_not_run(&j);
	/* Lost is the first one alone. */
	check_lost(&j, bos[0], SZ_64K);
	xetile_bo_close(j.fd, bos[1]);
	job_fini(&j);
}

/* More pieces of HBM on each tile than there are clears in a batch of the kernel's */
#define PIECES		700

/* Of the batches that clear a BO on a tile the first fails; the last ones speak for it. */
static void test_passes(int fd)
{
	uint64_t size = 2 * PIECES * SZ_64K;
	struct job j;
	uint32_t bo;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	j.data.map[1] = UNTOUCHED;
	fail_next_clear(fd);
	bo = xetile_bo_color(j.fd, size, DRM_XETILE_COLOR_CHUNK, 3, SZ_64K);
	xetile_vm_map(j.fd, j.vm, bo, 0, FRESH_ADDR, size);
	check_not_run(&j);
	check_lost(&j, bo, size);
	job_fini(&j);
}

/* A job that runs until it is let go; returns its syncobj. */
static uint32_t hold(struct job *j)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	sync.handle = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, 0);
	batch_wait(&b, j->data.addr + 8, 1);
	batch_end(&b);
	j->data.map[2] = 0;
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1), 0);
	return sync.handle;
}

static void let_go(struct job *j, uint32_t held)
{
	igt_assert_eq(xetile_fence_status(j->fd, held), 0);
	j->data.map[2] = 1;
	igt_assert_eq(__xetile_wait(j->fd, held, 20000), 0);
	igt_assert_eq(xetile_fence_status(j->fd, held), 1);
	xetile_syncobj_destroy(j->fd, held);
}

/*
 * A job that runs would not wait for the clear of a BO that is mapped only now: the bind does,
 * and says what came of it.
 */
static void test_bind(int fd)
{
	struct drm_xetile_bind bind = { .addr = FRESH_ADDR, .range = SZ_64K };
	struct drm_xetile_vm_bind args = { .binds = DRM_XETILE_ARRAY(&bind, 1) };
	struct job j;
	uint32_t held;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	args.vm_id = j.vm;
	held = hold(&j);
	fail_next_clear(fd);
	bind.handle = xetile_bo(j.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	igt_assert_eq(xetile_ioctl(j.fd, DRM_IOCTL_XETILE_VM_BIND, &args), -ENODATA);
	lab_heal();
	let_go(&j, held);
	igt_assert_eq(job_run(&j), 1);
	xetile_bo_close(j.fd, bind.handle);
	job_fini(&j);
}

/* --- a BO that ends while it is moved --------------------------------------------- */

#define PRIVATE_BYTES	(2 * SZ_2M)
#define ROOM		(SZ_2M / 2)
/* As many batches as the kernel's copies of a tile have at a time */
#define SLOTS		4

static uint32_t hbm_of_tile(int fd, uint64_t size, uint32_t vm)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1, .vm_id = vm,
	};

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

/* All but a little of tile 0 is in use. */
static void fill_but_room(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];

	xetile_query_tiles(fd, tiles);
	hbm_of_tile(fd, (tiles[0].hbm_total - tiles[0].hbm_used - ROOM) / SZ_64K * SZ_64K, 0);
}

/*
 * A private BO has only a mapping of the CPU's left, and that goes while the BO is evicted. It
 * is freed when it has been moved, and must not stand in its VM's list of what is being filled:
 * whoever submits next looks at that. The kernel's checks of freed memory see it.
 */
static void test_freed(int fd)
{
	uint32_t vm, queue, bo, *map;
	char engine[32];
	struct xetile_batch b;
	struct xetile_buf buf;
	int status;
	pid_t pid;

	xetile_evict_all(fd);
	fd = xetile_reopen(fd);
	vm = xetile_vm(fd);
	bo = hbm_of_tile(fd, PRIVATE_BYTES, vm);
	map = xetile_bo_map(fd, bo, PRIVATE_BYTES);
	*map = UNTOUCHED;
	xetile_bo_close(fd, bo);
	xetile_use_up_clear(fd);
	fill_but_room(fd);
	xetile_kernel_engine(fd, engine, sizeof(engine));
	lab_inject("slow engine=%s us=300000", engine);
	for (int i = 0; i < SLOTS; i++)
		hbm_of_tile(fd, SZ_64K, 0);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		/* It is in the way, as the oldest. */
		munmap(map, PRIVATE_BYTES);
		hbm_of_tile(fd, SZ_2M, 0);
		_exit(0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "bo_move"));
	munmap(map, PRIVATE_BYTES);
	igt_assert(xetile_sleeps_in(pid, "bo_move"));
	lab_heal();
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(status, 0);

	xetile_buf_init(&buf, fd, vm, JOB_BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	batch_begin(&b, &buf, 0);
	batch_end(&b);
	queue = xetile_queue(fd, vm, COPY, TILE, 0, 0);
	for (int i = 0; i < 8; i++)
		xetile_run(fd, queue, batch_addr(&b));
	munmap(buf.map, buf.size);
	close(fd);
}

/* --- what is cleared before anybody asks for it ---------------------------------- */

#define PAINT		0x5ec0de
/* More than is cleared ahead at a time */
#define SMALL_BOS	600
/* So many small BOs are never worth so many batches. */
#define FEW_PASSES	12

/* What nobody's BO has on tile 0 has been somebody's, and is not clear. */
static void paint_free(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	uint64_t size, used = xetile_hbm_used(fd);
	uint32_t bo, *map;

	xetile_query_tiles(fd, tiles);
	igt_require_f(tiles[0].hbm_visible == tiles[0].hbm_total,
		      "the CPU does not reach all of the HBM\n");
	size = (tiles[0].hbm_total - tiles[0].hbm_used) / SZ_2M * SZ_2M;
	igt_require_f(size >= 384 * (SZ_2M / 2), "too little HBM for anything to be cleared ahead\n");
	xetile_use_up_clear(fd);
	bo = hbm_of_tile(fd, size, 0);
	map = xetile_bo_map(fd, bo, size);
	for (uint64_t at = 0; at < size / 4; at += SZ_4K / 4)
		map[at] = PAINT;
	munmap(map, size);
	xetile_bo_close(fd, bo);
	xetile_assert_soon(xetile_hbm_used(fd) <= used);
}

static uint64_t passes(int fd)
{
	return xetile_debugfs_sum(fd, "copies", "passes");
}

static void check_small_are_zero(int fd, unsigned int num)
{
	static const uint32_t zero[SZ_64K / 4];
	int own = xetile_reopen(fd);

	while (num--) {
		uint32_t *map = xetile_bo_map(own, hbm_of_tile(own, SZ_64K, 0), SZ_64K);

		igt_assert_eq(memcmp(map, zero, SZ_64K), 0);
		/* What is given back is not clear, however it was got. */
		memset(map, 0xa5, SZ_64K);
		munmap(map, SZ_64K);
	}
	close(own);
}

/* Few batches of the kernel's clear what many small BOs get. */
static void test_ahead(int fd)
{
	uint64_t before;

	paint_free(fd);
	for (int round = 0; round < 3; round++) {
		before = passes(fd);
		check_small_are_zero(fd, SMALL_BOS);
		igt_assert_lte_u64(before + 1, passes(fd));
		igt_assert_lte_u64(passes(fd), before + FEW_PASSES);
	}
}

/* A batch that was to clear more than a BO fails: the rest of that is not clear either. */
static void test_ahead_lost(int fd)
{
	uint32_t bo, *map;

	paint_free(fd);
	fail_next_clear(fd);
	bo = hbm_of_tile(fd, SZ_64K, 0);
	map = xetile_bo_map(fd, bo, SZ_64K);
	xetile_check_sigbus(map);
	lab_heal();
	check_small_are_zero(fd, SMALL_BOS);
	munmap(map, SZ_64K);
	xetile_bo_close(fd, bo);
}

/* What is being cleared for nobody is free, and there for whoever needs all there is. */
static void test_ahead_free(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	struct drm_xetile_color_run run;
	uint32_t bo, all;
	char engine[32];
	uint64_t used;

	paint_free(fd);
	used = xetile_hbm_used(fd);
	xetile_kernel_engine(fd, engine, sizeof(engine));
	lab_inject("slow engine=%s us=300000", engine);
	bo = hbm_of_tile(fd, SZ_64K, 0);
	igt_assert_lte_u64(SZ_2M, xetile_debugfs_sum(fd, "hbm", "clear"));
	igt_assert_eq_u64(xetile_hbm_used(fd), used + SZ_64K);
	xetile_query_tiles(fd, tiles);
	all = hbm_of_tile(fd, (tiles[0].hbm_total - tiles[0].hbm_used) / SZ_64K * SZ_64K, 0);
	/* There was no need for the place of anybody else's. */
	igt_assert_eq_u32(xetile_bo_runs(fd, bo, &run, 1), 1);
	igt_assert_eq_u32(run.tile, 0);
	lab_heal();
	xetile_bo_close(fd, bo);
	xetile_bo_close(fd, all);
	xetile_assert_soon(xetile_hbm_used(fd) <= used);
	check_small_are_zero(fd, SMALL_BOS);
}

#define VMS	200

static uint64_t clear_bytes(int fd)
{
	return xetile_debugfs_sum(fd, "hbm", "clear");
}

/* Tables of many address spaces, in what was clear, which are gone then */
static void make_tables(int fd)
{
	uint64_t used = xetile_hbm_used(fd), clear = clear_bytes(fd);
	int own = xetile_reopen(fd);
	uint32_t bo = xetile_bo(own, SZ_64K, DRM_XETILE_PLACE_SYSTEM);

	for (unsigned int n = 0; n < VMS; n++)
		xetile_vm_map(own, xetile_vm(own), bo, 0, FRESH_ADDR, SZ_64K);
	igt_assert_lte_u64(clear_bytes(fd) + SZ_2M, clear);
	close(own);
	xetile_assert_soon(xetile_hbm_used(fd) <= used);
}

/* Of each tile: more than what has to be free for anything to be cleared ahead */
#define RETURNS		(264 * (SZ_2M / 2))

/*
 * What is the driver's own is not clear when it comes back either. It gets what is clear when
 * there is nothing else: all that is not is taken by a BO that returns to HBM, in small pieces.
 */
static void test_ahead_own(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	uint32_t big, rest, small;
	struct job j;

	paint_free(fd);
	igt_require_f(xetile_query_tiles(fd, tiles) > 1, "on one tile its pieces are one\n");
	job_init(&j, fd, JOB_COPY_TILE, 0);
	big = xetile_bo_color(j.fd, 2 * RETURNS, DRM_XETILE_COLOR_CHUNK, 3, SZ_64K);
	xetile_vm_map(j.fd, j.vm, big, 0, FRESH_ADDR, 2 * RETURNS);
	xetile_evict_all(fd);
	xetile_use_up_clear(fd);
	xetile_query_tiles(fd, tiles);
	rest = hbm_of_tile(fd, tiles[0].hbm_total - tiles[0].hbm_used - RETURNS - 8 * SZ_2M, 0);
	small = hbm_of_tile(fd, SZ_64K, 0);
	igt_assert_eq(job_run(&j), 1);
	igt_assert_lte_u64(8 * SZ_2M, clear_bytes(fd));
	make_tables(fd);
	check_small_are_zero(fd, 4 * SZ_2M / SZ_64K);
	xetile_bo_close(fd, small);
	xetile_bo_close(fd, rest);
	xetile_vm_unmap(j.fd, j.vm, FRESH_ADDR, 2 * RETURNS);
	xetile_bo_close(j.fd, big);
	job_fini(&j);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = lab_open();
	igt_describe("One of two private BOs is not cleared: ENODATA for the job that sees both");
	igt_subtest("private")
		test_private(fd);
	igt_describe("The first of several passes over a BO fails: ENODATA, and SIGBUS");
	igt_subtest("passes") {
		struct xetile_card card;

		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles > 1, "on one tile its pieces are one\n");
		close(card.fd);
		test_passes(fd);
	}
	igt_describe("A BO is mapped where jobs run, and not cleared: ENODATA for the bind");
	igt_subtest("bind")
		test_bind(fd);
	igt_describe("Many small BOs are cleared by few batches, and are zero");
	igt_subtest("ahead")
		test_ahead(fd);
	igt_describe("What a batch failed to clear for nobody yet is given to nobody as clear");
	igt_subtest("ahead-lost")
		test_ahead_lost(fd);
	igt_describe("What is being cleared for nobody yet counts as free, and is");
	igt_subtest("ahead-free")
		test_ahead_free(fd);
	igt_describe("What the driver itself gave back is given to nobody as clear");
	igt_subtest("ahead-own")
		test_ahead_own(fd);
	igt_describe("A private BO's last user goes while the BO is evicted");
	igt_subtest("freed")
		test_freed(fd);
	igt_fixture {
		lab_heal();
		job_check_usable(fd);
		close(fd);
	}
}
