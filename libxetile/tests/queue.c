// SPDX-License-Identifier: MIT
/*
 * The memory that a queue may use again, on a driver that runs in this process (fake.c): a slot
 * and the memory of hardware threads stay untouched until a wait has told the end of the work.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <xf86drm.h>

#include "fake.h"
#include "memory.h"
#include "queue.h"
#include "slot.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

struct stack {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_queue *queue;
};

static bool stack_open(struct stack *s)
{
	fake_start(2, 1);
	CHECK(!fake_platform(1, NULL, &s->platform));
	CHECK(!xetile_platform_select(s->platform, "0", &s->device));
	CHECK(!xetile_context_create(s->device, &s->context));
	CHECK(!xetile_queue_create(s->context, s->device, NULL, &s->queue));
	return true;
}

static bool stack_close(struct stack *s)
{
	xetile_queue_destroy(s->queue);
	xetile_context_destroy(s->context);
	xetile_platform_close(s->platform);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

/* Submit a slot with @size bytes for each tile. Returns the first error. */
static int submit(struct stack *s, uint64_t size, struct xt_slot **slot)
{
	int err = xt_queue_slot(s->queue, size, slot);

	return err ? err : xt_queue_submit(s->queue, *slot, 0, NULL, NULL);
}

static unsigned int num_slots(const struct stack *s)
{
	const struct xt_slot *slot;
	unsigned int num = 0;

	for (slot = s->queue->slots; slot; slot = slot->next)
		num++;
	return num;
}

static unsigned int num_busy(const struct stack *s)
{
	const struct xt_slot *slot;
	unsigned int num = 0;

	for (slot = s->queue->slots; slot; slot = slot->next)
		num += slot->busy;
	return num;
}

static unsigned int num_binds(void)
{
	unsigned int i, num = 0;

	for (i = 0; i < FAKE_MAX; i++)
		num += fake.binds[i].used;
	return num;
}

/* Each slot is too small for the next launch: a new slot takes the place of the oldest one. */
static bool check_bound(void)
{
	struct xt_slot *slot, *first;
	unsigned int i, bos;
	struct stack s;

	if (!stack_open(&s))
		return false;
	fake.hold = true;
	CHECK(!submit(&s, XETILE_COLOR_PAGE, &first));
	for (i = 2; i <= 64; i++)
		CHECK(!submit(&s, i * XETILE_COLOR_PAGE, &slot));
	for (bos = 0, i = 0; i < FAKE_MAX; i++)
		bos += fake.bos[i].used;
	/* One of them is the context's, for fences. */
	CHECK(num_slots(&s) == 64 && bos == 64 + 1 && first->busy);
	for (i = 65; i <= 100; i++) {
		CHECK(!submit(&s, i * XETILE_COLOR_PAGE, &slot), "%s", xetile_last_error());
		CHECK(num_slots(&s) == 64, "%u", num_slots(&s));
		CHECK(slot->part_size == i * XETILE_COLOR_PAGE);
	}
	for (i = 0, slot = s.queue->slots; slot; slot = slot->next, i++)
		CHECK(slot->part_size == (100 - i) * XETILE_COLOR_PAGE, "%u", i);
	/* The work cannot be waited for: nothing is freed. */
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	fake.fail_errno = -ENOMEM;
	/* Some are free, because the queue waited for half of them, and go first. */
	while (num_busy(&s) < 64)
		CHECK(!submit(&s, 200 * XETILE_COLOR_PAGE, &slot));
	CHECK(submit(&s, 200 * XETILE_COLOR_PAGE, &slot) == -ENOMEM);
	CHECK(num_slots(&s) == 64);
	fake.fail_request = 0;
	return stack_close(&s);
}

/* A wait that fails tells nothing about the work: its slot is not used again. */
static bool check_failed_wait(int err)
{
	struct xt_slot *slot, *other;
	struct stack s;
	unsigned int i;

	if (!stack_open(&s))
		return false;
	fake.hold = true;
	CHECK(!submit(&s, 1, &slot));
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	fake.fail_errno = err;
	CHECK(!submit(&s, 1, &other));
	CHECK(slot != other && slot->busy);
	while (num_slots(&s) < 64)
		CHECK(!submit(&s, 1, &other));
	/* All slots are busy, and none can be waited for. */
	for (i = 0; i < 2; i++) {
		CHECK(submit(&s, 1, &other) == err);
		CHECK_TEXT("cannot wait");
		CHECK(num_slots(&s) == 64);
	}
	fake.fail_request = 0;
	CHECK(!submit(&s, 1, &other) && other == slot);
	return stack_close(&s);
}

