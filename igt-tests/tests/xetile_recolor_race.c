// SPDX-License-Identifier: MIT
/*
 * Recolors beside each other, beside evictions, beside jobs without a pause and beside the end of
 * the buffer's handle.
 *
 * suite: once
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Recolors beside others");

#define HBM		DRM_XETILE_PLACE_HBM
#define STRICT		DRM_XETILE_BO_STRICT
#define ROUNDS		40u

static unsigned int next_random(uint32_t *state, unsigned int below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

/* Recolors ranges anywhere, without a wait for the copies. Returns the first error, or 0. */
static int recolor_often(const struct canvas *c, uint32_t seed, unsigned int rounds)
{
	static const uint32_t colors[] = {
		DRM_XETILE_COLOR_EVEN, DRM_XETILE_COLOR_CHUNK, DRM_XETILE_COLOR_FOLLOW,
		DRM_XETILE_COLOR_TILE,
	};

	for (unsigned int i = 0; i < rounds; i++) {
		uint64_t at = next_random(&seed, c->pages);
		uint64_t n = 1 + next_random(&seed, c->pages - at);
		uint32_t color = colors[next_random(&seed, ARRAY_SIZE(colors))];
		struct drm_xetile_bo_range range = range_of(at, n, color,
			color == DRM_XETILE_COLOR_TILE ? 1 + next_random(&seed, 2) : 0);
		int err = __xetile_recolor(c->fd, c->bo, &range, 1, NULL, 0);

		if (err)
			return err;
	}
	return 0;
}

/* recolor_often() in a process of its own; the exit status is the errno */
static pid_t recolor_beside(const struct canvas *c, uint32_t seed, unsigned int rounds)
{
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid)
		_exit(-recolor_often(c, seed, rounds));
	return pid;
}

static bool has_ended(pid_t pid, int err)
{
	int status;
	pid_t ended = waitpid(pid, &status, WNOHANG);

	igt_assert_lte(0, ended);
	if (!ended)
		return false;
	igt_assert(WIFEXITED(status));
	igt_assert_eq(WEXITSTATUS(status), err);
	return true;
}

/* The runs of a BO cover it, whoever recolors it meanwhile. */
static void check_covered(const struct canvas *c)
{
	struct drm_xetile_color_run *runs = calloc(c->pages, sizeof(*runs));
	uint32_t num = xetile_bo_runs(c->fd, c->bo, runs, c->pages);
	uint64_t pages = 0;

	igt_assert(runs);
	igt_assert_lte_u64(num, c->pages);
	for (uint32_t i = 0; i < num; i++) {
		igt_assert(runs[i].tile < c->card->device.num_tiles ||
			   runs[i].tile == DRM_XETILE_MEM_SYSTEM);
		pages += runs[i].pages;
	}
	igt_assert_eq_u64(pages, c->pages);
	free(runs);
}

/* The colors are one process's from here on, and the content is what it was. */
static void check_end(struct canvas *c)
{
	check_paint(c->fd, c->bo, c->pages * PAGE, c->seed);
	canvas_range(c, 0, c->pages, DRM_XETILE_COLOR_CHUNK, 3);
	check_paint(c->fd, c->bo, c->pages * PAGE, c->seed);
}

/* Notes where the pages lie now. */
static void note_now(struct canvas *c)
{
	struct drm_xetile_color_run *runs = calloc(c->pages, sizeof(*runs));
	uint32_t num = xetile_bo_runs(c->fd, c->bo, runs, c->pages);
	uint64_t page = 0;

	igt_assert(runs);
	for (uint32_t i = 0; i < num; i++)
		for (uint32_t n = 0; n < runs[i].pages; n++)
			c->tile[page++] = runs[i].tile;
	free(runs);
}

/* Two processes recolor ranges that overlap, while jobs use the buffer. */
static void test_two(const struct xetile_card *card)
{
	bool ended[2] = { false };
	struct canvas c;
	struct place p;
	pid_t pid[2];

	canvas_init(&c, card, 48, STRICT, HBM);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	for (unsigned int i = 0; i < 2; i++)
		pid[i] = recolor_beside(&c, i + 1, ROUNDS);
	for (unsigned int n = 0; !ended[0] || !ended[1]; n++) {
		uint64_t page = n % c.pages;

		place_store(&p, DATA_ADDR + page * PAGE, c.seed + page);
		check_covered(&c);
		for (unsigned int i = 0; i < 2; i++)
			ended[i] = ended[i] || has_ended(pid[i], 0);
	}
	/* The copies of the last recolors have ended when a job that waits for them has. */
	place_store(&p, DATA_ADDR, c.seed);
	note_now(&c);
	check_end(&c);
	place_fini(&p);
	canvas_fini(&c);
}

/* Buffers that need the whole tile evict the one that is recolored. */
static void test_evict(const struct xetile_card *card)
{
	unsigned int times = 0;
	struct canvas c;
	struct place p;
	pid_t pid;

	require_room_elsewhere(card);
	canvas_init(&c, card, part_of_tile(card, 4) / PAGE, 0, HBM | DRM_XETILE_PLACE_SYSTEM);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	pid = recolor_beside(&c, 7, ROUNDS);
	while (!has_ended(pid, 0)) {
		uint32_t bo = strict_on(c.fd, part_of_tile(card, 97), times % 2);

		check_covered(&c);
		xetile_bo_close(c.fd, bo);
		times++;
		place_store(&p, DATA_ADDR, c.seed);
	}
	igt_info("%u buffers of a tile's size\n", times);
	/* The last buffer may still be cleared, on either tile, which the card counts, too. */
	xetile_assert_soon(xetile_hbm_used(c.fd) < part_of_tile(card, 25));
	place_store(&p, DATA_ADDR, c.seed);
	note_now(&c);
	check_end(&c);
	place_fini(&p);
	canvas_fini(&c);
}

