// SPDX-License-Identifier: MIT
/*
 * Unified shared memory and memory of the program, on a driver that runs in this process (fake.c).
 * The system's functions that may fail are wrapped by the linker, so that each fails once.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "ioctl.h"
#include "memory.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define PAGE	((uint64_t)XETILE_COLOR_PAGE)
#define MIB	(1ull << 20)
#define SMALL	1000

static struct {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_queue *queue;
	unsigned int objects;		/* of the driver, without allocations */
} s;

/* --- what fails --------------------------------------------------------------------------- */

static unsigned int fail_at, calls;	/* the call that fails, from 1; 0: none */
static uint64_t mapped;			/* bytes of CPU addresses that the library has */
static bool failed_fixed;		/* it would have replaced a mapping */
static uint64_t next_reserved;		/* where the next reserved range begins; 0: anywhere */
static int (*driver)(int fd, unsigned long request, void *arg);

static bool fails(void)
{
	return fail_at && ++calls == fail_at;
}

void *__real_calloc(size_t num, size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t length);
int __wrap_munmap(void *addr, size_t length);
void *__real_tsearch(const void *key, void **root, __compar_fn_t compare);
void *__wrap_tsearch(const void *key, void **root, __compar_fn_t compare);

void *__wrap_calloc(size_t num, size_t size)
{
	return fails() ? NULL : __real_calloc(num, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	if (fails()) {
		failed_fixed = flags & MAP_FIXED;
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (prot == PROT_NONE && next_reserved) {
		addr = (void *)(uintptr_t)next_reserved;
		flags |= MAP_FIXED_NOREPLACE;
		next_reserved = 0;
	}
	addr = __real_mmap(addr, length, prot, flags, fd, offset);
	if (addr != MAP_FAILED && !(flags & MAP_FIXED))
		mapped += length;
	return addr;
}

int __wrap_munmap(void *addr, size_t length)
{
	mapped -= length;
	return __real_munmap(addr, length);
}

void *__wrap_tsearch(const void *key, void **root, __compar_fn_t compare)
{
	return fails() ? NULL : __real_tsearch(key, root, compare);
}

static int failing_ioctl(int fd, unsigned long request, void *arg)
{
	return fails() ? -ENOMEM : driver(fd, request, arg);
}

/* --- setup -------------------------------------------------------------------------------- */

static bool start(void)
{
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY_NEAREST };

	fail_at = calls = 0;
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context), "%s", xetile_last_error());
	CHECK(!xetile_queue_create(s.context, s.device, &copy, &s.queue));
	s.objects = fake_leaks();
	return true;
}

static bool end(void)
{
	xetile_queue_destroy(s.queue);
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

static void *alloc(enum xetile_usm_kind kind, uint64_t size, const char *color, uint64_t align)
{
	struct xetile_usm_desc desc = { .kind = kind, .align = align };
	void *ptr = NULL;

	if (color && xetile_color_parse(color, &desc.mem))
		return NULL;
	desc.mem.size = size;
	if (xetile_usm_alloc(s.context, s.device, &desc, &ptr))
		ptr = NULL;
	xetile_color_free(&desc.mem);
	return ptr;
}

static unsigned int buffers(void)
{
	unsigned int i, num = 0;

	for (i = 0; i < FAKE_MAX; i++)
		num += fake.bos[i].used;
	return num;
}

static void on_fault(int number)
{
	_exit(number == SIGSEGV ? 42 : 1);
}

/* Whether the CPU faults on an address */
static bool is_nothing(const void *ptr)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		signal(SIGSEGV, on_fault);
		_exit(*(volatile const char *)ptr ? 2 : 3);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 42;
}

/* --- allocations -------------------------------------------------------------------------- */

