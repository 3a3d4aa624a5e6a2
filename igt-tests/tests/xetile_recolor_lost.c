// SPDX-License-Identifier: MIT
/*
 * Recolors whose copy takes long, or fails: who waits for it, what is free meanwhile, and what is
 * lost.
 *
 * suite: faults
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_lab.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Recolors whose copy takes long, or fails");

#define PAGES	32u

/* A BO that is mapped for the CPU, and in a VM for jobs */
struct scene {
	struct canvas c;
	struct place p;
	uint32_t *map;
	uint32_t done;		/* syncobj of the recolor */
};

/* The BO lies on tile 1, and moves to tile 0 by an engine that is slow from now on. */
static void scene_init(struct scene *s, const struct xetile_card *card, const char *engine)
{
	canvas_init(&s->c, card, PAGES, DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM);
	canvas_range(&s->c, 0, PAGES, DRM_XETILE_COLOR_TILE, 2);
	place_init(&s->p, card->fd);
	xetile_vm_map(s->p.fd, s->p.vm, s->c.bo, 0, DATA_ADDR, PAGES * PAGE);
	place_store(&s->p, DATA_ADDR, s->c.seed);
	s->map = xetile_bo_map(s->c.fd, s->c.bo, PAGES * PAGE);
	igt_assert_eq_u32(s->map[0], s->c.seed);
	s->done = xetile_syncobj(s->c.fd);
	lab_inject("slow engine=%s us=300000", engine);
}

static void scene_recolor(struct scene *s)
{
	struct drm_xetile_sync sync = { .handle = s->done, .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_bo_range range = range_of(0, PAGES, DRM_XETILE_COLOR_TILE, 1);

	igt_assert_eq(__xetile_recolor(s->c.fd, s->c.bo, &range, 1, &sync, 1), 0);
	canvas_note(&s->c, &range, 1);
	canvas_check(&s->c);
	igt_assert_eq(xetile_fence_status(s->c.fd, s->done), 0);
}

static void scene_fini(struct scene *s)
{
	xetile_syncobj_destroy(s->c.fd, s->done);
	munmap(s->map, PAGES * PAGE);
	place_fini(&s->p);
	canvas_fini(&s->c);
}

static uint64_t used_on(int fd, unsigned int tile)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(fd, tiles);
	return tiles[tile].hbm_used;
}

/* The old places are not given to others before the copy is done. */
static void test_places(const struct xetile_card *card, const char *engine)
{
	struct scene s;
	uint64_t used;

	xetile_wait_hbm_free(card->fd);
	scene_init(&s, card, engine);
	used = used_on(card->fd, 1);
	scene_recolor(&s);
	igt_assert_eq_u64(used_on(card->fd, 1), used);
	igt_assert_eq(xetile_fence_status(s.c.fd, s.done), 0);
	lab_heal();
	xetile_wait_done(s.c.fd, s.done);
	xetile_assert_soon(used_on(card->fd, 1) == used - PAGES * PAGE);
	check_paint(s.c.fd, s.c.bo, PAGES * PAGE, s.c.seed);
	scene_fini(&s);
}

/* A job that is submitted meanwhile waits for the copy, and finds the bytes in the new place. */
static void test_job(const struct xetile_card *card, const char *engine)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	struct scene s;

	scene_init(&s, card, engine);
	sync.handle = xetile_syncobj(card->fd);
	scene_recolor(&s);
	batch_begin(&b, &s.p.ctl, 0x2000);
	batch_atomic_inc(&b, DATA_ADDR + 9 * PAGE);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s.p.fd, s.p.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(xetile_fence_status(s.c.fd, sync.handle), 0);
	lab_heal();
	xetile_wait_done(s.c.fd, sync.handle);
	igt_assert_eq(xetile_fence_status(s.c.fd, s.done), 1);
	igt_assert_eq_u32(s.map[9 * PAGE / 4], s.c.seed + 9 + 1);
	xetile_syncobj_destroy(card->fd, sync.handle);
	scene_fini(&s);
}

/* The CPU, which has the buffer mapped, waits as well. */
static void test_cpu(const struct xetile_card *card, const char *engine)
{
	struct scene s;

	scene_init(&s, card, engine);
	scene_recolor(&s);
	for (unsigned int i = 0; i < PAGES; i++)
		igt_assert_eq_u32(((volatile uint32_t *)s.map)[i * PAGE / 4], s.c.seed + i);
	igt_assert_eq(xetile_fence_status(s.c.fd, s.done), 1);
	lab_heal();
	/* What the CPU writes is where the GPU looks. */
	s.map[0] = 41;
	place_store(&s.p, DATA_ADDR + 4, 1);
	igt_assert_eq_u32(s.map[0], 41);
	igt_assert_eq_u32(s.map[1], 1);
	scene_fini(&s);
}

