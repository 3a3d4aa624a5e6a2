// SPDX-License-Identifier: MIT
/*
 * Unified shared memory and memory of the program on a card, through the public header only.
 * XETILE_TEST_TOP is the folder of libxetile.
 *
 * Exit status: 0 when all tests passed, 1 when a test failed, 77 when there is no card.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xetile.h>

#include "test.h"

#define MS	60000
#define PAGE	((uint64_t)XETILE_COLOR_PAGE)
#define MIB	(1ull << 20)
#define LOCAL	64

unsigned int test_passed, test_failed;

/* A context with what runs a kernel in it */
struct side {
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *fill, *copy;
	struct xetile_queue *queue;
};

static struct xetile_platform *platform;
static struct side root;

const char *test_top(void)
{
	const char *top = getenv("XETILE_TEST_TOP");

	return top ? top : ".";
}

static bool side_open(struct side *side, const char *selector)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/kernels/kernels.bin", test_top());
	CHECK(!xetile_platform_select(platform, selector, &side->device), "%s",
	      xetile_last_error());
	CHECK(!xetile_context_create(side->device, &side->context), "%s", xetile_last_error());
	CHECK(!xetile_module_load_file(side->context, path, &side->module), "%s",
	      xetile_last_error());
	CHECK(!xetile_kernel_create(side->module, "fill", &side->fill));
	CHECK(!xetile_kernel_create(side->module, "copy", &side->copy));
	CHECK(!xetile_queue_create(side->context, side->device, NULL, &side->queue), "%s",
	      xetile_last_error());
	return true;
}

static void side_close(struct side *side)
{
	xetile_queue_destroy(side->queue);
	xetile_kernel_destroy(side->copy);
	xetile_kernel_destroy(side->fill);
	xetile_module_unload(side->module);
	xetile_context_destroy(side->context);
}

static int run(const struct side *side, struct xetile_kernel *kernel, uint64_t words)
{
	const struct xetile_launch_desc launch = {
		.groups = { words / LOCAL, 1, 1 }, .local = { LOCAL, 1, 1 },
	};
	struct xetile_event *event;
	int err;

	err = xetile_launch(side->queue, kernel, &launch, 0, NULL, &event);
	if (err)
		return err;
	err = xetile_event_wait(event, MS);
	xetile_event_destroy(event);
	return err;
}

/* Element i gets @pattern + i. */
static int fill(const struct side *side, void *to, uint32_t pattern, uint64_t words)
{
	int err = xetile_kernel_set_address(side->fill, 0, (uintptr_t)to);

	if (!err)
		err = xetile_kernel_set_value(side->fill, 1, &pattern, sizeof(pattern));
	return err ? err : run(side, side->fill, words);
}

static int copy(const struct side *side, void *to, const void *from, uint64_t words)
{
	int err = xetile_kernel_set_address(side->copy, 0, (uintptr_t)to);

	if (!err)
		err = xetile_kernel_set_address(side->copy, 1, (uintptr_t)from);
	return err ? err : run(side, side->copy, words);
}

static uint32_t *alloc(const struct side *side, enum xetile_usm_kind kind, uint64_t size,
		       const char *color)
{
	struct xetile_usm_desc desc = { .kind = kind };
	void *ptr = NULL;

	if (color && xetile_color_parse(color, &desc.mem))
		return NULL;
	desc.mem.size = size;
	if (xetile_usm_alloc(side->context, side->device, &desc, &ptr))
		ptr = NULL;
	xetile_color_free(&desc.mem);
	return ptr;
}

/* Whether the words count up from @first */
static bool counts(const uint32_t *words, uint32_t first, uint64_t num)
{
	uint64_t i;

	for (i = 0; i < num; i++)
		CHECK(words[i] == first + i, "word %llu is %u, not %u", (unsigned long long)i,
		      words[i], (uint32_t)(first + i));
	return true;
}

static void on_fault(int number)
{
	_exit(number == SIGSEGV ? 42 : 1);
}

/* How a child ends that reads, and perhaps writes, at an address */
static int child_reads(volatile uint32_t *ptr, bool writes)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		signal(SIGSEGV, on_fault);
		if (writes)
			*ptr += 1;
		_exit(*ptr & 0x1f);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ?
		WEXITSTATUS(status) : -1;
}

/* --- allocations -------------------------------------------------------------------------- */

