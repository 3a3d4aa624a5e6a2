// SPDX-License-Identifier: MIT
/*
 * HBM that the CPU does not reach through BAR2: the CPU uses it by way of system memory.
 *
 * suite: igt soak-alone window
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("HBM that the CPU does not reach");

static void require_window(const struct xetile_card *card)
{
	igt_require_f(card->tiles[0].hbm_visible < part_of_tile(card, 60),
		      "the CPU reaches most or all of the HBM\n");
}

/* Returns the last word of a page, read through the mapping as a debugger reads it. */
static uint32_t peek(const uint32_t *map, uint64_t page)
{
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	uint32_t word;

	igt_assert_eq(pread(mem, &word, sizeof(word),
			    to_user(map + (page + 1) * PAGE / 4 - 1)), sizeof(word));
	close(mem);
	return word;
}

/* When BAR2 shows only a part of HBM, the CPU uses the rest by way of system memory. */
static void test_window(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 15), pages = size / PAGE, moved = 0;
	uint32_t bo[6], *map;
	struct place p;

	require_window(card);
	place_init(&p, card->fd);
	for (int i = 0; i < 6; i++) {
		bo[i] = strict_on(p.fd, size, 0);
		xetile_vm_map(p.fd, p.vm, bo[i], 0, DATA_ADDR + i * SZ_1G, size);
	}
	for (int i = 0; i < 6; i++) {
		paint(p.fd, bo[i], size, i << 24);
		moved += pages_on(p.fd, bo[i], DRM_XETILE_MEM_SYSTEM);
	}
	/*
	 * At most 60 of the 90 percent are visible, therefore at least two of six buffers have
	 * moved.
	 */
	igt_assert_lte_u64(2 * pages, moved);

	/* A job finds them in HBM again, with the words that the CPU wrote. */
	for (int i = 0; i < 6; i++)
		place_store(&p, DATA_ADDR + i * SZ_1G, 7 + i);
	for (int i = 0; i < 6; i++)
		igt_assert_eq_u64(pages_on(p.fd, bo[i], 0), pages);
	for (int i = 0; i < 6; i++) {
		map = xetile_bo_map(p.fd, bo[i], size);
		/*
		 * Probe the whole range: HBM is given out in large blocks first, so that the last
		 * page need not be beyond the window.
		 */
		for (uint64_t page = 0; page < pages; page += pages / 16)
			igt_assert_eq_u32(peek(map, page), ~((i << 24) + page));
		igt_assert_eq_u32(map[0], 7 + i);
		munmap(map, size);
		check_paint(p.fd, bo[i], size, i << 24);
		xetile_bo_close(p.fd, bo[i]);
	}
	place_fini(&p);
}

/* The CPU writes page tables. Therefore buffers leave room for them where the CPU reaches. */
static void test_window_full(const struct xetile_card *card)
{
	unsigned int num = card->tiles[0].hbm_visible / PAGE;
	uint32_t *small, vm, word;

	require_window(card);
	small = calloc(num, sizeof(*small));
	igt_assert(small);
	word = xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int i = 0; i < num; i++)
		small[i] = strict_on(card->fd, PAGE, 0);
	vm = xetile_vm(card->fd);
	for (uint64_t i = 0; i < 400; i++)
		xetile_vm_map(card->fd, vm, word, 0, DATA_ADDR + i * SZ_1G, PAGE);
	xetile_vm_destroy(card->fd, vm);
	for (unsigned int i = 0; i < num; i++)
		xetile_bo_close(card->fd, small[i]);
	free(small);
	xetile_bo_close(card->fd, word);
}

struct touch {
	const uint32_t *map;
	volatile pid_t thread;
	uint32_t value;
};

static void *touch(void *arg)
{
	struct touch *t = arg;

	t->thread = syscall(SYS_gettid);
	t->value = *(volatile const uint32_t *)t->map;
	return NULL;
}

/*
 * While a thread waits for a page that it touches, other threads can use the address space and the
 * buffer.
 */
static void window_busy(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 65);
	int fd = xetile_reopen(card->fd);
	struct touch t = { 0 };
	pthread_t thread;
	struct place p;
	uint32_t bo;

	place_init(&p, fd);
	bo = strict_on(fd, size, 0);
	xetile_vm_map(fd, p.vm, bo, 0, DATA_ADDR, size);
	place_store(&p, DATA_ADDR, 11);
	t.map = xetile_bo_map(fd, bo, size);
	place_hold(&p);
	igt_assert_eq(pthread_create(&thread, NULL, touch, &t), 0);
	xetile_assert_soon(t.thread && xetile_waits_for_fence(t.thread));
	igt_assert_eq_u64(pages_on(fd, bo, 0), size / PAGE);
	/* mprotect() needs the address space exclusively. */
	igt_assert_eq(mprotect((void *)t.map, PAGE, PROT_READ), 0);
	igt_assert_eq(t.value, 0);

	place_let_go(&p);
	igt_assert_eq(pthread_join(thread, NULL), 0);
	igt_assert_eq_u32(t.value, 11);
	munmap((void *)t.map, size);
	xetile_bo_close(fd, bo);
	place_fini(&p);
	close(fd);
}

/* The CPU waits for the jobs that use pages beyond its reach, as long as they run. */
static void test_window_busy(const struct xetile_card *card)
{
	require_window(card);
	/* In a process of its own, because the process is killed if the wait ends too soon */
	igt_fork(child, 1)
		window_busy(card);
	igt_waitchildren();
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_room_elsewhere(&card);
	}

	igt_describe("The CPU must reach HBM beyond BAR2 by way of system memory");
	igt_subtest("beyond")
		test_window(&card);
	igt_describe("Page tables must find room where the CPU reaches them");
	igt_subtest("full")
		test_window_full(&card);
	igt_describe("The CPU must wait for jobs that use HBM beyond BAR2, and hold no lock "
		     "meanwhile");
	igt_subtest("busy")
		test_window_busy(&card);

	igt_fixture
		close(card.fd);
}
