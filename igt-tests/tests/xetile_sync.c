// SPDX-License-Identifier: MIT
/*
 * Fences that a batch waits for, and fences that it signals: syncobjs, their points, fences without
 * a batch, and the order in which a queue's fences signal.
 *
 * suite: igt soak 4-tiles
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Syncs and fences of batches");

/* Binary and timeline syncobjs order batches of two queues. */
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
	order[0].point = timeline ? 3 : 0;	/* point 3 is reached with point 5 */
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
 * A batch waits for two batches of another queue, and must wait for the later one, whichever of the
 * two the call names first.
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

/*
 * A call without a batch makes a fence behind the queue's work and behind the fences that the call
 * waits for.
 */
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

	/* On a queue that has never run anything */
	igt_assert_eq(exec_fence(&c, q, &syncs[1], 1), 0);
	igt_assert_eq(__xetile_wait(c.fd, syncs[1].handle, 20000), 0);
	igt_assert_eq(exec_fence(&c, q, NULL, 0), 0);

	/* First behind a batch of another queue, then behind one of its own */
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

	/* A call that fails leaves the signalled fence in the syncobj. */
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

#define CALLBACKS	20000

/* As xetile_assert_soon(), but without a sleep, which would be too long for a short race */
#define assert_at_once(cond) \
	do { \
		time_t end_ = time(NULL) + 60; \
		while (!(cond)) \
			igt_assert_f(time(NULL) < end_, "not within a minute: %s\n", #cond); \
	} while (0)

static struct sync_fence_info fence_of(int file)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = to_user(&fence) };

	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	igt_assert_eq_u32(info.num_fences, 1);
	return fence;
}

/*
 * Three batches of a queue. So many callbacks wait for the first fence that the processor that
 * signals the first and the second fence is busy for long. Meanwhile the third batch ends, and
 * another processor, which closes the file, finds that out. That processor must not wait for the
 * first one, not for its page tables and not for the fence's lock; and the third fence must not
 * signal before the second.
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
	/*
	 * The eventfd tells when the first callback has run; a query of the fence would wait for
	 * the last.
	 */
	assert_at_once(read(event, &told, sizeof(told)) >= 0);
	c.gate.map[32] = 1;
	assert_at_once(*(volatile uint32_t *)&c.gate.map[34]);
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
	/* One of the processors handles the interrupt, which may be any of them. */
	for (int i = 0; i < 4; i++) {
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (!CPU_ISSET(cpu, &all))
				continue;
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			igt_assert_eq(sched_setaffinity(0, sizeof(set), &set), 0);
			/* A process of its own, whose memory only that processor has used */
			igt_fork(child, 1)
				signal_slowly();
			igt_waitchildren();
		}
	}
	igt_assert_eq(sched_setaffinity(0, sizeof(all), &all), 0);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("Binary syncobjs must order two queues");
	igt_subtest("binary")
		test_syncs(&card, false);
	igt_describe("Timeline syncobjs must order two queues");
	igt_subtest("timeline")
		test_syncs(&card, true);
	igt_describe("A batch must wait for both batches of another queue, in whichever order "
		     "they are named");
	igt_subtest("same-queue") {
		test_sync_same_queue(&card, 0);
		test_sync_same_queue(&card, 1);
	}
	igt_describe("Fences of a queue must signal in order, whichever processor finds them done");
	igt_subtest("signals-in-order")
		test_signals_in_order();

	igt_describe("A call without a batch must signal behind the queue's work and the fences "
		     "it waits for");
	igt_subtest("no-batch") {
		test_no_batch(&card, COMPUTE, TILE);
		test_no_batch(&card, COPY, TILE);
		test_no_batch(&card, COMPUTE, ROOT);
	}

	igt_fixture
		close(card.fd);
}
