// SPDX-License-Identifier: MIT
/*
 * Queues of class BIND: binds that jobs do not wait for, their order, and what they keep
 * for jobs that may still see it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Bind queues");

#define BATCH_ADDR	0x10000000ull
#define DATA_ADDR	0x4000000000ull
#define HELD_MS		300000u
#define MAX_WAITING	4096u
#define MAX_FENCES	65536u
#define TIMELINES	255u
#define MAX_QUEUES	1024u

/* A VM with a queue for jobs, two for binds, and a buffer for batches and words */
struct setup {
	int fd;
	uint32_t vm, queue, bind[2];
	struct xetile_buf ctl;
};

static uint32_t bind_queue(int fd, uint32_t vm)
{
	return xetile_queue(fd, vm, DRM_XETILE_ENGINE_BIND, DRM_XETILE_TARGET_ROOT, 0, 0);
}

/* @limit_ms: engine time of a job, 0: the default */
static void setup_init_limit(struct setup *s, int fd, uint32_t engine_class, uint32_t limit_ms)
{
	struct drm_xetile_queue_create queue = {
		.engine_class = engine_class, .target = DRM_XETILE_TARGET_TILE,
		.timeout_ms = limit_ms,
	};

	s->fd = fd;
	s->vm = queue.vm_id = xetile_vm(fd);
	igt_assert_eq(__xetile_queue_create(fd, &queue), 0);
	s->queue = queue.queue_id;
	for (int i = 0; i < 2; i++)
		s->bind[i] = bind_queue(fd, s->vm);
	xetile_buf_init(&s->ctl, fd, s->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
}

static void setup_init(struct setup *s, int fd, uint32_t engine_class)
{
	setup_init_limit(s, fd, engine_class, 0);
}

static void setup_fini(struct setup *s)
{
	xetile_buf_fini(&s->ctl);
	for (int i = 0; i < 2; i++)
		xetile_queue_destroy(s->fd, s->bind[i]);
	xetile_queue_destroy(s->fd, s->queue);
	xetile_vm_destroy(s->fd, s->vm);
}

/* --- what is waited for ------------------------------------------------------------ */

/* A job of another VM that ends when it is told to */
struct gate {
	struct setup s;
	uint32_t fence;
};

static void gate_init(struct gate *g, int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	/* What is done before it opens takes a slow machine longer than the default. */
	setup_init_limit(&g->s, fd, DRM_XETILE_ENGINE_COPY, HELD_MS);
	batch_begin(&b, &g->s.ctl, 0);
	batch_wait(&b, g->s.ctl.addr + SZ_4K, 1);
	batch_end(&b);
	g->fence = sync.handle = xetile_syncobj(fd);
	igt_assert_eq(__xetile_exec(fd, g->s.queue, batch_addr(&b), &sync, 1), 0);
}

static void gate_open(struct gate *g)
{
	g->s.ctl.map[SZ_4K / 4] = 1;
	igt_assert_eq(__xetile_wait(g->s.fd, g->fence, 20000), 0);
	igt_assert_eq(xetile_fence_status(g->s.fd, g->fence), 1);
}

static void gate_fini(struct gate *g)
{
	xetile_syncobj_destroy(g->s.fd, g->fence);
	setup_fini(&g->s);
}

static bool is_done(int fd, uint32_t syncobj)
{
	int ret = __xetile_wait(fd, syncobj, 0);

	igt_assert(!ret || ret == -ETIME);
	return !ret;
}

static void wait_done(int fd, uint32_t syncobj)
{
	igt_assert_eq(__xetile_wait(fd, syncobj, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, syncobj), 1);
}

/* --- binds and jobs ---------------------------------------------------------------- */

/* Waits for @in, unless it is 0; its fence is in the syncobj @out, unless that is 0. */
static int try_bind(struct setup *s, uint32_t queue, const struct drm_xetile_bind *bind,
		    uint32_t in, uint32_t out)
{
	struct drm_xetile_sync syncs[2];
	struct drm_xetile_vm_bind args = {
		.binds = DRM_XETILE_ARRAY(bind, !!bind), .vm_id = s->vm, .queue_id = queue,
		.syncs = DRM_XETILE_ARRAY(syncs, 0),
	};

	if (in)
		syncs[args.syncs.count++] = (struct drm_xetile_sync) { .handle = in };
	if (out)
		syncs[args.syncs.count++] = (struct drm_xetile_sync) {
			.handle = out, .flags = DRM_XETILE_SYNC_SIGNAL,
		};
	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_VM_BIND, &args);
}

static void map(struct setup *s, uint32_t queue, uint64_t addr, uint32_t bo, uint32_t in,
		uint32_t out)
{
	const struct drm_xetile_bind bind = { .addr = addr, .range = SZ_64K, .handle = bo };

	igt_assert_eq(try_bind(s, queue, &bind, in, out), 0);
}

