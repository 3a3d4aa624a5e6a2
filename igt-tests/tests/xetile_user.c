// SPDX-License-Identifier: MIT
/*
 * Memory of processes that the GPU uses (MAP_USER): by pages of 4 KiB, without pinning. Pages leave
 * and come back between batches, and the GPU uses those that are there now.
 *
 * suite: igt soak
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_binds.h"
#include "xetile_swap.h"
#include "xetile_user_memory.h"

IGT_TEST_DESCRIPTION("The GPU uses memory of processes");

#define READONLY	DRM_XETILE_BIND_READONLY

/* --- idle ------------------------------------------------------------------- */

static void test_use(const struct xetile_card *card)
{
	const uint64_t size = 4 * SZ_2M + 3 * SZ_4K;
	const uint64_t at[] = { 0, SZ_4K - 8, 17 * SZ_4K, SZ_2M + SZ_4K, size - 8 };
	struct xetile_batch b;
	uint32_t *p, copy;
	struct place s;

	place_init(&s, card->fd);
	copy = xetile_copy_queue(s.fd, s.vm);
	p = anon(size + SZ_4K);
	/* An odd page of the process at an odd page of the GPU */
	map_user(&s, AT + 5 * SZ_4K, p + 1024, size, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++) {
		volatile uint32_t *word = p + 1024 + at[i] / 4;

		place_store(&s, AT + 5 * SZ_4K + at[i], 0x100 + i);
		igt_assert_eq_u32(*word, 0x100 + i);
		*word = 0x200 + i;
		batch_begin(&b, &s.ctl, 0);
		batch_mem_copy(&b, s.ctl.addr + 0x8000, AT + 5 * SZ_4K + at[i], 8);
		batch_end(&b);
		xetile_run(s.fd, copy, batch_addr(&b));
		igt_assert_eq_u32(s.ctl.map[0x2000], 0x200 + i);
	}
	igt_assert_eq_u32(p[0], 0);
	xetile_vm_unmap(s.fd, s.vm, AT, 2 * size);
	xetile_queue_destroy(s.fd, copy);
	place_fini(&s);
	munmap(p, size + SZ_4K);
}

/* Huge pages, that are split and collapsed, and the edge of one of them */
static void test_huge(const struct xetile_card *card)
{
	const uint64_t size = 4 * SZ_2M;
	char *all = (char *)anon(size + SZ_2M);
	volatile uint32_t *p = (void *)(((uintptr_t)all + SZ_2M - 1) & ~(SZ_2M - 1ull));
	struct place s;

	igt_require_f(!madvise((void *)p, size, MADV_HUGEPAGE), "the kernel has no huge pages\n");
	place_init(&s, card->fd);
	map_user(&s, AT + SZ_64K, (char *)p + SZ_2M - SZ_4K, size - SZ_2M + SZ_4K, 0);
	for (unsigned int round = 1; round <= 3; round++) {
		for (uint64_t at = SZ_2M - SZ_4K; at < size; at += SZ_2M / 4 + SZ_4K) {
			place_store(&s, AT + SZ_64K + at - (SZ_2M - SZ_4K) + 8, at + round);
			igt_assert_eq_u32(p[at / 4 + 2], at + round);
		}
		/* One page of a huge one goes, then all of them. */
		igt_assert_eq(madvise((char *)p + SZ_2M + round * SZ_4K,
				      round == 2 ? SZ_2M : SZ_4K, MADV_DONTNEED), 0);
	}
	place_fini(&s);
	munmap(all, size + SZ_2M);
}

