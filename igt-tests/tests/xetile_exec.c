// SPDX-License-Identifier: MIT
/*
 * Queues and batches: stores, copies, kernels, gangs over all tiles, syncs,
 * batches that fault or hang, files closed with work in flight, bad input on
 * every field.
 * Statements: S12, S13, S28, S29, S33, S38, S39, S43, S48, S108, S120, S126,
 * S131, W1, W2, W12.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_igt.h"
#include "xetile_walker.h"

IGT_TEST_DESCRIPTION("Batches on one tile, on copy engines, and on all tiles as one act");

#define BATCH_ADDR	0x10000000ull
#define GATE_ADDR	0x20000000ull
#define ISA_ADDR	0x30000000ull
#define DATA_ADDR	0x4000000000ull

#define COMPUTE		DRM_XETILE_ENGINE_COMPUTE
#define COPY		DRM_XETILE_ENGINE_COPY
#define ROOT		DRM_XETILE_TARGET_ROOT
#define TILE		DRM_XETILE_TARGET_TILE

#define WPARID		0x21c

struct ctx {
	int fd;
	uint32_t vm;
	struct xetile_buf batch;	/* commands */
	struct xetile_buf gate;		/* words the GPU and we exchange */
};

static void ctx_init(struct ctx *c, int fd)
{
	c->fd = fd;
	c->vm = xetile_vm(fd);
	xetile_buf_init(&c->batch, fd, c->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&c->gate, fd, c->vm, GATE_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
}

static void ctx_fini(struct ctx *c)
{
	xetile_buf_fini(&c->batch);
	xetile_buf_fini(&c->gate);
	xetile_vm_destroy(c->fd, c->vm);
}

static void test_store(const struct xetile_card *card, uint32_t class, uint32_t target,
		       uint32_t tile, uint32_t placement)
{
	struct xetile_buf data;
	struct xetile_batch b;
	struct ctx c;
	uint32_t q;

	ctx_init(&c, card->fd);
	xetile_buf_init(&data, c.fd, c.vm, DATA_ADDR, SZ_64K, placement);
	q = xetile_queue(c.fd, c.vm, class, target, tile, 0);
	for (uint32_t i = 0; i < 64; i++) {
		batch_begin(&b, &c.batch, 0);
		batch_store(&b, DATA_ADDR + 4 * i, 0xbeef0000 + i, false);
		batch_end(&b);
		xetile_run(c.fd, q, batch_addr(&b));
		igt_assert_eq_u32(data.map[i], 0xbeef0000 + i);
		igt_assert_eq_u32(data.map[i + 1], 0);
	}
	xetile_queue_destroy(c.fd, q);
	xetile_buf_fini(&data);
	ctx_fini(&c);
}

static void test_in_flight(const struct xetile_card *card, unsigned int count)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	struct ctx c;
	uint32_t q;

	/* more batches than a ring holds, in order, one fence at the end */
	ctx_init(&c, card->fd);
	q = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	batch_begin(&b, &c.batch, 0);
	batch_atomic_inc(&b, c.gate.addr);
	batch_end(&b);
	sync.handle = xetile_syncobj(c.fd);
	for (unsigned int i = 0; i < count; i++)
		igt_assert_eq(__xetile_exec(c.fd, q, batch_addr(&b), &sync, i == count - 1), 0);
	igt_assert_eq(__xetile_wait(c.fd, sync.handle, 120000), 0);
	igt_assert_eq_u32(c.gate.map[0], count);
	xetile_syncobj_destroy(c.fd, sync.handle);
	xetile_queue_destroy(c.fd, q);
	ctx_fini(&c);
}

static void test_copy(const struct xetile_card *card, uint32_t tile, uint32_t from, uint32_t to)
{
	uint64_t size = 3 * SZ_64K;
	uint32_t src, dst, *s, *d, q;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card->fd);
	src = xetile_bo_color(c.fd, size, DRM_XETILE_COLOR_TILE, 1u << from, 0);
	dst = xetile_bo_color(c.fd, size, DRM_XETILE_COLOR_TILE, 1u << to, 0);
	s = xetile_bo_map(c.fd, src, size);
	d = xetile_bo_map(c.fd, dst, size);
	for (uint32_t i = 0; i < size / 4; i++)
		s[i] = i * 2654435761u;
	xetile_vm_map(c.fd, c.vm, src, 0, DATA_ADDR, size);
	xetile_vm_map(c.fd, c.vm, dst, 0, DATA_ADDR + SZ_2M, size);

	q = xetile_queue(c.fd, c.vm, COPY, TILE, tile, 0);
	batch_begin(&b, &c.batch, 0);
	batch_mem_copy(&b, DATA_ADDR + SZ_2M, DATA_ADDR, size);
	batch_end(&b);
	xetile_run(c.fd, q, batch_addr(&b));
	igt_assert_eq(memcmp(s, d, size), 0);

	munmap(s, size);
	munmap(d, size);
	xetile_queue_destroy(c.fd, q);
	xetile_bo_close(c.fd, src);
	xetile_bo_close(c.fd, dst);
	ctx_fini(&c);
}

static void test_compute(const struct xetile_card *card, uint32_t target, uint32_t tile)
{
	uint32_t tiles = target == ROOT ? card->device.num_tiles : 1;
	uint32_t groups = 1023, items = groups * FILL_LOCAL, q;
	uint64_t size = (uint64_t)(items * 4 + SZ_64K) / SZ_64K * SZ_64K;
	struct xetile_buf isa, data;
	struct ctx c;

	ctx_init(&c, card->fd);
	xetile_buf_init(&isa, c.fd, c.vm, ISA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&data, c.fd, c.vm, DATA_ADDR, size, DRM_XETILE_PLACE_HBM);
	q = xetile_queue(c.fd, c.vm, COMPUTE, target, tile, 0);
	xetile_run(c.fd, q, fill_batch(&c.batch, &isa, data.addr, 0x5eed, groups, tiles));
	for (uint32_t i = 0; i < items; i++)
		igt_assert_eq_u32(data.map[i], 0x5eed + i);
	igt_assert_eq_u32(data.map[items], 0);
	xetile_queue_destroy(c.fd, q);
	xetile_buf_fini(&data);
	xetile_buf_fini(&isa);
	ctx_fini(&c);
}

/* Every tile runs the batch once and knows its number. */
static void test_gang(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles, q;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card->fd);
	q = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t round = 1; round <= 20; round++) {
		memset(c.gate.map, 0, SZ_4K);
		batch_begin(&b, &c.batch, 0);
		batch_store(&b, c.gate.addr, round, true);
		batch_atomic_inc(&b, c.gate.addr + 1024);
		batch_end(&b);
		xetile_run(c.fd, q, batch_addr(&b));
		/* the one fence means all tiles: nothing may be missing now */
		for (uint32_t t = 0; t < tiles; t++)
			igt_assert_eq_u32(c.gate.map[2 * t], round);
		igt_assert_eq_u32(c.gate.map[2 * tiles], 0);
		igt_assert_eq_u32(c.gate.map[256], tiles);
	}
	xetile_queue_destroy(c.fd, q);
	ctx_fini(&c);
}