static void unmap(struct setup *s, uint32_t queue, uint64_t addr, uint64_t range, uint32_t in,
		  uint32_t out)
{
	const struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = addr, .range = range,
	};

	igt_assert_eq(try_bind(s, queue, &bind, in, out), 0);
}

/* A job that stores, and waits for @in; returns its fence. */
static uint32_t store_after(struct setup *s, uint64_t addr, uint32_t value, uint32_t in)
{
	struct drm_xetile_sync syncs[2] = {
		{ .handle = xetile_syncobj(s->fd), .flags = DRM_XETILE_SYNC_SIGNAL },
		{ .handle = in },
	};
	struct xetile_batch b;

	batch_begin(&b, &s->ctl, 0);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s->fd, s->queue, batch_addr(&b), syncs, in ? 2 : 1), 0);
	return syncs[0].handle;
}

/* How a job ended */
static int ended(struct setup *s, uint32_t fence)
{
	int status;

	igt_assert_eq(__xetile_wait(s->fd, fence, 20000), 0);
	status = xetile_fence_status(s->fd, fence);
	xetile_syncobj_destroy(s->fd, fence);
	return status;
}

static int store(struct setup *s, uint64_t addr, uint32_t value)
{
	return ended(s, store_after(s, addr, value, 0));
}

/* A buffer, and what the CPU sees of it */
struct data {
	uint32_t bo;
	volatile uint32_t *map;
};

static struct data data_of(int fd, uint32_t bo)
{
	return (struct data) { .bo = bo, .map = xetile_bo_map(fd, bo, SZ_64K) };
}

static struct data data(int fd)
{
	return data_of(fd, xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_HBM));
}

static struct data private_data(struct setup *s)
{
	struct drm_xetile_bo_create args = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM, .vm_id = s->vm,
	};

	igt_assert_eq(__xetile_bo_create(s->fd, &args), 0);
	return data_of(s->fd, args.handle);
}

static void data_fini(int fd, struct data *d)
{
	munmap((void *)d->map, SZ_64K);
	if (d->bo)
		xetile_bo_close(fd, d->bo);
}

/* --- subtests ---------------------------------------------------------------------- */

/* While a bind waits jobs and other binds go on: near it, far from it, on other queues. */
static void test_overlap_work(int fd)
{
	const uint64_t others[] = {
		DATA_ADDR + SZ_2M, DATA_ADDR + 3ull * SZ_1G, 5ull << 39, 3ull << 48,
	};
	struct data waits = data(fd), other = data(fd);
	uint32_t out = xetile_syncobj(fd), out2 = xetile_syncobj(fd), late;
	struct gate gate;
	struct setup s;

	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	map(&s, s.bind[0], DATA_ADDR, waits.bo, gate.fence, out);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		uint32_t queue = i & 1 ? s.bind[1] : 0;

		map(&s, queue, others[i], other.bo, 0, out2);
		wait_done(fd, out2);
		igt_assert_eq(store(&s, others[i], 1 + i), 1);
		igt_assert_eq_u32(*other.map, 1 + i);
		unmap(&s, queue, others[i], SZ_64K, 0, out2);
		wait_done(fd, out2);
	}
	/* one that waits for the bind waits, and the others do not wait for it */
	late = store_after(&s, DATA_ADDR, 7, out);
	igt_assert(!is_done(fd, out) && !is_done(fd, late) && !is_done(fd, gate.fence));
	gate_open(&gate);
	wait_done(fd, out);
	igt_assert_eq(ended(&s, late), 1);
	igt_assert_eq_u32(*waits.map, 7);

	xetile_syncobj_destroy(fd, out);
	xetile_syncobj_destroy(fd, out2);
	data_fini(fd, &waits);
	data_fini(fd, &other);
	setup_fini(&s);
	gate_fini(&gate);
}

/* Binds of one queue, and fences among them, are done one after the other. */
static void test_order(int fd)
{
	struct data d = data(fd);
	uint32_t out[3];
	struct gate gate;
	struct setup s;

	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (int i = 0; i < 3; i++)
		out[i] = xetile_syncobj(fd);
	map(&s, s.bind[0], DATA_ADDR, d.bo, gate.fence, out[0]);
	map(&s, s.bind[0], DATA_ADDR + 8ull * SZ_1G, d.bo, 0, out[1]);
	igt_assert_eq(try_bind(&s, s.bind[0], NULL, 0, out[2]), 0);
	for (int i = 0; i < 3; i++)
		igt_assert(!is_done(fd, out[i]));
	gate_open(&gate);
	wait_done(fd, out[2]);
	for (int i = 0; i < 2; i++)
		igt_assert(is_done(fd, out[i]));
	igt_assert_eq(store(&s, DATA_ADDR + 8ull * SZ_1G, 3), 1);
	igt_assert_eq_u32(*d.map, 3);

	/* with nothing before them they are done at once */
	igt_assert_eq(try_bind(&s, s.bind[0], NULL, 0, out[0]), 0);
	igt_assert(is_done(fd, out[0]));
	igt_assert_eq(try_bind(&s, 0, NULL, 0, out[0]), 0);
	igt_assert(is_done(fd, out[0]));
	for (int i = 0; i < 3; i++)
		xetile_syncobj_destroy(fd, out[i]);
	data_fini(fd, &d);
	setup_fini(&s);
	gate_fini(&gate);
}

