// SPDX-License-Identifier: MIT
/*
 * Work without an end that uses the buffer of another card. Requirement: while that card moves the
 * buffer, and takes its time, the work waits, but not who changes its address space (M3).
 *
 * suite: share
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_lab.h"
#include "xetile_recolor.h"
#include "xetile_side.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"

IGT_TEST_DESCRIPTION("Work without an end that uses another card's buffer");

/* How long each command of the copy takes, and what a bind may take meanwhile */
#define COMMAND_MS	1000u
#define BIND_MS		5000u

/* An address space for work without an end, with a batch that waits for word 0 of @ctl */
struct endless {
	int fd;
	uint32_t vm, queue;
	struct xetile_buf ctl;
};

static void endless_init(struct endless *e, int fd, int file)
{
	struct xetile_batch b;
	uint32_t bo = 0;

	/* The buffer lies in HBM alone. */
	igt_require_f(!drmPrimeFDToHandle(fd, file, &bo) || errno != EOPNOTSUPP,
		      "cards do not use each other's HBM with this kernel\n");
	*e = (struct endless) { .fd = fd, .vm = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_LR_MODE) };
	e->queue = xe_queue(fd, e->vm, 0, DRM_XE_ENGINE_CLASS_COMPUTE, 1);
	xetile_buf_init(&e->ctl, fd, e->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xe_map(fd, e->vm, bo, DATA_ADDR, SHARE_BYTES);
	batch_begin(&b, &e->ctl, SZ_4K);
	batch_store(&b, e->ctl.addr + 4, 1, false);
	batch_wait(&b, e->ctl.addr, 1);
	/* Reads what the other card has moved. */
	batch_store(&b, DATA_ADDR, 0x77, false);
	batch_store(&b, e->ctl.addr + 8, 1, false);
	batch_end(&b);
	igt_assert_eq(__xe_exec_batch(fd, e->queue, batch_addr(&b), 0), 0);
	xetile_assert_soon(((volatile uint32_t *)e->ctl.map)[1] == 1);
}

static void endless_end(struct endless *e)
{
	e->ctl.map[0] = 1;
	xetile_assert_soon(((volatile uint32_t *)e->ctl.map)[2] == 1);
	igt_assert_eq(__xe_queue_is_banned(e->fd, e->queue), 0);
}

static uint64_t try_bind(struct endless *e, uint32_t bo)
{
	uint64_t since = xetile_now_ms();

	xe_map(e->fd, e->vm, bo, DATA_ADDR + SZ_1G, SZ_64K);
	return xetile_now_ms() - since;
}

static void test_late_move(void)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	struct drm_xetile_bo_range range = {
		.size = SHARE_BYTES, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 2,
	};
	int from = xetile_open_number(0), to = xetile_open_number(1), file;
	struct drm_xetile_sync moved = share_signal(xetile_syncobj(from));
	uint32_t *map, bo, own;
	uint64_t before, ms;
	struct endless e;

	igt_require_f(side_switched(from, to), "the cards are not behind one switch\n");
	igt_require_f(xetile_query_tiles(from, tiles) >= 2, "needs two tiles\n");
	setenv("XETILE_CARD", "0", 1);
	lab_require_card();
	bo = xetile_bo_color(from, SHARE_BYTES, DRM_XETILE_COLOR_TILE, 1, 0);
	map = xetile_bo_map(from, bo, SHARE_BYTES);
	share_paint(map, 0x100000);
	file = share_export(from, bo);
	endless_init(&e, to, file);
	own = xetile_bo(to, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	igt_assert(share_of(from, bo));

	before = lab_injected();
	lab_inject("slow engine=tile0.bcs8 us=%u", COMMAND_MS * 1000);
	lab_inject("slow engine=tile1.bcs8 us=%u", COMMAND_MS * 1000);
	igt_assert_eq(__xetile_recolor(from, bo, &range, 1, &moved, 1), 0);
	xetile_assert_soon(lab_injected() != before);
	/* The work has left for the move, and wants to go on. */
	usleep(500000);
	ms = try_bind(&e, own);
	igt_info("note: a bind took %llu ms\n", (unsigned long long)ms);
	igt_assert_f(!xetile_is_done(from, moved.handle), "the copy is over already\n");
	igt_assert_lte_u64(ms, BIND_MS);
	lab_heal();
	xetile_wait_done(from, moved.handle);
	endless_end(&e);
	igt_assert_eq_u32(*(volatile uint32_t *)map, 0x77);

	munmap(map, SHARE_BYTES);
	munmap(e.ctl.map, SZ_64K);
	close(file);
	close(to);
	close(from);
}

igt_main
{
	igt_describe("A bind must not wait for another card that moves a buffer of the address "
		     "space, and the work must go on afterwards");
	igt_subtest("late-move")
		test_late_move();
	igt_fixture
		lab_heal();
}