/* One batch a tile, given as an array. */
static void test_gang_array(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles;
	uint64_t addrs[DRM_XETILE_MAX_TILES];
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec args = {
		.batch = to_user(addrs), .num_batches = tiles,
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};
	struct xetile_batch b;
	struct ctx c;

	igt_require_f(tiles > 1, "needs two tiles\n");
	ctx_init(&c, card->fd);
	args.queue_id = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t t = 0; t < tiles; t++) {
		batch_begin(&b, &c.batch, t * 4096);
		batch_store(&b, c.gate.addr + t * 4, 0x10 + t, false);
		batch_store_reg(&b, WPARID, c.gate.addr + 64 + t * 4);
		batch_end(&b);
		addrs[t] = batch_addr(&b);
	}
	sync.handle = xetile_syncobj(c.fd);
	igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
	igt_assert_eq(__xetile_wait(c.fd, sync.handle, 20000), 0);
	for (uint32_t t = 0; t < tiles; t++) {
		igt_assert_eq_u32(c.gate.map[t], 0x10 + t);
		igt_assert_eq_u32(c.gate.map[16 + t], t);
	}
	xetile_syncobj_destroy(c.fd, sync.handle);
	xetile_queue_destroy(c.fd, args.queue_id);
	ctx_fini(&c);
}

/*
 * Each tile is held until we let it go, in every order: the fence signals when
 * the last one is done, and not before.
 */
static void test_gang_fence(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles;
	uint64_t addrs[DRM_XETILE_MAX_TILES];
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec args = {
		.batch = to_user(addrs), .num_batches = tiles,
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};
	struct xetile_batch b;
	struct ctx c;

	igt_require_f(tiles > 1, "needs two tiles\n");
	ctx_init(&c, card->fd);
	args.queue_id = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t t = 0; t < tiles; t++) {
		batch_begin(&b, &c.batch, t * 4096);
		batch_wait(&b, c.gate.addr + t * 64, 1);
		batch_end(&b);
		addrs[t] = batch_addr(&b);
	}
	for (uint32_t last = 0; last < tiles; last++) {
		memset(c.gate.map, 0, SZ_4K);
		sync.handle = xetile_syncobj(c.fd);
		igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
		for (uint32_t t = 0; t < tiles; t++)
			if (t != last)
				*(volatile uint32_t *)&c.gate.map[t * 16] = 1;
		igt_assert_eq(__xetile_wait(c.fd, sync.handle, 200), -ETIME);
		*(volatile uint32_t *)&c.gate.map[last * 16] = 1;
		igt_assert_eq(__xetile_wait(c.fd, sync.handle, 20000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, sync.handle), 1);
		xetile_syncobj_destroy(c.fd, sync.handle);
	}
	xetile_queue_destroy(c.fd, args.queue_id);
	ctx_fini(&c);
}

/*
 * A barrier inside the batch: ends only if all tiles run at the same time. The
 * counter only grows, so a tile that is late still sees it reached.
 */
static uint32_t barrier_rounds(struct ctx *c, uint32_t q, uint32_t tiles, uint32_t rounds)
{
	struct xetile_batch b;

	for (uint32_t round = 0; round < rounds; round++) {
		c->gate.map[0] = 0;
		batch_begin(&b, &c->batch, 0);
		batch_atomic_inc(&b, c->gate.addr);
		batch_wait(&b, c->gate.addr, tiles);
		batch_store(&b, c->gate.addr + 64, round + 1, true);
		batch_end(&b);
		xetile_run(c->fd, q, batch_addr(&b));
		for (uint32_t t = 0; t < tiles; t++)
			igt_assert_eq_u32(c->gate.map[16 + 2 * t], round + 1);
	}
	return rounds;
}

static void test_gang_barrier(const struct xetile_card *card, int processes, int rounds)
{
	uint32_t tiles = card->device.num_tiles;

	igt_require_f(tiles > 1, "needs two tiles\n");
	igt_fork(child, processes) {
		int fd = xetile_reopen(card->fd);
		struct ctx c;
		uint32_t root, one;
		struct xetile_batch b;

		ctx_init(&c, fd);
		root = xetile_queue(fd, c.vm, COMPUTE, ROOT, 0, 0);
		one = xetile_queue(fd, c.vm, COMPUTE, TILE, child % tiles, 0);
		for (int i = 0; i < rounds; i++) {
			barrier_rounds(&c, root, tiles, 1);
			/* and a job that wants only one of the engines */
			batch_begin(&b, &c.batch, 0);
			batch_store(&b, c.gate.addr + 256, i + 1, false);
			batch_end(&b);
			xetile_run(fd, one, batch_addr(&b));
			igt_assert_eq_u32(c.gate.map[64], i + 1);
		}
		xetile_queue_destroy(fd, root);
		xetile_queue_destroy(fd, one);
		ctx_fini(&c);
		close(fd);
	}
	igt_waitchildren();
}

/* Binary and timeline syncobjs, waited for and signalled, over two queues. */
static void test_syncs(const struct xetile_card *card, bool timeline)
{
	uint32_t flag = timeline ? DRM_XETILE_SYNC_TIMELINE : 0, q[2];
	struct drm_xetile_sync held = { 0 }, order[2], done = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch first, second;
	struct ctx c;

	ctx_init(&c, card->fd);
	q[0] = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	q[1] = xetile_queue(c.fd, c.vm, COPY, TILE, card->device.num_tiles - 1, 0);
	held.handle = xetile_syncobj(c.fd);
	done.handle = xetile_syncobj(c.fd);

	batch_begin(&first, &c.batch, 0);
	batch_wait(&first, c.gate.addr, 1);
	batch_store(&first, c.gate.addr + 64, 1, false);
	batch_end(&first);
	batch_begin(&second, &c.batch, 4096);
	batch_atomic_inc(&second, c.gate.addr + 64);
	batch_end(&second);

	order[0] = (struct drm_xetile_sync) {
		.handle = held.handle, .flags = flag | DRM_XETILE_SYNC_SIGNAL, .point = timeline ? 5 : 0,
	};
	igt_assert_eq(__xetile_exec(c.fd, q[0], batch_addr(&first), order, 1), 0);
	order[0].flags = flag;
	order[0].point = timeline ? 3 : 0;	/* any earlier point waits for the next one */
	order[1] = done;
	igt_assert_eq(__xetile_exec(c.fd, q[1], batch_addr(&second), order, 2), 0);

	igt_assert_eq(__xetile_wait(c.fd, done.handle, 100), -ETIME);
	igt_assert_eq_u32(c.gate.map[16], 0);
	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, done.handle, 20000), 0);
	igt_assert_eq_u32(c.gate.map[16], 2);

	xetile_syncobj_destroy(c.fd, held.handle);
	xetile_syncobj_destroy(c.fd, done.handle);
	xetile_queue_destroy(c.fd, q[0]);
	xetile_queue_destroy(c.fd, q[1]);
	ctx_fini(&c);
}

/*
 * Of two batches of one queue that a third waits for, the later one counts, whichever was
 * named first.
 */
