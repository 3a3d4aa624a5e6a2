// SPDX-License-Identifier: MIT
/*
 * Buffers that get copies on all tiles, and buffers that lose them, on a driver that runs in this
 * process (fake.c) and executes the copies: bytes and the address stay, whatever fails.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <linux/sync_file.h>
#include <stdlib.h>

#include "context.h"
#include "fake.h"
#include "memory.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define PAGES	5
#define SIZE	((uint64_t)PAGES * XETILE_COLOR_PAGE)
#define TILES	3

static struct {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
} s;

static bool start(void)
{
	fake_start(TILES, 1);
	fake.caps |= DRM_XETILE_CAP_PIN | DRM_XETILE_CAP_PURGE | DRM_XETILE_CAP_REPLICATE;
	fake.executes = true;
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context), "%s", xetile_last_error());
	return true;
}

static bool end(void)
{
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

static uint8_t byte_at(uint64_t i)
{
	return i * 31 + (i >> 8) * 7;
}

/* A buffer whose bytes are known, in all copies */
static struct xetile_mem *alloc(const char *color, uint32_t flags)
{
	struct xetile_mem_desc desc = { 0 };
	struct xetile_mem *mem = NULL;
	unsigned int t;
	uint64_t i;

	if (xetile_color_parse(color, &desc))
		return NULL;
	desc.size = SIZE;
	desc.flags = flags;
	if (xetile_mem_alloc(s.context, s.device, &desc, &mem))
		printf("  %s\n", xetile_last_error());
	xetile_color_free(&desc);
	for (t = 0; mem && t < TILES; t++) {
		for (i = 0; i < SIZE; i++)
			*(uint8_t *)fake_on_tile(mem->addr + i, t) = byte_at(i);
	}
	return mem;
}

static int recolor(struct xetile_mem *mem, struct xetile_device *device, const char *color)
{
	struct xetile_mem_range range = { 0 };
	int err = xetile_color_parse(color, &range.desc);

	if (err)
		return err;
	err = xetile_mem_recolor(mem, device, &range, 1);
	xetile_color_free(&range.desc);
	return err;
}

/* Each tile reads the bytes at the address of the buffer, which no mapping lets it write there. */
static bool has_bytes(const struct xetile_mem *mem, uint64_t addr, uint32_t copies)
{
	const struct fake_bind *bind = fake_bind_at(addr);
	const uint8_t *bytes;
	unsigned int t;
	uint64_t i;

	CHECK(mem->addr == addr && mem->size == SIZE && mem->copies == copies);
	CHECK(bind && bind->addr == addr && bind->range == SIZE && bind->handle == mem->handle);
	CHECK(bind->flags == (copies ? DRM_XETILE_BIND_READONLY : 0));
	for (t = 0; t < TILES; t++) {
		bytes = fake_on_tile(addr, t);
		for (i = 0; i < SIZE; i++)
			CHECK(bytes[i] == byte_at(i), "byte %u of tile %u", (unsigned int)i, t);
	}
	if (!copies)
		return true;
	bind = fake_bind_at(mem->written);
	CHECK(bind && bind->addr == mem->written && bind->range == SIZE &&
	      bind->handle == mem->handle && !bind->flags);
	return true;
}

static bool check_ways(void)
{
	static const char *const colors[] = { "replicate", "chunk:64k", "replicate", "tile:1" };
	const uint32_t flags = XETILE_MEM_SPILL | XETILE_MEM_STRICT | XETILE_MEM_PRIVATE;
	const struct drm_xetile_bo_create *create;
	struct xetile_device *tile;
	struct xetile_mem *mem;
	unsigned int i, objects;
	uint64_t addr;

	if (!start())
		return false;
	mem = alloc("even", flags);
	CHECK(mem);
	addr = mem->addr;
	objects = fake_leaks();
	for (i = 0; i < ARRAY_SIZE(colors); i++) {
		uint32_t copies = i % 2 ? 0 : 7;

		CHECK(!recolor(mem, s.device, colors[i]), "%s", xetile_last_error());
		if (!has_bytes(mem, addr, copies))
			return false;
		/* The one more is the mapping by which copies are written. */
		CHECK(fake_leaks() == objects + !!copies, "%u objects", fake_leaks());
		CHECK(xt_mem_find(s.context, mem->handle) == mem);
		create = &fake.bos[mem->handle].create;
		CHECK(create->placement == (DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM) &&
		      create->flags == DRM_XETILE_BO_STRICT && create->vm_id == fake.last_vm);
	}
	CHECK(create->color == DRM_XETILE_COLOR_TILE && create->tile_mask == 2);

	/* Copies on one tile, on all, and then there is nothing to do. */
	tile = xetile_device_sub_device(s.device, 1);
	CHECK(!recolor(mem, tile, "replicate") && has_bytes(mem, addr, 2));
	CHECK(!recolor(mem, s.device, "replicate") && has_bytes(mem, addr, 7));
	i = fake.execs;
	CHECK(!recolor(mem, s.device, "replicate") && has_bytes(mem, addr, 7) && fake.execs == i);
	xetile_mem_free(mem);
	CHECK(fake_leaks() == objects - 2, "%u objects", fake_leaks());
	return end();
}

