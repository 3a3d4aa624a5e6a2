// SPDX-License-Identifier: MIT
/*
 * A bind that waits keeps mappings, their memory and their page tables, because a job may still use
 * them. These tests check that it keeps them, and that it keeps no more.
 *
 * suite: once
 */
#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_binds.h"

IGT_TEST_DESCRIPTION("Mappings, memory and tables that waiting binds keep");

/* Submits a job that stores, waits until the test releases it, and stores again. */
static uint32_t store_twice(struct binds *s, uint64_t addr)
{
	struct drm_xetile_sync sync = {
		.handle = xetile_syncobj(s->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	struct xetile_batch b;

	batch_begin(&b, &s->ctl, SZ_4K);
	batch_store(&b, addr, 1, false);
	batch_store(&b, s->ctl.addr + 2 * SZ_4K, 1, false);
	batch_wait(&b, s->ctl.addr + 2 * SZ_4K + 8, 1);
	batch_store(&b, addr, 2, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s->fd, s->queue, batch_addr(&b), &sync, 1), 0);
	xetile_assert_soon(s->ctl.map[2 * SZ_4K / 4]);
	return sync.handle;
}

/* Asserts that the buffers that another client gets meanwhile stay unchanged. */
static void check_others(int fd, const struct data *others, unsigned int num)
{
	for (unsigned int i = 0; i < num; i++)
		for (unsigned int at = 0; at < SZ_64K / 4; at++)
			igt_assert_eq_u32(others[i].map[at], 0);
}

/*
 * A bind queue unmaps a buffer whose handle is closed. The buffer stays mapped for jobs while the
 * bind waits. A job that began before the change may use the buffer until the job ends; only then
 * is the memory given to another client. A job that is submitted later does not find the buffer.
 */
static void test_unmap_keeps(int fd, uint32_t engine_class, bool is_private)
{
	uint32_t out = xetile_syncobj(fd), job;
	int other_fd = xetile_open();
	struct data old, others[16];
	struct gate gate;
	struct binds s;
	uint64_t used;

	/*
	 * Otherwise tables of the previous subtest's VM might be freed while bytes are counted
	 * here.
	 */
	xetile_wait_hbm_free(fd);
	gate_init(&gate, fd);
	binds_init(&s, fd, engine_class);
	old = is_private ? data_private(&s) : data_new(fd);
	binds_map(&s, 0, DATA_ADDR, old.bo, 0, 0);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 3), 1);
	binds_unmap(&s, s.bind[0], DATA_ADDR, SZ_64K, gate.fence, out);
	munmap((void *)old.map, SZ_64K);
	xetile_bo_close(fd, old.bo);

	/* This job is submitted after the bind, begins before the change, and ends after it. */
	used = xetile_hbm_used(fd);
	job = store_twice(&s, DATA_ADDR);
	igt_assert(!xetile_is_done(fd, out));
	gate_open(&gate);
	xetile_wait_done(fd, out);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		others[i] = data_new(other_fd);
	check_others(other_fd, others, ARRAY_SIZE(others));
	igt_assert_lte_u64(used + ARRAY_SIZE(others) * SZ_64K, xetile_hbm_used(fd));
	s.ctl.map[2 * SZ_4K / 4 + 2] = 1;
	/*
	 * The second store finds the buffer if the engine still has the translation; both are
	 * right.
	 */
	if (binds_ended(&s, job) != 1) {
		xetile_queue_destroy(fd, s.queue);
		s.queue = xetile_queue(fd, s.vm, engine_class, DRM_XETILE_TARGET_TILE, 0, 0);
	}
	check_others(other_fd, others, ARRAY_SIZE(others));
	igt_assert(xetile_hbm_comes_back(fd, used + (ARRAY_SIZE(others) - 1) * SZ_64K));

	igt_assert_eq(binds_store(&s, DATA_ADDR, 4), -EIO);
	check_others(other_fd, others, ARRAY_SIZE(others));
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		data_fini(other_fd, &others[i]);
	close(other_fd);
	xetile_syncobj_destroy(fd, out);
	binds_fini(&s);
	gate_fini(&gate);
}