static void test_sync_same_queue(const struct xetile_card *card, unsigned int first)
{
	struct drm_xetile_sync order[3] = { 0 }, sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b[3];
	uint32_t q[2], s[3];
	struct ctx c;

	ctx_init(&c, card->fd);
	q[0] = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	q[1] = xetile_queue(c.fd, c.vm, COPY, TILE, 0, 0);
	for (int i = 0; i < 3; i++) {
		s[i] = xetile_syncobj(c.fd);
		batch_begin(&b[i], &c.batch, i * 4096);
		if (i < 2)
			batch_wait(&b[i], c.gate.addr + i * 64, 1);
		batch_atomic_inc(&b[i], c.gate.addr + 128);
		batch_end(&b[i]);
	}
	for (int i = 0; i < 2; i++) {
		sync.handle = s[i];
		igt_assert_eq(__xetile_exec(c.fd, q[0], batch_addr(&b[i]), &sync, 1), 0);
	}
	order[0].handle = s[first];
	order[1].handle = s[!first];
	order[2] = (struct drm_xetile_sync) { .handle = s[2], .flags = DRM_XETILE_SYNC_SIGNAL };
	igt_assert_eq(__xetile_exec(c.fd, q[1], batch_addr(&b[2]), order, 3), 0);

	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, s[0], 20000), 0);
	igt_assert_eq(__xetile_wait(c.fd, s[2], 100), -ETIME);
	igt_assert_eq_u32(c.gate.map[32], 1);
	c.gate.map[16] = 1;
	igt_assert_eq(__xetile_wait(c.fd, s[2], 20000), 0);
	igt_assert_eq_u32(c.gate.map[32], 3);

	for (int i = 0; i < 3; i++)
		xetile_syncobj_destroy(c.fd, s[i]);
	xetile_queue_destroy(c.fd, q[0]);
	xetile_queue_destroy(c.fd, q[1]);
	ctx_fini(&c);
}

static int exec_fence(struct ctx *c, uint32_t queue, const struct drm_xetile_sync *syncs,
		      uint32_t num_syncs)
{
	struct drm_xetile_exec args = {
		.queue_id = queue, .syncs = DRM_XETILE_ARRAY(syncs, num_syncs),
	};

	return xetile_ioctl(c->fd, DRM_IOCTL_XETILE_EXEC, &args);
}

/* A call without a batch: a fence behind the queue's work and the fences waited for. */
static void test_no_batch(const struct xetile_card *card, uint32_t class, uint32_t target)
{
	struct drm_xetile_sync held = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_sync syncs[2] = { { 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL } };
	uint32_t q, other, empty;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card->fd);
	q = xetile_queue(c.fd, c.vm, class, target, 0, 0);
	other = xetile_queue(c.fd, c.vm, class == COPY ? COMPUTE : COPY, TILE, 0, 0);
	held.handle = xetile_syncobj(c.fd);
	syncs[1].handle = xetile_syncobj(c.fd);
	batch_begin(&b, &c.batch, 0);
	batch_wait(&b, c.gate.addr, 1);
	batch_end(&b);

	/* on a queue that never ran anything */
	igt_assert_eq(exec_fence(&c, q, &syncs[1], 1), 0);
	igt_assert_eq(__xetile_wait(c.fd, syncs[1].handle, 20000), 0);
	igt_assert_eq(exec_fence(&c, q, NULL, 0), 0);

	/* behind a batch of its own queue, and behind one of another */
	for (int own = 0; own < 2; own++) {
		c.gate.map[0] = 0;
		igt_assert_eq(__xetile_exec(c.fd, own ? q : other, batch_addr(&b), &held, 1), 0);
		syncs[0].handle = held.handle;
		igt_assert_eq(exec_fence(&c, q, &syncs[own], 2 - own), 0);
		igt_assert_eq(__xetile_wait(c.fd, syncs[1].handle, 100), -ETIME);
		c.gate.map[0] = 1;
		igt_assert_eq(__xetile_wait(c.fd, syncs[1].handle, 20000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, syncs[1].handle), 1);
		igt_assert_eq(xetile_fence_status(c.fd, held.handle), 1);
	}

	/* what is done stays done, whatever comes after it */
	empty = xetile_syncobj(c.fd);
	syncs[0].handle = empty;
	igt_assert_eq(exec_fence(&c, q, syncs, 2), -EINVAL);
	igt_assert_eq(xetile_fence_status(c.fd, syncs[1].handle), 1);
	xetile_syncobj_destroy(c.fd, empty);
	xetile_syncobj_destroy(c.fd, held.handle);
	xetile_syncobj_destroy(c.fd, syncs[1].handle);
	xetile_queue_destroy(c.fd, q);
	xetile_queue_destroy(c.fd, other);
	ctx_fini(&c);
}

enum wreck { WRECK_LOOP, WRECK_WAIT, WRECK_FAULT, WRECK_COMMAND, WRECK_BATCH_FAULT };

static uint64_t wreck_batch(struct ctx *c, enum wreck how)
{
	struct xetile_batch b;

	batch_begin(&b, &c->batch, 0);
	switch (how) {
	case WRECK_LOOP:
		batch_hang(&b);
		break;
	case WRECK_WAIT:
		batch_wait(&b, c->gate.addr, 0xdead);
		break;
	case WRECK_FAULT:
		batch_store(&b, DATA_ADDR, 1, false);
		break;
	case WRECK_COMMAND:
		batch_emit(&b, 0x7fu << 23 | 7u << 29);
		break;
	case WRECK_BATCH_FAULT:
		return DATA_ADDR;
	}
	batch_end(&b);
	return batch_addr(&b);
}

static void check_ban(const struct drm_xetile_queue_info *info, enum wreck how, uint32_t class)
{
	static const uint32_t reasons[] = {
		[WRECK_LOOP] = DRM_XETILE_BAN_TIMEOUT, [WRECK_WAIT] = DRM_XETILE_BAN_TIMEOUT,
		[WRECK_FAULT] = DRM_XETILE_BAN_FAULT, [WRECK_COMMAND] = DRM_XETILE_BAN_ERROR,
		[WRECK_BATCH_FAULT] = DRM_XETILE_BAN_FAULT,
	};
	bool fault = reasons[how] == DRM_XETILE_BAN_FAULT, on_member = false;

	igt_assert_eq_u32(info->ban.reason, reasons[how]);
	igt_assert_eq_u32(info->ban.engine_class, class);
	for (uint32_t m = 0; m < info->num_members; m++)
		on_member |= info->members[m].tile == info->ban.tile &&
			     (class == COPY || info->members[m].instance == info->ban.instance);
	igt_assert(on_member);
	igt_assert_eq_u64(info->ban.fault_addr, fault ? DATA_ADDR : 0);
	igt_assert_eq_u32(info->ban.fault_access,
			  how == WRECK_FAULT ? DRM_XETILE_ACCESS_WRITE : DRM_XETILE_ACCESS_READ);
	igt_assert_eq(info->ban.pad, 0);
}

/*
 * A batch that never ends, or that the engine chokes on: its fence carries the
 * error, its queue is banned, everybody else goes on (W12).
 */