/* Pointers go from the CPU to kernels of all tiles and back, for small and large memory. */
static bool check_kinds(uint64_t size)
{
	const uint64_t words = size / 4;
	uint32_t *device, *host, *shared;
	struct xetile_usm_info info;

	device = alloc(&root, XETILE_USM_DEVICE, size, NULL);
	host = alloc(&root, XETILE_USM_HOST, size, NULL);
	shared = alloc(&root, XETILE_USM_SHARED, size, NULL);
	CHECK(device && host && shared, "%s", xetile_last_error());
	memset(host, 0x11, size);
	memset(shared, 0x22, size);
	CHECK(!fill(&root, device, 1000, words), "%s", xetile_last_error());
	CHECK(!copy(&root, host, device, words), "%s", xetile_last_error());
	CHECK(counts(host, 1000, words));
	host[3] = 7;
	CHECK(!copy(&root, shared, host, words), "%s", xetile_last_error());
	CHECK(shared[3] == 7 && counts(shared + 4, 1004, words - 4));
	shared[3] = 1003;
	CHECK(!copy(&root, device, shared, words) && !copy(&root, host, device, words));
	CHECK(counts(host, 1000, words));
	/* The CPU has nothing where device memory is. */
	CHECK(child_reads(device, false) == 42 && child_reads(device + words - 1, true) == 42);
	CHECK(!xetile_usm_get_info(root.context, host + words - 1, &info));
	CHECK(info.base == host && info.kind == XETILE_USM_HOST);
	CHECK(!xetile_usm_free(root.context, device) && !xetile_usm_free(root.context, host) &&
	      !xetile_usm_free(root.context, shared));
	return true;
}

/* How many pages of an allocation lie in the machine's memory; -1: an error */
static int in_system(void *ptr)
{
	struct xetile_usm_info info;
	struct xetile_run runs[256];
	int i, num, pages = 0;

	if (xetile_usm_get_info(root.context, ptr, &info))
		return -1;
	num = xetile_mem_color(info.mem, runs, 256);
	for (i = 0; i < num && i < 256; i++)
		pages += runs[i].tile == XETILE_TILE_SYSTEM ? runs[i].pages : 0;
	return num <= 0 || num > 256 ? -1 : pages;
}

/* S117 S118: shared memory moves to where it is used, and nothing is lost on the way. */
static bool check_moves(void)
{
	const uint64_t size = 8 * MIB, words = size / 4, range = 2 * MIB / 4;
	struct xetile_usm_info info;
	uint32_t *ptr, *small;
	unsigned int round;

	ptr = alloc(&root, XETILE_USM_SHARED, size, "chunk:64k");
	small = alloc(&root, XETILE_USM_SHARED, 12288, NULL);
	CHECK(ptr && small, "%s", xetile_last_error());
	CHECK(!xetile_usm_get_info(root.context, ptr, &info));
	if (!info.migrates) {
		printf("  the driver cannot move memory\n");
		CHECK(in_system(ptr) == (int)(size / PAGE));
	}
	for (round = 0; round < 3; round++) {
		CHECK(!fill(&root, ptr, round * 7, words), "%s", xetile_last_error());
		CHECK(!info.migrates || !in_system(ptr), "%d pages", in_system(ptr));
		/* A touch moves its range, and no other. */
		CHECK(ptr[range + 5] == round * 7 + range + 5);
		CHECK(!info.migrates || in_system(ptr) == (int)(2 * MIB / PAGE), "%d pages",
		      in_system(ptr));
		ptr[range + 5] = round;
		CHECK(!copy(&root, small, ptr + range, 3072), "%s", xetile_last_error());
		CHECK(!info.migrates || !in_system(ptr));
		CHECK(small[5] == round && counts(small + 6, round * 7 + range + 6, 3066));
	}
	CHECK(counts(ptr, round * 7 - 7, range) && ptr[range + 5] == round - 1);
	CHECK(counts(ptr + 2 * range, round * 7 - 7 + 2 * range, 2 * range));
	CHECK(!info.migrates || xetile_mem_export(info.mem) < 0);
	CHECK(!xetile_usm_free(root.context, ptr) && !xetile_usm_free(root.context, small));
	return true;
}

