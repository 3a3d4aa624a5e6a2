// SPDX-License-Identifier: MIT
/*
 * Pools, on a driver that runs in this process (fake.c): objects of one buffer have colors of their
 * own, and do not meet.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdlib.h>

#include "fake.h"
#include "memory.h"
#include "test.h"
#include "xetile.h"

#define PAGE	((uint64_t)XETILE_COLOR_PAGE)
#define OBJECTS	1000

struct stack {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_queue *queue;
	struct xetile_pool *pool;
	struct xetile_mem *object[OBJECTS];
};

static bool stack_open(struct stack *s, uint64_t size)
{
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY_NEAREST };
	const struct xetile_mem_desc desc = { .size = size, .color = XETILE_COLOR_TILE };

	memset(s, 0, sizeof(*s));
	fake_start(4, 1);
	CHECK(!fake_platform(1, NULL, &s->platform));
	CHECK(!xetile_platform_select(s->platform, "0", &s->device));
	CHECK(!xetile_context_create(s->device, &s->context));
	CHECK(!xetile_queue_create(s->context, s->device, &copy, &s->queue));
	CHECK(!xetile_pool_create(s->context, s->device, &desc, &s->pool), "%s",
	      xetile_last_error());
	return true;
}

static bool stack_close(struct stack *s)
{
	unsigned int i;

	for (i = 0; i < OBJECTS; i++)
		xetile_mem_free(s->object[i]);
	xetile_pool_destroy(s->pool);
	xetile_queue_destroy(s->queue);
	xetile_context_destroy(s->context);
	xetile_platform_close(s->platform);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

static int take(struct stack *s, unsigned int i, uint64_t size, uint32_t tile)
{
	const struct xetile_mem_desc desc = {
		.size = size, .color = XETILE_COLOR_TILE, .tile = tile,
	};

	return xetile_pool_alloc(s->pool, s->device, &desc, &s->object[i]);
}

/* W4: a thousand objects have one handle, and colors of their own. */
static bool check_objects(void)
{
	const struct xetile_mem_range again = { 0, { .color = XETILE_COLOR_TILE, .tile = 3 } };
	unsigned int i, bos = 0;
	uint64_t first, at;
	struct stack s;
	void *map;

	if (!stack_open(&s, 2 * OBJECTS * PAGE))
		return false;
	for (i = 0; i < FAKE_MAX; i++)
		bos += fake.bos[i].used;
	for (i = 0; i < OBJECTS; i++) {
		CHECK(!take(&s, i, (i % 3 + 1) * PAGE - i % 2, i % 4), "%s", xetile_last_error());
		CHECK(xetile_mem_size(s.object[i]) == (i % 3 + 1) * PAGE);
		at = s.object[i]->addr - s.object[0]->addr;
		/* The driver colors these pages, and no others. */
		CHECK(fake.last_ranges[0].offset == at && fake.last_recolor.ranges.count == 1 &&
		      fake.last_ranges[0].size == xetile_mem_size(s.object[i]) &&
		      fake.last_ranges[0].tile_mask == 1u << i % 4);
		CHECK(!xetile_mem_map(s.object[i], &map));
		memset(map, i, xetile_mem_size(s.object[i]));
	}
	for (i = 0, first = 0; i < FAKE_MAX; i++)
		first += fake.bos[i].used;
	CHECK(first == bos, "%u buffers more", (unsigned int)(first - bos));
	CHECK(!xetile_mem_recolor(s.object[17], s.device, &again, 1), "%s", xetile_last_error());
	CHECK(fake.last_ranges[0].offset == s.object[17]->addr - s.object[0]->addr &&
	      fake.last_ranges[0].size == 3 * PAGE);
	for (i = 0; i < OBJECTS; i++) {
		uint64_t size = xetile_mem_size(s.object[i]);
		uint8_t *bytes = fake_at(s.object[i]->addr);

		CHECK(bytes[0] == (uint8_t)i && bytes[size - 1] == (uint8_t)i, "object %u", i);
		CHECK(!xetile_fill(s.queue, s.object[i], 0, size, 1, 0, NULL, NULL));
		CHECK(fake.last.tile == (i == 17 ? 3 : i % 4), "object %u", i);
		CHECK(xetile_fill(s.queue, s.object[i], 1, size, 1, 0, NULL, NULL) == -EINVAL);
	}
	return stack_close(&s);
}