static void test_wreck(const struct xetile_card *card, enum wreck how, uint32_t class,
		       uint32_t target)
{
	struct drm_xetile_queue_create args = {
		.engine_class = class, .target = target, .timeout_ms = 500,
	};
	struct drm_xetile_sync hung = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_sync behind = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_sync other = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_info info;
	struct ctx bad, good;
	struct xetile_batch b;
	int fd = xetile_reopen(card->fd), status;
	uint32_t q;

	ctx_init(&bad, card->fd);
	ctx_init(&good, fd);
	args.vm_id = bad.vm;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	q = xetile_queue(fd, good.vm, class, target, 0, 0);
	hung.handle = xetile_syncobj(card->fd);
	behind.handle = xetile_syncobj(card->fd);
	other.handle = xetile_syncobj(fd);

	igt_assert_eq(__xetile_exec(card->fd, args.queue_id, wreck_batch(&bad, how), &hung, 1), 0);
	/* one behind it on the same queue, one of another file on the same engine */
	batch_begin(&b, &bad.batch, 4096);
	batch_store(&b, bad.gate.addr + 64, 1, false);
	batch_end(&b);
	status = __xetile_exec(card->fd, args.queue_id, batch_addr(&b), &behind, 1);
	igt_assert(status == 0 || status == -ECANCELED);
	batch_begin(&b, &good.batch, 0);
	batch_store(&b, good.gate.addr, 7, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(fd, q, batch_addr(&b), &other, 1), 0);

	igt_assert_eq(__xetile_wait(card->fd, hung.handle, 30000), 0);
	if (how == WRECK_LOOP || how == WRECK_WAIT)
		igt_assert_eq(xetile_fence_status(card->fd, hung.handle), -ETIME);
	else
		igt_assert_lt(xetile_fence_status(card->fd, hung.handle), 0);
	if (!status) {
		igt_assert_eq(__xetile_wait(card->fd, behind.handle, 30000), 0);
		igt_assert_lt(xetile_fence_status(card->fd, behind.handle), 0);
		igt_assert_eq_u32(bad.gate.map[16], 0);
	}
	igt_assert_eq(__xetile_wait(fd, other.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(fd, other.handle), 1);
	igt_assert_eq_u32(good.gate.map[0], 7);

	xetile_queue_info(card->fd, args.queue_id, &info);
	igt_assert(info.flags & DRM_XETILE_QUEUE_BANNED);
	igt_assert_lte(1, info.resets);
	check_ban(&info, how, class);
	igt_assert_eq(__xetile_exec(card->fd, args.queue_id, batch_addr(&b), NULL, 0), -ECANCELED);
	xetile_queue_info(fd, q, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_NONE);

	/* a new queue of the same file works */
	xetile_queue_destroy(card->fd, args.queue_id);
	args.queue_id = xetile_queue(card->fd, bad.vm, class, target, 0, 0);
	batch_begin(&b, &bad.batch, 0);
	batch_store(&b, bad.gate.addr + 128, 9, false);
	batch_end(&b);
	xetile_run(card->fd, args.queue_id, batch_addr(&b));
	igt_assert_eq_u32(bad.gate.map[32], 9);

	xetile_syncobj_destroy(card->fd, hung.handle);
	xetile_syncobj_destroy(card->fd, behind.handle);
	xetile_syncobj_destroy(fd, other.handle);
	xetile_queue_destroy(card->fd, args.queue_id);
	xetile_queue_destroy(fd, q);
	ctx_fini(&bad);
	ctx_fini(&good);
	close(fd);
}

/* A long job that is innocent survives the reset its neighbour caused. */
static void test_innocent(const struct xetile_card *card)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = TILE, .timeout_ms = 500,
	};
	struct drm_xetile_sync hung = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_sync slow = { .flags = DRM_XETILE_SYNC_SIGNAL };
	int fd = xetile_reopen(card->fd);
	struct ctx bad, good;
	struct xetile_batch b;
	uint32_t q;

	ctx_init(&bad, card->fd);
	ctx_init(&good, fd);
	args.vm_id = bad.vm;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	q = xetile_queue(fd, good.vm, COMPUTE, TILE, 0, 0);
	hung.handle = xetile_syncobj(card->fd);
	slow.handle = xetile_syncobj(fd);

	batch_begin(&b, &good.batch, 0);
	batch_store(&b, good.gate.addr + 64, 1, false);
	batch_wait(&b, good.gate.addr, 1);
	batch_store(&b, good.gate.addr + 128, 1, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(fd, q, batch_addr(&b), &slow, 1), 0);
	igt_assert_eq(__xetile_exec(card->fd, args.queue_id, wreck_batch(&bad, WRECK_LOOP), &hung, 1), 0);
	igt_assert_eq(__xetile_wait(card->fd, hung.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(card->fd, hung.handle), -ETIME);

	igt_assert_eq(xetile_fence_status(fd, slow.handle), 0);
	good.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(fd, slow.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, slow.handle), 1);
	igt_assert_eq_u32(good.gate.map[32], 1);

	xetile_syncobj_destroy(card->fd, hung.handle);
	xetile_syncobj_destroy(fd, slow.handle);
	xetile_queue_destroy(card->fd, args.queue_id);
	xetile_queue_destroy(fd, q);
	ctx_fini(&bad);
	ctx_fini(&good);
	close(fd);
}

/*
 * What a process does who opens the card, uses it and exits. It has nothing to do with
 * anybody's batch.
 */
static void use_and_exit(int fd)
{
	struct ctx c;

	ctx_init(&c, xetile_reopen(fd));
	xetile_queue(c.fd, c.vm, COPY, TILE, 0, 0);
	_exit(0);
}

/*
 * A buffer that a batch uses yet is given up, and cannot be freed before the batch ends.
 * Nobody waits for that who closes a file meanwhile.
 */
static void test_close_others(const struct xetile_card *card)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = TILE, .timeout_ms = 3600000,
	};
	struct drm_xetile_sync held = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	uint32_t bo;
	int status;
	pid_t pid;
	struct ctx c;

	ctx_init(&c, card->fd);
	args.vm_id = c.vm;
	igt_assert_eq(__xetile_queue_create(c.fd, &args), 0);
	bo = xetile_bo(c.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_vm_map(c.fd, c.vm, bo, 0, 8 * SZ_1G, SZ_64K);
	held.handle = xetile_syncobj(c.fd);
	batch_begin(&b, &c.batch, 0);
	batch_wait(&b, c.gate.addr, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(c.fd, args.queue_id, batch_addr(&b), &held, 1), 0);
	xetile_vm_unmap(c.fd, c.vm, 8 * SZ_1G, SZ_64K);
	xetile_bo_close(c.fd, bo);

	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid)
		use_and_exit(card->fd);
	xetile_assert_soon(waitpid(pid, &status, WNOHANG) == pid);
	igt_assert_eq(status, 0);
	igt_assert_eq(xetile_fence_status(c.fd, held.handle), 0);

	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, held.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(c.fd, held.handle), 1);
	xetile_syncobj_destroy(c.fd, held.handle);
	xetile_queue_destroy(c.fd, args.queue_id);
	ctx_fini(&c);
}