static bool check_advice(void)
{
	const uint64_t size = 5 * MIB, words = size / 4, range = 2 * MIB;
	const int pages = 2 * MIB / PAGE;
	struct xetile_usm_info info;
	uint32_t *ptr, *small;

	ptr = alloc(&root, XETILE_USM_SHARED, size, "chunk:64k");
	small = alloc(&root, XETILE_USM_SHARED, 12288, NULL);
	CHECK(ptr && small, "%s", xetile_last_error());
	CHECK(!xetile_usm_get_info(root.context, ptr, &info));
	if (!info.migrates) {
		printf("  the driver cannot move memory\n");
		goto out;
	}
	CHECK(!xetile_usm_advise(root.context, ptr + range / 4, range, XETILE_USM_ADVICE_HOST, 0),
	      "%s", xetile_last_error());
	CHECK(!xetile_usm_advise(root.context, ptr + range / 2, MIB, XETILE_USM_ADVICE_TILE, 0),
	      "%s", xetile_last_error());
	CHECK(!fill(&root, ptr, 3, words), "%s", xetile_last_error());
	CHECK(in_system(ptr) == pages, "%d pages", in_system(ptr));
	CHECK(counts(ptr, 3, words));
	CHECK(!xetile_usm_advise(root.context, ptr, size, XETILE_USM_ADVICE_COLOR, 0));
	CHECK(!fill(&root, ptr, 4, words), "%s", xetile_last_error());
	CHECK(!in_system(ptr));
	/* Only what is read; the sources of copies are. */
	CHECK(!xetile_usm_advise(root.context, ptr, range, XETILE_USM_ADVICE_READ, 0));
	CHECK(!copy(&root, small, ptr, 3072), "%s", xetile_last_error());
	CHECK(counts(small, 4, 3072) && counts(ptr, 4, words));
	CHECK(!xetile_usm_advise(root.context, ptr, size, XETILE_USM_ADVICE_COLOR, 0));
	CHECK(!fill(&root, ptr, 5, words), "%s", xetile_last_error());
	CHECK(counts(ptr, 5, words));
	CHECK(xetile_usm_advise(root.context, ptr, MIB, XETILE_USM_ADVICE_HOST, 0) == -EINVAL);
	CHECK(xetile_usm_advise(root.context, small, 12288, XETILE_USM_ADVICE_HOST, 0) ==
	      -EOPNOTSUPP);
	CHECK(xetile_usm_advise(root.context, &info, MIB, XETILE_USM_ADVICE_HOST, 0) == -ENOENT);
out:
	CHECK(!xetile_usm_free(root.context, ptr) && !xetile_usm_free(root.context, small));
	return true;
}

#define SMALL	200

/* W4 S9: small allocations of all colors at once, each of which has its own */
static bool check_colors(void)
{
	const enum xetile_color colors[] = {
		XETILE_COLOR_EVEN, XETILE_COLOR_CHUNK, XETILE_COLOR_TILE, XETILE_COLOR_FOLLOW,
	};
	const struct xetile_queue_desc split = { .engine_class = XETILE_COPY_SPLIT };
	struct xetile_device_info card;
	struct xetile_run want[8], got[8];
	struct xetile_usm_info info, to;
	struct xetile_queue *queue;
	struct xetile_event *event;
	uint32_t *ptr[SMALL], *host;
	unsigned int i;
	int n, num, k;

	CHECK(!xetile_device_get_info(root.device, &card));
	CHECK(!xetile_queue_create(root.context, root.device, &split, &queue));
	host = alloc(&root, XETILE_USM_HOST, 8 * PAGE, NULL);
	CHECK(host, "%s", xetile_last_error());
	CHECK(!xetile_usm_get_info(root.context, host, &to));
	for (i = 0; i < SMALL; i++) {
		const struct xetile_usm_desc desc = { .mem = {
			.size = (i / 4 % 8 + 1) * PAGE, .color = colors[i % 4],
			.tile = i % 4 == 2 ? i / 4 % card.num_tiles : 0,
		} };

		CHECK(!xetile_usm_alloc(root.context, root.device, &desc, (void **)&ptr[i]), "%s",
		      xetile_last_error());
		CHECK(!fill(&root, ptr[i], i * 1000, desc.mem.size / 4));
	}
	for (i = 0; i < SMALL; i++) {
		CHECK(!xetile_usm_get_info(root.context, ptr[i], &info));
		n = xetile_plan_color(colors[i % 4], info.size, i % 4 == 2 ?
				      1u << i / 4 % card.num_tiles : card.tile_mask, 0, want, 8);
		num = xetile_mem_color(info.mem, got, 8);
		CHECK(num == n && n > 0, "allocation %u: %d runs, not %d", i, num, n);
		for (k = 0; k < n; k++)
			CHECK(got[k].tile == want[k].tile && got[k].pages == want[k].pages,
			      "allocation %u, run %d", i, k);
		CHECK(!xetile_copy(queue, to.mem, 0, info.mem, 0, info.size, 0, NULL, &event), "%s",
		      xetile_last_error());
		CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
		xetile_event_destroy(event);
		CHECK(counts(host, i * 1000, info.size / 4), "allocation %u", i);
	}
	for (i = 0; i < SMALL; i++)
		CHECK(!xetile_usm_free(root.context, ptr[i]));
	CHECK(!xetile_usm_free(root.context, host));
	xetile_queue_destroy(queue);
	return true;
}

