// SPDX-License-Identifier: MIT
/*
 * Rings in a user's memory where a driver could give wrong results, and no error: one that is lost
 * in the reset of a neighbour (T2), page tables that have not reached HBM when a bind returns (T5),
 * and memory that is still being cleared when a ring may write to it (T6).
 *
 * suite: faults soak-faults
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"
#include "xetile_xe_ring.h"

IGT_TEST_DESCRIPTION("Rings that a driver could make run wrong without an error");

#define XE_COPY		DRM_XE_ENGINE_CLASS_COPY
#define XE_COMPUTE	DRM_XE_ENGINE_CLASS_COMPUTE

#define LIMIT_MS	1000
#define MTCFG		0x101800u

static int card_fd = -1;

/*
 * A neighbour of the ring's slice hangs, and the ring's context cannot be saved before the reset.
 * Its first batch would run the old commands of the ring again: it must not run any more, and its
 * user must hear of it. A second ring, which waits for a free engine, goes on.
 */
static void test_innocent(void)
{
	uint64_t before = lab_injected();
	struct ring r, other;
	char engine[32];
	struct job j;

	xetile_set_ccs_mode(card_fd, "2");
	job_init_on_cslice(&j, card_fd, 1, LIMIT_MS);
	ring_init(&other, card_fd, XE_COPY, DRM_XETILE_PLACE_SYSTEM);
	ring_init(&r, card_fd, XE_COMPUTE, DRM_XETILE_PLACE_SYSTEM);
	ring_check(&r);
	snprintf(engine, sizeof(engine), "tile0.ccs%u", xe_instance(card_fd, r.queue));
	igt_assert(strcmp(j.engine, engine));
	lab_inject("slow engine=%s us=60000000", engine);
	ring_store(&r, ring_word_at(2), 1);
	xetile_assert_soon(lab_injected() != before);
	igt_assert_eq(__xe_queue_is_banned(card_fd, r.queue), 0);

	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	r.word[1] = 0;
	lab_heal();
	xetile_assert_soon(__xe_queue_is_banned(card_fd, r.queue) == 1);
	igt_assert_eq(__xe_exec_batch(card_fd, r.queue, RING_AT, 0), -ECANCELED);
	usleep(200000);
	igt_assert_eq_u32(r.word[1], 0);
	ring_check(&other);
	igt_assert_eq(__xe_queue_is_banned(card_fd, other.queue), 0);
	/* The address space lives on, with another queue. */
	xe_queue_destroy(card_fd, r.queue);
	r.queue = xe_queue(card_fd, r.vm, 0, XE_COMPUTE, 1);
	igt_assert_eq(__xe_exec_batch(card_fd, r.queue, RING_AT, 0), 0);
	ring_check(&r);
	ring_fini(&r);
	ring_fini(&other);
	job_fini(&j);
	xetile_set_ccs_mode(card_fd, "1");
}

/* Returns how often MTCFG of tile 0 was read since @before. */
static uint64_t reads_since(uint64_t before)
{
	return lab_injected() - before;
}

/*
 * Entries of page tables are posted writes. A ring that runs on may use them as soon as the bind
 * has returned, so the bind reads a register, whose answer pushes them into HBM.
 */
static void test_pushed(void)
{
	uint32_t bo = xetile_bo(card_fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	uint32_t vm = xe_vm(card_fd, 0);
	uint64_t before;
	struct ring r;

	ring_init(&r, card_fd, XE_COPY, DRM_XETILE_PLACE_SYSTEM);
	ring_check(&r);
	/* The answer stays as it is, and is counted. */
	lab_inject("register address=%#x value=0 mask=0xff tile=0 count=1000000", MTCFG);
	for (unsigned int i = 0; i < 3; i++) {
		before = lab_injected();
		xe_map(card_fd, r.vm, bo, DATA_AT + i * SZ_2M, SZ_64K);
		igt_assert_lte_u64(1, reads_since(before));
		before = lab_injected();
		xe_unmap(card_fd, r.vm, DATA_AT + i * SZ_2M, SZ_64K);
		igt_assert_lte_u64(1, reads_since(before));
		/* A job, which the card hears of by a register, needs none. */
		before = lab_injected();
		xe_map(card_fd, vm, bo, DATA_AT + i * SZ_2M, SZ_64K);
		igt_assert_eq_u64(reads_since(before), 0);
	}
	lab_heal();
	ring_check(&r);
	ring_fini(&r);
	xetile_vm_destroy(card_fd, vm);
	xetile_bo_close(card_fd, bo);
}

/* What a ring has written to a buffer that was just made is not wiped by the buffer's clearing. */
static void test_cleared(uint32_t class)
{
	struct drm_xetile_bo_create args = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	volatile uint32_t *map;
	char engine[32];
	struct ring r;

	ring_init(&r, card_fd, class, DRM_XETILE_PLACE_SYSTEM);
	ring_check(&r);
	xetile_use_up_clear(card_fd);
	xetile_kernel_engine(card_fd, engine, sizeof(engine));
	/* Each of its commands: the ring is quicker than the clearing. */
	lab_inject("slow engine=%s us=300000", engine);
	igt_assert_eq(__xetile_bo_create(card_fd, &args), 0);
	xe_map(card_fd, r.vm, args.handle, DATA_AT, SZ_64K);
	ring_store(&r, DATA_AT, 0x66);
	ring_check(&r);
	/* Comes when the memory is cleared */
	map = xetile_bo_map(card_fd, args.handle, SZ_64K);
	igt_assert_eq_u32(map[0], 0x66);
	igt_assert_eq_u32(map[1], 0);
	lab_heal();
	munmap((void *)map, SZ_64K);
	xetile_bo_close(card_fd, args.handle);
	ring_fini(&r);
}

igt_main {
	igt_fixture {
		card_fd = lab_open();
	}

	igt_describe("A ring that a neighbour's reset takes is banned, and never begins anew (T2)");
	igt_subtest("innocent")
		test_innocent();
	igt_describe("A bind's entries are in HBM when it returns (T5)");
	igt_subtest("pushed")
		test_pushed();
	igt_describe("A ring does not see memory that is still being cleared (T6)");
	igt_subtest("cleared-compute")
		test_cleared(XE_COMPUTE);
	igt_subtest("cleared-copy")
		test_cleared(XE_COPY);

	igt_fixture {
		lab_heal();
		close(card_fd);
	}
}