/* close() with batches running and waiting: they go, the card stays usable. */
static void test_close(const struct xetile_card *card, uint32_t class, uint32_t target, bool loop)
{
	for (int i = 0; i < 3; i++) {
		int fd = xetile_reopen(card->fd);
		struct xetile_batch b;
		struct ctx c;
		uint32_t q;

		ctx_init(&c, fd);
		q = xetile_queue(fd, c.vm, class, target, 0, 0);
		batch_begin(&b, &c.batch, 0);
		batch_store(&b, c.gate.addr + 64, 1, false);
		if (loop)
			batch_hang(&b);
		else
			batch_wait(&b, c.gate.addr, 1);
		batch_end(&b);
		for (int n = 0; n < 8; n++)
			igt_assert_eq(__xetile_exec(fd, q, batch_addr(&b), NULL, 0), 0);
		while (!*(volatile uint32_t *)&c.gate.map[16])
			sched_yield();
		munmap(c.batch.map, c.batch.size);
		munmap(c.gate.map, c.gate.size);
		close(fd);
	}
	test_store(card, class, target, 0, DRM_XETILE_PLACE_HBM);
}

/*
 * One engine, and three who want it: the highest gets it at once and keeps it, whatever the
 * time; the lowest waits for the others, but not until they are done.
 */
static void test_priority(const struct xetile_card *card)
{
	static const uint32_t priorities[] = {
		DRM_XETILE_PRIORITY_NORMAL, DRM_XETILE_PRIORITY_LOW, DRM_XETILE_PRIORITY_HIGH,
	};
	struct drm_xetile_sync done[3];
	struct drm_xetile_queue_create args = { .engine_class = COMPUTE, .target = TILE };
	volatile uint32_t *started;
	struct xetile_batch b;
	uint32_t q[3];
	struct ctx c;

	ctx_init(&c, card->fd);
	args.vm_id = c.vm;
	started = &c.gate.map[48];
	for (int i = 0; i < 3; i++) {
		args.priority = priorities[i];
		igt_assert_eq(__xetile_queue_create(c.fd, &args), 0);
		q[i] = args.queue_id;
		done[i] = (struct drm_xetile_sync) {
			.handle = xetile_syncobj(c.fd), .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		batch_begin(&b, &c.batch, 4096 * i);
		batch_store(&b, c.gate.addr + 192 + 4 * i, 1, false);
		batch_wait(&b, c.gate.addr + 64 * i, 1);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(c.fd, q[i], batch_addr(&b), &done[i], 1), 0);
		xetile_assert_soon(started[i]);
		/* the low one is done while the normal one does nothing but wait */
		if (priorities[i] == DRM_XETILE_PRIORITY_LOW) {
			c.gate.map[16 * i] = 1;
			igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 60000), 0);
			igt_assert_eq(xetile_fence_status(c.fd, done[0].handle), 0);
		}
	}
	/* the normal one could go on now, but for the high one */
	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, done[0].handle, 200), -ETIME);
	c.gate.map[32] = 1;
	for (int i = 0; i < 3; i++) {
		igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 10000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, done[i].handle), 1);
		xetile_syncobj_destroy(c.fd, done[i].handle);
		xetile_queue_destroy(c.fd, q[i]);
	}

	/* the highest is not everybody's */
	igt_assert_eq(seteuid(65534), 0);
	for (int i = 0; i < 3; i++) {
		args.priority = priorities[i];
		args.queue_id = 0;
		igt_assert_eq(__xetile_queue_create(c.fd, &args),
			      priorities[i] == DRM_XETILE_PRIORITY_HIGH ? -EACCES : 0);
		if (args.queue_id)
			xetile_queue_destroy(c.fd, args.queue_id);
	}
	igt_assert_eq(seteuid(0), 0);
	ctx_fini(&c);
}

/*
 * A batch has to have an engine back before it can store the word that the other one on that
 * engine waits for. It comes: in its turn, or, if the other one's priority lets nobody near,
 * when that has used up its time. The signaller is never blamed.
 */
static void test_signaller(const struct xetile_card *card, uint32_t target, uint32_t signaller,
			   uint32_t waiter, int expected)
{
	struct drm_xetile_queue_create args[2] = {
		{ .engine_class = COMPUTE, .target = target, .priority = signaller },
		{ .engine_class = COMPUTE, .target = TILE, .priority = waiter,
		  .timeout_ms = expected == 1 ? 0 : 500 },
	};
	enum { BEGUN = 0, GO = 64, WORD = 128 };
	struct drm_xetile_sync done[2];
	struct drm_xetile_queue_info info;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card->fd);
	for (int i = 0; i < 2; i++) {
		args[i].vm_id = c.vm;
		igt_assert_eq(__xetile_queue_create(c.fd, &args[i]), 0);
		done[i] = (struct drm_xetile_sync) {
			.handle = xetile_syncobj(c.fd), .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		batch_begin(&b, &c.batch, 4096 * i);
		batch_store(&b, c.gate.addr + BEGUN + 4 * i, 1, false);
		batch_wait(&b, c.gate.addr + (i ? WORD : GO), 1);
		if (!i)
			batch_store(&b, c.gate.addr + WORD, 1, false);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(c.fd, args[i].queue_id, batch_addr(&b), &done[i], 1),
			      0);
		/* The second one has the engine, so the first one has lost it. */
		xetile_assert_soon(((volatile uint32_t *)c.gate.map)[BEGUN / 4 + i]);
	}
	c.gate.map[GO / 4] = 1;
	for (int i = 0; i < 2; i++) {
		igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 60000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, done[i].handle), i ? expected : 1);
		xetile_syncobj_destroy(c.fd, done[i].handle);
	}
	xetile_queue_info(c.fd, args[0].queue_id, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 0);
	for (int i = 0; i < 2; i++)
		xetile_queue_destroy(c.fd, args[i].queue_id);
	ctx_fini(&c);
}

static uint64_t max_timeout_ms(int fd)
{
	struct drm_xetile_query_device device;

	xetile_query(fd, DRM_XETILE_QUERY_DEVICE, XETILE_ARRAY(&device, 1));
	return device.max_timeout_ms;
}

/* What QUERY says is what a queue of the caller can ask for: an ordinary user's is less. */
static void test_timeout(const struct xetile_card *card)
{
	uint64_t privileged = max_timeout_ms(card->fd), ordinary;
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(card->fd), .engine_class = COMPUTE, .target = TILE,
	};

	igt_assert_eq(seteuid(65534), 0);
	ordinary = max_timeout_ms(card->fd);
	args.timeout_ms = ordinary + 1;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), -EACCES);
	args.timeout_ms = privileged + 1;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), -EINVAL);
	args.timeout_ms = ordinary;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	xetile_queue_destroy(card->fd, args.queue_id);
	igt_assert_eq(seteuid(0), 0);

	igt_assert_lte_u64(ordinary + 1, privileged);
	args.timeout_ms = privileged;
	args.queue_id = 0;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	xetile_queue_destroy(card->fd, args.queue_id);
	xetile_vm_destroy(card->fd, args.vm_id);
}