/* Single pages in reverse order, and a hole in a range */
static void test_pieces(const struct xetile_card *card)
{
	enum { NUM = 70 };
	struct drm_xetile_bind binds[NUM] = { 0 };
	uint32_t *p = anon(NUM * SZ_4K);
	struct place s;

	place_init(&s, card->fd);
	for (unsigned int i = 0; i < NUM; i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP_USER, .addr = AT + i * SZ_4K, .range = SZ_4K,
			.offset = to_user(p) + (NUM - 1 - i) * SZ_4K,
		};
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, binds, NUM, NULL, 0), 0);
	for (unsigned int i = 0; i < NUM; i += 3) {
		place_store(&s, AT + i * SZ_4K, 0x300 + i);
		igt_assert_eq_u32(p[(NUM - 1 - i) * 1024], 0x300 + i);
	}
	/* One range in their place, of which a part is unmapped, and one taken by a buffer */
	map_user(&s, AT, p, NUM * SZ_4K, 0);
	xetile_vm_unmap(s.fd, s.vm, AT + 20 * SZ_4K, SZ_4K);
	xetile_vm_map(s.fd, s.vm, s.ctl.handle, 0, AT + 32 * SZ_4K, SZ_64K / 2);
	for (unsigned int i = 0; i < NUM; i++) {
		if (i == 20 || (i >= 32 && i < 40))
			continue;
		place_store(&s, AT + i * SZ_4K, 0x400 + i);
		igt_assert_eq_u32(p[i * 1024], 0x400 + i);
	}
	place_store(&s, AT + 33 * SZ_4K + 64, 0x777);
	igt_assert_eq_u32(s.ctl.map[1024 + 16], 0x777);
	/* Pages leave, and all parts that stayed mapped find them again. */
	igt_assert_eq(madvise(p, NUM * SZ_4K, MADV_DONTNEED), 0);
	for (unsigned int i = 0; i < NUM; i += 19) {
		place_store(&s, AT + (i == 38 ? 50 : i) * SZ_4K, 0x500 + i);
		igt_assert_eq_u32(p[(i == 38 ? 50 : i) * 1024], 0x500 + i);
	}
	place_fini(&s);
	munmap(p, NUM * SZ_4K);
}

static void test_readonly(const struct xetile_card *card)
{
	struct xetile_batch b;
	uint32_t *p = anon(SZ_4K), copy, done;
	struct place s;

	place_init(&s, card->fd);
	copy = xetile_copy_queue(s.fd, s.vm);
	p[3] = 0x1234;
	igt_assert_eq(mprotect(p, SZ_4K, PROT_READ), 0);
	map_user(&s, AT, p, SZ_4K, READONLY);
	batch_begin(&b, &s.ctl, 0);
	batch_mem_copy(&b, s.ctl.addr + 0x8000, AT, 64);
	batch_end(&b);
	xetile_run(s.fd, copy, batch_addr(&b));
	igt_assert_eq_u32(s.ctl.map[0x2003], 0x1234);
	igt_assert_eq(try_store(&s, AT, 0xbad, &done), 0);
	igt_assert_eq(__xetile_wait(s.fd, done, 30000), 0);
	igt_assert_lt(xetile_fence_status(s.fd, done), 0);
	igt_assert_eq_u32(p[0], 0);
	xetile_syncobj_destroy(s.fd, done);
	xetile_queue_destroy(s.fd, copy);
	place_fini(&s);

	/* What the process may not write, the GPU may not, either. */
	place_init(&s, card->fd);
	map_user(&s, AT, p, SZ_4K, 0);
	check_fault(&s);
	igt_assert_eq(mprotect(p, SZ_4K, PROT_READ | PROT_WRITE), 0);
	place_store(&s, AT, 1);
	igt_assert_eq_u32(p[0], 1);
	igt_assert_eq(mprotect(p, SZ_4K, PROT_READ), 0);
	check_fault(&s);
	igt_assert_eq_u32(p[0], 1);
	place_fini(&s);
	munmap(p, SZ_4K);
}

