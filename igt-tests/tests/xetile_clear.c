// SPDX-License-Identifier: MIT
/*
 * Fresh memory that could not be cleared holds previous data. No job that is submitted meanwhile
 * may see that data, even when other memory was cleared well afterwards. The driver also clears
 * memory in advance; the same holds for it.
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
#include "xetile_xe.h"

IGT_TEST_DESCRIPTION("Memory that could not be cleared is never shown to a client");

#define FRESH_ADDR	(2 * JOB_DATA_ADDR)
#define UNTOUCHED	0x600d

/*
 * Makes the next write of the kernel's engine on tile 0 fail, and only that one. The engine's
 * commands are so slow that all calls below are made before the failure.
 */
static void fail_next_clear(int fd)
{
	char engine[32];

	xetile_use_up_clear(fd);
	xetile_kernel_engine(fd, engine, sizeof(engine));
	lab_inject("slow engine=%s us=100000", engine);
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
}

/*
 * Asserts that a job, submitted before the clear has failed, does not run. The job would copy out
 * of the fresh memory.
 */
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
 * Of two private BOs of a VM only the first one is not cleared. Both share a reservation object,
 * which keeps only the last fence of the clears' timeline.
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
	/* Only the first BO is lost. */
	check_lost(&j, bos[0], SZ_64K);
	xetile_bo_close(j.fd, bos[1]);
	job_fini(&j);
}

/* More pieces of HBM on each tile than one batch of the kernel's engine clears */
#define PIECES		700

/*
 * Several batches clear a BO on a tile. The first batch fails, but the fences of the last ones
 * stand for the BO.
 */
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

/* Starts a job that runs until let_go(). Returns its syncobj. */
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
 * A running job does not wait for the clear of a BO that is mapped only now. Therefore the bind
 * waits, and returns the error of the clear.
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

/*
 * In an address space of endless jobs a lost BO bans all that runs there when it begins. Therefore
 * the bind waits and fails, also if nothing runs yet.
 */
static void test_bind_endless(int fd)
{
	struct drm_xe_vm_bind_op map;
	uint32_t vm, bo;

	fd = xetile_reopen(fd);
	vm = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_LR_MODE);
	fail_next_clear(fd);
	bo = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map = xe_map_op(bo, FRESH_ADDR, SZ_64K);
	igt_assert_eq(__xe_bind(fd, vm, &map, NULL), -ENODATA);
	lab_heal();
	close(fd);
}

/* --- a BO that is freed while it is moved ----------------------------------------- */

#define PRIVATE_BYTES	(2 * SZ_2M)
#define ROOM		(SZ_2M / 2)
/* The number of batches that the kernel's copies on a tile have in flight */
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

/* Takes all of tile 0 but ROOM. */
static void fill_but_room(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];

	xetile_query_tiles(fd, tiles);
	hbm_of_tile(fd, (tiles[0].hbm_total - tiles[0].hbm_used - ROOM) / SZ_64K * SZ_64K, 0);
}

/*
 * The last reference of a private BO is a CPU mapping, which is removed while the BO is evicted.
 * The BO is freed after its move, and must leave the VM's list of BOs that are being filled,
 * because the next submission walks that list. The kernel's checks of freed memory would find a
 * mistake.
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
		/* The private BO is the oldest, and therefore the one to be evicted. */
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

/* --- memory that is cleared in advance ------------------------------------------- */

#define PAINT		0x5ec0de
/* More BOs than are cleared in advance at a time */
#define SMALL_BOS	600
/* The most batches that clearing so many small BOs may take */
#define FEW_PASSES	12

/* Dirties all free memory of tile 0. */
static void paint_free(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	uint64_t size, used = xetile_hbm_used(fd);
	uint32_t bo, *map;

	xetile_query_tiles(fd, tiles);
	igt_require_f(tiles[0].hbm_visible == tiles[0].hbm_total,
		      "the CPU does not reach all of the HBM\n");
	size = (tiles[0].hbm_total - tiles[0].hbm_used) / SZ_2M * SZ_2M;
	igt_require_f(size >= 384 * (SZ_2M / 2), "too little HBM to clear in advance\n");
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
		/* Memory that is given back is dirty, even if it was got clear. */
		memset(map, 0xa5, SZ_64K);
		munmap(map, SZ_64K);
	}
	close(own);
}

/* A few batches of the kernel's engine clear the memory of many small BOs. */
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

/*
 * When a batch fails that clears memory for a BO and some in advance, none of that memory counts as
 * clear.
 */
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

/*
 * Memory that is being cleared in advance counts as free, and a client that needs all free memory
 * gets it.
 */
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
	/* No other BO was evicted for that. */
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

/* Puts the page tables of many VMs into memory that was clear, and destroys the VMs. */
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

/* On each tile: more than must be free before the driver clears memory in advance */
#define RETURNS		(264 * (SZ_2M / 2))

/*
 * Memory that the driver itself used is not clear when it is given back. The driver's tables get
 * clear memory here, because a BO that returns to HBM in small pieces has taken all other memory.
 */
static void test_ahead_own(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	uint32_t big, rest, small;
	struct job j;

	paint_free(fd);
	igt_require_f(xetile_query_tiles(fd, tiles) > 1, "needs two tiles\n");
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
	igt_describe("A job must get ENODATA if one of two private BOs is not cleared");
	igt_subtest("private")
		test_private(fd);
	igt_describe("A BO must be lost (ENODATA, SIGBUS) if the first of several passes fails "
		     "to clear it");
	igt_subtest("passes") {
		struct xetile_card card;

		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles > 1, "needs two tiles\n");
		close(card.fd);
		test_passes(fd);
	}
	igt_describe("VM_BIND must return ENODATA if the BO is not cleared while a job of the VM "
		     "runs");
	igt_subtest("bind")
		test_bind(fd);
	igt_describe("VM_BIND for endless jobs must return ENODATA if the BO is not cleared (T6)");
	igt_subtest("bind-endless")
		test_bind_endless(fd);
	igt_describe("A few batches must clear many small BOs");
	igt_subtest("ahead")
		test_ahead(fd);
	igt_describe("Memory that a batch failed to clear in advance must not be given out as "
		     "clear");
	igt_subtest("ahead-lost")
		test_ahead_lost(fd);
	igt_describe("Memory that is being cleared in advance must count as free and be available");
	igt_subtest("ahead-free")
		test_ahead_free(fd);
	igt_describe("Memory that the driver itself gave back must not be given out as clear");
	igt_subtest("ahead-own")
		test_ahead_own(fd);
	igt_describe("A private BO whose last reference goes during its eviction must be freed "
		     "properly");
	igt_subtest("freed")
		test_freed(fd);
	igt_fixture {
		lab_heal();
		job_check_usable(fd);
		close(fd);
	}
}