/* A process that has one of these counts on an engine until it is killed. */
static uint32_t queue_that_counts(struct ctx *c, uint32_t n, uint32_t weight)
{
	/* A machine may be so slow that all others' turns take longer than the default. */
	struct drm_xetile_queue_create args = {
		.vm_id = c->vm, .engine_class = COMPUTE, .target = TILE, .weight = weight,
		.timeout_ms = max_timeout_ms(c->fd),
	};
	struct xetile_batch b;

	igt_assert_eq(__xetile_queue_create(c->fd, &args), 0);
	batch_begin(&b, &c->batch, 256 * n);
	batch_atomic_inc(&b, c->gate.addr + 64 * n);
	batch_yield(&b);
	batch_jump(&b, batch_addr(&b));
	igt_assert_eq(__xetile_exec(c->fd, args.queue_id, batch_addr(&b), NULL, 0), 0);
	return args.queue_id;
}

#define MANY	20

struct counts {
	/* How many queues of each process have run at all */
	volatile uint32_t ran[2];
	/* When all had: from here on their rounds count, and who had some */
	volatile uint32_t start;
	volatile uint64_t rounds[2];
	volatile uint32_t again[2];
	volatile uint32_t end;
};

static uint32_t count_from(const struct ctx *c, const uint32_t *base, unsigned int queues,
			   volatile uint64_t *rounds)
{
	uint64_t sum = 0;
	uint32_t ran = 0;

	for (unsigned int i = 0; i < queues; i++) {
		uint32_t n = ((volatile uint32_t *)c->gate.map)[16 * i] - base[i];

		sum += n;
		ran += n != 0;
	}
	*rounds = sum;
	return ran;
}

static void count_rounds(struct counts *counts, int process, unsigned int queues)
{
	uint32_t base[MANY] = { 0 };
	struct ctx c;

	ctx_init(&c, xetile_open());
	for (unsigned int i = 0; i < queues; i++)
		queue_that_counts(&c, i, 0);
	while (!counts->start) {
		counts->ran[process] = count_from(&c, base, queues, &counts->rounds[process]);
		usleep(1000);
	}
	for (unsigned int i = 0; i < queues; i++)
		base[i] = c.gate.map[16 * i];
	while (!counts->end) {
		counts->again[process] = count_from(&c, base, queues, &counts->rounds[process]);
		usleep(1000);
	}
	/* Its queues end with it. */
	close(c.fd);
}

/*
 * One process with many queues and one with a single queue want the same engine, for ever:
 * when each queue of the many has had another turn, the single one has had as many. What
 * counts is what the engine has done since all of them were there.
 */
static void test_fair(void)
{
	struct counts *counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t one, all;

	igt_assert(counts != MAP_FAILED);
	igt_fork(child, 2)
		count_rounds(counts, child, child ? MANY : 1);
	xetile_assert_soon(counts->ran[0] == 1 && counts->ran[1] == MANY);
	counts->start = 1;
	xetile_assert_soon(counts->again[0] == 1 && counts->again[1] == MANY);
	one = counts->rounds[0];
	all = one + counts->rounds[1];
	counts->end = 1;
	igt_waitchildren();
	igt_assert_f(one > all / 4, "one queue had %llu of %llu rounds\n",
		     (unsigned long long)one, (unsigned long long)all);
	munmap(counts, sizeof(*counts));
}

static void write_slice(int fd, const char *max_us, const char *us)
{
	igt_assert_eq(xetile_sysfs_write(fd, 0, "engines/ccs/timeslice_duration_max", max_us), 0);
	igt_assert_eq(xetile_sysfs_write(fd, 0, "engines/ccs/timeslice_duration_us", us), 0);
}

/*
 * Two queues want the same engine, for ever. They have as many turns, but those of the one
 * are a second long, and those of the other one a millisecond and what a switch takes, which
 * is long on a busy machine.
 */
static void test_weight(void)
{
	volatile uint32_t *rounds[2];
	uint32_t base[2], had[2], turns = 0;
	struct ctx c;

	ctx_init(&c, xetile_open());
	write_slice(c.fd, "1000000", "100000");
	for (uint32_t i = 0; i < 2; i++) {
		queue_that_counts(&c, i, i ? 1 : 1000);
		rounds[i] = (volatile uint32_t *)c.gate.map + 16 * i;
	}
	xetile_assert_soon(*rounds[0] && *rounds[1]);
	base[0] = *rounds[0];
	base[1] = *rounds[1];
	/* Each time the second one is found to have gone on it had a turn, or more. */
	while (turns < 4) {
		had[0] = *rounds[0];
		xetile_assert_soon(*rounds[0] != had[0]);
		had[1] = *rounds[1];
		xetile_assert_soon(*rounds[1] != had[1]);
		turns++;
	}
	had[0] = *rounds[0] - base[0];
	had[1] = *rounds[1] - base[1];
	write_slice(c.fd, "1000000", "5000");
	write_slice(c.fd, "50000", "5000");
	igt_assert_f(had[0] / 2 > had[1], "%u rounds with weight 1000, %u with 1\n", had[0],
		     had[1]);
	close(c.fd);
}

#define CALLBACKS	20000

static struct sync_fence_info fence_of(int file)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = to_user(&fence) };

	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	igt_assert_eq_u32(info.num_fences, 1);
	return fence;
}

/*
 * Three batches of a queue. So many wait for the first one's fence that the processor that
 * signals it, and the second one's after it, is busy for long. Meanwhile the third batch
 * ends, and another processor finds that out, as it closes the file. That one may wait
 * for nothing the first one does: not for its page tables, nor for the fence's lock.
 */
static void signal_slowly(void)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	int files[3], kept, event = eventfd(0, EFD_NONBLOCK);
	struct sync_fence_info second, third;
	uint32_t handles[3], q;
	uint64_t told;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, xetile_open());
	q = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	for (int i = 0; i < 3; i++) {
		batch_begin(&b, &c.batch, 4096 * i);
		if (i != 1)
			batch_wait(&b, c.gate.addr + 64 * i, 1);
		batch_store(&b, c.gate.addr + 64 * i + 8, 1, false);
		batch_end(&b);
		handles[i] = sync.handle = xetile_syncobj(c.fd);
		igt_assert_eq(__xetile_exec(c.fd, q, batch_addr(&b), &sync, 1), 0);
		igt_assert_eq(drmSyncobjExportSyncFile(c.fd, handles[i], &files[i]), 0);
	}
	for (int i = 0; i < CALLBACKS; i++)
		igt_assert_eq(drmSyncobjEventfd(c.fd, handles[0], 0, event, 0), 0);
	igt_assert_eq(drmSyncobjHandleToFD(c.fd, handles[0], &kept), 0);

	c.gate.map[0] = 1;
	/* The first of those who wait is told; asking the fence would wait for the last. */
	while (read(event, &told, sizeof(told)) < 0)
		;
	c.gate.map[32] = 1;
	while (!*(volatile uint32_t *)&c.gate.map[34])
		;
	munmap(c.batch.map, c.batch.size);
	munmap(c.gate.map, c.gate.size);
	close(c.fd);

	for (int i = 0; i < 3; i++) {
		struct pollfd pfd = { .fd = files[i], .events = POLLIN };

		igt_assert_eq(poll(&pfd, 1, 60000), 1);
	}
	second = fence_of(files[1]);
	third = fence_of(files[2]);
	igt_assert_f(second.timestamp_ns <= third.timestamp_ns,
		     "the third fence signalled %llu ns before the second\n",
		     (unsigned long long)(second.timestamp_ns - third.timestamp_ns));
	for (int i = 0; i < 3; i++)
		close(files[i]);
	close(kept);
	close(event);
}