/* Pages go and others come, between two jobs. */
static void test_leave(const struct xetile_card *card)
{
	int file = make_file(4 * SZ_4K);
	volatile uint32_t *all = map_file(file, NULL, 0, 4 * SZ_4K);
	volatile uint32_t *p = map_file(file, NULL, 0, SZ_4K), *moved;
	struct place s;

	place_init(&s, card->fd);
	map_user(&s, AT, (void *)p, SZ_4K, 0);
	place_store(&s, AT, 1);
	igt_assert_eq_u32(all[0], 1);
	munmap((void *)p, SZ_4K);
	check_fault(&s);
	map_file(file, (void *)p, SZ_4K, SZ_4K);
	place_store(&s, AT, 2);
	igt_assert_eq_u32(all[0], 1);
	igt_assert_eq_u32(all[1024], 2);
	/* Another page directly in its place */
	map_file(file, (void *)p, 2 * SZ_4K, SZ_4K);
	place_store(&s, AT, 3);
	igt_assert_eq_u32(all[1024], 2);
	igt_assert_eq_u32(all[2048], 3);
	/* The page is truncated, and comes back as another one. */
	igt_assert_eq(ftruncate(file, 0), 0);
	check_fault(&s);
	igt_assert_eq(ftruncate(file, 4 * SZ_4K), 0);
	place_store(&s, AT, 4);
	igt_assert_eq_u32(all[2048], 4);
	/* The page moves away: the binding is of the address. */
	moved = mremap((void *)p, SZ_4K, SZ_4K, MREMAP_MAYMOVE | MREMAP_FIXED, anon(SZ_4K));
	igt_assert(moved != MAP_FAILED);
	check_fault(&s);
	igt_assert_eq_u32(moved[0], 4);
	mmap((void *)p, SZ_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	     0);
	place_store(&s, AT, 5);
	igt_assert_eq_u32(p[0], 5);
	igt_assert_eq_u32(moved[0], 4);
	igt_assert_eq(madvise((void *)p, SZ_4K, MADV_DONTNEED), 0);
	igt_assert_eq_u32(p[0], 0);
	place_store(&s, AT + 64, 6);
	igt_assert_eq_u32(p[0], 0);
	igt_assert_eq_u32(p[16], 6);
	/* A hole among pages, also one that no batch uses */
	xetile_vm_unmap(s.fd, s.vm, AT, SZ_4K);
	map_user(&s, AT, (void *)all, 4 * SZ_4K, 0);
	place_store(&s, AT, 7);
	munmap((void *)(all + 2048), SZ_4K);
	check_fault(&s);
	xetile_vm_unmap(s.fd, s.vm, AT, 4 * SZ_4K);
	place_store(&s, s.ctl.addr + 0x9000, 8);
	place_fini(&s);
	munmap((void *)all, 4 * SZ_4K);
	munmap((void *)moved, SZ_4K);
	munmap((void *)p, SZ_4K);
	close(file);
}

/* After a fork each of both processes has pages of its own; the GPU's are the parent's. */
static void test_fork(const struct xetile_card *card)
{
	volatile uint32_t *p = anon(2 * SZ_4K);
	int to_child[2], status;
	struct place s;
	pid_t child;
	char go;

	place_init(&s, card->fd);
	map_user(&s, AT, (void *)p, 2 * SZ_4K, 0);
	place_store(&s, AT, 1);
	igt_assert_eq(pipe(to_child), 0);
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		p[1] = 2;
		if (read(to_child[0], &go, 1) != 1)
			_exit(1);
		_exit(p[0] == 1 && p[1] == 2 && p[1024] == 0 ? 0 : 2);
	}
	place_store(&s, AT, 3);
	igt_assert_eq_u32(p[0], 3);
	p[1024] = 4;
	place_store(&s, AT + SZ_4K + 64, 5);
	igt_assert_eq_u32(p[1024 + 16], 5);
	igt_assert_eq_u32(p[1], 0);
	igt_assert_eq(write(to_child[1], "", 1), 1);
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
	place_fini(&s);
	munmap((void *)p, 2 * SZ_4K);
	close(to_child[0]);
	close(to_child[1]);
}

/* A process binds its memory in a VM that it shares, and ends. */
static void test_exit(const struct xetile_card *card)
{
	struct place s;
	int status;
	pid_t child;

	place_init(&s, card->fd);
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		volatile uint32_t *p = anon(SZ_4K);

		map_user(&s, AT, (void *)p, SZ_4K, 0);
		place_store(&s, AT, 1);
		_exit(*p == 1 ? 0 : 1);
	}
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
	check_fault(&s);
	xetile_vm_unmap(s.fd, s.vm, AT, SZ_4K);
	place_store(&s, s.ctl.addr + 0x9000, 8);

	/* It is killed while its batch runs: the end waits until the batch's time is over. */
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		map_user(&s, AT, anon(SZ_4K), SZ_4K, 0);
		hold_store(&s, AT, 1, 500);
		kill(getpid(), SIGKILL);
	}
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	check_fault(&s);
	place_fini(&s);
}