#define STOP	(GO + 64)	/* dword of ctl that ends a chain */
#define BEGUN	(STOP + 64)	/* dword of ctl that tells that it has begun */

/* Two VMs whose batches use a BO by turns: each begins before the other one's has ended. */
struct chain {
	struct canvas c;
	struct place p[2];
	pid_t pid;
};

static void chain_run(struct place p[2])
{
	volatile uint32_t *stop = p[0].ctl.map + STOP;
	unsigned int i;

	place_hold(&p[0]);
	p[0].ctl.map[BEGUN] = 1;
	for (i = 0; !*stop; i++) {
		place_hold(&p[!(i % 2)]);
		place_let_go(&p[i % 2]);
	}
	place_let_go(&p[i % 2]);
}

static void chain_begin(struct chain *s, const struct xetile_card *card)
{
	canvas_init(&s->c, card, 16, STRICT, HBM);
	for (unsigned int i = 0; i < 2; i++) {
		place_init(&s->p[i], card->fd);
		xetile_vm_map(s->c.fd, s->p[i].vm, s->c.bo, 0, DATA_ADDR, s->c.pages * PAGE);
	}
	s->pid = fork();
	igt_assert_lte(0, s->pid);
	if (!s->pid) {
		chain_run(s->p);
		_exit(0);
	}
	/* Who finds the BO idle does not wait for the chain. */
	xetile_assert_soon(s->p[0].ctl.map[BEGUN]);
}

/* Nothing keeps the BO in use any more. */
static void chain_stop(struct chain *s)
{
	s->p[0].ctl.map[STOP] = 1;
	for (unsigned int i = 0; i < 2; i++)
		s->p[i].ctl.map[GO] = 1;
}

static void chain_fini(struct chain *s)
{
	int status;

	igt_assert_eq(waitpid(s->pid, &status, 0), s->pid);
	igt_assert(WIFEXITED(status));
	igt_assert_eq(WEXITSTATUS(status), 0);
	for (unsigned int i = 0; i < 2; i++)
		place_fini(&s->p[i]);
	canvas_fini(&s->c);
}

/*
 * Buffers that are never idle are kept from new batches, so that they become idle. A call that waits
 * for one of them does not hold up the call that wants the other.
 */
static void test_always(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(0, 16, DRM_XETILE_COLOR_TILE, 2);
	struct chain s[2];
	pid_t pid[2];

	for (unsigned int i = 0; i < 2; i++)
		chain_begin(&s[i], card);
	for (unsigned int i = 0; i < 2; i++) {
		pid[i] = fork();
		igt_assert_lte(0, pid[i]);
		if (!pid[i])
			_exit(-__xetile_recolor(s[i].c.fd, s[i].c.bo, &range, 1, NULL, 0));
	}
	/* Both batches that come next are kept waiting at once. */
	xetile_assert_soon(xetile_sleeps_in(s[0].pid, "xetile_room_again") &&
			   xetile_sleeps_in(s[1].pid, "xetile_room_again"));
	for (unsigned int i = 0; i < 2; i++)
		chain_stop(&s[i]);
	for (unsigned int i = 0; i < 2; i++) {
		xetile_assert_soon(has_ended(pid[i], 0));
		canvas_note(&s[i].c, &range, 1);
		canvas_check(&s[i].c);
		check_paint(s[i].c.fd, s[i].c.bo, s[i].c.pages * PAGE, s[i].c.seed);
		chain_fini(&s[i]);
	}
}

/* The handle is closed while a recolor goes on: all memory is free in the end. */
static void test_close(const struct xetile_card *card)
{
	uint64_t used;

	xetile_wait_hbm_free(card->fd);
	used = xetile_hbm_used(card->fd);
	for (unsigned int i = 0; i < 10; i++) {
		struct canvas c;
		pid_t pid;
		int status;

		canvas_init(&c, card, 200, STRICT, HBM);
		/* The child shares the file, and so the handle. */
		pid = recolor_beside(&c, i, UINT32_MAX);
		if (i % 2)
			igt_assert_eq(recolor_often(&c, i + 100, 3), 0);
		canvas_fini(&c);
		igt_assert_eq(waitpid(pid, &status, 0), pid);
		igt_assert(WIFEXITED(status));
		igt_assert_eq(WEXITSTATUS(status), ENOENT);
	}
	igt_assert(xetile_hbm_comes_back(card->fd, used));
}

igt_main
{
	static const struct {
		const char *name, *description;
		void (*run)(const struct xetile_card *card);
	} tests[] = {
		{ "two", "Two recolors of a buffer must both be made", test_two },
		{ "evict", "A buffer that is evicted must keep its content", test_evict },
		{ "always", "A buffer that is always in use must be recolored, others meanwhile",
		  test_always },
		{ "close", "A buffer without a handle must be freed", test_close },
	};
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
		lab_require_card();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		igt_describe(tests[i].description);
		igt_subtest(tests[i].name)
			tests[i].run(&card);
	}
	igt_fixture
		close(card.fd);
}
