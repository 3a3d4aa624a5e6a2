// SPDX-License-Identifier: MIT
/*
 * Buffers that are pinned, and buffers that may be purged, on a driver that runs in this process
 * (fake.c).
 */
#include <drm/xetile_drm.h>
#include <errno.h>

#include "fake.h"
#include "memory.h"
#include "test.h"
#include "xetile.h"

#define SIZE	(4ull * XETILE_COLOR_PAGE)
#define CAPS	(DRM_XETILE_CAP_PIN | DRM_XETILE_CAP_PURGE)

static struct {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
} s;

static bool start(uint64_t caps)
{
	fake_start(2, 1);
	fake.caps |= caps;
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

static struct xetile_mem *alloc(uint32_t flags)
{
	const struct xetile_mem_desc desc = { .size = SIZE, .flags = flags };
	struct xetile_mem *mem;

	return xetile_mem_alloc(s.context, s.device, &desc, &mem) ? NULL : mem;
}

static bool check_pin(void)
{
	const struct fake_bo *bo;
	struct xetile_mem *mem;

	if (!start(CAPS))
		return false;
	mem = alloc(XETILE_MEM_PRIVATE);
	CHECK(mem, "%s", xetile_last_error());
	bo = &fake.bos[mem->handle];
	CHECK(bo->create.vm_id == fake.last_vm);
	CHECK(!xetile_mem_pin(mem, 42) && bo->pinned && bo->event_fd == 42);
	CHECK(xetile_mem_allow_purge(mem) == -EINVAL);
	CHECK_TEXT("purge");
	/* It stays mapped. */
	CHECK(fake_bind_at(xetile_mem_address(mem)));
	CHECK(!xetile_mem_pin(mem, -1) && bo->pinned && bo->event_fd == -1);
	CHECK(!xetile_mem_unpin(mem) && !bo->pinned && bo->event_fd == -1);
	CHECK(!xetile_mem_unpin(mem));
	xetile_mem_free(mem);
	return end();
}

static bool check_purge(void)
{
	struct xetile_mem *mem, *other;
	struct fake_bo *bo;
	uint64_t addr;

	if (!start(CAPS))
		return false;
	mem = alloc(XETILE_MEM_PRIVATE);
	CHECK(mem, "%s", xetile_last_error());
	bo = &fake.bos[mem->handle];
	addr = xetile_mem_address(mem);
	CHECK(xetile_mem_forbid_purge(mem) == 1);
	CHECK(!xetile_mem_allow_purge(mem) && !xetile_mem_allow_purge(mem));
	/* The GPU has nothing there, and no other buffer gets the address. */
	CHECK(bo->purgeable && !fake_bind_at(addr));
	other = alloc(0);
	CHECK(other && xetile_mem_address(other) != addr);
	CHECK(xetile_mem_forbid_purge(mem) == 1 && !bo->purgeable);
	CHECK(fake_bind_at(addr)->handle == mem->handle && xetile_mem_address(mem) == addr);
	CHECK(!xetile_mem_allow_purge(mem));
	bo->purged = true;
	CHECK(!xetile_mem_allow_purge(mem));
	CHECK(xetile_mem_forbid_purge(mem) == 0 && !bo->purged);
	CHECK(fake_bind_at(addr)->handle == mem->handle);
	CHECK(xetile_mem_forbid_purge(mem) == 1);
	/* One that may be purged can be freed, and so can its address. */
	CHECK(!xetile_mem_allow_purge(mem));
	xetile_mem_free(mem);
	mem = alloc(0);
	CHECK(mem && xetile_mem_address(mem) == addr);
	xetile_mem_free(mem);
	xetile_mem_free(other);
	return end();
}

/* What was dropped is told, also if the first attempt to take it back fails. */
static bool check_failures(void)
{
	struct xetile_mem *mem;
	struct fake_bo *bo;
	uint64_t addr;

	if (!start(CAPS))
		return false;
	mem = alloc(XETILE_MEM_PRIVATE);
	CHECK(mem, "%s", xetile_last_error());
	bo = &fake.bos[mem->handle];
	addr = xetile_mem_address(mem);
	fake.fail_errno = -ENOMEM;
	fake.fail_request = DRM_IOCTL_XETILE_VM_BIND;
	CHECK(xetile_mem_allow_purge(mem) == -ENOMEM && !bo->purgeable);
	fake.fail_request = DRM_IOCTL_XETILE_BO_PURGE;
	CHECK(xetile_mem_allow_purge(mem) == -ENOMEM && fake_bind_at(addr));
	fake.fail_request = 0;
	CHECK(xetile_mem_forbid_purge(mem) == 1);
	CHECK(!xetile_mem_allow_purge(mem));
	bo->purged = true;
	fake.fail_errno = -ENOSPC;
	fake.fail_request = DRM_IOCTL_XETILE_BO_PURGE;
	CHECK(xetile_mem_forbid_purge(mem) == -ENOSPC && bo->purgeable);
	fake.fail_request = DRM_IOCTL_XETILE_VM_BIND;
	CHECK(xetile_mem_forbid_purge(mem) == -ENOSPC && !bo->purged);
	fake.fail_request = 0;
	CHECK(xetile_mem_forbid_purge(mem) == 0 && fake_bind_at(addr));
	xetile_mem_free(mem);
	return end();
}

static bool refused(struct xetile_mem *mem, int err)
{
	CHECK(mem, "%s", xetile_last_error());
	CHECK(xetile_mem_pin(mem, -1) == err && xetile_mem_unpin(mem) == err);
	CHECK(xetile_mem_allow_purge(mem) == err);
	/* It is mapped as before. */
	CHECK(fake_bind_at(xetile_mem_address(mem)));
	return true;
}

static bool check_misuse(void)
{
	static uint8_t own[4096] __attribute__((aligned(4096)));
	const struct xetile_mem_desc desc = { .size = SIZE, .flags = XETILE_MEM_PRIVATE };
	const struct xetile_mem_desc part = { .size = SIZE / 2 };
	struct xetile_pool *pool;
	struct xetile_mem *mem;

	if (!start(CAPS))
		return false;
	mem = alloc(0);
	if (!refused(mem, -EOPNOTSUPP))
		return false;
	xetile_mem_free(mem);
	CHECK(!alloc(XETILE_MEM_PRIVATE | XETILE_MEM_SYSTEM));
	CHECK(!xetile_pool_create(s.context, s.device, &desc, &pool), "%s", xetile_last_error());
	CHECK(!xetile_pool_alloc(pool, s.device, &part, &mem), "%s", xetile_last_error());
	if (!refused(mem, -EINVAL))
		return false;
	CHECK(xetile_mem_forbid_purge(mem) == -EINVAL);
	xetile_mem_free(mem);
	xetile_pool_destroy(pool);
	CHECK(!xetile_mem_from_user(s.context, own, sizeof(own), 0, &mem), "%s",
	      xetile_last_error());
	if (!refused(mem, -EINVAL))
		return false;
	xetile_mem_free(mem);
	return end();
}

static bool check_old_driver(void)
{
	struct xetile_mem *mem;

	if (!start(0))
		return false;
	mem = alloc(XETILE_MEM_PRIVATE);
	if (!refused(mem, -EOPNOTSUPP))
		return false;
	xetile_mem_free(mem);
	return end();
}

/* Pages that lie elsewhere than the color says are counted. */
static bool check_misplaced(void)
{
	const struct xetile_run map[] = { { 1, 1 }, { 0, 3 } };
	const struct xetile_mem_desc descs[] = {
		{ .size = SIZE },
		{ .size = SIZE, .color = XETILE_COLOR_TILE, .tile = 1 },
		{ .size = SIZE, .color = XETILE_COLOR_MAP, .runs = map, .num_runs = 2 },
		{ .size = SIZE, .color = XETILE_COLOR_CHUNK },
		{ .size = SIZE, .color = XETILE_COLOR_REPLICATE },
		{ .size = SIZE, .flags = XETILE_MEM_SYSTEM },
	};
	/* The driver of this test has the color EVEN for all: pages 0, 1 | 2, 3. */
	static const unsigned int pages[] = { 0, 2, 3, 0, 0, 0 };
	struct xetile_mem *mem;
	uint64_t bytes = 1;
	unsigned int i;

	if (!start(CAPS))
		return false;
	for (i = 0; i < sizeof(descs) / sizeof(descs[0]); i++) {
		CHECK(!xetile_mem_alloc(s.context, s.device, &descs[i], &mem), "%u: %s", i,
		      xetile_last_error());
		if (descs[i].color != XETILE_COLOR_REPLICATE)
			fake.bos[mem->handle].create.tile_mask = 3;
		CHECK(!xetile_mem_misplaced(mem, &bytes) && bytes == pages[i] * XETILE_COLOR_PAGE,
		      "%u: %llu", i, (unsigned long long)bytes);
		/* All in the machine's memory, which only the last one asked for */
		fake.bos[mem->handle].create.placement = DRM_XETILE_PLACE_SYSTEM;
		CHECK(!xetile_mem_misplaced(mem, &bytes) && bytes == (i < 5 ? SIZE : 0), "%u: %llu",
		      i, (unsigned long long)bytes);
		xetile_mem_free(mem);
	}
	return end();
}

/* A map or weights that are not those of the buffer are refused in words. */
static bool check_fits(void)
{
	const struct xetile_run map[] = { { 1, 1 }, { 0, 2 } }, far[] = { { 2, 4 } };
	struct xetile_mem_desc desc = {
		.size = SIZE, .color = XETILE_COLOR_MAP, .runs = map, .num_runs = 2,
	};
	struct xetile_mem *mem;

	if (!start(CAPS))
		return false;
	CHECK(xetile_mem_alloc(s.context, s.device, &desc, &mem) == -EINVAL);
	CHECK_TEXT("it has 3 pages of 64 KiB, the buffer 4");
	desc.size = SIZE - XETILE_COLOR_PAGE - 1;
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &mem), "%s", xetile_last_error());
	xetile_mem_free(mem);
	desc.runs = far;
	desc.num_runs = 1;
	CHECK(xetile_mem_alloc(s.context, s.device, &desc, &mem) == -EINVAL);
	CHECK_TEXT("there is no tile 2");
	desc.color = XETILE_COLOR_WEIGHTED;
	CHECK(xetile_mem_alloc(s.context, s.device, &desc, &mem) == -EINVAL);
	CHECK_TEXT("1 weights, for 2 tiles");
	return end();
}

int main(void)
{
	test_run("a private buffer is pinned, and its eventfd", check_pin());
	test_run("a buffer that may be purged is not mapped", check_purge());
	test_run("a purge is told, whatever fails meanwhile", check_failures());
	test_run("other memory is neither pinned nor purged", check_misuse());
	test_run("a driver that can do neither", check_old_driver());
	test_run("C4: pages that do not lie as asked", check_misplaced());
	test_run("C4: colors that do not fit the buffer", check_fits());
	return test_end();
}