static void test_swap(const struct xetile_card *card)
{
	const uint64_t size = 8 * SZ_2M;
	volatile uint32_t *p = anon(size);
	unsigned char *in = malloc(size / SZ_4K);
	uint64_t out = 0;
	struct place s;

	swap_begin();
	place_init(&s, card->fd);
	for (uint64_t i = 0; i < size / 4; i += 1024)
		p[i] = i;
	map_user(&s, AT, (void *)p, size, 0);
	for (unsigned int round = 0; round < 3; round++) {
		for (uint64_t at = round * 64; at < size; at += SZ_2M + 5 * SZ_4K)
			place_store(&s, AT + at + 8, 0x600 + at / SZ_4K + round);
		igt_assert_eq(madvise((void *)p, size, MADV_PAGEOUT), 0);
		igt_assert_eq(mincore((void *)p, size, in), 0);
		for (uint64_t i = 0; i < size / SZ_4K; i++)
			out += !(in[i] & 1);
		for (uint64_t at = round * 64; at < size; at += SZ_2M + 5 * SZ_4K)
			igt_assert_eq_u32(p[at / 4 + 2], 0x600 + at / SZ_4K + round);
	}
	/* Pages did leave. */
	igt_assert_lt(100, out);
	for (uint64_t i = 0; i < size / 4; i += 1024)
		igt_assert_eq_u32(p[i], i);
	place_fini(&s);
	munmap((void *)p, size);
	free(in);
	swap_end();
}

/* --- binds ------------------------------------------------------------------------ */

/* A bind that waits takes effect in its turn, and jobs after it wait for it. */
static void test_bind_queue(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_USER, .addr = AT, .range = SZ_4K,
	};
	uint32_t *p = anon(2 * SZ_4K), fence[2];
	struct gate gate[2];
	struct binds s;

	binds_init(&s, card->fd, DRM_XETILE_ENGINE_COMPUTE);
	for (unsigned int i = 0; i < 2; i++) {
		gate_init(&gate[i], card->fd);
		bind.offset = to_user(p + i * 1024);
		igt_assert_eq(binds_try(&s, s.bind[0], &bind, gate[i].fence, 0), 0);
		fence[i] = binds_store_after(&s, AT + 64, 5, 0);
	}
	igt_assert_eq(__xetile_wait(s.fd, fence[0], 50), -ETIME);
	gate_open(&gate[0]);
	igt_assert_eq(binds_ended(&s, fence[0]), 1);
	igt_assert_eq_u32(p[16], 5);
	igt_assert_eq_u32(p[1024 + 16], 0);
	/* The first page leaves; only what waits uses the second one. */
	munmap(p, SZ_4K);
	gate_open(&gate[1]);
	igt_assert_eq(binds_ended(&s, fence[1]), 1);
	igt_assert_eq_u32(p[1024 + 16], 5);
	for (unsigned int i = 0; i < 2; i++)
		gate_fini(&gate[i]);
	binds_fini(&s);
	munmap(p + 1024, SZ_4K);
}

