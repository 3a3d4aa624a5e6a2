// SPDX-License-Identifier: MIT
/*
 * Another color for a buffer, or for ranges of it: each page lies where the colors say, keeps its
 * content, and is copied only if its tile changes.
 *
 * suite: igt 4-tiles
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Recolor of buffers and of ranges of them");

#define HBM		DRM_XETILE_PLACE_HBM
#define STRICT		DRM_XETILE_BO_STRICT

static const struct drm_xetile_color_run weights[] = { { 1, 3 }, { 0, 1 } };
static const struct drm_xetile_color_run map13[] = { { 1, 2 }, { 0, 1 }, { 1, 6 }, { 0, 4 } };

#define MAPPED_PAGES	13

/* Colors of a range of MAPPED_PAGES pages; all but the last one are colors of any range */
static const struct drm_xetile_bo_range colors[] = {
	{ .color = DRM_XETILE_COLOR_EVEN },
	{ .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1 },
	{ .color = DRM_XETILE_COLOR_TILE, .tile_mask = 2 },
	{ .color = DRM_XETILE_COLOR_FOLLOW },
	{ .color = DRM_XETILE_COLOR_CHUNK },
	{ .color = DRM_XETILE_COLOR_CHUNK, .granule = 3 * PAGE, .tile_mask = 3 },
	{ .color = DRM_XETILE_COLOR_WEIGHTED, .tile_mask = 3,
	  .runs = { (uintptr_t)weights, 2, sizeof(weights[0]) } },
	{ .color = DRM_XETILE_COLOR_MAP, .tile_mask = 3,
	  .runs = { (uintptr_t)map13, 4, sizeof(map13[0]) } },
};

static struct drm_xetile_bo_range range_at(uint64_t page, uint64_t pages, unsigned int color)
{
	struct drm_xetile_bo_range range = colors[color];

	range.offset = page * PAGE;
	range.size = pages * PAGE;
	return range;
}

static void check_paint_of(const struct canvas *c)
{
	check_paint(c->fd, c->bo, c->pages * PAGE, c->seed);
}

static void info_of(const struct canvas *c, struct drm_xetile_bo_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = c->bo;
	igt_assert_eq(xetile_ioctl(c->fd, DRM_IOCTL_XETILE_BO_INFO, info), 0);
}

/* Every color becomes every other one. */
static void test_policies(const struct xetile_card *card)
{
	struct drm_xetile_bo_info info;
	struct canvas c;

	canvas_init(&c, card, MAPPED_PAGES, STRICT, HBM);
	for (unsigned int from = 0; from < ARRAY_SIZE(colors); from++) {
		for (unsigned int to = 0; to < ARRAY_SIZE(colors); to++) {
			struct drm_xetile_bo_range range = range_at(0, c.pages, from);

			canvas_recolor(&c, &range, 1);
			range = range_at(0, c.pages, to);
			canvas_recolor(&c, &range, 1);
			info_of(&c, &info);
			igt_assert_eq_u32(info.color, range.color);
			igt_assert_eq_u64(info.granule, range.granule ?:
					  range.color == DRM_XETILE_COLOR_CHUNK ? PAGE : 0);
		}
	}
	check_paint_of(&c);
	canvas_fini(&c);
}

/*
 * Reads each page's first words with a copy engine, from @addr of the VM on, and compares them
 * with what is painted.
 */
static void check_by_gpu(const struct canvas *c, struct ctx *x, uint32_t queue, uint64_t addr)
{
	const unsigned int each = 512;

	for (uint64_t page = 0; page < c->pages; page += each) {
		unsigned int n = c->pages - page < each ? c->pages - page : each;
		struct xetile_batch b;

		batch_begin(&b, &x->batch, 0);
		for (unsigned int i = 0; i < n; i++)
			batch_mem_copy(&b, x->gate.addr + i * 4, addr + (page + i) * PAGE, 4);
		batch_end(&b);
		memset(x->gate.map, 0, n * 4);
		xetile_run(x->fd, queue, batch_addr(&b));
		for (unsigned int i = 0; i < n; i++)
			igt_assert_eq_u32(x->gate.map[i], c->seed + page + i);
	}
}

