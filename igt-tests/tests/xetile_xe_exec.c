// SPDX-License-Identifier: MIT
/*
 * EXEC of xe_drm.h: batches, calls without one, syncs, numbers that the card writes behind a batch,
 * and bad input in every field. Gaps of the map of runtimes: M5, M9, M12.
 *
 * suite: igt 1-tile 4-tiles
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_user_memory.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"

IGT_TEST_DESCRIPTION("Batches by the calls of the xe driver");

#define XE_COPY		DRM_XE_ENGINE_CLASS_COPY
#define XE_COMPUTE	DRM_XE_ENGINE_CLASS_COMPUTE
#define FENCE		DRM_XE_SYNC_TYPE_SYNCOBJ
#define TIMELINE	DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ
#define USER		DRM_XE_SYNC_TYPE_USER_FENCE
#define SIGNAL		DRM_XE_SYNC_FLAG_SIGNAL

static struct xetile_card card = { .fd = -1 };

/* What a subtest works with: a queue of a class, and words at @words of the CPU, @addr of the GPU */
struct work {
	struct ctx c;
	uint32_t queue;
	uint64_t addr;
	volatile uint32_t *words;
};

static void work_init(struct work *w, uint32_t class)
{
	ctx_init(&w->c, card.fd);
	w->queue = xe_queue(w->c.fd, w->c.vm, 0, class, 1);
	w->addr = w->c.gate.addr + SZ_4K;
	w->words = w->c.gate.map + SZ_4K / 4;
}

static void work_fini(struct work *w)
{
	xe_queue_destroy(w->c.fd, w->queue);
	ctx_fini(&w->c);
}

/* A batch at @offset, of 4 bytes, that stores @value to word @word */
static uint64_t store_at(struct work *w, uint32_t offset, unsigned int word, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &w->c.batch, offset & ~7u);
	if (offset % 8)
		batch_emit(&b, ~0u);
	batch_store(&b, w->addr + word * 4, value, false);
	batch_end(&b);
	return w->c.batch.addr + offset;
}

static int exec(struct work *w, uint64_t batch, uint16_t num, const struct drm_xe_sync *syncs,
		uint32_t num_syncs)
{
	struct drm_xe_exec args = {
		.exec_queue_id = w->queue, .address = batch, .num_batch_buffer = num,
		.syncs = to_user(syncs), .num_syncs = num_syncs,
	};

	return xetile_ioctl(w->c.fd, DRM_IOCTL_XE_EXEC, &args);
}

/* Batches begin at any dword. */
static void test_align(uint32_t class)
{
	struct work w;

	work_init(&w, class);
	for (uint32_t i = 0; i < 16; i++) {
		xe_run(w.c.fd, w.queue, store_at(&w, SZ_4K + 4 * i, i, 0x100 + i));
		igt_assert_eq_u32(w.words[i], 0x100 + i);
	}
	work_fini(&w);
}

/* A batch waits for the fences and points of the call, and each signal comes behind it. */
static void test_syncs(uint32_t class)
{
	struct drm_xe_sync syncs[4] = {
		{ .type = FENCE, .handle = xetile_syncobj(card.fd) },
		{ .type = TIMELINE, .handle = xetile_syncobj(card.fd), .timeline_value = 5 },
		{ .type = FENCE, .flags = SIGNAL, .handle = xetile_syncobj(card.fd) },
		{ .type = TIMELINE, .flags = SIGNAL, .timeline_value = 7 },
	};
	struct drm_xe_sync *point = &syncs[1];
	uint32_t handles[1];
	uint64_t points[1];
	struct xe_held first, second;
	struct work w;

	work_init(&w, class);
	syncs[3].handle = syncs[1].handle;
	xe_held_start(&first, &w.c, xe_queue(w.c.fd, w.c.vm, 0, XE_COPY, 2), 0);
	xe_held_start(&second, &w.c, xe_queue(w.c.fd, w.c.vm, 0, XE_COPY, 4), 1);
	xetile_syncobj_destroy(w.c.fd, syncs[0].handle);
	syncs[0].handle = first.syncobj;
	igt_assert_eq(drmSyncobjTransfer(w.c.fd, point->handle, 5, second.syncobj, 0, 0), 0);

	igt_assert_eq(exec(&w, store_at(&w, 8 * SZ_4K, 0, 3), 1, syncs, 4), 0);
	handles[0] = syncs[3].handle;
	points[0] = 7;
	xetile_assert_soon(xe_held_runs(&first) && xe_held_runs(&second));
	usleep(100000);
	igt_assert(!xetile_is_done(w.c.fd, syncs[2].handle));
	igt_assert_eq_u32(w.words[0], 0);
	second.words[0] = 1;
	usleep(100000);
	igt_assert(!xetile_is_done(w.c.fd, syncs[2].handle));
	first.words[0] = 1;
	xetile_wait_done(w.c.fd, syncs[2].handle);
	igt_assert_eq_u32(w.words[0], 3);
	igt_assert_eq(drmSyncobjTimelineWait(w.c.fd, handles, points, 1, 0, 0, NULL), 0);

	xe_held_end(&first);
	xe_held_end(&second);
	xe_queue_destroy(w.c.fd, first.queue);
	xe_queue_destroy(w.c.fd, second.queue);
	xetile_syncobj_destroy(w.c.fd, syncs[2].handle);
	xetile_syncobj_destroy(w.c.fd, syncs[3].handle);
	work_fini(&w);
}