/* One allocation, that is at the same address on both sides, for those who may use it. */
static bool address_is(enum xetile_usm_kind kind, uint64_t size, uint64_t align)
{
	const bool moves = kind == XETILE_USM_SHARED && fake.caps & DRM_XETILE_CAP_MIGRATE;
	const uint32_t place = moves ? DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM :
		kind ? DRM_XETILE_PLACE_SYSTEM : DRM_XETILE_PLACE_HBM;
	struct xetile_usm_info info;
	uint8_t *ptr, *gpu;

	ptr = alloc(kind, size, NULL, align);
	CHECK(ptr, "%s", xetile_last_error());
	CHECK(!align || (uintptr_t)ptr % align == 0, "%p of %" PRIu64, ptr, align);
	CHECK(!xetile_usm_get_info(s.context, ptr + size - 1, &info), "%s", xetile_last_error());
	CHECK(info.kind == kind && info.base == ptr && info.size >= size && info.migrates == moves &&
	      info.device == s.device && xetile_mem_address(info.mem) == (uintptr_t)ptr);
	gpu = fake_at((uintptr_t)ptr);
	CHECK(gpu && fake_at((uintptr_t)ptr + size - 1) == gpu + size - 1);
	CHECK(fake.bos[info.mem->handle].create.placement == place &&
	      fake.bos[info.mem->handle].create.flags == (moves ? DRM_XETILE_BO_MIGRATE : 0));
	if (kind) {
		memset(ptr, 0xa5, size);
		CHECK(gpu[0] == 0xa5 && gpu[size - 1] == 0xa5);
		gpu[size / 2] = 1;
		CHECK(ptr[size / 2] == 1);
	} else {
		CHECK(is_nothing(ptr) && is_nothing(ptr + size - 1));
	}
	CHECK(!xetile_fill(s.queue, info.mem, 0, size, 1, 0, NULL, NULL));
	CHECK(!xetile_usm_free(s.context, ptr));
	CHECK(xetile_usm_get_info(s.context, ptr, &info) == -ENOENT);
	return true;
}

static bool check_address(uint64_t more_caps)
{
	static const uint64_t sizes[] = { 1, 64, 4097, PAGE, MIB, MIB + 1, 2 * MIB, 5 * MIB + 7 };
	static const uint64_t aligns[] = { 0, 1, 128, 4096, PAGE, 2 * MIB, 16 * MIB, 1024 * MIB };
	unsigned int kind, i, k;
	uint64_t before;

	fake_start(2, 1);
	fake.caps |= more_caps;
	/* The driver maps all memory when it is looked at first. */
	if (!start() || !address_is(XETILE_USM_HOST, 1, 0) || !end())
		return false;
	before = mapped;
	if (!start())
		return false;
	for (kind = XETILE_USM_DEVICE; kind <= XETILE_USM_SHARED; kind++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (k = 0; k < ARRAY_SIZE(aligns); k++) {
				if (!address_is(kind, sizes[i], aligns[k]))
					return false;
			}
		}
	}
	/* A large buffer can have the largest page on both sides. */
	for (i = 0; i < 2; i++) {
		void *ptr = alloc(i, 1024 * MIB, NULL, 0);

		CHECK(ptr && (uintptr_t)ptr % (1024 * MIB) == 0, "%s", xetile_last_error());
		CHECK(!xetile_usm_free(s.context, ptr));
	}
	if (!end())
		return false;
	CHECK(mapped == before, "%" PRIu64 " bytes", mapped - before);
	return true;
}

/* Small allocations share buffers of 2 MiB, and do not meet. */
static bool small_ones(enum xetile_usm_kind kind, uint64_t least)
{
	static uint8_t *ptr[SMALL];
	unsigned int i, k, bos = buffers();
	uint64_t all = 0, size;
	struct xetile_usm_info info;
	struct xetile_run run;
	uint8_t *gpu;

	for (i = 0; i < SMALL; i++) {
		size = least * (1 + i % 3) - i % 2;
		ptr[i] = alloc(kind, size, kind ? NULL : "tile:0", 0);
		CHECK(ptr[i], "%s", xetile_last_error());
		all += xt_align(size, least);
		memset(fake_at((uintptr_t)ptr[i]), i, size);
	}
	bos = buffers() - bos;
	CHECK(bos <= all / (2 * MIB) + 1, "%u buffers for %" PRIu64 " bytes", bos, all);
	for (i = 0; i < SMALL; i++) {
		size = least * (1 + i % 3) - i % 2;
		gpu = fake_at((uintptr_t)ptr[i]);
		CHECK(gpu[0] == (uint8_t)i && gpu[size - 1] == (uint8_t)i, "allocation %u", i);
		CHECK(kind == XETILE_USM_DEVICE || ptr[i][0] == (uint8_t)i);
		/* Also a part of a page has a color. */
		CHECK(!xetile_usm_get_info(s.context, ptr[i], &info));
		CHECK(kind != XETILE_USM_HOST || (xetile_mem_color(info.mem, &run, 1) == 1 &&
						  run.tile == XETILE_TILE_SYSTEM &&
						  (run.pages == 1 || run.pages == 2)),
		      "allocation %u", i);
	}
	for (i = 0; i < SMALL; i++) {
		k = i * 7 % SMALL;
		CHECK(!xetile_usm_free(s.context, ptr[k]), "%s", xetile_last_error());
	}
	/* One empty slab is kept. */
	CHECK(fake_leaks() == s.objects + 2, "%u", fake_leaks() - s.objects);
	return true;
}