static unsigned int next_random(uint32_t *state, unsigned int below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

/* Ranges of any color, several in a call and in any order, over and over again */
static void test_ranges(const struct xetile_card *card)
{
	struct drm_xetile_bo_range ranges[6];
	struct canvas c;
	struct ctx x;
	uint32_t state = 1, queue;

	canvas_init(&c, card, 70, STRICT, HBM);
	ctx_init(&x, c.fd);
	queue = xetile_copy_queue(c.fd, x.vm);
	xetile_vm_map(c.fd, x.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	for (unsigned int round = 0; round < 60; round++) {
		unsigned int num = 0;

		for (uint64_t at = next_random(&state, 9); at < c.pages && num < ARRAY_SIZE(ranges);) {
			uint64_t n = 1 + next_random(&state, 20);

			n = n < c.pages - at ? n : c.pages - at;
			ranges[num++] = range_at(at, n, next_random(&state, ARRAY_SIZE(colors) - 1));
			at += n + next_random(&state, 12);
		}
		for (unsigned int i = 0; i < num / 2; i++) {
			struct drm_xetile_bo_range last = ranges[num - 1 - i];

			ranges[num - 1 - i] = ranges[i];
			ranges[i] = last;
		}
		canvas_recolor(&c, ranges, num);
		if (round % 8 == 0)
			check_by_gpu(&c, &x, queue, DATA_ADDR);
	}
	check_paint_of(&c);
	xetile_queue_destroy(c.fd, queue);
	ctx_fini(&x);
	canvas_fini(&c);
}

#define PARTS	1000
#define PART	6	/* pages */

/* A thousand parts with colors of their own, and more runs than any array has elements */
static void test_pool(const struct xetile_card *card)
{
	struct drm_xetile_bo_range *ranges = calloc(PARTS, sizeof(*ranges));
	uint32_t state = 5, num, queue;
	struct drm_xetile_bo_info info;
	struct canvas c;
	struct ctx x;

	igt_assert(ranges);
	canvas_init(&c, card, PARTS * PART, STRICT, HBM);
	ctx_init(&x, c.fd);
	queue = xetile_copy_queue(c.fd, x.vm);
	xetile_vm_map(c.fd, x.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	for (unsigned int i = 0; i < PARTS; i++)
		ranges[i] = range_at(i * PART, PART, 4);
	canvas_recolor(&c, ranges, PARTS);
	num = xetile_bo_runs(c.fd, c.bo, NULL, 0);
	igt_assert_lt(DRM_XETILE_MAX_ARRAY, (int)num);
	info_of(&c, &info);
	igt_assert_eq_u32(info.color, DRM_XETILE_COLOR_MAP);
	check_by_gpu(&c, &x, queue, DATA_ADDR);
	/* Part by part */
	for (unsigned int i = 0; i < 40; i++) {
		ranges[0] = range_at(next_random(&state, PARTS) * PART, PART,
				     next_random(&state, ARRAY_SIZE(colors) - 1));
		canvas_recolor(&c, ranges, 1);
	}
	for (unsigned int i = 0; i < PARTS; i++)
		ranges[i] = range_at(i * PART, PART, next_random(&state, ARRAY_SIZE(colors) - 1));
	canvas_recolor(&c, ranges, PARTS);
	check_by_gpu(&c, &x, queue, DATA_ADDR);
	check_paint_of(&c);
	xetile_queue_destroy(c.fd, queue);
	ctx_fini(&x);
	canvas_fini(&c);
	free(ranges);
}

/*
 * A buffer whose memory comes and goes in parts gives all of it back: what has moved at once, and
 * the rest with its handle.
 */
static void test_freed(const struct xetile_card *card)
{
	uint64_t used, pages = 512;
	struct canvas c;

	xetile_wait_hbm_free(card->fd);
	used = xetile_hbm_used(card->fd);
	canvas_init(&c, card, pages, STRICT, HBM);
	for (unsigned int i = 0; i < 8; i++) {
		canvas_range(&c, 0, pages, DRM_XETILE_COLOR_CHUNK, 0);
		canvas_range(&c, 37 * i, 99 + i, DRM_XETILE_COLOR_TILE, 1 + i % 2);
		canvas_range(&c, 0, pages, DRM_XETILE_COLOR_TILE, 1 + i % 2);
		igt_assert(xetile_hbm_comes_back(c.fd, used + pages * PAGE));
	}
	canvas_range(&c, 3, 7, DRM_XETILE_COLOR_TILE, 1);
	canvas_fini(&c);
	igt_assert(xetile_hbm_comes_back(card->fd, used));
}

/* A recolor in a process of its own. Returns its pid; the exit status is the errno. */
static pid_t recolor_beside(const struct canvas *c, const struct drm_xetile_bo_range *range,
			    const struct drm_xetile_sync *syncs, uint32_t num)
{
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid)
		_exit(-__xetile_recolor(c->fd, c->bo, range, 1, syncs, num));
	return pid;
}

/* Asserts that the process ends with an errno. */
static void expect_end(pid_t pid, int err)
{
	int status;

	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status));
	igt_assert_eq(WEXITSTATUS(status), err);
}