/*
 * M9: a call without a batch signals behind the queue's batches and its own fences; on a queue
 * without work at once.
 */
static void test_empty(uint32_t class)
{
	struct drm_xe_sync syncs[2] = {
		{ .type = FENCE, .flags = SIGNAL, .handle = xetile_syncobj(card.fd) },
		{ .type = FENCE },
	};
	struct xe_held held, other;
	struct work w;

	work_init(&w, class);
	igt_assert_eq(exec(&w, 0, 0, syncs, 1), 0);
	xetile_wait_done(w.c.fd, syncs[0].handle);

	xe_held_start(&held, &w.c, w.queue, 0);
	xe_held_start(&other, &w.c, xe_queue(w.c.fd, w.c.vm, 0, XE_COPY, 2), 1);
	syncs[1].handle = other.syncobj;
	/* The address of no batch does not matter. */
	igt_assert_eq(exec(&w, 1, 0, syncs, 2), 0);
	usleep(100000);
	igt_assert(!xetile_is_done(w.c.fd, syncs[0].handle));
	held.words[0] = 1;
	usleep(100000);
	igt_assert(!xetile_is_done(w.c.fd, syncs[0].handle));
	other.words[0] = 1;
	xetile_wait_done(w.c.fd, syncs[0].handle);

	igt_assert_eq(exec(&w, 0, 0, NULL, 0), 0);
	xe_held_end(&held);
	xe_held_end(&other);
	xe_queue_destroy(w.c.fd, other.queue);
	xetile_syncobj_destroy(w.c.fd, syncs[0].handle);
	work_fini(&w);
}

/*
 * M5: the card writes all 64 bits of a number behind the batch, in the queue's address space; and
 * none for a call without a batch.
 */
static void test_number(uint32_t class)
{
	uint32_t fence = xetile_syncobj(card.fd);
	volatile uint64_t *numbers;
	struct work w;

	work_init(&w, class);
	numbers = (volatile uint64_t *)(w.words + 64);
	for (uint64_t i = 0; i < 9; i++) {
		const struct drm_xe_sync number = {
			.type = USER, .flags = SIGNAL, .addr = w.addr + 256 + 8 * i,
			.timeline_value = 0x1234567800000000ull + i,
		};
		struct drm_xe_sync syncs[2] = {
			{ .type = FENCE, .flags = SIGNAL, .handle = fence },
			{ .type = FENCE, .flags = SIGNAL, .handle = fence },
		};

		/* Before the fence, and behind it; the last time without a batch */
		syncs[i % 2] = number;
		igt_assert_eq(exec(&w, store_at(&w, SZ_4K, 0, i + 1), i < 8, syncs, 2), 0);
		xetile_wait_done(w.c.fd, fence);
		igt_assert_eq_u32(w.words[0], i < 8 ? i + 1 : 8);
		igt_assert_eq_u64(numbers[i], i < 8 ? number.timeline_value : 0);
		igt_assert_eq_u64(numbers[i + 1], 0);
	}
	xetile_syncobj_destroy(w.c.fd, fence);
	work_fini(&w);
}

/* A number for which there is no memory bans the queue, and nobody else. */
static void test_number_fault(uint32_t class)
{
	struct drm_xe_sync sync = { .type = USER, .flags = SIGNAL, .addr = 0x7700000000ull };
	struct work w;
	uint32_t other;

	work_init(&w, class);
	other = xe_queue(w.c.fd, w.c.vm, 0, class, 1);
	igt_assert_eq(exec(&w, store_at(&w, SZ_4K, 0, 1), 1, &sync, 1), 0);
	xetile_assert_soon(__xe_queue_is_banned(w.c.fd, w.queue) == 1);
	igt_assert_eq(exec(&w, store_at(&w, SZ_4K, 0, 1), 1, NULL, 0), -ECANCELED);
	xe_run(w.c.fd, other, store_at(&w, SZ_4K, 1, 2));
	igt_assert_eq_u32(w.words[1], 2);
	igt_assert_eq(__xe_queue_is_banned(w.c.fd, other), 0);
	xe_queue_destroy(w.c.fd, other);
	work_fini(&w);
}