/* A buffer that was allocated with copies and loses them; the addresses behind it are others'. */
static bool check_addresses(void)
{
	struct xetile_mem *mem, *behind, *last;
	unsigned int i, objects;
	uint64_t addr, next;

	if (!start())
		return false;
	mem = alloc("replicate", 0);
	behind = alloc("even", 0);
	CHECK(mem && behind);
	addr = mem->addr;
	last = alloc("even", 0);
	CHECK(last);
	next = last->addr;
	xetile_mem_free(last);
	objects = fake_leaks();
	for (i = 0; i < 100; i++) {
		CHECK(!recolor(mem, s.device, i % 2 ? "replicate" : "even"), "%s",
		      xetile_last_error());
	}
	CHECK(has_bytes(mem, addr, 7) && has_bytes(behind, behind->addr, 0));
	CHECK(fake_leaks() == objects, "%u objects, not %u", fake_leaks(), objects);
	xetile_mem_free(mem);
	xetile_mem_free(behind);
	/* No address is lost: one hole is left, and it begins where it did. */
	mem = alloc("even", 0);
	CHECK(mem && mem->addr == addr);
	behind = alloc("even", 0);
	last = alloc("even", 0);
	CHECK(behind && last && behind->addr == addr + SIZE && last->addr == addr + 2 * SIZE);
	CHECK(next == addr + 3 * SIZE);
	xetile_mem_free(last);
	xetile_mem_free(behind);
	xetile_mem_free(mem);
	return end();
}

/* The CPU's mapping ends with the old object, and another one has all copies. */
static bool check_map(void)
{
	struct xetile_mem *mem;
	uint8_t *bytes;
	unsigned int t;
	void *map;

	if (!start())
		return false;
	mem = alloc("even", 0);
	CHECK(mem && !xetile_mem_map(mem, &map));
	CHECK(((uint8_t *)map)[77] == byte_at(77));
	CHECK(!recolor(mem, s.device, "replicate"), "%s", xetile_last_error());
	CHECK(!mem->map && !xetile_mem_map(mem, &map));
	bytes = map;
	for (t = 0; t < TILES; t++)
		CHECK(bytes[t * SIZE + 77] == byte_at(77) &&
		      bytes[t * SIZE + SIZE - 1] == byte_at(SIZE - 1), "copy %u", t);
	CHECK(!recolor(mem, s.device, "tile:0"), "%s", xetile_last_error());
	CHECK(!mem->map && !xetile_mem_map(mem, &map));
	CHECK(((uint8_t *)map)[SIZE - 1] == byte_at(SIZE - 1));
	xetile_mem_free(mem);
	return end();
}

/* The copy is behind the work of all queues, but for those that run nothing any more. */
static bool check_work(void)
{
	const struct xetile_queue_desc one = { .engine_class = XETILE_COPY };
	struct xetile_queue *queues[2], *own;
	struct xetile_mem *mem;

	if (!start())
		return false;
	mem = alloc("even", 0);
	CHECK(mem);
	CHECK(!xetile_queue_create(s.context, s.device, &one, &queues[0]));
	CHECK(!xetile_queue_create(s.context, s.device, NULL, &queues[1]));
	CHECK(!recolor(mem, s.device, "replicate"), "%s", xetile_last_error());
	/* Each engine waits for both. */
	CHECK(fake.fences == 2 && fake.last_waits >= 2, "%u %u", fake.fences, fake.last_waits);
	xetile_queue_destroy(queues[1]);
	CHECK(!recolor(mem, s.device, "even"), "%s", xetile_last_error());
	CHECK(fake.fences == 3);

	fake.fail_request = DRM_IOCTL_XETILE_EXEC;
	fake.fail_errno = -ECANCELED;
	fake.fail_nth = 1;
	CHECK(!recolor(mem, s.device, "replicate"), "%s", xetile_last_error());
	CHECK(fake.fences == 3 && has_bytes(mem, mem->addr, 7));
	xetile_queue_destroy(queues[0]);
	CHECK(!xetile_queue_create(s.context, s.device, &one, &own));
	CHECK(!recolor(mem, s.device, "even") && fake.fences == 4);
	xetile_queue_destroy(own);
	xetile_mem_free(mem);
	return end();
}