/* What changes no page's tile moves nothing, and waits for no job. */
static void test_nothing(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range;
	struct drm_xetile_bo_info info;
	struct canvas c;
	struct place p;
	uint64_t passes;

	canvas_init(&c, card, 24, STRICT, HBM);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	place_store(&p, DATA_ADDR, c.seed);
	place_hold(&p);
	passes = xetile_copy_passes(c.fd);
	canvas_range(&c, 0, c.pages, DRM_XETILE_COLOR_EVEN, 0);
	/* A part that has the tile already leaves the policy as it is. */
	range = range_of(0, 5, DRM_XETILE_COLOR_TILE, 1);
	canvas_recolor(&c, &range, 1);
	info_of(&c, &info);
	igt_assert_eq_u32(info.color, DRM_XETILE_COLOR_EVEN);
	/* The same pages by another policy for all: the policy changes. */
	range = range_of(0, c.pages, DRM_XETILE_COLOR_FOLLOW, 0);
	canvas_recolor(&c, &range, 1);
	info_of(&c, &info);
	igt_assert_eq_u32(info.color, DRM_XETILE_COLOR_FOLLOW);
	igt_assert_eq_u64(xetile_copy_passes(c.fd), passes);
	place_let_go(&p);
	place_fini(&p);
	canvas_fini(&c);
}

/* Another buffer gets another color, and a job on another tile begins and ends in two VMs. */
static void others_go_on(const struct xetile_card *card, struct place *own, struct place *other)
{
	struct place *places[] = { own, other };
	struct canvas c;

	canvas_init(&c, card, 8, STRICT, HBM);
	canvas_range(&c, 0, 8, DRM_XETILE_COLOR_CHUNK, 0);
	canvas_fini(&c);
	for (unsigned int i = 0; i < ARRAY_SIZE(places); i++) {
		struct place *p = places[i];
		uint32_t queue = xetile_queue(p->fd, p->vm, COMPUTE, TILE, 1, 0);
		struct xetile_batch b;

		batch_begin(&b, &p->ctl, 0x2000);
		batch_store(&b, p->ctl.addr + GO * 4 + 64, 1 + i, false);
		batch_end(&b);
		xetile_run(p->fd, queue, batch_addr(&b));
		igt_assert_eq_u32(p->ctl.map[GO + 16], 1 + i);
		xetile_queue_destroy(p->fd, queue);
	}
}