static void test_bad_exec(void)
{
	struct drm_xe_sync *many = calloc(1025, sizeof(*many));
	struct drm_xe_sync sync = {
		.type = FENCE, .flags = SIGNAL, .handle = xetile_syncobj(card.fd),
	};
	struct drm_xe_exec good, args;
	const struct drm_xe_sync good_sync = sync;
	struct work w;

	work_init(&w, XE_COPY);
	good = (struct drm_xe_exec) {
		.exec_queue_id = w.queue, .num_batch_buffer = 1, .syncs = to_user(&sync),
		.num_syncs = 1, .address = store_at(&w, SZ_4K, 0, 1),
	};

#define REFUSED(err, field, value) do {						\
		args = good;							\
		args.field = (value);						\
		igt_assert_eq(xetile_ioctl(w.c.fd, DRM_IOCTL_XE_EXEC, &args), -(err)); \
	} while (0)
#define REFUSED_SYNC(err, field, value) do {					\
		sync = good_sync;						\
		sync.field = (value);						\
		REFUSED(err, num_syncs, 1);					\
		sync = good_sync;						\
	} while (0)

	REFUSED(EINVAL, extensions, 1);
	REFUSED(ENOENT, exec_queue_id, 0);
	REFUSED(ENOENT, exec_queue_id, BAD_ID);
	REFUSED(EINVAL, num_syncs, 1025);
	REFUSED(EINVAL, num_syncs, ~0u);
	REFUSED(EFAULT, syncs, BAD_POINTER);
	REFUSED(EFAULT, syncs, ~0ull);
	REFUSED(EINVAL, address, good.address + 1);
	REFUSED(EINVAL, address, good.address + 2);
	REFUSED(EINVAL, address, 1ull << 57);
	REFUSED(EINVAL, address, ~3ull);
	REFUSED(EINVAL, num_batch_buffer, 2);
	REFUSED(EINVAL, num_batch_buffer, 0xffff);
	for (unsigned int i = 0; i < 3; i++)
		REFUSED(EINVAL, pad[i], 1);
	for (unsigned int i = 0; i < 2; i++)
		REFUSED(EINVAL, reserved[i], 1);

	REFUSED_SYNC(EINVAL, type, 3);
	REFUSED_SYNC(EINVAL, type, ~0u);
	REFUSED_SYNC(EINVAL, flags, 2 | SIGNAL);
	REFUSED_SYNC(ENOENT, handle, BAD_ID);
	REFUSED_SYNC(EINVAL, addr, 1ull << 32 | good_sync.handle);
	/* A wait for a fence that was never there, and for one of a timeline's beginning */
	REFUSED_SYNC(EINVAL, flags, 0);
	REFUSED_SYNC(EINVAL, type, TIMELINE);
	for (unsigned int i = 0; i < 2; i++)
		REFUSED_SYNC(EINVAL, reserved[i], 1);

	/* Numbers: misaligned, beyond the address space, to wait for, and two of them */
	sync = (struct drm_xe_sync) { .type = USER, .flags = SIGNAL, .addr = w.addr + 4 };
	REFUSED(EINVAL, num_syncs, 1);
	sync.addr = 1ull << 57;
	REFUSED(EINVAL, num_syncs, 1);
	sync.addr = w.addr;
	sync.flags = 0;
	REFUSED(EOPNOTSUPP, num_syncs, 1);
	many[0] = many[1] = (struct drm_xe_sync) { .type = USER, .flags = SIGNAL, .addr = w.addr };
	args = good;
	args.syncs = to_user(many);
	args.num_syncs = 2;
	igt_assert_eq(xetile_ioctl(w.c.fd, DRM_IOCTL_XE_EXEC, &args), -EINVAL);
	igt_assert_eq_u32(w.words[0], 0);

	/* As many as there may be */
	sync = good_sync;
	for (unsigned int i = 0; i < 1024; i++)
		many[i] = good_sync;
	args = good;
	args.syncs = to_user(many);
	args.num_syncs = 1024;
	igt_assert_eq(xetile_ioctl(w.c.fd, DRM_IOCTL_XE_EXEC, &args), 0);
	xetile_wait_done(w.c.fd, sync.handle);
	igt_assert_eq_u32(w.words[0], 1);
	free(many);
	xetile_syncobj_destroy(w.c.fd, sync.handle);
	work_fini(&w);
}