static bool check_small(void)
{
	fake_start(4, 1);
	if (!start() || !small_ones(XETILE_USM_HOST, 64) || !small_ones(XETILE_USM_SHARED, 4096) ||
	    !small_ones(XETILE_USM_DEVICE, PAGE) || !end())
		return false;
	fake_start(1, 1);
	fake.caps |= DRM_XETILE_CAP_MIGRATE;
	return start() && small_ones(XETILE_USM_SHARED, PAGE) && end();
}

/* Whether an allocation's page lies on a tile, as the driver and as the copies see it */
static bool lies_on(uint8_t *ptr, unsigned int page, uint32_t tile)
{
	struct xetile_usm_info info;
	const struct fake_bo *bo;
	uint64_t at;
	unsigned int i;

	CHECK(!xetile_usm_get_info(s.context, ptr, &info));
	CHECK(!xetile_fill(s.queue, info.mem, page * PAGE, PAGE, 1, 0, NULL, NULL), "%s",
	      xetile_last_error());
	CHECK(fake.last.tile == tile, "page %u: engine of %u", page, fake.last.tile);
	bo = &fake.bos[info.mem->handle];
	at = info.mem->offset / PAGE + page;
	for (i = 0; i < bo->create.runs.count && i < 16 && at >= bo->runs[i].pages; i++)
		at -= bo->runs[i].pages;
	CHECK(i == 16 || i == bo->create.runs.count || bo->runs[i].tile == tile,
	      "page %u: tile %u", page, bo->runs[i].tile);
	return true;
}