/* The memory of threads that a batch may use is not replaced. */
static bool check_thread_mem(int err)
{
	const struct xt_thread_mem *mem, *again;
	const struct xetile_mem *before;
	struct xt_slot *slot;
	struct stack s;

	if (!stack_open(&s))
		return false;
	fake.hold = true;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 1, &mem));
	before = mem->mem;
	CHECK(!submit(&s, 1, &slot));
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	fake.fail_errno = err;
	CHECK(xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 1 << 20, &again) == err);
	CHECK_TEXT("cannot wait");
	CHECK(mem->mem == before && mem->part_size == XETILE_COLOR_PAGE && slot->busy);
	CHECK(fake_at(before->addr));
	/* Memory that is large enough needs no wait. */
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 1, &again));
	fake.fail_request = 0;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 1 << 20, &again));
	CHECK(again->part_size == 1 << 20 && !slot->busy);
	return stack_close(&s);
}

/* The queue goes, but its work may still run: no other buffer gets the addresses. */
static bool check_destroy(int err)
{
	const struct xetile_mem_desc desc = { .size = 16 * XETILE_COLOR_PAGE };
	const struct xt_thread_mem *mem;
	uint64_t addr[2], got;
	struct xetile_mem *new;
	struct xt_slot *slot;
	unsigned int i;
	struct stack s;

	if (!stack_open(&s))
		return false;
	fake.hold = true;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_PRIVATE, 1, &mem));
	CHECK(!submit(&s, 1, &slot));
	addr[0] = slot->mem->addr;
	addr[1] = mem->mem->addr;
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	fake.fail_errno = err;
	xetile_queue_destroy(s.queue);
	s.queue = NULL;
	fake.fail_request = 0;
	CHECK(num_binds() == 2 + 1);
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &new));
	got = xetile_mem_address(new);
	for (i = 0; i < 2; i++)
		CHECK(addr[i] + 2 * XETILE_COLOR_PAGE <= got || got + desc.size <= addr[i]);
	xetile_mem_free(new);
	/* The address space takes the mappings with it. */
	CHECK(fake_leaks() == 2 + 2 + fake.vms, "%u left behind", fake_leaks());
	memset(fake.binds, 0, sizeof(fake.binds));
	return stack_close(&s);
}

static bool last_waits_for(uint32_t syncobj)
{
	unsigned int i;

	for (i = 0; i < fake.last.exec.syncs.count; i++) {
		if (fake.last.syncs[i].handle == syncobj && !fake.last.syncs[i].flags)
			return true;
	}
	return false;
}

/*
 * On several tiles a submission waits for the one before, because the driver lets each tile go on
 * by itself; on one tile, or when that one is known to have ended, nothing is left to wait for.
 */
static bool check_follows(void)
{
	struct xetile_queue *one, *both;
	struct xt_slot *first, *next;
	struct stack s;

	if (!stack_open(&s))
		return false;
	CHECK(!xetile_queue_create(s.context, xetile_device_sub_device(s.device, 1), NULL, &one));
	both = s.queue;
	fake.hold = true;
	CHECK(!submit(&s, 1, &first) && !fake.last_waits);
	CHECK(!submit(&s, 1, &next) && next != first);
	CHECK(fake.last_waits == 1 && last_waits_for(first->syncobj));
	CHECK(!submit(&s, 1, &first) && fake.last_waits == 1 && last_waits_for(next->syncobj));
	CHECK(!xt_slot_wait(both, first));
	CHECK(!submit(&s, 1, &next) && !fake.last_waits);
	s.queue = one;
	CHECK(!submit(&s, 1, &first) && !submit(&s, 1, &next) && !fake.last_waits);
	xetile_queue_destroy(one);
	s.queue = both;
	return stack_close(&s);
}

/* Any number of fences beside the queue's own has room. */
static bool check_many_waits(void)
{
	struct xetile_event *waits[20], *event;
	struct xt_slot *slot;
	unsigned int i, num;
	struct stack s;

	if (!stack_open(&s))
		return false;
	fake.hold = true;
	for (i = 0; i < 20; i++) {
		CHECK(!xt_queue_slot(s.queue, 1, &slot));
		CHECK(!xt_queue_submit(s.queue, slot, 0, NULL, &waits[i]));
	}
	for (num = 0; num <= 20; num++) {
		CHECK(!xt_queue_slot(s.queue, 1, &slot));
		CHECK(!xt_queue_submit(s.queue, slot, num, waits, &event));
		CHECK(fake.last_waits == num + 1, "%u of %u", fake.last_waits, num + 1);
		xetile_event_destroy(event);
	}
	for (i = 0; i < 20; i++)
		xetile_event_destroy(waits[i]);
	return stack_close(&s);
}

int main(void)
{
	static const int errors[] = { -ENODEV, -EIO, -ENOMEM };
	bool slots = true, threads = true, destroy = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		slots = slots && check_failed_wait(errors[i]);
		threads = threads && check_thread_mem(errors[i]);
		destroy = destroy && check_destroy(errors[i]);
	}
	test_run("a queue has 64 slots at most, of any sizes", check_bound());
	test_run("a wait fails: busy slots are not used again", slots);
	test_run("a wait fails: memory of threads is not replaced", threads);
	test_run("a wait fails: a destroyed queue's memory stays mapped", destroy);
	test_run("on several tiles a submission waits for the one before", check_follows());
	test_run("a submission waits for any number of events", check_many_waits());
	return test_end();
}