#define MEMORY_AT	0x100000000ull

/* A batch at @offset that stores @value to the memory that the process has lent */
static uint64_t store_to_memory(struct work *w, uint32_t offset, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &w->c.batch, offset);
	batch_store(&b, MEMORY_AT, value, false);
	batch_end(&b);
	return batch_addr(&b);
}

/*
 * A process gives memory back that is bound: batches run without it, as they do with the xe driver,
 * and one that uses it has a page fault. It is used again if the process may use it again.
 */
static void test_memory_gone(uint32_t class)
{
	volatile uint32_t *memory;
	struct work w;

	require_user(&card);
	memory = anon(SZ_64K);
	w.c = (struct ctx) { .fd = card.fd, .vm = xe_vm(card.fd, 0) };
	xetile_buf_init(&w.c.batch, card.fd, w.c.vm, SZ_1G, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&w.c.gate, card.fd, w.c.vm, SZ_1G + SZ_2M, SZ_64K,
			DRM_XETILE_PLACE_SYSTEM);
	w.addr = w.c.gate.addr;
	w.words = w.c.gate.map;
	w.queue = xe_queue(card.fd, w.c.vm, 0, class, 1);
	igt_assert_eq(try_user(card.fd, w.c.vm, MEMORY_AT, (void *)memory, SZ_64K, 0), 0);
	for (unsigned int i = 0; i < 3; i++) {
		xe_run(card.fd, w.queue, store_to_memory(&w, 0, 1 + i));
		igt_assert_eq_u32(*memory, 1 + i);
		igt_assert_eq(mprotect((void *)memory, SZ_64K, PROT_NONE), 0);
		xe_run(card.fd, w.queue, store_at(&w, SZ_4K, 0, 1 + i));
		igt_assert_eq_u32(w.words[0], 1 + i);
		igt_assert_eq(mprotect((void *)memory, SZ_64K, PROT_READ | PROT_WRITE), 0);
	}
	munmap((void *)memory, SZ_64K);
	xe_run(card.fd, w.queue, store_at(&w, SZ_4K, 0, 4));
	igt_assert_eq_u32(w.words[0], 4);
	igt_assert_eq(__xe_exec_batch(card.fd, w.queue, store_to_memory(&w, 0, 5), 0), 0);
	xetile_assert_soon(__xe_queue_is_banned(card.fd, w.queue));
	xe_queue_destroy(card.fd, w.queue);
	xetile_buf_fini(&w.c.gate);
	xetile_buf_fini(&w.c.batch);
	xetile_vm_destroy(card.fd, w.c.vm);
}

/* Queues of both interfaces take each other's calls: their ids are of one table. */
static void test_both(void)
{
	struct work w;

	work_init(&w, XE_COMPUTE);
	xetile_run(w.c.fd, w.queue, store_at(&w, SZ_4K, 0, 1));
	igt_assert_eq_u32(w.words[0], 1);
	xetile_queue_destroy(w.c.fd, w.queue);
	igt_assert_eq(exec(&w, store_at(&w, SZ_4K, 0, 2), 1, NULL, 0), -ENOENT);
	w.queue = xetile_queue(w.c.fd, w.c.vm, COPY, TILE, 0, 0);
	xe_run(w.c.fd, w.queue, store_at(&w, SZ_4K, 0, 3));
	igt_assert_eq_u32(w.words[0], 3);
	work_fini(&w);
}

igt_main {
	static const struct {
		const char *name;
		uint32_t class;
	} classes[] = { { "compute", XE_COMPUTE }, { "copy", XE_COPY } };

	igt_fixture {
		xetile_open_card(&card);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
		igt_subtest_f("align-%s", classes[i].name)
			test_align(classes[i].class);
		igt_subtest_f("syncs-%s", classes[i].name)
			test_syncs(classes[i].class);
		igt_subtest_f("empty-%s", classes[i].name)
			test_empty(classes[i].class);
		igt_subtest_f("number-%s", classes[i].name)
			test_number(classes[i].class);
		igt_subtest_f("number-fault-%s", classes[i].name)
			test_number_fault(classes[i].class);
		igt_subtest_f("memory-gone-%s", classes[i].name)
			test_memory_gone(classes[i].class);
	}
	igt_subtest("bad-exec")
		test_bad_exec();
	igt_subtest("both")
		test_both();
	igt_fixture {
		close(card.fd);
	}
}