/* W4 S9: each small allocation has a color of its own, which its slab's pages have before. */
static bool check_colors(enum xetile_usm_kind kind)
{
	static const char *const colors[] = {
		"tile:2", "tile:1", "even", "chunk:64k", "follow", "map:3*1,0*2", "chunk:128k",
		NULL, "tile:2", "map:3*1,0*2",
	};
	static const uint32_t tiles[][3] = {
		{ 2, 2, 2 }, { 1, 1, 1 }, { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 }, { 3, 0, 0 },
		{ 0, 0, 1 }, { 0, 1, 2 }, { 2, 2, 2 }, { 3, 0, 0 },
	};
	const struct xetile_mem_range again = { PAGE, { .color = XETILE_COLOR_TILE, .tile = 3 } };
	uint8_t *ptr[ARRAY_SIZE(colors)], *other;
	struct xetile_usm_info info;
	unsigned int i, k;

	fake_start(4, 1);
	fake.caps |= DRM_XETILE_CAP_MIGRATE;
	if (!start())
		return false;
	for (i = 0; i < ARRAY_SIZE(colors); i++) {
		ptr[i] = alloc(kind, 3 * PAGE, colors[i], 0);
		CHECK(ptr[i], "%s", xetile_last_error());
	}
	/* tile:2, tile:1, {0, 1, 2}, {3, 0, 0} and {0, 0, 1} */
	CHECK(fake_leaks() == s.objects + 2 * 5, "%u", fake_leaks() - s.objects);
	CHECK(ptr[3] == ptr[2] + 3 * PAGE && ptr[7] == ptr[4] + 3 * PAGE);
	for (i = 0; i < ARRAY_SIZE(colors); i++) {
		for (k = 0; k < 3; k++) {
			if (!lies_on(ptr[i], k, tiles[i][k]))
				return false;
		}
	}
	/* One page of any color is on one tile. */
	other = alloc(kind, 5, "chunk:128k", 0);
	CHECK(other && lies_on(other, 0, 0));
	CHECK(!xetile_usm_get_info(s.context, ptr[3], &info));
	if (info.migrates) {
		CHECK(xetile_mem_recolor(info.mem, s.device, &again, 1) == -EOPNOTSUPP);
		goto out;
	}
	CHECK(!xetile_mem_recolor(info.mem, s.device, &again, 1), "%s", xetile_last_error());
	CHECK(fake.last_ranges[0].offset == 4 * PAGE && fake.last_ranges[0].size == 2 * PAGE);
	/* The next one there gets its own color back. */
	CHECK(!xetile_usm_free(s.context, ptr[3]));
	CHECK(alloc(kind, 3 * PAGE, "even", 0) == ptr[3], "%s", xetile_last_error());
	CHECK(fake.last_ranges[0].offset == 3 * PAGE && fake.last_ranges[0].size == 3 * PAGE &&
	      fake.last_ranges[0].color == DRM_XETILE_COLOR_EVEN);
out:
	for (i = 0; i < ARRAY_SIZE(colors); i++)
		CHECK(!xetile_usm_free(s.context, ptr[i]));
	CHECK(!xetile_usm_free(s.context, other));
	if (kind == XETILE_USM_SHARED)
		return end();
	/* Copies on each tile, and those whose tile the driver chooses, have their own buffers. */
	other = alloc(kind, PAGE, "tile:least", 0);
	CHECK(other && lies_on(other, 0, 3));
	CHECK(!xetile_usm_free(s.context, other));
	other = alloc(kind, PAGE, "replicate", 0);
	CHECK(other && !xetile_usm_get_info(s.context, other, &info));
	CHECK(fake_bind_at((uintptr_t)other)->flags == DRM_XETILE_BIND_READONLY &&
	      fake_bind_at(info.mem->written) && is_nothing(other + PAGE - 1));
	CHECK(!xetile_usm_free(s.context, other));
	return end();
}

/* No address is another context's, or one that the GPU has something else at. */
static bool check_collisions(void)
{
	struct xetile_context *first;
	struct xetile_usm_info info;
	uint8_t *ptr, *other, *third;
	unsigned int i;

	fake_start(2, 1);
	if (!start())
		return false;
	for (i = 0; i < 3; i++) {
		ptr = alloc(i, 4 * MIB, NULL, 0);
		first = s.context;
		CHECK(!xetile_context_create(s.device, &s.context));
		other = alloc(i, 4 * MIB, NULL, 0);
		CHECK(ptr && other && (other >= ptr + 4 * MIB || other + 4 * MIB <= ptr));
		CHECK(xetile_usm_get_info(s.context, ptr, &info) == -ENOENT);
		CHECK(xetile_usm_free(s.context, ptr) == -EINVAL);
		CHECK(!xetile_usm_free(s.context, other));
		xetile_context_destroy(s.context);
		s.context = first;
		CHECK(!xetile_usm_free(s.context, ptr));
	}

	/* Others give the addresses up. The GPU still has the memory there. */
	ptr = alloc(XETILE_USM_HOST, 4 * MIB, NULL, 0);
	CHECK(ptr && !munmap(ptr, 4 * MIB));
	next_reserved = (uintptr_t)ptr;
	other = alloc(XETILE_USM_HOST, 2 * MIB, NULL, 0);
	CHECK(other && !next_reserved && other != ptr, "%s", xetile_last_error());
	memset(other, 1, 2 * MIB);
	/* The refused range was given up. */
	third = mmap(ptr, 4 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		     0);
	CHECK(third == ptr);
	CHECK(!xetile_usm_free(s.context, ptr) && !xetile_usm_free(s.context, other));
	return end();
}