static bool is_refused(struct xetile_mem *mem, const char *color, int want, const char *text)
{
	const struct xetile_mem old = *mem;
	unsigned int objects = fake_leaks(), execs = fake.execs;
	int err = recolor(mem, s.device, color);

	CHECK(err == want, "%d, not %d", err, want);
	CHECK_TEXT(text);
	CHECK(!memcmp(&old, mem, sizeof(old)) && fake_leaks() == objects && fake.execs == execs);
	return true;
}

static bool check_refused(void)
{
	const struct xetile_mem_desc system = { .size = SIZE, .flags = XETILE_MEM_SYSTEM };
	const struct xetile_mem_desc size = { .size = SIZE };
	struct xetile_mem_range half[2] = {
		{ 0, { .size = XETILE_COLOR_PAGE, .color = XETILE_COLOR_REPLICATE } },
		{ XETILE_COLOR_PAGE, { .color = XETILE_COLOR_EVEN } },
	};
	struct xetile_usm_desc usm = { .kind = XETILE_USM_DEVICE, .mem = size };
	struct xetile_mem *mem, *copies, *other;
	struct xetile_usm_info info;
	struct xetile_pool *pool;
	void *ptr;

	if (!start())
		return false;
	mem = alloc("even", XETILE_MEM_PRIVATE);
	copies = alloc("replicate", 0);
	CHECK(mem && copies);
	CHECK(xetile_mem_recolor(mem, s.device, half, 1) == -EOPNOTSUPP);
	CHECK_TEXT("whole buffer");
	CHECK(xetile_mem_recolor(mem, s.device, half, 2) == -EOPNOTSUPP);
	CHECK(xetile_mem_recolor(copies, s.device, &half[1], 1) == -EOPNOTSUPP);
	CHECK(xetile_mem_recolor(copies, s.device, half, 1) == -EOPNOTSUPP);
	half[0].desc.size = SIZE;
	half[0].desc.flags = XETILE_MEM_STRICT;
	CHECK(xetile_mem_recolor(mem, s.device, half, 1) == -EINVAL);
	CHECK(has_bytes(mem, mem->addr, 0) && has_bytes(copies, copies->addr, copies->copies));

	CHECK(!xetile_mem_pin(mem, -1) && is_refused(mem, "replicate", -EINVAL, "pinned"));
	CHECK(!xetile_mem_unpin(mem) && !xetile_mem_allow_purge(mem));
	CHECK(is_refused(mem, "replicate", -EINVAL, "purged"));
	CHECK(xetile_mem_forbid_purge(mem) == 1);

	CHECK(!xetile_mem_alloc(s.context, s.device, &system, &other));
	CHECK(is_refused(other, "replicate", -EINVAL, "system memory"));
	xetile_mem_free(other);

	CHECK(!xetile_pool_create(s.context, s.device, &size, &pool));
	CHECK(!xetile_pool_alloc(pool, s.device, &size, &other), "%s", xetile_last_error());
	CHECK(is_refused(other, "replicate", -EOPNOTSUPP, "pool"));
	xetile_mem_free(other);
	xetile_pool_destroy(pool);

	/* An object of a slab, and allocations without one */
	CHECK(!xetile_usm_alloc(s.context, s.device, &usm, &ptr), "%s", xetile_last_error());
	CHECK(!xetile_usm_get_info(s.context, ptr, &info));
	CHECK(is_refused(info.mem, "replicate", -EOPNOTSUPP, "pool"));
	CHECK(!xetile_usm_free(s.context, ptr));
	usm.mem.color = XETILE_COLOR_REPLICATE;
	CHECK(!xetile_usm_alloc(s.context, s.device, &usm, &ptr), "%s", xetile_last_error());
	CHECK(!xetile_usm_get_info(s.context, ptr, &info));
	CHECK(is_refused(info.mem, "even", -EOPNOTSUPP, "unified shared memory"));
	CHECK(!xetile_usm_free(s.context, ptr));
	usm.mem = (struct xetile_mem_desc) { .size = 8 << 20 };
	CHECK(!xetile_usm_alloc(s.context, s.device, &usm, &ptr), "%s", xetile_last_error());
	CHECK(!xetile_usm_get_info(s.context, ptr, &info));
	CHECK(is_refused(info.mem, "replicate", -EOPNOTSUPP, "unified shared memory"));
	CHECK(!xetile_usm_free(s.context, ptr));

	/* A file of the buffer, of this context or of another */
	mem->shared = true;
	CHECK(is_refused(mem, "replicate", -EOPNOTSUPP, "exported"));
	xetile_mem_free(mem);
	xetile_mem_free(copies);
	return end();
}