/* A buffer stays in HBM while a bind that will unmap it, or map it, waits. */
static void test_stays(int fd)
{
	struct drm_xetile_bo_create large = {
		.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
		.placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
	};
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	struct drm_xetile_bo_create small = {
		.size = 4 * SZ_2M, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	struct drm_xetile_color_run run;
	struct drm_xetile_bind bind;
	uint32_t bo[2];
	struct gate gate;
	struct binds s;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (int i = 0; i < 2; i++) {
		volatile uint32_t *map;

		igt_assert_eq(__xetile_bo_create(fd, &small), 0);
		bo[i] = small.handle;
		/*
		 * The first read waits for the clear, because a buffer stays in HBM while it is
		 * cleared.
		 */
		map = xetile_bo_map(fd, bo[i], small.size);
		igt_assert_eq_u32(map[0], 0);
		munmap((void *)map, small.size);
	}
	xetile_vm_map(fd, s.vm, bo[0], 0, DATA_ADDR, small.size);
	binds_unmap(&s, s.bind[0], DATA_ADDR, small.size, gate.fence, 0);
	bind = (struct drm_xetile_bind) {
		.addr = DATA_ADDR + SZ_1G, .range = small.size, .handle = bo[1],
	};
	igt_assert_eq(binds_try(&s, s.bind[0], &bind, 0, 0), 0);

	/* more than the free HBM of the tile */
	xetile_query_tiles(fd, tiles);
	large.size = (tiles[0].hbm_total - tiles[0].hbm_used + SZ_2M) / SZ_64K * SZ_64K;
	if (!__xetile_bo_create(fd, &large)) {
		igt_assert_lte(1, xetile_bo_runs(fd, large.handle, &run, 1));
		igt_assert_eq(run.tile, DRM_XETILE_MEM_SYSTEM);
		xetile_bo_close(fd, large.handle);
	}
	for (int i = 0; i < 2; i++) {
		igt_assert_eq(xetile_bo_runs(fd, bo[i], &run, 1), 1);
		igt_assert_eq(run.tile, 0);
	}
	igt_assert_eq(binds_store(&s, DATA_ADDR, 1), 1);
	igt_assert(!xetile_is_done(fd, gate.fence));
	gate_open(&gate);
	for (int i = 0; i < 2; i++)
		xetile_bo_close(fd, bo[i]);
	binds_fini(&s);
	gate_fini(&gate);
}

/* The tables no longer point to a buffer that was evicted before. Then jobs wait for the bind. */
static void test_evicted(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	struct drm_xetile_bo_create args = {
		.size = 4 * SZ_2M, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	struct drm_xetile_color_run run;
	struct gate gate;
	struct binds s;
	uint32_t bo, job;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	gate_init(&gate, fd);
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	bo = args.handle;
	xetile_vm_map(fd, s.vm, bo, 0, DATA_ADDR, args.size);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 1), 1);
	xetile_query_tiles(fd, tiles);
	args.flags = DRM_XETILE_BO_STRICT;
	args.size = (tiles[0].hbm_total - tiles[0].hbm_used + SZ_2M) / SZ_64K * SZ_64K;
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	xetile_bo_close(fd, args.handle);
	igt_assert_lte(1, xetile_bo_runs(fd, bo, &run, 1));
	igt_require_f(run.tile == DRM_XETILE_MEM_SYSTEM, "another buffer was evicted instead\n");

	binds_unmap(&s, s.bind[0], DATA_ADDR, 4 * SZ_2M, gate.fence, 0);
	job = binds_store_after(&s, s.ctl.addr + SZ_4K, 5, 0);
	igt_assert_eq(__xetile_wait(fd, job, 100), -ETIME);
	gate_open(&gate);
	igt_assert_eq(binds_ended(&s, job), 1);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 1), -EIO);
	xetile_bo_close(fd, bo);
	gate_fini(&gate);
	binds_fini(&s);
}