/* A card that has fewer addresses than the CPU, or a CPU without room */
static bool check_no_room(void)
{
	struct xetile_usm_desc desc = { .kind = XETILE_USM_HOST, .mem.size = 4 * MIB };
	uint64_t before;
	void *ptr;

	fake_start(2, 1);
	fake.va_size = 1ull << 40;
	if (!start())
		return false;
	before = mapped;
	CHECK(xetile_usm_alloc(s.context, s.device, &desc, &ptr) == -EEXIST);
	CHECK_TEXT("are not free");
	CHECK(mapped == before && fake_leaks() == s.objects);
	desc.mem.size = 1ull << 50;
	CHECK(xetile_usm_alloc(s.context, s.device, &desc, &ptr) == -ENOMEM);
	CHECK_TEXT("free addresses");
	desc.mem.size = UINT64_MAX;
	CHECK(xetile_usm_alloc(s.context, s.device, &desc, &ptr) == -ENOMEM);
	desc.align = 1ull << 63;
	desc.mem.size = 1;
	CHECK(xetile_usm_alloc(s.context, s.device, &desc, &ptr) == -ENOMEM);
	CHECK(mapped == before && fake_leaks() == s.objects);
	return end();
}

/* A child has host memory at the same address, and shares it. */
static bool check_fork(void)
{
	int status;
	pid_t child;
	uint8_t *ptr;

	fake_start(2, 1);
	if (!start())
		return false;
	ptr = alloc(XETILE_USM_HOST, 4 * MIB, NULL, 0);
	CHECK(ptr);
	ptr[5] = 1;
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		ptr[6] = 2;
		_exit(ptr[5]);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
	CHECK(ptr[6] == 2);
	CHECK(!xetile_usm_free(s.context, ptr));
	return end();
}

static bool check_misuse(void)
{
	static const struct xetile_usm_desc bad[] = {
		{ .kind = XETILE_USM_HOST },
		{ .kind = XETILE_USM_DEVICE },
		{ .kind = XETILE_USM_HOST, .mem = { .size = 1 }, .align = 3 },
		{ .kind = XETILE_USM_HOST, .mem = { .size = 1, .color = XETILE_COLOR_EVEN } },
		{ .kind = XETILE_USM_HOST, .mem = { .size = 1, .flags = XETILE_MEM_SPILL } },
		{ .kind = XETILE_USM_DEVICE, .mem = { .size = 1, .flags = XETILE_MEM_SYSTEM } },
		{ .kind = XETILE_USM_DEVICE, .mem = { .size = 1, .flags = XETILE_MEM_READONLY } },
		{ .kind = XETILE_USM_DEVICE, .mem = { .size = 1, .color = XETILE_COLOR_MAP } },
		{ .kind = XETILE_USM_SHARED, .mem = { .size = 1, .color = XETILE_COLOR_REPLICATE } },
		{ .kind = XETILE_USM_SHARED + 1, .mem = { .size = 1 } },
	};
	struct xetile_usm_info info;
	uint64_t before;
	unsigned int i;
	uint8_t *ptr;
	void *none;

	fake_start(2, 1);
	if (!start())
		return false;
	before = mapped;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(xetile_usm_alloc(s.context, s.device, &bad[i], &none) == -EINVAL, "%u", i);
	CHECK(mapped == before && fake_leaks() == s.objects);
	ptr = alloc(XETILE_USM_HOST, 200, NULL, 0);
	CHECK(ptr && xetile_usm_free(s.context, ptr + 1) == -EINVAL);
	CHECK_TEXT("no allocation begins");
	CHECK(!xetile_usm_free(s.context, NULL));
	CHECK(!xetile_usm_get_info(s.context, ptr + 255, &info));
	CHECK(xetile_usm_get_info(s.context, ptr + 256, &info) == -ENOENT);
	CHECK(xetile_usm_get_info(s.context, ptr - 1, &info) == -ENOENT);
	CHECK(xetile_usm_get_info(s.context, NULL, &info) == -ENOENT);
	CHECK(!xetile_usm_free(s.context, ptr));
	CHECK(xetile_usm_free(s.context, ptr) == -EINVAL);
	return end();
}