static void test_many(const struct xetile_card *card)
{
	enum { NUM = 16384, CALL = 4096 };
	struct drm_xetile_bind *binds = calloc(CALL, sizeof(*binds));
	uint32_t *p = anon(NUM * SZ_4K);
	struct place s;

	place_init(&s, card->fd);
	for (unsigned int i = 0; i < NUM; i++) {
		binds[i % CALL] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP_USER, .addr = AT + i * SZ_4K, .range = SZ_4K,
			.offset = to_user(p + i * 1024),
		};
		if (i % CALL == CALL - 1)
			igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, binds, CALL, NULL, 0), 0);
	}
	igt_assert_eq(try_user(s.fd, s.vm, AT + NUM * SZ_4K, p, SZ_4K, 0), -EDQUOT);
	place_store(&s, AT + (NUM - 1) * SZ_4K, 9);
	igt_assert_eq_u32(p[(NUM - 1) * 1024], 9);
	munmap(p, NUM / 2 * SZ_4K);
	check_fault(&s);
	xetile_vm_unmap(s.fd, s.vm, AT, NUM / 2 * SZ_4K);
	place_store(&s, AT + (NUM - 1) * SZ_4K, 10);
	igt_assert_eq_u32(p[(NUM - 1) * 1024], 10);
	/* The ranges are freed a moment later. */
	xetile_assert_soon(!try_user(s.fd, s.vm, AT, p + (NUM - 1) * 1024, SZ_4K, 0));
	place_fini(&s);
	munmap(p + NUM / 2 * 1024, NUM / 2 * SZ_4K);
	free(binds);
}

#define USER	12345		/* a user without rights */

/*
 * A user can bind 16 times the machine's memory, see Documentation/gpu/xetile/memory.rst: here twice
 * half of it. Each range counts some pages more.
 */
static void test_limit(const struct xetile_card *card)
{
	uint64_t half;
	struct sysinfo info;
	uint32_t vm, vm2;
	char *p;
	int fd;

	igt_assert_eq(sysinfo(&info), 0);
	half = 8ull * info.totalram * info.mem_unit / SZ_2M * SZ_2M - SZ_2M;
	igt_require_f(half <= 256ull << 30, "a range has at most 256 GiB\n");
	p = mmap(NULL, half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	igt_assert(p != MAP_FAILED);
	igt_fork(child, 1) {
		/* Root's right to the file, but no other */
		igt_assert_eq(seteuid(USER), 0);
		setfsuid(0);
		fd = xetile_reopen(card->fd);
		vm = xetile_vm(fd);
		vm2 = xetile_vm(fd);
		igt_assert_eq(try_user(fd, vm, AT, p, half, 0), 0);
		igt_assert_eq(try_user(fd, vm2, AT, p, half, 0), 0);
		igt_assert_eq(try_user(fd, vm, 2 * AT + half, p, 4 * SZ_2M, 0), -EDQUOT);
		xetile_vm_unmap(fd, vm2, AT, half);
		/* The range is freed a moment later. */
		xetile_assert_soon(!try_user(fd, vm, 2 * AT + half, p, 4 * SZ_2M, 0));
		igt_assert_eq(try_user(fd, vm2, AT, p, half, 0), -EDQUOT);
		close(fd);
	}
	igt_waitchildren();
	munmap(p, half);
}

static void test_bad(const struct xetile_card *card)
{
	uint32_t *p = anon(2 * SZ_4K), vm = xetile_vm(card->fd);
	uint32_t bo = xetile_bo(card->fd, SZ_64K, DRM_XETILE_PLACE_HBM), *map;
	struct drm_xetile_bind good = {
		.op = DRM_XETILE_BIND_MAP_USER, .addr = AT, .range = SZ_4K, .offset = to_user(p),
	};
	const struct {
		const char *what;
		int err;
		struct drm_xetile_bind bind;
	} cases[] = {
#define CASE(text, error, ...) \
	{ text, error, { .op = good.op, .addr = good.addr, .range = good.range, \
			 .offset = good.offset, __VA_ARGS__ } }
		CASE("a handle", EINVAL, .handle = bo),
		CASE("an unknown flag", EINVAL, .flags = 2),
		CASE("a missing tile", EINVAL, .tile_mask = 1u << card->device.num_tiles),
		CASE("no bytes", EINVAL, .range = 0),
		CASE("half a page", EINVAL, .range = 2048),
		CASE("a byte too many", EINVAL, .range = SZ_4K + 1),
		CASE("an odd address", EINVAL, .addr = AT + 64),
		CASE("an odd offset", EINVAL, .offset = good.offset + 8),
		CASE("the kernel", EINVAL, .offset = 0xffff888000000000),
		CASE("the last page", EINVAL, .offset = ~0xfffull),
		CASE("a sum of 2^64", EINVAL, .offset = ~0xfffull, .range = 2 * SZ_4K),
		CASE("into the kernel", EINVAL, .offset = 0x7fffffffe000, .range = 4 * SZ_4K),
		CASE("all of it", EINVAL, .offset = 0, .range = 1ull << 47),
		CASE("beyond a range's size", EINVAL, .range = (256ull << 30) + SZ_4K),
		CASE("the driver's addresses", EINVAL, .addr = DRM_XETILE_VA_NOWHERE),
#undef CASE
	};
	struct place s;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret = __xetile_vm_bind(card->fd, vm, &cases[i].bind, 1, NULL, 0);

		igt_assert_f(ret == -cases[i].err, "%s: %s, expected %s\n", cases[i].what,
			     strerror(-ret), strerror(cases[i].err));
	}
	igt_assert_eq(__xetile_vm_bind(card->fd, vm, &good, 1, NULL, 0), 0);
	xetile_vm_destroy(card->fd, vm);

	/* What is no memory of a process is found by the batch. */
	place_init(&s, card->fd);
	map = xetile_bo_map(s.fd, bo, SZ_64K);
	map_user(&s, AT, map, SZ_4K, 0);
	check_fault(&s);
	map_user(&s, AT, (void *)BAD_POINTER - BAD_POINTER, SZ_4K, 0);
	check_fault(&s);
	map_user(&s, AT, p, 3 * SZ_4K, 0);
	munmap(p + 1024, SZ_4K);
	check_fault(&s);
	map_user(&s, AT, p, SZ_4K, 0);
	xetile_vm_unmap(s.fd, s.vm, AT + SZ_4K, 2 * SZ_4K);
	place_store(&s, AT, 3);
	igt_assert_eq_u32(p[0], 3);
	place_fini(&s);
	munmap(map, SZ_64K);
	xetile_bo_close(card->fd, bo);
	munmap(p, SZ_4K);
}

