// SPDX-License-Identifier: MIT
/*
 * Times of launches, on a driver that runs in this process (fake.c). The test is the card: it finds
 * where the commands of a batch store the clock, and stores what it likes there.
 */
#include <drm/xetile_drm.h>
#include <errno.h>

#include <pvc_bits.h>
#include <pvc_gfx_commands.h>

#include "batch.h"
#include "fake.h"
#include "stack.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define HZ	19200000ull
#define NS	1000000000ull

static const struct xetile_launch_desc launch = { .groups = { 4 }, .local = { 32 } };

/* The places where a batch stores the clock, in its order. Returns how many they are. */
static unsigned int find_stamps(uint64_t batch, uint64_t **at, unsigned int max)
{
	const uint32_t *dw = fake_at(batch);
	unsigned int i, num = 0;

	for (i = 0; i < XT_BATCH_STATES / 4; i++) {
		const uint32_t op = PVC_FIELD_GET(PVC_PIPE_CONTROL1_POST_SYNC, dw[i + 1]);

		if (dw[i] >> 16 != PVC_PIPE_CONTROL >> 16 || op != PVC_POST_SYNC_TIMESTAMP)
			continue;
		if (num < max)
			at[num] = fake_at((uint64_t)dw[i + 3] << 32 | dw[i + 2]);
		num++;
	}
	return num;
}

/* Be the card on one tile. */
static bool run(unsigned int part, uint64_t start, uint64_t end)
{
	uint64_t *at[2];

	CHECK(find_stamps(fake.last.batches[part], at, 2) == 2);
	CHECK(at[0] && at[1] && at[0] != at[1]);
	*at[0] = start;
	*at[1] = end;
	return true;
}

static bool submit(struct stack *s, struct xetile_event **event)
{
	CHECK(!xetile_launch(s->queue, s->kernel, &launch, 0, NULL, event), "%s",
	      xetile_last_error());
	return true;
}

/* F13: each tile has times of its own, in nanoseconds; the clock's 36 bits may begin again. */
static bool check_times(void)
{
	const uint64_t wrap = 1ull << 36;
	struct xetile_times times;
	struct xetile_event *event;
	struct stack s;

	if (!stack_open(&s, 2, XETILE_QUEUE_TIMES) || !submit(&s, &event))
		return false;
	if (!run(0, 3 * HZ, 3 * HZ + 192) || !run(1, wrap - 96, 96 | wrap << 3))
		return false;
	CHECK(!xetile_event_get_times(event, &times), "%s", xetile_last_error());
	CHECK(times.num_tiles == 2 && times.tiles[0].tile == 0 && times.tiles[1].tile == 1);
	CHECK(times.tiles[0].start == 3 * NS && times.tiles[0].end == 3 * NS + 10000);
	CHECK(times.tiles[1].end - times.tiles[1].start == 10000);
	CHECK(times.tiles[1].start / NS == (wrap - 96) / HZ);
	CHECK(times.duration == 10000);
	xetile_event_destroy(event);

	/* The tile that took longest counts. */
	if (!submit(&s, &event) || !run(0, 0, HZ) || !run(1, HZ, 3 * HZ))
		return false;
	CHECK(!xetile_event_get_times(event, &times) && times.duration == 2 * NS);
	xetile_event_destroy(event);
	return stack_close(&s);
}

/* So many walkers that the stamps are behind more commands than a launch has as a rule */
static bool check_ranges(void)
{
	struct xetile_launch_desc follows = { .groups = { 40 }, .local = { 32 } };
	struct xetile_mem_desc chunks = { .size = 40 << 16, .color = XETILE_COLOR_CHUNK };
	struct xetile_times times;
	struct xetile_event *event;
	struct xetile_mem *mem;
	struct stack s;

	if (!stack_open(&s, 2, XETILE_QUEUE_TIMES))
		return false;
	CHECK(!xetile_mem_alloc(s.context, s.device, &chunks, &mem), "%s", xetile_last_error());
	follows.follow = (struct xetile_follow) { .mem = mem, .bytes = 1 << 16 };
	CHECK(!xetile_launch(s.queue, s.kernel, &follows, 0, NULL, &event), "%s",
	      xetile_last_error());
	if (!run(0, HZ, 2 * HZ) || !run(1, 3 * HZ, 6 * HZ))
		return false;
	CHECK(find_stamps(fake.last.batches[0], NULL, 0) == 2);
	CHECK(!xetile_event_get_times(event, &times), "%s", xetile_last_error());
	CHECK(times.tiles[0].start == NS && times.tiles[0].end == 2 * NS);
	CHECK(times.tiles[1].start == 3 * NS && times.duration == 3 * NS);
	xetile_event_destroy(event);
	xetile_mem_free(mem);
	return stack_close(&s);
}