/* --- memory of the program ---------------------------------------------------------------- */

static uint8_t *pages(unsigned int num)
{
	return mmap(NULL, num * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool check_user(void)
{
	const struct xetile_mem_range range = { .desc = { .color = XETILE_COLOR_EVEN } };
	const uint64_t size = 3 * 4096;
	struct xetile_mem *mem, *next, *none;
	const struct fake_bind *bind;
	struct xetile_run run;
	uint8_t *ptr = pages(6);
	void *map;

	fake_start(2, 1);
	if (!start())
		return false;
	CHECK(!xetile_mem_from_user(s.context, ptr, size, 0, &mem), "%s", xetile_last_error());
	CHECK(xetile_mem_address(mem) == (uintptr_t)ptr && xetile_mem_size(mem) == size);
	bind = fake_bind_at((uintptr_t)ptr);
	CHECK(bind && !bind->handle && bind->range == size && !bind->flags &&
	      bind->offset == (uintptr_t)ptr);
	CHECK(!xetile_mem_map(mem, &map) && map == ptr);
	CHECK(xetile_mem_color(mem, NULL, 0) == 1 && xetile_mem_color(mem, &run, 1) == 1 &&
	      run.tile == XETILE_TILE_SYSTEM && run.pages == 1);
	CHECK(xetile_mem_recolor(mem, s.device, &range, 1) == -EINVAL);
	CHECK(xetile_mem_export(mem) == -EOPNOTSUPP && !xetile_mem_share(mem));
	/* Another buffer may begin at the next 4 KiB. */
	CHECK(!xetile_mem_from_user(s.context, ptr + size, size, XETILE_MEM_READONLY, &next));
	bind = fake_bind_at((uintptr_t)ptr + size);
	CHECK(bind && bind->flags == DRM_XETILE_BIND_READONLY);
	CHECK(!xetile_copy(s.queue, mem, 0, next, 0, size, 0, NULL, NULL), "%s",
	      xetile_last_error());
	CHECK(xetile_copy(s.queue, next, 0, mem, 0, size, 0, NULL, NULL) == -EINVAL);
	CHECK_TEXT("read-only");
	CHECK(xetile_mem_from_user(s.context, ptr + 4096, 4096, 0, &none) == -EEXIST);
	xetile_mem_free(mem);
	CHECK(!xetile_mem_from_user(s.context, ptr + 4096, 4096, 0, &mem));
	xetile_mem_free(mem);
	xetile_mem_free(next);
	/* The pages are still the program's. */
	memset(ptr, 1, 6 * 4096);
	CHECK(!munmap(ptr, 6 * 4096));
	return end();
}

static bool check_bad_user(void)
{
	struct xetile_mem *mem;
	uint8_t *ptr = pages(2), *usm;

	fake_start(2, 1);
	if (!start())
		return false;
	CHECK(xetile_mem_from_user(s.context, NULL, 4096, 0, &mem) == -EINVAL);
	CHECK(xetile_mem_from_user(s.context, ptr, 0, 0, &mem) == -EINVAL);
	CHECK(xetile_mem_from_user(s.context, ptr + 64, 4096, 0, &mem) == -EINVAL);
	CHECK(xetile_mem_from_user(s.context, ptr, 4095, 0, &mem) == -EINVAL);
	CHECK_TEXT("whole pages of 4096");
	CHECK(xetile_mem_from_user(s.context, ptr, 4096, XETILE_MEM_SPILL, &mem) == -EINVAL);
	CHECK(xetile_mem_from_user(s.context, ptr, 1ull << 57, 0, &mem) == -EINVAL);
	CHECK(xetile_mem_from_user(s.context, ptr, UINT64_MAX - 4095, 0, &mem) == -EINVAL);
	CHECK_TEXT("addresses end");
	/* What the library has allocated is no memory of the program. */
	usm = alloc(XETILE_USM_HOST, 4 * MIB, NULL, 0);
	CHECK(usm && xetile_mem_from_user(s.context, usm + MIB, 4096, 0, &mem) == -EEXIST);
	CHECK(!xetile_usm_free(s.context, usm));
	fake.fail_request = DRM_IOCTL_XETILE_VM_BIND;
	fake.fail_errno = -EDQUOT;
	CHECK(xetile_mem_from_user(s.context, ptr, 4096, 0, &mem) == -EDQUOT);
	CHECK_TEXT("cannot map");
	fake.fail_request = 0;
	if (!end())
		return false;
	fake_start(2, 1);
	fake.caps &= ~DRM_XETILE_CAP_USER;
	if (!start())
		return false;
	CHECK(xetile_mem_from_user(s.context, ptr, 4096, 0, &mem) == -EOPNOTSUPP);
	CHECK_TEXT("driver cannot");
	CHECK(!munmap(ptr, 2 * 4096));
	return end();
}

/* --- failures ----------------------------------------------------------------------------- */

/* Each allocation and each call of the system or the driver fails once. Nothing is left then. */
static bool each_fails(enum xetile_usm_kind kind, uint64_t size)
{
	uint64_t before = mapped;
	unsigned int left;
	void *ptr = NULL;

	for (fail_at = 1, calls = 0; !ptr; fail_at++, calls = 0) {
		ptr = alloc(kind, size, kind ? NULL : "even", 0);
		CHECK(!!ptr == (calls < fail_at), "call %u of %u", fail_at, calls);
		/* An empty slab may be kept, and a range that the CPU may have lost is left. */
		left = fake_leaks() - s.objects;
		CHECK(ptr || !left || (left == 2 && size < MIB), "call %u: %u left", fail_at, left);
		CHECK(ptr || left || failed_fixed || mapped == before, "call %u", fail_at);
		if (!left)
			before = mapped;
		failed_fixed = false;
	}
	CHECK(fail_at > 6, "only %u calls", fail_at);
	fail_at = 0;
	CHECK(!xetile_usm_free(s.context, ptr));
	return true;
}

static bool check_failures(void)
{
	struct xetile_mem *mem = NULL;
	uint8_t *ptr = pages(1);

	fake_start(2, 1);
	driver = xt_door.ioctl;
	xt_door.ioctl = failing_ioctl;
	if (!start())
		return false;
	if (!each_fails(XETILE_USM_DEVICE, 5 * MIB) || !each_fails(XETILE_USM_HOST, 5 * MIB) ||
	    !each_fails(XETILE_USM_SHARED, 5 * MIB) || !end() ||
	    !start() || !each_fails(XETILE_USM_HOST, 100) || !end())
		return false;
	fake.caps |= DRM_XETILE_CAP_MIGRATE;
	if (!start() || !each_fails(XETILE_USM_SHARED, 5 * MIB) || !end() ||
	    !start() || !each_fails(XETILE_USM_DEVICE, 3 * PAGE) || !end() || !start())
		return false;
	for (fail_at = 1, calls = 0; !mem; fail_at++, calls = 0) {
		if (xetile_mem_from_user(s.context, ptr, 4096, 0, &mem))
			CHECK(calls == fail_at && fake_leaks() == s.objects);
	}
	CHECK(fail_at > 2, "only %u calls", fail_at);
	fail_at = 0;
	xetile_mem_free(mem);
	CHECK(!munmap(ptr, 4096));
	return end();
}

int main(void)
{
	test_run("S113 S114 S117: an allocation has one address", check_address(0));
	test_run("S118: shared memory that moves has one address",
		 check_address(DRM_XETILE_CAP_MIGRATE));
	test_run("W4: small allocations share buffers", check_small());
	test_run("W4 S9: small allocations have colors of their own",
		 check_colors(XETILE_USM_DEVICE));
	test_run("W4 S118: small shared allocations have colors", check_colors(XETILE_USM_SHARED));
	test_run("S107 S117: addresses of contexts do not meet", check_collisions());
	test_run("an allocation finds no address", check_no_room());
	test_run("S114: a child sees host memory", check_fork());
	test_run("misuse of unified shared memory is refused", check_misuse());
	test_run("S114: memory of the program is a buffer", check_user());
	test_run("misuse of memory of the program is refused", check_bad_user());
	test_run("whatever fails: nothing is left behind", check_failures());
	return test_end();
}