/* A recolor waits for the jobs that use the buffer, and not for others'. */
static void test_busy(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(0, 16, DRM_XETILE_COLOR_TILE, 2);
	struct place own, other;
	struct canvas c;
	uint32_t *map;
	pid_t pid;

	canvas_init(&c, card, 16, STRICT, HBM);
	place_init(&own, card->fd);
	place_init(&other, card->fd);
	xetile_vm_map(own.fd, own.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	map = xetile_bo_map(c.fd, c.bo, c.pages * PAGE);
	place_hold(&other);
	canvas_range(&c, 4, 8, DRM_XETILE_COLOR_CHUNK, 0);
	igt_assert(!xetile_is_done(other.fd, other.held));
	place_hold(&own);
	pid = recolor_beside(&c, &range, NULL, 0);
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_recolor"));
	others_go_on(card, &own, &other);
	igt_assert(!xetile_is_done(own.fd, own.held));
	/* Nothing has moved as long as the job runs. */
	canvas_check(&c);
	igt_assert_eq_u32(map[5 * PAGE / 4], c.seed + 5);
	place_let_go(&own);
	expect_end(pid, 0);
	canvas_note(&c, &range, 1);
	canvas_check(&c);
	/* The GPU and the CPU have the same addresses as before. */
	place_store(&own, DATA_ADDR + 5 * PAGE, 0x1234);
	igt_assert_eq_u32(map[5 * PAGE / 4], 0x1234);
	place_store(&own, DATA_ADDR + 5 * PAGE, c.seed + 5);
	igt_assert(!xetile_is_done(other.fd, other.held));
	place_let_go(&other);
	check_paint_of(&c);
	munmap(map, c.pages * PAGE);
	place_fini(&other);
	place_fini(&own);
	canvas_fini(&c);
}

#define STREAM_JOBS	300
#define STREAM_WORDS	8

/* Jobs that follow each other without a pause: each adds one to words all over the buffer. */
static void stream(struct place *p, uint64_t pages)
{
	struct drm_xetile_sync sync[2] = { { .flags = DRM_XETILE_SYNC_SIGNAL },
					   { .flags = DRM_XETILE_SYNC_SIGNAL } };
	struct xetile_batch b;

	batch_begin(&b, &p->ctl, 0);
	for (unsigned int i = 0; i < STREAM_WORDS; i++)
		batch_atomic_inc(&b, DATA_ADDR + i * (pages / STREAM_WORDS) * PAGE + 64);
	batch_end(&b);
	for (unsigned int i = 0; i < 2; i++)
		sync[i].handle = xetile_syncobj(p->fd);
	for (unsigned int i = 0; i < STREAM_JOBS; i++) {
		if (i > 1)
			xetile_wait_done(p->fd, sync[i % 2].handle);
		igt_assert_eq(__xetile_exec(p->fd, p->queue, batch_addr(&b), &sync[i % 2], 1), 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		xetile_wait_done(p->fd, sync[i].handle);
}

/* Each job sees the buffer in its old place or in its new one, and no job is lost. */
static void test_stream(const struct xetile_card *card)
{
	unsigned int times = 0;
	struct canvas c;
	struct place p;
	uint32_t *map;
	int status;
	pid_t pid;

	canvas_init(&c, card, 64, STRICT, HBM);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		stream(&p, c.pages);
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		struct drm_xetile_bo_range range = range_at(0, c.pages, times++ % 6);

		igt_assert_eq(__xetile_recolor(c.fd, c.bo, &range, 1, NULL, 0), 0);
		canvas_note(&c, &range, 1);
		canvas_check(&c);
	}
	igt_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	igt_assert_lt(2, (int)times);
	map = xetile_bo_map(c.fd, c.bo, c.pages * PAGE);
	for (unsigned int i = 0; i < STREAM_WORDS; i++)
		igt_assert_eq_u32(map[(i * (c.pages / STREAM_WORDS) * PAGE + 64) / 4], STREAM_JOBS);
	munmap(map, c.pages * PAGE);
	check_paint_of(&c);
	place_fini(&p);
	canvas_fini(&c);
}

/* A buffer that is private to a VM */
static void test_private(const struct xetile_card *card)
{
	struct drm_xetile_bo_range ranges[] = {
		range_of(3, 4, DRM_XETILE_COLOR_TILE, 2), range_of(9, 2, DRM_XETILE_COLOR_EVEN, 3),
	};
	struct drm_xetile_bo_create args = {
		.size = 16 * PAGE, .placement = HBM, .color = DRM_XETILE_COLOR_TILE,
		.tile_mask = 1, .flags = STRICT,
	};
	struct drm_xetile_color_run runs[8];
	uint32_t bo[2];
	struct place p;

	place_init(&p, card->fd);
	args.vm_id = p.vm;
	for (int i = 0; i < 2; i++) {
		igt_assert_eq(__xetile_bo_create(p.fd, &args), 0);
		bo[i] = args.handle;
		xetile_vm_map(p.fd, p.vm, bo[i], 0, DATA_ADDR + i * SZ_2M, args.size);
		paint(p.fd, bo[i], args.size, i << 20);
	}
	place_store(&p, DATA_ADDR, 1);
	xetile_recolor(p.fd, bo[0], ranges, 2);
	igt_assert_eq_u32(xetile_bo_runs(p.fd, bo[0], runs, 8), 5);
	igt_assert_eq_u32(runs[1].pages, 4);
	igt_assert_eq_u32(runs[3].pages, 1);
	igt_assert_eq_u64(pages_on(p.fd, bo[1], 0), 16);
	place_store(&p, DATA_ADDR + 4 * PAGE, 4);
	for (int i = 0; i < 2; i++) {
		check_paint(p.fd, bo[i], args.size, i << 20);
		xetile_bo_close(p.fd, bo[i]);
	}
	place_fini(&p);
}

/* The call waits for fences first, and signals others when the bytes are in place. */
static void test_syncs(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(2, 12, DRM_XETILE_COLOR_TILE, 2);
	struct drm_xetile_sync syncs[3] = {
		{ }, { .flags = DRM_XETILE_SYNC_SIGNAL },
		{ .flags = DRM_XETILE_SYNC_SIGNAL | DRM_XETILE_SYNC_TIMELINE, .point = 3 },
	};
	struct drm_xetile_sync point = { .flags = DRM_XETILE_SYNC_TIMELINE, .point = 3 };
	struct canvas c;
	struct place p;
	pid_t pid;

	canvas_init(&c, card, 16, STRICT, HBM);
	place_init(&p, card->fd);
	for (unsigned int i = 1; i < 3; i++)
		syncs[i].handle = xetile_syncobj(c.fd);
	/* The buffer is not mapped: it is not the job that is waited for, but its fence. */
	place_hold(&p);
	syncs[0].handle = p.held;
	pid = recolor_beside(&c, &range, syncs, 3);
	xetile_assert_soon(xetile_waits_for_fence(pid));
	canvas_check(&c);
	place_let_go(&p);
	expect_end(pid, 0);
	canvas_note(&c, &range, 1);
	canvas_check(&c);
	xetile_wait_done(c.fd, syncs[1].handle);
	/* A recolor that waits for the other one's point; it moves nothing, and signals, too. */
	point.handle = syncs[2].handle;
	syncs[0] = point;
	xetile_syncobj_destroy(c.fd, syncs[1].handle);
	syncs[1].handle = xetile_syncobj(c.fd);
	igt_assert_eq(__xetile_recolor(c.fd, c.bo, &range, 1, syncs, 2), 0);
	xetile_wait_done(c.fd, syncs[1].handle);
	for (unsigned int i = 1; i < 3; i++)
		xetile_syncobj_destroy(c.fd, syncs[i].handle);
	check_paint_of(&c);
	place_fini(&p);
	canvas_fini(&c);
}

static void ignore(int sig)
{
}

/* A signal ends the wait for a busy buffer, whether it kills or not, and nothing has changed. */
static void test_signal(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(0, 16, DRM_XETILE_COLOR_TILE, 2);
	struct drm_xetile_bo_recolor args = { .ranges = DRM_XETILE_ARRAY(&range, 1) };
	struct sigaction act = { .sa_handler = ignore };
	struct canvas c;
	struct place p;
	int status;
	pid_t pid;

	canvas_init(&c, card, 16, STRICT, HBM);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	place_hold(&p);
	pid = recolor_beside(&c, &range, NULL, 0);
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_recolor"));
	kill(pid, SIGKILL);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFSIGNALED(status));

	args.handle = c.bo;
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		sigaction(SIGUSR1, &act, NULL);
		_exit(ioctl(c.fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args) ? errno : 0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_recolor"));
	kill(pid, SIGUSR1);
	expect_end(pid, EINTR);
	canvas_check(&c);
	place_let_go(&p);
	canvas_recolor(&c, &range, 1);
	check_paint_of(&c);
	place_fini(&p);
	canvas_fini(&c);
}

struct bad_call {
	const char *what;
	struct drm_xetile_bo_range ranges[2];
	int err;
};

#define TILE_0	.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1

static const struct drm_xetile_color_run two[] = { { 0, 1 }, { 1, 1 } };

static const struct bad_call bad_calls[] = {
	{ "an offset within a page", { { .offset = 4096, .size = PAGE, TILE_0 } }, -EINVAL },
	{ "a size within a page", { { .size = PAGE + 4096, TILE_0 } }, -EINVAL },
	{ "no size, but an offset", { { .offset = PAGE, TILE_0 } }, -EINVAL },
	{ "behind the end", { { .offset = 16 * PAGE, .size = PAGE, TILE_0 } }, -EINVAL },
	{ "over the end", { { .offset = 15 * PAGE, .size = 2 * PAGE, TILE_0 } }, -EINVAL },
	{ "that wraps", { { .offset = PAGE, .size = 0 - (uint64_t)PAGE, TILE_0 } }, -EINVAL },
	{ "that overlap", { { .size = 3 * PAGE, TILE_0 }, { .offset = 2 * PAGE, .size = PAGE,
	  TILE_0 } }, -EINVAL },
	{ "unknown color", { { .size = PAGE, .color = 99 } }, -EINVAL },
	{ "replicate", { { .size = PAGE, .color = DRM_XETILE_COLOR_REPLICATE } }, -EOPNOTSUPP },
	{ "missing tile", { { .size = PAGE, .tile_mask = 1u << 5 } }, -EINVAL },
	{ "two tiles for one", { { .size = PAGE, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 3 } },
	  -EINVAL },
	{ "granule without chunks", { { .size = PAGE, .granule = PAGE, TILE_0 } }, -EINVAL },
	{ "odd granule", { { .size = PAGE, .granule = 4096, .color = DRM_XETILE_COLOR_CHUNK } },
	  -EINVAL },
	{ "map without runs", { { .size = PAGE, .color = DRM_XETILE_COLOR_MAP } }, -EINVAL },
	{ "map of another size", { { .size = 3 * PAGE, .color = DRM_XETILE_COLOR_MAP,
	  .runs = { (uintptr_t)two, 2, 8 } } }, -EINVAL },
	{ "map that cannot be read", { { .size = 2 * PAGE, .color = DRM_XETILE_COLOR_MAP,
	  .runs = { BAD_POINTER, 2, 8 } } }, -EFAULT },
	{ "the second is wrong", { { .size = PAGE, TILE_0 }, { .offset = PAGE, .size = PAGE,
	  .color = 99 } }, -EINVAL },
};

/* Calls that are wrong change nothing. */
static void test_invalid(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(0, 1, DRM_XETILE_COLOR_TILE, 2);
	struct drm_xetile_bo_recolor args = { .ranges = DRM_XETILE_ARRAY(&range, 1) };
	struct drm_xetile_sync sync = { .handle = BAD_ID };
	uint32_t system = xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_SYSTEM);
	struct canvas c;

	canvas_init(&c, card, 16, STRICT, HBM);
	for (const struct bad_call *b = bad_calls; b < bad_calls + ARRAY_SIZE(bad_calls); b++) {
		unsigned int num = b->ranges[1].size || b->ranges[1].offset ? 2 : 1;
		int ret = __xetile_recolor(c.fd, c.bo, b->ranges, num, NULL, 0);

		igt_assert_f(ret == b->err, "%s: %d\n", b->what, ret);
	}
	igt_assert_eq(__xetile_recolor(c.fd, c.bo, NULL, 0, NULL, 0), -EINVAL);
	igt_assert_eq(__xetile_recolor(c.fd, BAD_ID, &range, 1, NULL, 0), -ENOENT);
	igt_assert_eq(__xetile_recolor(c.fd, system, &range, 1, NULL, 0), -EINVAL);
	igt_assert_eq(__xetile_recolor(c.fd, c.bo, &range, 1, &sync, 1), -ENOENT);
	args.handle = c.bo;
	args.flags = 1;
	igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args), -EINVAL);
	args.flags = 0;
	args.ranges.count = DRM_XETILE_MAX_ARRAY + 1;
	igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args), -EINVAL);
	args.ranges = (struct drm_xetile_array) { BAD_POINTER, 1, sizeof(range) };
	igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args), -EFAULT);
	canvas_check(&c);
	check_paint_of(&c);
	xetile_bo_close(c.fd, system);
	canvas_fini(&c);
}

igt_main
{
	static const struct {
		const char *name, *description;
		void (*run)(const struct xetile_card *card);
	} tests[] = {
		{ "policies", "Each color must become each other one, with a copy of what changes",
		  test_policies },
		{ "ranges", "Ranges of any color must lie over each other as told", test_ranges },
		{ "pool", "A thousand ranges of a buffer must have colors of their own", test_pool },
		{ "freed", "Memory that was left must be free again, and no other", test_freed },
		{ "nothing", "What changes nothing must move nothing and wait for nothing",
		  test_nothing },
		{ "busy", "A buffer in use must be waited for, and others must go on", test_busy },
		{ "stream", "Jobs must see the old place or the new one, and none be lost",
		  test_stream },
		{ "private", "A private buffer must be recolored alone", test_private },
		{ "syncs", "Fences must be waited for, and be signalled", test_syncs },
		{ "signal", "A signal must end the wait", test_signal },
		{ "invalid", "Wrong calls must be refused", test_invalid },
	};
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
		igt_assert(card.device.caps & DRM_XETILE_CAP_RECOLOR);
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