/* Each call of the driver fails once. What does not end in success has changed nothing. */
static bool fails(const char *from, const char *to, unsigned long request)
{
	const struct xetile_queue_desc one = { .engine_class = XETILE_COPY };
	struct xetile_queue *queue;
	unsigned int nth, objects, left;
	struct xetile_mem *mem, old;
	bool done;
	int err;

	for (nth = 1, done = false; !done; nth++) {
		if (!start())
			return false;
		mem = alloc(from, 0);
		CHECK(mem && !xetile_queue_create(s.context, s.device, &one, &queue));
		CHECK(nth < 100);
		old = *mem;
		objects = fake_leaks();
		fake.fail_request = request;
		fake.fail_errno = -EIO;
		fake.fail_nth = nth;
		err = recolor(mem, s.device, to);
		done = fake.fail_request;
		fake.fail_request = 0;
		/* Who cannot wait for the copy has to leave what it writes: two mappings, or one. */
		left = request == DRM_IOCTL_SYNCOBJ_WAIT && err ? old.copies ? 1 : 2 : 0;
		CHECK(!done || (!err && nth > 1), "request 0x%lx is never made", request);
		if (err) {
			CHECK(err == -EIO && *xetile_last_error(), "%d", err);
			CHECK(!memcmp(&old, mem, sizeof(old)), "request 0x%lx, call %u", request,
			      nth);
			CHECK(fake_leaks() == objects + left, "request 0x%lx, call %u: %u objects",
			      request, nth, fake_leaks() - objects);
		}
		CHECK(has_bytes(mem, old.addr, mem->copies));
		xetile_queue_destroy(queue);
		xetile_mem_free(mem);
		xetile_context_destroy(s.context);
		xetile_platform_close(s.platform);
	}
	CHECK(nth > 2, "request 0x%lx", request);
	return true;
}

static bool check_failures(void)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_XETILE_BO_CREATE, DRM_IOCTL_XETILE_BO_INFO, DRM_IOCTL_XETILE_BO_MMAP,
		DRM_IOCTL_XETILE_VM_BIND, DRM_IOCTL_XETILE_QUEUE_CREATE, DRM_IOCTL_XETILE_EXEC,
		DRM_IOCTL_SYNCOBJ_CREATE, DRM_IOCTL_SYNCOBJ_WAIT, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
		SYNC_IOC_FILE_INFO,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		if (!fails("even", "replicate", requests[i]) ||
		    !fails("replicate", "chunk:64k", requests[i]))
			return false;
	}
	return true;
}

/* An engine stops the copy, or HBM has no room for both. */
static bool check_failed_copy(void)
{
	struct xetile_mem *mem, old;
	unsigned int objects;

	if (!start())
		return false;
	mem = alloc("even", 0);
	CHECK(mem);
	old = *mem;
	objects = fake_leaks();
	fake.fence_error = -EIO;
	CHECK(recolor(mem, s.device, "replicate") == -EIO);
	CHECK_TEXT("stopped");
	fake.fence_error = 0;
	CHECK(!memcmp(&old, mem, sizeof(old)) && fake_leaks() == objects);
	fake.fail_request = DRM_IOCTL_XETILE_BO_CREATE;
	fake.fail_errno = -ENOSPC;
	CHECK(recolor(mem, s.device, "replicate") == -ENOSPC);
	fake.fail_request = 0;
	CHECK(!memcmp(&old, mem, sizeof(old)) && fake_leaks() == objects);
	CHECK(has_bytes(mem, old.addr, 0));
	CHECK(!recolor(mem, s.device, "replicate") && has_bytes(mem, old.addr, 7));
	xetile_mem_free(mem);
	return end();
}

int main(void)
{
	test_run("W18: a buffer gets copies, loses them, and keeps all else", check_ways());
	test_run("a hundred recolors to and from copies leave nothing", check_addresses());
	test_run("the CPU maps a buffer anew that has got copies", check_map());
	test_run("the copy waits for all work of the context", check_work());
	test_run("what cannot get copies is refused, and unchanged", check_refused());
	test_run("each call may fail: the buffer is unchanged", check_failures());
	test_run("a copy that is stopped, or has no room, changes nothing", check_failed_copy());
	return test_end();
}