/* Two processes with a VM each use one page. */
static void test_two(const struct xetile_card *card)
{
	int file = make_file(SZ_4K), status;
	volatile uint32_t *p = map_file(file, NULL, 0, SZ_4K);
	struct place s;
	pid_t child;

	child = fork();
	igt_assert_lte(0, child);
	place_init(&s, xetile_reopen(card->fd));
	map_user(&s, AT, (void *)p, SZ_4K, 0);
	for (unsigned int i = 1; i <= 20; i++)
		place_store(&s, AT + (child ? 0 : 64), i);
	place_fini(&s);
	close(s.fd);
	if (!child)
		_exit(0);
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
	igt_assert_eq_u32(p[0], 20);
	igt_assert_eq_u32(p[16], 20);
	munmap((void *)p, SZ_4K);
	close(file);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_user(&card);
	}

	igt_describe("The GPU must read and write memory of the process, page by page");
	igt_subtest("use")
		test_use(&card);
	igt_subtest("huge")
		test_huge(&card);
	igt_subtest("pieces")
		test_pieces(&card);
	igt_describe("The GPU must not write what it, or the process, may only read");
	igt_subtest("readonly")
		test_readonly(&card);
	igt_describe("The GPU must use the pages that are at an address now");
	igt_subtest("leave")
		test_leave(&card);
	igt_describe("The GPU must use the parent's pages after a fork");
	igt_subtest("fork")
		test_fork(&card);
	igt_describe("Memory of a process that has ended must be none");
	igt_subtest("exit")
		test_exit(&card);
	igt_describe("What the GPU wrote must survive a swap");
	igt_subtest("swap")
		test_swap(&card);

	igt_describe("Binds of memory of a process must wait and take effect in order");
	igt_subtest("bind-queue")
		test_bind_queue(&card);
	igt_describe("A VM must have many ranges, but not any number");
	igt_subtest("many")
		test_many(&card);
	igt_describe("A user must bind much memory, but not any amount");
	igt_subtest("limit")
		test_limit(&card);
	igt_describe("Two processes must share a page with the GPU");
	igt_subtest("two")
		test_two(&card);
	igt_describe("Wrong values must be refused");
	igt_subtest("bad")
		test_bad(&card);

	igt_fixture
		close(card.fd);
}