static uint32_t on_tile0(int fd, uint64_t size, uint32_t flags, uint32_t placement, uint32_t vm)
{
	struct drm_xetile_bo_create args = {
		.size = size, .flags = flags, .placement = placement, .vm_id = vm,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

/* Returns where a buffer begins: a tile, or system memory. */
static uint32_t where(int fd, uint32_t bo)
{
	struct drm_xetile_color_run run;

	igt_assert_lte(1, xetile_bo_runs(fd, bo, &run, 1));
	return run.tile;
}

/* Returns a size that does not fit in tile 0 unless @more bytes of buffers are evicted. */
static uint64_t too_much(int fd, uint64_t more)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(fd, tiles);
	return (tiles[0].hbm_total - tiles[0].hbm_used + more) / SZ_64K * SZ_64K;
}

/* A bind that waits keeps only the buffers in its own range in HBM, and no others of the VM. */
static void test_stays_alone(int fd)
{
	const uint64_t size = 4 * SZ_2M;
	uint32_t held, other, large;
	struct gate gate;
	struct binds s;

	xetile_wait_hbm_free(fd);
	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	held = on_tile0(fd, size, 0, DRM_XETILE_PLACE_HBM, s.vm);
	other = on_tile0(fd, 4 * size, 0, DRM_XETILE_PLACE_HBM, s.vm);
	xetile_vm_map(fd, s.vm, held, 0, DATA_ADDR, size);
	xetile_vm_map(fd, s.vm, other, 0, DATA_ADDR + SZ_1G, 4 * size);
	/* After this job the buffers have been cleared and are idle. */
	igt_assert_eq(binds_store(&s, DATA_ADDR, 1), 1);
	binds_unmap(&s, s.bind[0], DATA_ADDR, size, gate.fence, 0);

	large = on_tile0(fd, too_much(fd, size), DRM_XETILE_BO_STRICT,
			 DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, 0);
	igt_assert_eq_u32(where(fd, large), 0);
	igt_assert_eq_u32(where(fd, other), DRM_XETILE_MEM_SYSTEM);
	igt_assert_eq_u32(where(fd, held), 0);
	xetile_bo_close(fd, large);
	igt_assert(!xetile_is_done(fd, gate.fence));
	gate_open(&gate);
	xetile_bo_close(fd, held);
	xetile_bo_close(fd, other);
	binds_fini(&s);
	gate_fini(&gate);
}

static uint64_t clients_bytes(int fd)
{
	return xetile_debugfs_sum(fd, "hbm", "clients");
}

/* Page directories that exist only because of waiting binds are freed when none waits. */
static void test_directories(int fd)
{
	const unsigned int num = 16;
	struct data d;
	struct gate gate;
	struct binds s;
	uint32_t out;
	uint64_t bytes;

	/* The memory of the previous subtest counts until it is freed. */
	xetile_wait_hbm_free(fd);
	d = data_new(fd);
	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	out = xetile_syncobj(fd);
	binds_map(&s, 0, DATA_ADDR, d.bo, 0, 0);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 1), 1);
	bytes = clients_bytes(fd);
	for (unsigned int i = 1; i <= num; i++) {
		binds_map(&s, s.bind[0], DATA_ADDR + i * SZ_1G, d.bo, gate.fence, 0);
		binds_unmap(&s, s.bind[0], DATA_ADDR + i * SZ_1G, SZ_64K, gate.fence, out);
	}
	igt_assert_lte_u64(bytes + num * SZ_4K, clients_bytes(fd));
	gate_open(&gate);
	xetile_wait_done(fd, out);
	/* The second call after the one that retired a table frees that table. */
	for (int i = 0; i < 3; i++)
		igt_assert_eq(binds_store(&s, DATA_ADDR, 2 + i), 1);
	igt_assert_eq_u64(clients_bytes(fd), bytes);

	xetile_syncobj_destroy(fd, out);
	data_fini(fd, &d);
	binds_fini(&s);
	gate_fini(&gate);
}

static void on_alarm(int sig)
{
}