/* What an event is owed survives the next use of the slot, the queue, and other events. */
static bool check_owed(bool wait)
{
	struct xetile_event *events[70], *other;
	struct xetile_times times;
	unsigned int i;
	struct stack s;

	if (!stack_open(&s, 2, XETILE_QUEUE_TIMES))
		return false;
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!submit(&s, &events[i]) || !run(0, i * HZ, (i + 1) * HZ) ||
		    !run(1, i * HZ, (i + 2) * HZ))
			return false;
		if (wait)
			CHECK(!xetile_event_wait(events[i], 0));
		/* The slot has served others before, and does again. */
		if (!submit(&s, &other) || !run(0, 0, 5) || !run(1, 0, 5))
			return false;
		xetile_event_destroy(other);
	}
	if (!submit(&s, NULL))
		return false;
	xetile_queue_destroy(s.queue);
	s.queue = NULL;
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		CHECK(!xetile_event_get_times(events[i], &times), "%u: %s", i, xetile_last_error());
		CHECK(times.tiles[0].start == i * NS, "%u", i);
		CHECK(times.tiles[1].end == (i + 2) * NS, "%u", i);
		xetile_event_destroy(events[i]);
	}
	return stack_close(&s);
}

/* Who does not ask pays nothing, and has no times. */
static bool check_unasked(void)
{
	const struct xetile_queue_desc copy = {
		.engine_class = XETILE_COPY, .flags = XETILE_QUEUE_TIMES,
	};
	struct xetile_queue *queue;
	struct xetile_times times;
	struct xetile_event *event;
	struct stack s;

	if (!stack_open(&s, 2, 0) || !submit(&s, &event))
		return false;
	CHECK(!find_stamps(fake.last.batches[0], NULL, 0));
	CHECK(xetile_event_get_times(event, &times) == -ENODATA);
	CHECK_TEXT("XETILE_QUEUE_TIMES");
	xetile_event_destroy(event);
	CHECK(xetile_queue_create(s.context, s.device, &copy, &queue) == -EINVAL);
	CHECK_TEXT("times");
	if (!stack_close(&s))
		return false;

	/* Nor does a launch whose event nobody has. */
	if (!stack_open(&s, 2, XETILE_QUEUE_TIMES) || !submit(&s, NULL))
		return false;
	CHECK(!find_stamps(fake.last.batches[0], NULL, 0));
	return stack_close(&s);
}

/* Work that has not ended, or has failed, has no times. */
static bool check_failed(void)
{
	struct xetile_times times;
	struct xetile_event *event;
	struct stack s;

	if (!stack_open(&s, 2, XETILE_QUEUE_TIMES))
		return false;
	fake.hold = true;
	if (!submit(&s, &event))
		return false;
	CHECK(xetile_event_get_times(event, &times) == -EINPROGRESS);
	CHECK(!xetile_event_wait(event, -1));
	CHECK(!xetile_event_get_times(event, &times), "%s", xetile_last_error());
	xetile_event_destroy(event);
	fake.hold = false;
	fake.fence_error = -ETIME;
	if (!submit(&s, &event))
		return false;
	CHECK(xetile_event_get_times(event, &times) == -ETIME);
	xetile_event_destroy(event);
	/* The queue goes, and nobody knows whether the work has ended: its memory says nothing. */
	fake.fence_error = 0;
	fake.hold = true;
	if (!submit(&s, &event) || !run(0, 1, 2) || !run(1, 1, 2))
		return false;
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	fake.fail_errno = -ENODEV;
	xetile_queue_destroy(s.queue);
	s.queue = NULL;
	fake.fail_request = 0;
	CHECK(!xetile_event_wait(event, -1));
	CHECK(xetile_event_get_times(event, &times) == -ENODATA);
	xetile_event_destroy(event);
	/* The address space takes the mapping of that memory with it. */
	memset(fake.binds, 0, sizeof(fake.binds));
	xetile_kernel_destroy(s.kernel);
	xetile_module_unload(s.module);
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
	return true;
}

/* An event serves again, but not one whose syncobj the program knows: others may wait for it. */
static bool check_again(void)
{
	struct xetile_event *event, *others[100];
	uint32_t first, told;
	unsigned int i;
	struct stack s;

	if (!stack_open(&s, 2, 0) || !submit(&s, &event))
		return false;
	first = fake.last.syncs[0].handle;
	xetile_event_destroy(event);
	if (!submit(&s, &event))
		return false;
	CHECK(fake.last.syncs[0].handle == first);
	CHECK(xetile_event_syncobjs(event, &told, 1) == 1 && told == first);
	xetile_event_destroy(event);
	CHECK(!fake.syncobjs[first]);
	/* There are no more than fit, however many events there were. */
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!submit(&s, &others[i]))
			return false;
	}
	for (i = 0; i < ARRAY_SIZE(others); i++)
		xetile_event_destroy(others[i]);
	for (i = 0, told = 0; i < FAKE_MAX; i++)
		told += fake.syncobjs[i];
	CHECK(told < 64 + 10, "%u", told);
	return stack_close(&s);
}

int main(void)
{
	test_run("F13: a launch's event tells when it ran on each tile", check_times());
	test_run("so does that of a launch with many walkers", check_ranges());
	test_run("an event keeps its times when the slot and the queue go", check_owed(false));
	test_run("so does one that has been waited for", check_owed(true));
	test_run("only launches with an event on queues that note times store them",
		 check_unasked());
	test_run("work that has not ended well has no times", check_failed());
	test_run("events are used again, unless others know their fence", check_again());
	return test_end();
}