/*
 * What two queues change at the same place is changed in the order of the calls: the same
 * addresses, and others that are found by a table the first one makes.
 */
static void test_conflict(int fd)
{
	struct data first = data(fd), second = data(fd), beside = data(fd);
	uint32_t out[3];
	struct gate gate;
	struct setup s;

	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (int i = 0; i < 3; i++)
		out[i] = xetile_syncobj(fd);
	map(&s, s.bind[0], DATA_ADDR, first.bo, gate.fence, out[0]);
	map(&s, s.bind[1], DATA_ADDR, second.bo, 0, out[1]);
	map(&s, 0, DATA_ADDR + SZ_64K, beside.bo, 0, out[2]);
	for (int i = 0; i < 3; i++)
		igt_assert(!is_done(fd, out[i]));
	gate_open(&gate);
	for (int i = 0; i < 3; i++)
		wait_done(fd, out[i]);
	igt_assert_eq(store(&s, DATA_ADDR, 1), 1);
	igt_assert_eq(store(&s, DATA_ADDR + SZ_64K, 2), 1);
	igt_assert_eq_u32(*first.map, 0);
	igt_assert_eq_u32(*second.map, 1);
	igt_assert_eq_u32(*beside.map, 2);

	for (int i = 0; i < 3; i++)
		xetile_syncobj_destroy(fd, out[i]);
	data_fini(fd, &first);
	data_fini(fd, &second);
	data_fini(fd, &beside);
	setup_fini(&s);
	gate_fini(&gate);
}

/* A job that stores, waits until it is let go, and stores again */
static uint32_t store_twice(struct setup *s, uint64_t addr)
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

/* What another client gets in the meantime stays as it is. */
static void check_others(int fd, const struct data *others, unsigned int num)
{
	for (unsigned int i = 0; i < num; i++)
		for (unsigned int at = 0; at < SZ_64K / 4; at++)
			igt_assert_eq_u32(others[i].map[at], 0);
}

/*
 * A buffer that is unmapped by a bind queue, and given up. As long as the change waits it is
 * mapped for jobs; one that began before the change was made uses it to its end, and only
 * then it is given away. What is submitted after that does not find it.
 */
static void test_unmap_keeps(int fd, uint32_t engine_class, bool is_private)
{
	uint32_t out = xetile_syncobj(fd), job;
	int other_fd = xetile_open();
	struct data old, others[16];
	struct gate gate;
	struct setup s;
	uint64_t used;

	/* Else tables of another subtest's VM could go while bytes are counted here. */
	xetile_wait_hbm_free(fd);
	gate_init(&gate, fd);
	setup_init(&s, fd, engine_class);
	old = is_private ? private_data(&s) : data(fd);
	map(&s, 0, DATA_ADDR, old.bo, 0, 0);
	igt_assert_eq(store(&s, DATA_ADDR, 3), 1);
	unmap(&s, s.bind[0], DATA_ADDR, SZ_64K, gate.fence, out);
	munmap((void *)old.map, SZ_64K);
	xetile_bo_close(fd, old.bo);

	/* a job of later that begins before the change, and ends after it */
	used = xetile_hbm_used(fd);
	job = store_twice(&s, DATA_ADDR);
	igt_assert(!is_done(fd, out));
	gate_open(&gate);
	wait_done(fd, out);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		others[i] = data(other_fd);
	check_others(other_fd, others, ARRAY_SIZE(others));
	igt_assert_lte_u64(used + ARRAY_SIZE(others) * SZ_64K, xetile_hbm_used(fd));
	s.ctl.map[2 * SZ_4K / 4 + 2] = 1;
	/* it remembers where the buffer was, or it does not, as an engine likes */
	if (ended(&s, job) != 1) {
		xetile_queue_destroy(fd, s.queue);
		s.queue = xetile_queue(fd, s.vm, engine_class, DRM_XETILE_TARGET_TILE, 0, 0);
	}
	check_others(other_fd, others, ARRAY_SIZE(others));
	igt_assert(xetile_hbm_comes_back(fd, used + (ARRAY_SIZE(others) - 1) * SZ_64K));

	igt_assert_eq(store(&s, DATA_ADDR, 4), -EIO);
	check_others(other_fd, others, ARRAY_SIZE(others));
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		data_fini(other_fd, &others[i]);
	close(other_fd);
	xetile_syncobj_destroy(fd, out);
	setup_fini(&s);
	gate_fini(&gate);
}