/* Submits jobs until one has to wait for the buffer that is held back. */
static void wait_held_back(struct binds *s)
{
	const struct itimerval tick = { .it_interval.tv_usec = 100000, .it_value.tv_usec = 100000 };
	const struct sigaction interrupt = { .sa_handler = on_alarm };
	struct drm_xetile_exec args = { .queue_id = s->queue, .num_batches = 1 };
	struct xetile_batch b;
	struct sigaction old;
	int ret;

	batch_begin(&b, &s->ctl, 4 * SZ_4K);
	batch_end(&b);
	args.batch = batch_addr(&b);
	igt_assert_eq(sigaction(SIGALRM, &interrupt, &old), 0);
	igt_assert_eq(setitimer(ITIMER_REAL, &tick, NULL), 0);
	do {
		ret = ioctl(s->fd, DRM_IOCTL_XETILE_EXEC, &args);
	} while (!ret);
	igt_assert_eq(errno, EINTR);
	igt_assert_eq(setitimer(ITIMER_REAL, &(struct itimerval) { 0 }, NULL), 0);
	igt_assert_eq(sigaction(SIGALRM, &old, NULL), 0);
}

/*
 * A stranger who needs room holds a buffer back from new jobs for a while, and gives up. The buffer
 * is still in its place. Therefore jobs do not wait for a bind that will unmap it.
 */
static void test_held_back(int fd)
{
	const uint64_t size = 8 * SZ_2M;
	struct binds s, copy;
	struct gate gate;
	uint32_t busy, bo;
	pid_t stranger;

	xetile_wait_hbm_free(fd);
	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	copy = s;
	copy.queue = xetile_queue(fd, s.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	bo = on_tile0(fd, size, 0, DRM_XETILE_PLACE_HBM, 0);
	xetile_vm_map(fd, s.vm, bo, 0, DATA_ADDR, size);
	busy = store_twice(&s, DATA_ADDR);
	stranger = fork();
	igt_assert_lte(0, stranger);
	if (!stranger) {
		on_tile0(xetile_reopen(fd), too_much(fd, SZ_2M), DRM_XETILE_BO_STRICT,
			 DRM_XETILE_PLACE_HBM, 0);
		_exit(0);
	}
	wait_held_back(&copy);
	igt_assert_eq(kill(stranger, SIGKILL), 0);
	igt_assert_eq(waitpid(stranger, NULL, 0), stranger);
	igt_assert_eq_u32(where(fd, bo), 0);

	binds_unmap(&s, s.bind[0], DATA_ADDR, size, gate.fence, 0);
	igt_assert_eq(binds_store(&copy, s.ctl.addr + 3 * SZ_4K, 1), 1);
	igt_assert(!xetile_is_done(fd, gate.fence));

	s.ctl.map[2 * SZ_4K / 4 + 2] = 1;
	igt_assert_eq(binds_ended(&s, busy), 1);
	xetile_queue_destroy(fd, copy.queue);
	gate_open(&gate);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
	gate_fini(&gate);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = xetile_open();

	igt_describe("A buffer that a waiting bind will unmap must stay while a compute job may "
		     "use it");
	igt_subtest("unmap-keeps-compute")
		test_unmap_keeps(fd, DRM_XETILE_ENGINE_COMPUTE, false);
	igt_describe("A buffer that a waiting bind will unmap must stay while a copy job may use "
		     "it");
	igt_subtest("unmap-keeps-copy")
		test_unmap_keeps(fd, DRM_XETILE_ENGINE_COPY, false);
	igt_describe("A buffer private to the VM that a waiting bind will unmap must stay as well");
	igt_subtest("unmap-keeps-private")
		test_unmap_keeps(fd, DRM_XETILE_ENGINE_COMPUTE, true);
	igt_describe("A buffer that a waiting bind will unmap or map must not be evicted");
	igt_subtest("stays")
		test_stays(fd);
	igt_describe("Other buffers private to the VM of a waiting bind must be evictable");
	igt_subtest("stays-alone")
		test_stays_alone(fd);
	igt_describe("Page directories made for waiting binds must be freed when no bind waits "
		     "any more");
	igt_subtest("directories")
		test_directories(fd);
	igt_describe("A stranger who gave up looking for room must not make jobs wait for a bind");
	igt_subtest("held-back")
		test_held_back(fd);
	igt_describe("Jobs must wait for a bind that will unmap an evicted buffer");
	igt_subtest("evicted")
		test_evicted(fd);

	igt_fixture
		close(fd);
}