/* A child sees host memory, and the parent's kernels see what it wrote. */
static bool check_fork(void)
{
	uint32_t *host = alloc(&root, XETILE_USM_HOST, 2 * MIB, NULL);
	uint32_t *other = alloc(&root, XETILE_USM_HOST, 4096, NULL);

	CHECK(host && other, "%s", xetile_last_error());
	CHECK(!fill(&root, host, 20, 1024));
	CHECK(child_reads(host + 3, true) == 24 && host[3] == 24);
	CHECK(!copy(&root, other, host, 1024), "%s", xetile_last_error());
	CHECK(other[3] == 24 && counts(other + 4, 24, 1020));
	CHECK(!xetile_usm_free(root.context, host) && !xetile_usm_free(root.context, other));
	return true;
}

/* --- memory of the program ---------------------------------------------------------------- */

static uint32_t *pages(uint64_t size)
{
	void *ptr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return ptr == MAP_FAILED ? NULL : ptr;
}

/* Kernels use the program's own pages: those of 4 KiB beside others, and many. */
static bool check_user(void)
{
	const uint64_t size = 3 * 4096, large = 4 * MIB;
	uint32_t *some = pages(4 * size), *many = pages(large);
	struct xetile_mem *mem, *next, *all;
	struct xetile_run run;
	void *map;

	CHECK(some && many);
	memset(some, 0x33, 4 * size);
	CHECK(!xetile_mem_from_user(root.context, some, size, 0, &mem), "%s", xetile_last_error());
	CHECK(!xetile_mem_from_user(root.context, some + size / 4, size, 0, &next), "%s",
	      xetile_last_error());
	CHECK(!xetile_mem_from_user(root.context, many, large, 0, &all), "%s", xetile_last_error());
	CHECK(xetile_mem_from_user(root.context, some, 4096, 0, &next) == -EEXIST);
	CHECK(xetile_mem_address(mem) == (uintptr_t)some && !xetile_mem_map(mem, &map) &&
	      map == some);
	CHECK(xetile_mem_color(mem, &run, 1) == 1 && run.tile == XETILE_TILE_SYSTEM);
	CHECK(!fill(&root, some, 100, 2 * size / 4), "%s", xetile_last_error());
	CHECK(counts(some, 100, 2 * size / 4));
	CHECK(some[2 * size / 4] == 0x33333333);
	CHECK(!fill(&root, many, 5000, large / 4), "%s", xetile_last_error());
	CHECK(counts(many, 5000, large / 4));
	/* The child's copy of the pages is not the GPU's. */
	CHECK(child_reads(some + 1, true) == (102 & 0x1f) && some[1] == 101);
	CHECK(!copy(&root, many, some, size / 4), "%s", xetile_last_error());
	CHECK(counts(many, 100, size / 4));
	/* Pages that come back are used again. */
	CHECK(!madvise(many, large, MADV_DONTNEED));
	CHECK(!fill(&root, many + large / 8, 9, 1024), "%s", xetile_last_error());
	CHECK(!many[0] && counts(many + large / 8, 9, 1024));
	xetile_mem_free(all);
	xetile_mem_free(next);
	xetile_mem_free(mem);
	CHECK(counts(some, 100, 2 * size / 4));
	CHECK(!munmap(some, 4 * size) && !munmap(many, large));
	return true;
}

/* Memory that has left: work is refused, until the buffer is freed. */
static bool check_gone(void)
{
	uint32_t *host = alloc(&root, XETILE_USM_HOST, 4096, NULL), *ptr = pages(4 * 4096);
	struct xetile_mem *mem;

	CHECK(host && ptr);
	CHECK(!xetile_mem_from_user(root.context, ptr, 4 * 4096, 0, &mem), "%s",
	      xetile_last_error());
	CHECK(!fill(&root, ptr, 1, 1024) && counts(ptr, 1, 1024));
	CHECK(!munmap(ptr, 4 * 4096));
	CHECK(fill(&root, host, 1, 1024) == -EFAULT, "%s", xetile_last_error());
	xetile_mem_free(mem);
	CHECK(!fill(&root, host, 6, 1024), "%s", xetile_last_error());
	CHECK(counts(host, 6, 1024));
	CHECK(!xetile_usm_free(root.context, host));
	return true;
}

