// SPDX-License-Identifier: MIT
/*
 * Copies of memory that jobs only read, whose making takes long, or fails: jobs that run already do
 * not see them too early; the job that would have used one is told, and nothing is lost.
 *
 * suite: faults
 */
#include <errno.h>
#include <unistd.h>

#include "xetile_lab.h"
#include "xetile_managed.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Copies of memory that jobs only read, which take long, or fail");

static void advise(const struct managed *m)
{
	const struct drm_xetile_bo_advice one = {
		.size = RANGE, .advice = DRM_XETILE_ADVICE_READ_MOSTLY,
	};
	struct drm_xetile_bo_advise args = {
		.handle = m->bo, .ranges = DRM_XETILE_ARRAY(&one, 1),
	};

	igt_assert_eq(xetile_ioctl(m->p.fd, DRM_IOCTL_XETILE_BO_ADVISE, &args), 0);
}

/* A copy is mapped for a job that runs already only when it is filled. */
static void test_running(const struct xetile_card *card, const char *engine)
{
	struct drm_xetile_bind bind = {
		.addr = ADDR, .range = RANGE, .tile_mask = 1u << (card->device.num_tiles - 1),
	};
	struct xetile_batch b;
	struct managed m;
	uint64_t before;

	managed_init_last(&m, card, RANGE);
	managed_fill(&m, 0, 1);
	bind.handle = m.bo;
	xetile_vm_unmap(m.p.fd, m.p.vm, ADDR, RANGE);
	igt_assert_eq(__xetile_vm_bind(m.p.fd, m.p.vm, &bind, 1, NULL, 0), 0);
	advise(&m);
	managed_run(&m);
	place_hold(&m.p);
	bind.tile_mask = 1;
	igt_assert_eq(__xetile_vm_bind(m.p.fd, m.p.vm, &bind, 1, NULL, 0), 0);
	lab_inject("slow engine=%s us=300000", engine);
	before = xetile_bytes_copied();
	batch_begin(&b, &m.p.ctl, 0x2000);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(m.p.fd, m.p.queue, batch_addr(&b), NULL, 0), 0);
	igt_assert_eq_u64(xetile_bytes_copied() - before, RANGE);
	lab_heal();
	place_let_go(&m.p);
	managed_fini(&m);
}

static void test_failed(const struct xetile_card *card, const char *engine)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	struct managed m;

	managed_init_last(&m, card, 2 * RANGE);
	managed_fill(&m, 0, 1);
	managed_run(&m);
	advise(&m);
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
	sync.handle = xetile_syncobj(card->fd);
	batch_begin(&b, &m.p.ctl, 0x2000);
	batch_store(&b, m.p.ctl.addr + (GO + 2) * 4, 5, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(m.p.fd, m.p.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(__xetile_wait(card->fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(card->fd, sync.handle), -ENODATA);
	igt_assert_eq_u32(m.p.ctl.map[GO + 2], 0);
	lab_heal();

	/* An engine of tile 0, which has no copy now, or another one */
	managed_copy(&m, 0, 1);
	for (uint64_t i = 0; i < WORDS; i++)
		igt_assert_eq_u32(m.map[WORDS + i], managed_word(i, 1));
	managed_check_filled(&m, 0, 1);
	xetile_syncobj_destroy(card->fd, sync.handle);
	managed_fini(&m);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };
	char engine[32];

	igt_fixture {
		close(lab_open());
		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
		/* The engine of the tile that is written copies. */
		xetile_kernel_engine(card.fd, engine, sizeof(engine));
	}
	igt_describe("A job that runs already must not see a copy before it is filled");
	igt_subtest("running")
		test_running(&card, engine);
	igt_describe("A copy that fails must be told, and no content be lost");
	igt_subtest("failed")
		test_failed(&card, engine);
	igt_fixture {
		lab_heal();
		close(card.fd);
	}
}
