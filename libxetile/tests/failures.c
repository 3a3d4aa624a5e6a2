// SPDX-License-Identifier: MIT
/*
 * Each allocation, each mapping and each ioctl of a long use of the library fails once, on a driver
 * that runs in this process (fake.c). The call in which it failed says so, and succeeds when it is
 * made again; at the end nothing is left. The linker wraps the functions of the system.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <sanitizer/lsan_interface.h>
#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "fake.h"
#include "ioctl.h"
#include "test.h"
#include "xetile.h"

#define PAGE	((uint64_t)XETILE_COLOR_PAGE)
#define SIZE	(4 * PAGE)

/* --- what fails --------------------------------------------------------------------------- */

enum failure { ALLOCATION, MAPPING, IOCTL, WAIT };

static enum failure failing;
static unsigned int fail_at, calls;	/* the call that fails, from 1; 0: none */
static int (*driver)(int fd, unsigned long request, void *arg);

static bool fails(enum failure kind)
{
	return kind == failing && fail_at && ++calls == fail_at;
}

void *__real_calloc(size_t num, size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *ptr, size_t size);
void *__wrap_realloc(void *ptr, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
void *__real_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
void *__real_tsearch(const void *key, void **root, __compar_fn_t compare);
void *__wrap_tsearch(const void *key, void **root, __compar_fn_t compare);

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

void *__wrap_calloc(size_t num, size_t size)
{
	return fails(ALLOCATION) ? no_memory() : __real_calloc(num, size);
}

void *__wrap_malloc(size_t size)
{
	return fails(ALLOCATION) ? no_memory() : __real_malloc(size);
}

void *__wrap_realloc(void *ptr, size_t size)
{
	return fails(ALLOCATION) ? no_memory() : __real_realloc(ptr, size);
}

char *__wrap_strdup(const char *text)
{
	return fails(ALLOCATION) ? no_memory() : __real_strdup(text);
}

void *__wrap_tsearch(const void *key, void **root, __compar_fn_t compare)
{
	return fails(ALLOCATION) ? no_memory() : __real_tsearch(key, root, compare);
}

void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	if (fails(MAPPING)) {
		no_memory();
		return MAP_FAILED;
	}
	return __real_mmap(addr, length, prot, flags, fd, offset);
}

/* What gives back is left out: the driver does not refuse it. */
static bool gives_back(unsigned long request, const void *arg)
{
	const struct drm_xetile_vm_bind *bind = arg;

	switch (request) {
	case DRM_IOCTL_GEM_CLOSE:
	case DRM_IOCTL_SYNCOBJ_DESTROY:
	case DRM_IOCTL_XETILE_QUEUE_DESTROY:
	case DRM_IOCTL_XETILE_VM_DESTROY:
		return true;
	case DRM_IOCTL_XETILE_VM_BIND:
		return ((const struct drm_xetile_bind *)(uintptr_t)bind->binds.data)->op ==
			DRM_XETILE_BIND_UNMAP;
	}
	return false;
}

static int failing_ioctl(int fd, unsigned long request, void *arg)
{
	if (!gives_back(request, arg) && fails(request == DRM_IOCTL_SYNCOBJ_WAIT ? WAIT : IOCTL))
		return -ENOMEM;
	return driver(fd, request, arg);
}

/* --- the use ------------------------------------------------------------------------------ */

static struct {
	struct xetile_platform *platform;
	struct xetile_device *device, *tile;
	struct xetile_context *context;
	struct xetile_mem *mem[3], *object, *user;
	struct xetile_pool *pool;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *compute, *nearest, *split;
	struct xetile_event *event[3];
	void *usm[3], *map, *pages;
} s;

static void *file;
static size_t file_size;

static int open_platform(void)
{
	return fake_platform(1, NULL, &s.platform);
}

static int select_devices(void)
{
	int err = xetile_platform_select(s.platform, "0", &s.device);

	return err ? err : xetile_platform_select(s.platform, "0.1", &s.tile);
}

static int describe(void)
{
	struct xetile_engine_info engines[8];
	struct xetile_device_info info;
	int num = xetile_device_get_engines(s.device, engines, 8);

	return num < 0 ? num : xetile_device_get_info(s.device, &info);
}

static int create_context(void)
{
	return xetile_context_create(s.device, &s.context);
}

static int alloc_even(void)
{
	const struct xetile_mem_desc desc = { .size = SIZE, .color = XETILE_COLOR_EVEN };

	return xetile_mem_alloc(s.context, s.device, &desc, &s.mem[0]);
}