/* A buffer that waits to be unmapped, or is mapped by a change that waits, stays in HBM. */
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
	struct setup s;

	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (int i = 0; i < 2; i++) {
		volatile uint32_t *map;

		igt_assert_eq(__xetile_bo_create(fd, &small), 0);
		bo[i] = small.handle;
		/* As long as it is being cleared it stays because of that. */
		map = xetile_bo_map(fd, bo[i], small.size);
		igt_assert_eq_u32(map[0], 0);
		munmap((void *)map, small.size);
	}
	xetile_vm_map(fd, s.vm, bo[0], 0, DATA_ADDR, small.size);
	unmap(&s, s.bind[0], DATA_ADDR, small.size, gate.fence, 0);
	bind = (struct drm_xetile_bind) {
		.addr = DATA_ADDR + SZ_1G, .range = small.size, .handle = bo[1],
	};
	igt_assert_eq(try_bind(&s, s.bind[0], &bind, 0, 0), 0);

	/* more than there is without them */
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
	igt_assert_eq(store(&s, DATA_ADDR, 1), 1);
	igt_assert(!is_done(fd, gate.fence));
	gate_open(&gate);
	for (int i = 0; i < 2; i++)
		xetile_bo_close(fd, bo[i]);
	setup_fini(&s);
	gate_fini(&gate);
}