/* The GPU reads memory that it may not write. */
static bool check_readonly(void)
{
	uint32_t *host = alloc(&root, XETILE_USM_HOST, 4096, NULL), *ptr = pages(4096);
	struct xetile_queue_info info;
	struct xetile_mem *mem;
	struct side own;
	int i;

	CHECK(host && ptr);
	for (i = 0; i < 1024; i++)
		ptr[i] = 50 + i;
	CHECK(!mprotect(ptr, 4096, PROT_READ));
	CHECK(!xetile_mem_from_user(root.context, ptr, 4096, XETILE_MEM_READONLY, &mem), "%s",
	      xetile_last_error());
	CHECK(!copy(&root, host, ptr, 1024), "%s", xetile_last_error());
	CHECK(counts(host, 50, 1024));
	xetile_mem_free(mem);
	CHECK(!xetile_usm_free(root.context, host));
	/* A kernel that writes there faults. */
	if (!side_open(&own, "0"))
		return false;
	CHECK(!xetile_mem_from_user(own.context, ptr, 4096, XETILE_MEM_READONLY, &mem));
	CHECK(fill(&own, ptr, 0, 1024) == -EIO, "%s", xetile_last_error());
	CHECK(!xetile_queue_get_info(own.queue, &info));
	CHECK(info.ban.reason == XETILE_BAN_FAULT && info.ban.fault_known && info.ban.fault_write &&
	      info.ban.fault_addr == (uintptr_t)ptr);
	CHECK(counts(ptr, 50, 1024));
	xetile_mem_free(mem);
	side_close(&own);
	CHECK(!munmap(ptr, 4096));
	return true;
}

/* S107 S114: two contexts, of two cards if there are, with memory of their own and one's in both */
static bool check_contexts(const char *selector)
{
	uint32_t *first = alloc(&root, XETILE_USM_HOST, 4 * MIB, NULL), *second, *both;
	struct xetile_mem *mem, *again;
	struct xetile_usm_info info;
	struct side other;

	if (!side_open(&other, selector))
		return false;
	second = alloc(&other, XETILE_USM_HOST, 4 * MIB, NULL);
	both = pages(4096);
	CHECK(first && second && both, "%s", xetile_last_error());
	CHECK(second >= first + MIB || first >= second + MIB);
	CHECK(!fill(&root, first, 1, 1024) && !fill(&other, second, 2, 1024));
	CHECK(counts(first, 1, 1024) && counts(second, 2, 1024));
	CHECK(xetile_usm_get_info(root.context, second, &info) == -ENOENT);
	CHECK(!xetile_mem_from_user(root.context, both, 4096, 0, &mem), "%s", xetile_last_error());
	CHECK(!xetile_mem_from_user(other.context, both, 4096, 0, &again), "%s",
	      xetile_last_error());
	CHECK(!fill(&root, both, 33, 1024) && !copy(&other, second, both, 1024), "%s",
	      xetile_last_error());
	CHECK(counts(second, 33, 1024));
	xetile_mem_free(again);
	xetile_mem_free(mem);
	CHECK(!xetile_usm_free(other.context, second) && !xetile_usm_free(root.context, first));
	side_close(&other);
	CHECK(!munmap(both, 4096));
	return true;
}

int main(void)
{
	struct xetile_device *second;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (xetile_platform_open(&platform) || !side_open(&root, "0")) {
		printf("skip: no card: %s\n", xetile_last_error());
		xetile_platform_close(platform);
		return 77;
	}
	test_run("S113 S114 S117: small memory has one address on CPU and GPU", check_kinds(12288));
	test_run("S113 S114 S117: memory has one address on CPU and GPU", check_kinds(3 * MIB));
	test_run("S117 S118: shared memory moves to where it is used", check_moves());
	test_run("S118: shared memory moves to where advice says", check_advice());
	test_run("W4 S9: small allocations have colors of their own", check_colors());
	test_run("S114: a child sees host memory", check_fork());
	test_run("S114: kernels use memory of the program", check_user());
	test_run("memory of the program that has left", check_gone());
	test_run("memory of the program that is read-only", check_readonly());
	test_run("S107: two contexts, one memory", check_contexts("0"));
	if (!xetile_platform_select(platform, "1", &second))
		test_run("S114: two cards, one memory", check_contexts("1"));
	side_close(&root);
	xetile_platform_close(platform);
	printf("unified shared memory on a card: %u passed, %u failed\n", test_passed, test_failed);
	return test_failed != 0;
}