static int alloc_map(void)
{
	struct xetile_mem_desc desc = { .size = SIZE };
	int err = xetile_color_parse("map:1*3,0*1", &desc);

	if (err)
		return err;
	err = xetile_mem_alloc(s.context, s.device, &desc, &s.mem[1]);
	xetile_color_free(&desc);
	return err;
}

static int alloc_system(void)
{
	const struct xetile_mem_desc desc = { .size = SIZE, .flags = XETILE_MEM_SYSTEM };

	return xetile_mem_alloc(s.context, s.device, &desc, &s.mem[2]);
}

static int map_memory(void)
{
	int err = xetile_mem_map(s.mem[2], &s.map);

	if (!err)
		memset(s.map, 5, SIZE);
	return err;
}

static int read_color(void)
{
	struct xetile_run runs[8];
	uint64_t bytes;
	int num = xetile_mem_color(s.mem[0], runs, 8);

	return num < 0 ? num : xetile_mem_misplaced(s.mem[0], &bytes);
}

static int recolor(void)
{
	struct xetile_mem_range range = { .desc.color = XETILE_COLOR_CHUNK };

	return xetile_mem_recolor(s.mem[0], s.device, &range, 1);
}

static int create_pool(void)
{
	const struct xetile_mem_desc desc = { .size = 8 * PAGE };

	return xetile_pool_create(s.context, s.device, &desc, &s.pool);
}

static int take_object(void)
{
	const struct xetile_mem_desc desc = { .size = PAGE };

	return xetile_pool_alloc(s.pool, s.device, &desc, &s.object);
}

static int alloc_usm(unsigned int kind, uint64_t size)
{
	const struct xetile_usm_desc desc = { .mem.size = size, .kind = kind };

	return xetile_usm_alloc(s.context, s.device, &desc, &s.usm[kind]);
}

static int alloc_usm_device(void)
{
	return alloc_usm(XETILE_USM_DEVICE, 100);
}

static int alloc_usm_host(void)
{
	return alloc_usm(XETILE_USM_HOST, 3 * PAGE);
}

static int alloc_usm_shared(void)
{
	return alloc_usm(XETILE_USM_SHARED, 100);
}

static int map_pages(void)
{
	return xetile_mem_from_user(s.context, s.pages, PAGE, 0, &s.user);
}

static int load_module(void)
{
	return xetile_module_load(s.context, file, file_size, &s.module);
}

static int create_kernel(void)
{
	return xetile_kernel_create(s.module, "triad", &s.kernel);
}

static int set_arguments(void)
{
	float scale = 3;
	int i, err = xetile_kernel_set_value(s.kernel, 3, &scale, sizeof(scale));

	for (i = 0; i < 3 && !err; i++)
		err = xetile_kernel_set_mem(s.kernel, i, s.mem[i], 0);
	return err;
}

static int create_compute(void)
{
	return xetile_queue_create(s.context, s.device, NULL, &s.compute);
}

static int create_nearest(void)
{
	const struct xetile_queue_desc desc = { .engine_class = XETILE_COPY_NEAREST };

	return xetile_queue_create(s.context, s.device, &desc, &s.nearest);
}

static int create_split(void)
{
	const struct xetile_queue_desc desc = { .engine_class = XETILE_COPY_SPLIT };

	return xetile_queue_create(s.context, s.device, &desc, &s.split);
}

static int copy_in(void)
{
	return xetile_copy(s.split, s.mem[1], 0, s.mem[2], 0, SIZE, 0, NULL, &s.event[0]);
}

static int launch(void)
{
	const struct xetile_launch_desc desc = { .groups = { 64 }, .local = { 256 } };

	return xetile_launch(s.compute, s.kernel, &desc, 1, &s.event[0], &s.event[1]);
}

static int copy_out(void)
{
	return xetile_copy(s.nearest, s.mem[2], PAGE, s.mem[1], PAGE, PAGE, 1, &s.event[1],
			   &s.event[2]);
}

static int copy_rows(void)
{
	const struct xetile_rect rect = {
		.dst = s.mem[0], .dst_pitch = 512, .src = s.mem[1], .src_pitch = 256,
		.width = 256, .rows = 64,
	};

	return xetile_copy_rect(s.split, &rect, 0, NULL, NULL);
}

static int fill_object(void)
{
	return xetile_fill(s.nearest, s.object, 0, PAGE, 9, 0, NULL, NULL);
}

static int wait_for_all(void)
{
	int i, err = 0;

	for (i = 0; i < 3 && !err; i++)
		err = xetile_event_wait(s.event[i], -1);
	return err;
}