static void test_signals_in_order(void)
{
	cpu_set_t all, set;

	igt_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	/* The interrupt is on one of them, whichever that is. */
	for (int i = 0; i < 4; i++) {
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (!CPU_ISSET(cpu, &all))
				continue;
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			igt_assert_eq(sched_setaffinity(0, sizeof(set), &set), 0);
			/* Its memory is known to that processor alone. */
			igt_fork(child, 1)
				signal_slowly();
			igt_waitchildren();
		}
	}
	igt_assert_eq(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void test_bad_queue(const struct xetile_card *card)
{
	uint32_t vm = xetile_vm(card->fd), tiles = card->device.num_tiles;
	uint32_t mode = card->tiles[0].ccs_mode;
	struct drm_xetile_queue_info info = { .queue_id = BAD_ID };
	struct drm_xetile_queue_destroy destroy = { .queue_id = BAD_ID };
	const struct {
		const char *what;
		int err;
		struct drm_xetile_queue_create args;
	} cases[] = {
		{ "no such VM", ENOENT, { .vm_id = BAD_ID } },
		{ "VM 0", ENOENT, { .vm_id = 0 } },
		{ "unknown class", EINVAL, { .vm_id = vm, .engine_class = 3 } },
		{ "weight of a queue for binds", EINVAL,
		  { .vm_id = vm, .engine_class = DRM_XETILE_ENGINE_BIND, .weight = 100 } },
		{ "unknown target", EINVAL, { .vm_id = vm, .target = 3 } },
		{ "missing tile", EINVAL, { .vm_id = vm, .target = TILE, .tile = tiles } },
		{ "tile out of range", EINVAL, { .vm_id = vm, .target = TILE, .tile = ~0u } },
		{ "tile with ROOT", EINVAL, { .vm_id = vm, .tile = 1 } },
		{ "cslice with TILE", EINVAL, { .vm_id = vm, .target = TILE, .cslice = 1 } },
		{ "cslice beyond the mode", EINVAL,
		  { .vm_id = vm, .target = DRM_XETILE_TARGET_CSLICE, .cslice = mode } },
		{ "cslice out of range", EINVAL,
		  { .vm_id = vm, .target = DRM_XETILE_TARGET_CSLICE, .cslice = ~0u } },
		{ "cslice of a copy engine", EINVAL,
		  { .vm_id = vm, .target = DRM_XETILE_TARGET_CSLICE, .engine_class = COPY } },
		{ "priority between names", EINVAL, { .vm_id = vm, .priority = 1 } },
		{ "priority above all", EINVAL, { .vm_id = vm, .priority = 513 } },
		{ "priority below all", EINVAL, { .vm_id = vm, .priority = -513 } },
		{ "weight too large", EINVAL, { .vm_id = vm, .weight = 1001 } },
		{ "unknown flag", EINVAL, { .vm_id = vm, .flags = 1 } },
		{ "timeout too long", EINVAL,
		  { .vm_id = vm, .timeout_ms = card->device.max_timeout_ms + 1 } },
	};
	uint32_t q;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_xetile_queue_create args = cases[i].args;
		int ret = __xetile_queue_create(card->fd, &args);

		igt_assert_f(ret == -cases[i].err, "%s: %s, expected %s\n", cases[i].what,
			     strerror(-ret), strerror(cases[i].err));
		igt_assert_eq(args.queue_id, 0);
	}
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_QUEUE_INFO, &info), -ENOENT);
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &destroy), -ENOENT);
	q = xetile_queue(card->fd, vm, COMPUTE, TILE, 0, 0);
	destroy = (struct drm_xetile_queue_destroy) { .queue_id = q, .pad = 1 };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &destroy), -EINVAL);
	xetile_queue_destroy(card->fd, q);
	igt_assert_eq(__xetile_queue_destroy(card->fd, q), -ENOENT);
	xetile_vm_destroy(card->fd, vm);
}

static void test_bad_exec(const struct xetile_card *card)
{
	struct ctx c;
	struct xetile_batch b;
	uint32_t q, sync, root;
	uint64_t batch;

	ctx_init(&c, card->fd);
	q = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	root = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	sync = xetile_syncobj(c.fd);
	batch_begin(&b, &c.batch, 0);
	batch_atomic_inc(&b, c.gate.addr);
	batch_end(&b);
	batch = batch_addr(&b);

	const struct drm_xetile_sync unknown_flag = { .handle = sync, .flags = 4 };
	const struct drm_xetile_sync no_handle = { .handle = BAD_ID, .flags = 1 };
	const struct drm_xetile_sync point = { .handle = sync, .flags = 1, .point = 1 };
	const struct drm_xetile_sync point_0 = { .handle = sync, .flags = 3 };
	const struct drm_xetile_sync no_fence = { .handle = sync };
	const struct {
		const char *what;
		int err;
		struct drm_xetile_exec args;
	} cases[] = {
		{ "no such queue", ENOENT, { .queue_id = BAD_ID, .batch = batch, .num_batches = 1 } },
		{ "an address and no batch", EINVAL, { .queue_id = q, .batch = batch } },
		{ "two batches for one tile", EINVAL,
		  { .queue_id = q, .batch = to_user(&batch), .num_batches = 2 } },
		{ "more batches than tiles", EINVAL,
		  { .queue_id = root, .batch = to_user(&batch),
		    .num_batches = card->device.num_tiles + 1 } },
		{ "batch array faults", card->device.num_tiles > 1 ? EFAULT : EINVAL,
		  { .queue_id = root, .batch = card->device.num_tiles > 1 ? BAD_POINTER : BAD_POINTER + 1,
		    .num_batches = card->device.num_tiles } },
		{ "misaligned batch", EINVAL,
		  { .queue_id = q, .batch = batch + 4, .num_batches = 1 } },
		{ "batch beyond the address space", EINVAL,
		  { .queue_id = q, .batch = card->device.va_size, .num_batches = 1 } },
		{ "unknown flag", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1, .flags = 1 } },
		{ "too many syncs", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&no_fence, DRM_XETILE_MAX_ARRAY + 1) } },
		{ "pad", EINVAL, { .queue_id = q, .batch = batch, .num_batches = 1, .pad = 1 } },
		{ "syncs fault", EFAULT,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = { BAD_POINTER, 1, 16 } } },
		/* a queue is not held while the caller's memory is read */
		{ "syncs fault, and no such queue", EFAULT,
		  { .queue_id = BAD_ID, .batch = batch, .num_batches = 1,
		    .syncs = { BAD_POINTER, 1, 16 } } },
		{ "batch array faults, and no such queue", EFAULT,
		  { .queue_id = BAD_ID, .batch = BAD_POINTER, .num_batches = 2 } },
		{ "sync with an unknown flag", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&unknown_flag, 1) } },
		{ "sync without a syncobj", ENOENT,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&no_handle, 1) } },
		{ "point on a binary sync", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&point, 1) } },
		{ "signal of timeline point 0", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&point_0, 1) } },
		{ "wait for a syncobj without a fence", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&no_fence, 1) } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_xetile_exec args = cases[i].args;
		int ret = xetile_ioctl(c.fd, DRM_IOCTL_XETILE_EXEC, &args);

		igt_assert_f(ret == -cases[i].err, "%s: %s, expected %s\n", cases[i].what,
			     strerror(-ret), strerror(cases[i].err));
	}
	/* nothing of that ran, and the next call works */
	igt_assert_eq_u32(c.gate.map[0], 0);
	xetile_run(c.fd, q, batch);
	igt_assert_eq_u32(c.gate.map[0], 1);

	xetile_syncobj_destroy(c.fd, sync);
	xetile_queue_destroy(c.fd, q);
	xetile_queue_destroy(c.fd, root);
	ctx_fini(&c);
}