/* What was evicted before is not where the tables say it is: then jobs do wait. */
static void test_evicted(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	struct drm_xetile_bo_create args = {
		.size = 4 * SZ_2M, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	struct drm_xetile_color_run run;
	struct gate gate;
	struct setup s;
	uint32_t bo, job;

	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	gate_init(&gate, fd);
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	bo = args.handle;
	xetile_vm_map(fd, s.vm, bo, 0, DATA_ADDR, args.size);
	igt_assert_eq(store(&s, DATA_ADDR, 1), 1);
	xetile_query_tiles(fd, tiles);
	args.flags = DRM_XETILE_BO_STRICT;
	args.size = (tiles[0].hbm_total - tiles[0].hbm_used + SZ_2M) / SZ_64K * SZ_64K;
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	xetile_bo_close(fd, args.handle);
	igt_assert_lte(1, xetile_bo_runs(fd, bo, &run, 1));
	igt_require_f(run.tile == DRM_XETILE_MEM_SYSTEM, "something else made room\n");

	unmap(&s, s.bind[0], DATA_ADDR, 4 * SZ_2M, gate.fence, 0);
	job = store_after(&s, s.ctl.addr + SZ_4K, 5, 0);
	igt_assert_eq(__xetile_wait(fd, job, 100), -ETIME);
	gate_open(&gate);
	igt_assert_eq(ended(&s, job), 1);
	igt_assert_eq(store(&s, DATA_ADDR, 1), -EIO);
	xetile_bo_close(fd, bo);
	gate_fini(&gate);
	setup_fini(&s);
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

/* Where a buffer begins: a tile, or system memory */
static uint32_t where(int fd, uint32_t bo)
{
	struct drm_xetile_color_run run;

	igt_assert_lte(1, xetile_bo_runs(fd, bo, &run, 1));
	return run.tile;
}

/* Tile 0 has no room for so much and @more, whoever is evicted */
static uint64_t too_much(int fd, uint64_t more)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(fd, tiles);
	return (tiles[0].hbm_total - tiles[0].hbm_used + more) / SZ_64K * SZ_64K;
}

/* A bind that waits keeps what it is about where it is, and nothing else of the VM. */
static void test_stays_alone(int fd)
{
	const uint64_t size = 4 * SZ_2M;
	uint32_t held, other, large;
	struct gate gate;
	struct setup s;

	xetile_wait_hbm_free(fd);
	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	held = on_tile0(fd, size, 0, DRM_XETILE_PLACE_HBM, s.vm);
	other = on_tile0(fd, 4 * size, 0, DRM_XETILE_PLACE_HBM, s.vm);
	xetile_vm_map(fd, s.vm, held, 0, DATA_ADDR, size);
	xetile_vm_map(fd, s.vm, other, 0, DATA_ADDR + SZ_1G, 4 * size);
	/* they are cleared when that is done, and idle */
	igt_assert_eq(store(&s, DATA_ADDR, 1), 1);
	unmap(&s, s.bind[0], DATA_ADDR, size, gate.fence, 0);

	large = on_tile0(fd, too_much(fd, size), DRM_XETILE_BO_STRICT,
			 DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, 0);
	igt_assert_eq_u32(where(fd, large), 0);
	igt_assert_eq_u32(where(fd, other), DRM_XETILE_MEM_SYSTEM);
	igt_assert_eq_u32(where(fd, held), 0);
	xetile_bo_close(fd, large);
	igt_assert(!is_done(fd, gate.fence));
	gate_open(&gate);
	xetile_bo_close(fd, held);
	xetile_bo_close(fd, other);
	setup_fini(&s);
	gate_fini(&gate);
}

static uint64_t clients_bytes(int fd)
{
	return xetile_debugfs_sum(fd, "hbm", "clients");
}

/* Directories that were made, or left, because binds waited go when none does any more. */
static void test_directories(int fd)
{
	const unsigned int num = 16;
	struct data d;
	struct gate gate;
	struct setup s;
	uint32_t out;
	uint64_t bytes;

	/* What the subtest before gave up counts until it is freed. */
	xetile_wait_hbm_free(fd);
	d = data(fd);
	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	out = xetile_syncobj(fd);
	map(&s, 0, DATA_ADDR, d.bo, 0, 0);
	igt_assert_eq(store(&s, DATA_ADDR, 1), 1);
	bytes = clients_bytes(fd);
	for (unsigned int i = 1; i <= num; i++) {
		map(&s, s.bind[0], DATA_ADDR + i * SZ_1G, d.bo, gate.fence, 0);
		unmap(&s, s.bind[0], DATA_ADDR + i * SZ_1G, SZ_64K, gate.fence, out);
	}
	igt_assert_lte_u64(bytes + num * SZ_4K, clients_bytes(fd));
	gate_open(&gate);
	wait_done(fd, out);
	/* what was retired by one call goes with the next but one */
	for (int i = 0; i < 3; i++)
		igt_assert_eq(store(&s, DATA_ADDR, 2 + i), 1);
	igt_assert_eq_u64(clients_bytes(fd), bytes);

	xetile_syncobj_destroy(fd, out);
	data_fini(fd, &d);
	setup_fini(&s);
	gate_fini(&gate);
}

static void on_alarm(int sig)
{
}

/* Begin one job after the other, until one has to wait for the buffer that is held back. */
static void wait_held_back(struct setup *s)
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
 * A stranger who wants room keeps a buffer from new jobs for a while, and gives up. It is where
 * it was: jobs do not wait for a bind that displaces it.
 */
static void test_held_back(int fd)
{
	const uint64_t size = 8 * SZ_2M;
	struct setup s, copy;
	struct gate gate;
	uint32_t busy, bo;
	pid_t stranger;

	xetile_wait_hbm_free(fd);
	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
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

	unmap(&s, s.bind[0], DATA_ADDR, size, gate.fence, 0);
	igt_assert_eq(store(&copy, s.ctl.addr + 3 * SZ_4K, 1), 1);
	igt_assert(!is_done(fd, gate.fence));

	s.ctl.map[2 * SZ_4K / 4 + 2] = 1;
	igt_assert_eq(ended(&s, busy), 1);
	xetile_queue_destroy(fd, copy.queue);
	gate_open(&gate);
	xetile_bo_close(fd, bo);
	setup_fini(&s);
	gate_fini(&gate);
}

/* The status of a fence, wherever its syncobj is now */
static int file_status(int file)
{
	struct sync_file_info info = { 0 };

	igt_assert_eq(ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	return info.status;
}

/* A queue, a VM, a file that is given up while binds wait */
static void test_close(int fd)
{
	struct data d = data(fd);
	uint32_t out = xetile_syncobj(fd), in, own_out;
	int own = xetile_open(), file;
	struct setup s, other;
	struct gate gate;

	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	/* the bind is made without its queue */
	map(&s, s.bind[0], DATA_ADDR, d.bo, gate.fence, out);
	xetile_queue_destroy(fd, s.bind[0]);
	igt_assert(!is_done(fd, out));
	igt_assert_eq(try_bind(&s, s.bind[0], NULL, 0, 0), -ENOENT);
	gate_open(&gate);
	wait_done(fd, out);
	igt_assert_eq(store(&s, DATA_ADDR, 9), 1);
	igt_assert_eq_u32(*d.map, 9);
	s.bind[0] = bind_queue(fd, s.vm);
	gate_fini(&gate);

	/* without its VM it is not: a bind queue is nobody who could see it */
	gate_init(&gate, fd);
	unmap(&s, s.bind[0], DATA_ADDR, SZ_64K, gate.fence, out);
	igt_assert(!is_done(fd, out));
	xetile_buf_fini(&s.ctl);
	xetile_queue_destroy(fd, s.queue);
	xetile_vm_destroy(fd, s.vm);
	igt_assert_eq(__xetile_wait(fd, out, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, out), -ECANCELED);
	igt_assert_eq(try_bind(&s, s.bind[1], NULL, 0, 0), -ENOENT);
	for (int i = 0; i < 2; i++)
		xetile_queue_destroy(fd, s.bind[i]);
	gate_open(&gate);
	gate_fini(&gate);

	/* nor without its file, whatever it waits for */
	gate_init(&gate, fd);
	setup_init(&other, own, DRM_XETILE_ENGINE_COMPUTE);
	igt_assert_eq(drmSyncobjExportSyncFile(fd, gate.fence, &file), 0);
	in = xetile_syncobj(own);
	igt_assert_eq(drmSyncobjImportSyncFile(own, in, file), 0);
	close(file);
	own_out = xetile_syncobj(own);
	unmap(&other, other.bind[1], DATA_ADDR, SZ_64K, in, own_out);
	igt_assert_eq(drmSyncobjExportSyncFile(own, own_out, &file), 0);
	igt_assert_eq(file_status(file), 0);
	/* a mapping keeps the file */
	munmap(other.ctl.map, SZ_64K);
	close(own);
	xetile_assert_soon(file_status(file) == -ECANCELED);
	igt_assert(!is_done(fd, gate.fence));
	close(file);
	gate_open(&gate);
	gate_fini(&gate);
	xetile_syncobj_destroy(fd, out);
	data_fini(fd, &d);
}

/* A VM has so many that wait, and others have as many. */
static void test_limit(int fd)
{
	struct gate gate;
	struct setup s, other;

	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	setup_init(&other, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (unsigned int i = 0; i < MAX_WAITING; i++)
		unmap(&s, s.bind[i & 1], DATA_ADDR + i * SZ_2M, SZ_64K, gate.fence, 0);
	igt_assert_eq(try_bind(&s, s.bind[0], NULL, 0, 0), -EDQUOT);
	igt_assert_eq(try_bind(&s, 0, NULL, gate.fence, 0), -EDQUOT);
	/* what need not wait is no matter of it */
	igt_assert_eq(try_bind(&s, 0, NULL, 0, 0), 0);
	igt_assert_eq(store(&s, s.ctl.addr + SZ_4K, 1), 1);
	igt_assert_eq(try_bind(&other, other.bind[0], NULL, gate.fence, 0), 0);
	gate_open(&gate);
	xetile_assert_soon(!try_bind(&s, s.bind[0], NULL, 0, 0));
	setup_fini(&other);
	setup_fini(&s);
	gate_fini(&gate);
}

/* Bind queues of which each has a fence that signals when the gate opens: timelines */
static void timelines_init(struct gate *g, uint32_t *queues, struct drm_xetile_sync *syncs)
{
	for (unsigned int i = 0; i < TIMELINES; i++) {
		queues[i] = bind_queue(g->s.fd, g->s.vm);
		syncs[i].handle = xetile_syncobj(g->s.fd);
		igt_assert_eq(try_bind(&g->s, queues[i], NULL, g->fence, syncs[i].handle), 0);
	}
}

/* Binds that wait for a fence of each timeline, until no more can; how many calls */
static unsigned int wait_for_timelines(const struct setup *s, struct drm_xetile_sync *syncs)
{
	struct drm_xetile_vm_bind args = {
		.vm_id = s->vm, .queue_id = s->bind[0], .syncs = DRM_XETILE_ARRAY(syncs, TIMELINES),
	};
	unsigned int n;
	int ret = 0;

	for (n = 0; !ret && n <= MAX_FENCES / TIMELINES; n++)
		ret = xetile_ioctl(s->fd, DRM_IOCTL_XETILE_VM_BIND, &args);
	igt_assert_eq(ret, -EDQUOT);
	return n;
}

/* The same fence in another file, and a VM there that waits for it */
static int try_elsewhere(int fd, uint32_t fence)
{
	int other = xetile_reopen(fd), file, ret;
	struct drm_xetile_sync in = { 0 };

	igt_assert_eq(drmSyncobjHandleToFD(fd, fence, &file), 0);
	igt_assert_eq(drmSyncobjFDToHandle(other, file, &in.handle), 0);
	close(file);
	ret = __xetile_vm_bind(other, xetile_vm(other), NULL, 0, &in, 1);
	close(other);
	return ret;
}

/*
 * All that wait in a VM wait for so many fences, and all that wait in a file; one that is named
 * twice is one.
 */
static void test_limit_fences(int fd)
{
	struct drm_xetile_sync *same = calloc(DRM_XETILE_MAX_ARRAY, sizeof(*same));
	struct drm_xetile_sync syncs[TIMELINES] = { 0 };
	struct drm_xetile_vm_bind args;
	uint32_t queues[TIMELINES];
	struct setup s, other, third;
	struct gate gate;
	unsigned int n;

	igt_assert(same);
	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	setup_init(&other, fd, DRM_XETILE_ENGINE_COMPUTE);
	setup_init(&third, fd, DRM_XETILE_ENGINE_COMPUTE);
	timelines_init(&gate, queues, syncs);
	/* each waits for the one before, too */
	igt_assert_eq(wait_for_timelines(&s, syncs), MAX_FENCES / (TIMELINES + 1) + 1);

	for (unsigned int i = 0; i < DRM_XETILE_MAX_ARRAY; i++)
		same[i].handle = gate.fence;
	args = (struct drm_xetile_vm_bind) {
		.vm_id = other.vm, .queue_id = other.bind[0],
		.syncs = DRM_XETILE_ARRAY(same, DRM_XETILE_MAX_ARRAY),
	};
	for (n = 0; n <= MAX_FENCES / DRM_XETILE_MAX_ARRAY; n++)
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	igt_assert_eq(try_bind(&s, s.bind[1], NULL, gate.fence, 0), 0);

	/* A file's end is that of two VMs. */
	igt_assert_lt(1, wait_for_timelines(&other, syncs));
	igt_assert_eq(wait_for_timelines(&third, syncs), 1);
	igt_assert_eq(try_elsewhere(fd, gate.fence), 0);

	gate_open(&gate);
	args.vm_id = s.vm;
	args.queue_id = s.bind[0];
	xetile_assert_soon(!xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args));
	for (unsigned int i = 0; i < TIMELINES; i++) {
		wait_done(fd, syncs[i].handle);
		xetile_syncobj_destroy(fd, syncs[i].handle);
		xetile_queue_destroy(fd, queues[i]);
	}
	setup_fini(&third);
	setup_fini(&other);
	setup_fini(&s);
	gate_fini(&gate);
	free(same);
}

static void test_bad_create(int fd)
{
	const struct drm_xetile_queue_create good = {
		.vm_id = xetile_vm(fd), .engine_class = DRM_XETILE_ENGINE_BIND,
	};
	struct drm_xetile_queue_create cases[] = {
#define CASE(...) { .vm_id = good.vm_id, .engine_class = good.engine_class, __VA_ARGS__ }
		CASE(.target = DRM_XETILE_TARGET_TILE), CASE(.target = 7), CASE(.tile = 1),
		CASE(.cslice = 1), CASE(.priority = DRM_XETILE_PRIORITY_LOW), CASE(.weight = 100),
		CASE(.flags = 1), CASE(.timeout_ms = 1000),
#undef CASE
	};
	struct drm_xetile_queue_create args;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		igt_assert_eq(__xetile_queue_create(fd, &cases[i]), -EINVAL);
	args = good;
	args.vm_id = BAD_ID;
	igt_assert_eq(__xetile_queue_create(fd, &args), -ENOENT);
	xetile_vm_destroy(fd, good.vm_id);
	args = good;
	igt_assert_eq(__xetile_queue_create(fd, &args), -ENOENT);
}

/* They count as queues; a number is given again when it is free. */
static void test_bad_number(void)
{
	int fd = xetile_open();
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(fd), .engine_class = DRM_XETILE_ENGINE_BIND,
	};
	uint32_t last = 0;

	for (unsigned int i = 0; i < MAX_QUEUES; i++)
		last = bind_queue(fd, args.vm_id);
	igt_assert_eq(__xetile_queue_create(fd, &args), -EDQUOT);
	args.engine_class = DRM_XETILE_ENGINE_COPY;
	igt_assert_eq(__xetile_queue_create(fd, &args), -EDQUOT);
	xetile_queue_destroy(fd, last);
	igt_assert_eq(__xetile_queue_destroy(fd, last), -ENOENT);
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	close(fd);
}

#define MAX_HOLDS	32768u

/*
 * A bind that would have to hold more mappings than that is one that jobs wait for, so that
 * nobody has the kernel remember as much as he likes.
 */
static void test_too_many(int fd)
{
	struct drm_xetile_bind *binds;
	struct drm_xetile_vm_bind args;
	struct data d = data(fd);
	uint64_t addr = DATA_ADDR;
	uint32_t out = xetile_syncobj(fd), job;
	struct gate gate;
	struct setup s;

	gate_init(&gate, fd);
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	binds = calloc(DRM_XETILE_MAX_ARRAY, sizeof(*binds));
	igt_assert(binds);
	args = (struct drm_xetile_vm_bind) {
		.binds = DRM_XETILE_ARRAY(binds, DRM_XETILE_MAX_ARRAY), .vm_id = s.vm,
	};
	while (addr <= DATA_ADDR + (uint64_t)MAX_HOLDS * SZ_64K) {
		for (unsigned int i = 0; i < DRM_XETILE_MAX_ARRAY; i++, addr += SZ_64K)
			binds[i] = (struct drm_xetile_bind) {
				.addr = addr, .range = SZ_64K, .handle = d.bo,
			};
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	}
	free(binds);

	unmap(&s, s.bind[0], DATA_ADDR, SZ_2M, gate.fence, out);
	igt_assert_eq(store(&s, BATCH_ADDR + 2 * SZ_4K, 1), 1);
	igt_assert(!is_done(fd, out));
	unmap(&s, s.bind[1], DATA_ADDR + SZ_2M, addr - DATA_ADDR - SZ_2M, gate.fence, out);
	job = store_after(&s, BATCH_ADDR + 2 * SZ_4K, 2, 0);
	/* It would be done in much less. */
	igt_assert_eq(__xetile_wait(fd, job, 500), -ETIME);
	gate_open(&gate);
	wait_done(fd, out);
	igt_assert_eq(ended(&s, job), 1);
	igt_assert_eq(store(&s, DATA_ADDR + SZ_2M, 3), -EIO);

	xetile_syncobj_destroy(fd, out);
	data_fini(fd, &d);
	setup_fini(&s);
	gate_fini(&gate);
}

static void test_bad_args(int fd)
{
	struct drm_xetile_queue_info info, none;
	struct setup s, other;

	test_bad_create(fd);
	test_bad_number();
	setup_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	setup_init(&other, fd, DRM_XETILE_ENGINE_COMPUTE);
	igt_assert_eq(__xetile_exec(fd, s.bind[0], s.ctl.addr, NULL, 0), -EINVAL);
	igt_assert_eq(try_bind(&s, other.bind[0], NULL, 0, 0), -EINVAL);
	igt_assert_eq(try_bind(&s, s.queue, NULL, 0, 0), -EINVAL);
	igt_assert_eq(try_bind(&s, BAD_ID, NULL, 0, 0), -ENOENT);

	memset(&none, 0, sizeof(none));
	none.queue_id = s.bind[0];
	xetile_queue_info(fd, s.bind[0], &info);
	igt_assert_eq(memcmp(&info, &none, sizeof(info)), 0);
	setup_fini(&other);
	setup_fini(&s);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = xetile_open();

	igt_describe("Jobs and other binds go on while a bind waits");
	igt_subtest("overlap-work")
		test_overlap_work(fd);
	igt_describe("Binds of one queue are done in order, and fences among them");
	igt_subtest("order")
		test_order(fd);
	igt_describe("Binds of two queues at one place are done in order");
	igt_subtest("conflict")
		test_conflict(fd);
	igt_describe("What is unmapped later is there as long as a job may see it: compute");
	igt_subtest("unmap-keeps-compute")
		test_unmap_keeps(fd, DRM_XETILE_ENGINE_COMPUTE, false);
	igt_describe("What is unmapped later is there as long as a job may see it: copy");
	igt_subtest("unmap-keeps-copy")
		test_unmap_keeps(fd, DRM_XETILE_ENGINE_COPY, false);
	igt_describe("The same with a buffer that is private to the VM");
	igt_subtest("unmap-keeps-private")
		test_unmap_keeps(fd, DRM_XETILE_ENGINE_COMPUTE, true);
	igt_describe("What a bind that waits displaces, or maps, is not evicted");
	igt_subtest("stays")
		test_stays(fd);
	igt_describe("What else is private to the VM of a bind that waits is evicted");
	igt_subtest("stays-alone")
		test_stays_alone(fd);
	igt_describe("Directories that nothing needs go when no bind waits any more");
	igt_subtest("directories")
		test_directories(fd);
	igt_describe("A stranger who wants room does not make jobs wait for a bind");
	igt_subtest("held-back")
		test_held_back(fd);
	igt_describe("Jobs wait for a bind that displaces what was evicted");
	igt_subtest("evicted")
		test_evicted(fd);
	igt_describe("Queues, VMs and files that are given up while binds wait");
	igt_subtest("close")
		test_close(fd);
	igt_describe("A VM has so many binds that wait");
	igt_subtest("limit")
		test_limit(fd);
	igt_describe("Binds of a VM wait for so many fences, and those of a file");
	igt_subtest("limit-fences")
		test_limit_fences(fd);
	igt_describe("Jobs wait for a bind of more mappings than one may hold");
	igt_subtest("too-many")
		test_too_many(fd);
	igt_describe("Every field, wrong");
	igt_subtest("bad-args")
		test_bad_args(fd);

	igt_fixture
		close(fd);
}