static int copies(void)
{
	const struct xetile_mem_range replicate = { .desc.color = XETILE_COLOR_REPLICATE };

	return xetile_mem_recolor(s.mem[1], s.device, &replicate, 1);
}

static int no_copies(void)
{
	const struct xetile_mem_range even = { .desc.color = XETILE_COLOR_EVEN };

	return xetile_mem_recolor(s.mem[1], s.device, &even, 1);
}

static int ask_queue(void)
{
	struct xetile_queue_info info;

	return xetile_queue_get_info(s.compute, &info);
}

#define STEP(function) { function, #function }

static const struct {
	int (*function)(void);
	const char *name;
} steps[] = {
	STEP(open_platform), STEP(select_devices), STEP(describe), STEP(create_context),
	STEP(alloc_even), STEP(alloc_map), STEP(alloc_system), STEP(map_memory), STEP(read_color),
	STEP(recolor), STEP(create_pool), STEP(take_object), STEP(alloc_usm_device),
	STEP(alloc_usm_host), STEP(alloc_usm_shared), STEP(map_pages), STEP(load_module),
	STEP(create_kernel), STEP(set_arguments), STEP(create_compute), STEP(create_nearest),
	STEP(create_split), STEP(copy_in), STEP(launch), STEP(copy_out), STEP(copy_rows),
	STEP(fill_object), STEP(wait_for_all), STEP(copies), STEP(no_copies), STEP(ask_queue),
};

static void close_all(void)
{
	int i;

	for (i = 0; i < 3; i++)
		xetile_event_destroy(s.event[i]);
	xetile_queue_destroy(s.split);
	xetile_queue_destroy(s.nearest);
	xetile_queue_destroy(s.compute);
	xetile_kernel_destroy(s.kernel);
	xetile_module_unload(s.module);
	xetile_mem_free(s.user);
	for (i = 0; i < 3; i++)
		xetile_usm_free(s.context, s.usm[i]);
	xetile_mem_free(s.object);
	xetile_pool_destroy(s.pool);
	for (i = 0; i < 3; i++)
		xetile_mem_free(s.mem[i]);
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
}

/* Call @nth of the kind fails. *@reached: there was such a call. */
static bool use(enum failure kind, unsigned int nth, bool *reached)
{
	const uint8_t *bytes;
	void *pages = s.pages;
	unsigned int i;
	int err;

	memset(&s, 0, sizeof(s));
	s.pages = pages;
	fake_start(2, 1);
	fake.executes = true;
	driver = xt_door.ioctl;
	xt_door.ioctl = failing_ioctl;
	failing = kind;
	calls = 0;
	fail_at = nth;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		err = steps[i].function();
		if (!err)
			continue;
		CHECK(calls >= nth, "%s fails with %d, before call %u failed: %s", steps[i].name, err,
		      nth, xetile_last_error());
		CHECK(err == -ENOMEM, "%s: %d", steps[i].name, err);
		CHECK(*xetile_last_error(), "%s, call %u: no text", steps[i].name, nth);
		err = steps[i].function();
		CHECK(!err, "%s again, after call %u: %d, %s", steps[i].name, nth, err,
		      xetile_last_error());
	}
	bytes = s.map;
	for (i = 0; i < SIZE && bytes[i] == 5; i++)
		;
	CHECK(i == SIZE, "call %u: byte %u is %u", nth, i, bytes[i]);
	*reached = calls >= nth;
	fail_at = 0;
	close_all();
	/* Memory whose work could not be waited for stays until the driver's file is closed. */
	CHECK(kind == WAIT || !fake_leaks(), "call %u: %u left behind", nth, fake_leaks());
	return true;
}

static bool check_each(enum failure kind, unsigned int least)
{
	unsigned int nth = 0;
	bool reached = true;

	while (reached) {
		if (!use(kind, ++nth, &reached))
			return false;
		/* (The check stops all threads, so it takes long.) */
		if (!reached || nth % 16 == 0)
			CHECK(!__lsan_do_recoverable_leak_check(), "after call %u", nth);
	}
	printf("  %u calls failed\n", nth - 1);
	CHECK(nth > least, "%u", nth);
	return true;
}

int main(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/triad_26_27.bin", test_top());
	file = test_read_file(path, &file_size);
	s.pages = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	test_run("each allocation fails once", check_each(ALLOCATION, 50));
	test_run("each mapping of the CPU fails once", check_each(MAPPING, 5));
	test_run("each ioctl fails once", check_each(IOCTL, 50));
	test_run("each wait for work fails once", check_each(WAIT, 5));
	free(file);
	return test_end();
}