igt_main
{
	static const struct {
		const char *name;
		uint32_t class, target;
	} targets[] = {
		{ "compute-tile", COMPUTE, TILE },
		{ "compute-root", COMPUTE, ROOT },
		{ "copy-tile", COPY, TILE },
		{ "copy-root", COPY, ROOT },
	};
	static const struct {
		const char *name;
		enum wreck how;
	} wrecks[] = {
		{ "hang-loop", WRECK_LOOP },
		{ "hang-wait", WRECK_WAIT },
		{ "page-fault", WRECK_FAULT },
		{ "batch-page-fault", WRECK_BATCH_FAULT },
		{ "bad-command", WRECK_COMMAND },
	};
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		igt_describe("64 batches store a word each, one after the other (S38, S39, S126)");
		igt_subtest_f("store-%s", targets[i].name) {
			uint32_t last = targets[i].target == TILE ? card.device.num_tiles - 1 : 0;

			for (uint32_t t = 0; t <= last; t++) {
				test_store(&card, targets[i].class, targets[i].target, t,
					   DRM_XETILE_PLACE_HBM);
				test_store(&card, targets[i].class, targets[i].target, t,
					   DRM_XETILE_PLACE_SYSTEM);
			}
		}
	}

	igt_describe("More batches in flight than a ring holds, in order");
	igt_subtest("in-flight")
		test_in_flight(&card, 1000);

	igt_describe("Copy engines of every tile, local and across tiles (S33, S48, S120)");
	igt_subtest("copy") {
		uint32_t n = card.device.num_tiles;

		for (uint32_t i = 0; i < n * n * n; i++)
			test_copy(&card, i % n, i / n % n, i / n / n);
	}

	igt_describe("A compiled kernel on one tile");
	igt_subtest("compute") {
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_compute(&card, TILE, t);
	}
	igt_describe("A compiled kernel partitioned over all tiles (S12, S13, S28, S29, S131)");
	igt_subtest("compute-gang")
		test_compute(&card, ROOT, 0);

	igt_describe("Every tile runs the batch once, one fence for all (S43, W1)");
	igt_subtest("gang")
		test_gang(&card);
	igt_describe("A batch of its own for each tile");
	igt_subtest("gang-array")
		test_gang_array(&card);
	igt_describe("The fence waits for the last tile, whichever it is (W1)");
	igt_subtest("gang-fence")
		test_gang_fence(&card);
	igt_describe("Tiles wait for each other inside the batch: they run together (W2)");
	igt_subtest("gang-barrier")
		test_gang_barrier(&card, 1, 20);
	igt_describe("The same with many processes and single-tile jobs between (W1, W2)");
	igt_subtest("gang-contention")
		test_gang_barrier(&card, 8, 10);

	igt_describe("Binary syncobjs order two queues");
	igt_subtest("sync-binary")
		test_syncs(&card, false);
	igt_describe("Timeline syncobjs order two queues");
	igt_subtest("sync-timeline")
		test_syncs(&card, true);
	igt_describe("Both batches of another queue are waited for, in whichever order");
	igt_subtest("sync-same-queue") {
		test_sync_same_queue(&card, 0);
		test_sync_same_queue(&card, 1);
	}

	for (unsigned int i = 0; i < ARRAY_SIZE(wrecks); i++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(targets) - 1; j++) {
			igt_describe("Stopped, told by the fence, banned; others go on (W12)");
			igt_subtest_f("%s-%s", wrecks[i].name, targets[j].name)
				test_wreck(&card, wrecks[i].how, targets[j].class,
					   targets[j].target);
		}
	}
	igt_describe("An innocent batch survives its neighbour's reset");
	igt_subtest("hang-innocent")
		test_innocent(&card);

	for (unsigned int i = 0; i < ARRAY_SIZE(targets) - 1; i++) {
		igt_describe("close() with work in flight");
		igt_subtest_f("close-%s", targets[i].name) {
			test_close(&card, targets[i].class, targets[i].target, false);
			test_close(&card, targets[i].class, targets[i].target, true);
		}
	}

	igt_describe("Who closes a file waits for nobody else's batches");
	igt_subtest("close-others") {
		igt_require(!geteuid());
		test_close_others(&card);
	}

	igt_describe("The higher priority first, for as long as it likes");
	igt_subtest("priority") {
		igt_require(!geteuid());
		test_priority(&card);
	}

	igt_describe("A batch is preempted by another one that waits for what it will store");
	for (int i = 0; i < 2; i++) {
		igt_subtest_f("signaller-%s", i ? "gang" : "tile") {
			uint32_t target = i ? ROOT : TILE;

			igt_require(!geteuid());
			test_signaller(&card, target, DRM_XETILE_PRIORITY_NORMAL,
				       DRM_XETILE_PRIORITY_NORMAL, 1);
			test_signaller(&card, target, DRM_XETILE_PRIORITY_LOW,
				       DRM_XETILE_PRIORITY_NORMAL, 1);
			test_signaller(&card, target, DRM_XETILE_PRIORITY_NORMAL,
				       DRM_XETILE_PRIORITY_HIGH, -ETIME);
		}
	}

	igt_describe("Who may ask for a long timeout");
	igt_subtest("timeout") {
		igt_require(!geteuid());
		test_timeout(&card);
	}

	igt_describe("QUEUE_CREATE, QUEUE_INFO, QUEUE_DESTROY: every field, wrong");
	igt_describe("Fences of a queue signal in its order, whoever finds them done");
	igt_subtest("signals-in-order")
		test_signals_in_order();

	igt_describe("A call without a batch is a fence");
	igt_subtest("no-batch") {
		test_no_batch(&card, COMPUTE, TILE);
		test_no_batch(&card, COPY, TILE);
		test_no_batch(&card, COMPUTE, ROOT);
	}

	igt_describe("A process has no more for having more queues (W17)");
	igt_subtest("fair")
		test_fair();
	igt_describe("Who has more weight has longer turns (W2)");
	igt_subtest("weight") {
		igt_require(!geteuid());
		test_weight();
	}

	igt_subtest("bad-queue")
		test_bad_queue(&card);
	igt_describe("EXEC: every field, wrong");
	igt_subtest("bad-exec")
		test_bad_exec(&card);

	igt_fixture
		close(card.fd);
}