/* Ranges that were given back are taken again. */
static bool check_reuse(void)
{
	uint64_t addr;
	struct stack s;
	unsigned int i;

	if (!stack_open(&s, 10 * PAGE))
		return false;
	for (i = 0; i < 10; i++)
		CHECK(!take(&s, i, PAGE, 0));
	CHECK(take(&s, 10, 1, 0) == -ENOSPC);
	CHECK_TEXT("the pool has no range");
	CHECK(!s.object[10]);
	addr = s.object[4]->addr;
	xetile_mem_free(s.object[4]);
	xetile_mem_free(s.object[6]);
	CHECK(take(&s, 4, 2 * PAGE, 0) == -ENOSPC);
	xetile_mem_free(s.object[5]);
	s.object[4] = s.object[5] = s.object[6] = NULL;
	CHECK(!take(&s, 4, 3 * PAGE, 2) && s.object[4]->addr == addr);
	/* A color that fails gives the range back. */
	xetile_mem_free(s.object[9]);
	s.object[9] = NULL;
	CHECK(take(&s, 9, PAGE, 4) == -EINVAL);
	fake.fail_request = DRM_IOCTL_XETILE_BO_RECOLOR;
	fake.fail_errno = -ENOSPC;
	CHECK(take(&s, 9, PAGE, 1) == -ENOSPC);
	CHECK_TEXT("cannot recolor");
	fake.fail_request = 0;
	CHECK(!take(&s, 9, PAGE, 1), "%s", xetile_last_error());
	return stack_close(&s);
}

static bool check_misuse(void)
{
	struct xetile_mem_desc desc = { .size = PAGE, .flags = XETILE_MEM_SYSTEM };
	struct xetile_mem_range range = { PAGE, { .size = PAGE } };
	struct xetile_pool *pool;
	struct xetile_run run;
	struct stack s;
	int num;

	if (!stack_open(&s, 10 * PAGE))
		return false;
	CHECK(xetile_pool_create(s.context, s.device, &desc, &pool) == -EINVAL);
	desc = (struct xetile_mem_desc) { .size = 0 };
	CHECK(xetile_pool_create(s.context, s.device, &desc, &pool) == -EINVAL);
	CHECK(xetile_pool_alloc(s.pool, s.device, &desc, &s.object[0]) == -EINVAL);
	desc.size = UINT64_MAX;
	CHECK(xetile_pool_alloc(s.pool, s.device, &desc, &s.object[0]) == -ENOSPC);
	desc = (struct xetile_mem_desc) { .size = PAGE, .flags = XETILE_MEM_STRICT };
	CHECK(xetile_pool_alloc(s.pool, s.device, &desc, &s.object[0]) == -EINVAL);
	CHECK(!take(&s, 0, PAGE, 1) && !take(&s, 1, PAGE, 2));
	/* An object ends where the next one begins. */
	CHECK(xetile_mem_recolor(s.object[0], s.device, &range, 1) == -EINVAL);
	CHECK(xetile_mem_export(s.object[0]) == -EOPNOTSUPP);
	CHECK(xetile_mem_send(s.object[0], 0) == -EOPNOTSUPP);
	/* The fake tells the runs of the pool's first color. */
	num = xetile_mem_color(s.object[1], &run, 1);
	CHECK(num == 1 && run.pages == 1, "%d", num);
	fake.fail_request = DRM_IOCTL_XETILE_BO_INFO;
	fake.fail_errno = -EIO;
	CHECK(xetile_mem_color(s.object[1], &run, 1) == -EIO);
	fake.fail_request = 0;
	fake.caps = 0;
	if (!stack_close(&s))
		return false;

	fake_start(2, 1);
	fake.caps = DRM_XETILE_CAP_GANG;
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	desc = (struct xetile_mem_desc) { .size = PAGE };
	CHECK(xetile_pool_create(s.context, s.device, &desc, &pool) == -EOPNOTSUPP);
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
	CHECK(!fake_leaks());
	return true;
}

int main(void)
{
	test_run("W4 S9: objects of a pool have colors of their own", check_objects());
	test_run("W4: ranges of a pool are used again", check_reuse());
	test_run("W4: misuse of a pool is refused", check_misuse());
	return test_end();
}