/* The copy fails: the content is lost, and everybody is told. */
static void test_lost(const struct xetile_card *card, const char *engine)
{
	struct drm_xetile_bo_range range = range_of(0, PAGES, DRM_XETILE_COLOR_TILE, 2);
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	struct scene s;

	scene_init(&s, card, engine);
	sync.handle = xetile_syncobj(card->fd);
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
	scene_recolor(&s);
	batch_begin(&b, &s.p.ctl, 0x2000);
	batch_store(&b, s.p.ctl.addr + (GO + 1) * 4, 5, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s.p.fd, s.p.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(__xetile_wait(card->fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(card->fd, sync.handle), -ENODATA);
	igt_assert_eq_u32(s.p.ctl.map[GO + 1], 0);
	lab_heal();
	igt_assert_lt(xetile_fence_status(card->fd, s.done), 0);
	xetile_check_sigbus(s.map);
	igt_assert_eq(__xetile_recolor(card->fd, s.c.bo, &range, 1, NULL, 0), -ENODATA);
	canvas_check(&s.c);
	igt_assert_eq(__xetile_exec(s.p.fd, s.p.queue, batch_addr(&b), NULL, 0), -ENODATA);
	xetile_vm_unmap(s.p.fd, s.p.vm, DATA_ADDR, PAGES * PAGE);
	xetile_run(s.p.fd, s.p.queue, batch_addr(&b));
	xetile_syncobj_destroy(card->fd, sync.handle);
	scene_fini(&s);
}

#define FAILURES	24u		/* fewer than a client may have */
#define UNMAPPED	0x10000000ull

/* Recolors that move nothing, and so wait for no job, go on while a job's failure is reported. */
static void test_report(const struct xetile_card *card, const char *engine)
{
	static const struct drm_xetile_color_run runs[] = { { 0, 1 }, { 0, 2 }, { 0, 5 } };
	struct drm_xetile_bo_range range = range_of(0, 8, DRM_XETILE_COLOR_MAP, 1);
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_create args = {
		.engine_class = COPY, .target = TILE,
	};
	int fd = xetile_reopen(card->fd), go[2], status;
	uint32_t bo = strict_on(fd, 8 * PAGE, 0);
	pid_t pid;
	char end;

	range.runs = (struct drm_xetile_array)DRM_XETILE_ARRAY(runs, 3);
	args.vm_id = xetile_vm(fd);
	xetile_vm_map(fd, args.vm_id, bo, 0, DATA_ADDR, 8 * PAGE);
	sync.handle = xetile_syncobj(fd);
	igt_assert_eq(pipe2(go, O_NONBLOCK), 0);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		int err = 0;

		while (!err && read(go[0], &end, 1) != 1)
			err = __xetile_recolor(fd, bo, &range, 1, NULL, 0);
		_exit(-err);
	}
	for (unsigned int i = 0; i < FAILURES; i++) {
		igt_assert_eq(__xetile_queue_create(fd, &args), 0);
		igt_assert_eq(__xetile_exec(fd, args.queue_id, UNMAPPED, &sync, 1), 0);
		igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
		igt_assert_eq(xetile_fence_status(fd, sync.handle), -EIO);
		xetile_queue_destroy(fd, args.queue_id);
	}
	igt_assert_eq(write(go[1], "", 1), 1);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	close(go[0]);
	close(go[1]);
	close(fd);
}

igt_main
{
	static const struct {
		const char *name, *description;
		void (*run)(const struct xetile_card *card, const char *engine);
	} tests[] = {
		{ "places", "Old places must stay taken until the copy is done", test_places },
		{ "job", "A job must wait for the copy", test_job },
		{ "cpu", "The CPU must wait for the copy", test_cpu },
		{ "report", "A failure must be reported while colors change", test_report },
		{ "lost", "A copy that fails must be told, and its buffer be lost", test_lost },
	};
	struct xetile_card card = { .fd = -1 };
	char engine[32];

	igt_fixture {
		close(lab_open());
		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
		/* The engine of the tile that is written copies. */
		xetile_kernel_engine(card.fd, engine, sizeof(engine));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		igt_describe(tests[i].description);
		igt_subtest(tests[i].name)
			tests[i].run(&card, engine);
	}
	igt_fixture {
		lab_heal();
		close(card.fd);
	}
}
