// SPDX-License-Identifier: MIT
/*
 * Queues with modes of their own: whoever wants a tile in another mode gets it, in turn, and nobody
 * is told to wait. The strict card hangs walkers if a mode changes under a context.
 * Statements: S71-S76, S95, W5, W7, C9.
 *
 * suite: igt soak-alone 4-tiles
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xetile_igt.h"
#include "xetile_worker.h"

IGT_TEST_DESCRIPTION("Queues with CCS modes of their own");

#define CSLICE		DRM_XETILE_TARGET_CSLICE

static struct xetile_card card = { .fd = -1 };

static int try_queue(int fd, struct drm_xetile_queue_create *args)
{
	args->queue_id = 0;
	return __xetile_queue_create(fd, args);
}

/* @mode: 0 for the tile's own */
static void worker_init(struct worker *w, uint32_t target, uint32_t tile, uint32_t cslice,
			uint32_t mode, uint32_t timeout_ms)
{
	const struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = target, .tile = tile, .cslice = cslice,
		.ccs_mode = mode, .timeout_ms = timeout_ms,
	};

	worker_open(w, &card, &args);
}

static void require_mode(uint32_t tile, unsigned int mode)
{
	igt_require_f(card.tiles[tile].ccs_modes & (1u << mode), "tile %u has no mode %u\n", tile,
		      mode);
}

static void set(const char *file, const char *text)
{
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		igt_assert_eq(xetile_sysfs_write(card.fd, t, file, text), 0);
}

/* S95, W5: slices of mode 4 work while another queue has all of the tile, and has a job there. */
static void test_own(void)
{
	struct worker all, one[4];
	uint32_t used = 0;

	require_mode(0, 4);
	/* It polls all the time that it is there, perhaps on a slow machine. */
	worker_init(&all, TILE, 0, 0, 0, card.device.max_timeout_ms);
	worker_hold(&all);
	xetile_assert_soon(worker_slices(&all) == card.tiles[0].cslice_mask);
	for (unsigned int i = 0; i < 4; i++)
		worker_init(&one[i], CSLICE, 0, i, 4, 0);
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < 4; i++)
			worker_start(&one[i]);
		for (unsigned int i = 0; i < 4; i++)
			worker_end(&one[i]);
	}
	for (unsigned int i = 0; i < 4; i++) {
		uint32_t slices = worker_slices(&one[i]);

		igt_assert_eq(__builtin_popcount(slices), card.tiles[0].num_cslices / 4);
		igt_assert_eq_u32(used & slices, 0);
		used |= slices;
	}
	/* It was there all the time, and is not blamed. */
	igt_assert_eq(xetile_fence_status(all.fd, all.sync.handle), 0);
	worker_let_go(&all);
	worker_start(&all);
	worker_end(&all);
	for (unsigned int i = 0; i < 4; i++)
		worker_fini(&one[i]);
	worker_fini(&all);
}

/* The tile's own mode changes for queues that come, and those that exist keep theirs. */
static void test_default(void)
{
	struct worker before, after;

	require_mode(0, 2);
	worker_init(&before, TILE, 0, 0, 0, card.device.max_timeout_ms);
	worker_hold(&before);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "2"), 0);
	worker_init(&after, TILE, 0, 0, 0, 0);
	worker_start(&after);
	worker_end(&after);
	igt_assert_eq(__builtin_popcount(worker_slices(&after)), card.tiles[0].num_cslices / 2);
	worker_let_go(&before);
	igt_assert_eq_u32(worker_slices(&before), card.tiles[0].cslice_mask);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "1"), 0);
	worker_fini(&after);
	worker_fini(&before);
}

/* What may be wanted is the administrator's to say. */
static void test_policy(void)
{
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(card.fd), .engine_class = COMPUTE, .target = TILE,
	};
	char policy[32];

	require_mode(0, 2);
	igt_assert_eq(xetile_sysfs_read(card.fd, 0, "ccs_mode_policy", policy, sizeof(policy)), 0);
	igt_assert(!strcmp(policy, "epochs\n"));
	args.ccs_mode = 2;
	set("ccs_mode_policy", "fixed");
	igt_assert_eq(try_queue(card.fd, &args), -EBUSY);
	args.ccs_mode = 1;
	igt_assert_eq(try_queue(card.fd, &args), 0);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "2"), -EBUSY);
	xetile_queue_destroy(card.fd, args.queue_id);
	/* A queue with two members that may have the first one's mode only leaves nothing behind. */
	if (card.device.num_tiles > 1) {
		args.target = ROOT;
		args.ccs_mode = 2;
		igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode_policy", "epochs"), 0);
		igt_assert_eq(try_queue(card.fd, &args), -EBUSY);
		igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode_policy", "fixed"), 0);
		args.target = TILE;
	}
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "2"), 0);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "1"), 0);

	set("ccs_mode_policy", "default\n");
	args.ccs_mode = 2;
	igt_assert_eq(try_queue(card.fd, &args), 0);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "2"), -EBUSY);
	xetile_queue_destroy(card.fd, args.queue_id);
	/* The mode that it gets has one slice. */
	args.target = CSLICE;
	args.cslice = 1;
	igt_assert_eq(try_queue(card.fd, &args), -EINVAL);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode_policy", "none"), -EINVAL);
	set("ccs_mode_policy", "epochs");
	igt_assert_eq(try_queue(card.fd, &args), 0);
	xetile_queue_destroy(card.fd, args.queue_id);
	xetile_vm_destroy(card.fd, args.vm_id);
}

static void test_refused(void)
{
	static const uint32_t modes[] = { 3, 5, 8, 16, 1u << 31, ~0u };
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(card.fd), .engine_class = COMPUTE, .target = TILE,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(modes); i++) {
		args.ccs_mode = modes[i];
		igt_assert_eq(try_queue(card.fd, &args), -EINVAL);
	}
	for (uint32_t mode = 2; mode <= 4; mode *= 2) {
		args.ccs_mode = mode;
		if (!(card.tiles[0].ccs_modes & 1u << mode))
			igt_assert_eq(try_queue(card.fd, &args), -EINVAL);
	}
	args.ccs_mode = 1;
	args.pad = 1;
	igt_assert_eq(try_queue(card.fd, &args), -EINVAL);
	args.pad = 0;
	args.engine_class = COPY;
	igt_assert_eq(try_queue(card.fd, &args), -EINVAL);
	args.engine_class = DRM_XETILE_ENGINE_BIND;
	args.target = ROOT;
	igt_assert_eq(try_queue(card.fd, &args), -EINVAL);
	xetile_vm_destroy(card.fd, args.vm_id);
}

/* A batch that hangs in one mode is stopped, and those of other modes go on. */
static void test_hang(void)
{
	struct worker innocent, hangs;
	struct xetile_batch b;

	require_mode(0, 4);
	worker_init(&innocent, TILE, 0, 0, 1, 0);
	worker_init(&hangs, CSLICE, 0, 3, 4, 300);
	batch_begin(&b, &hangs.batch, 0);
	batch_hang(&b);
	igt_assert_eq(__xetile_exec(hangs.fd, hangs.queue, batch_addr(&b), &hangs.sync, 1), 0);
	worker_start(&innocent);
	worker_end(&innocent);
	igt_assert_eq(__xetile_wait(hangs.fd, hangs.sync.handle, 60000), 0);
	igt_assert_lt(xetile_fence_status(hangs.fd, hangs.sync.handle), 0);
	worker_start(&innocent);
	worker_end(&innocent);
	worker_fini(&hangs);
	worker_fini(&innocent);
}

static unsigned int rnd(unsigned int *seed, unsigned int n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % n;
}

/* A process with a queue of a random kind */
static void work(unsigned int seed, unsigned int rounds)
{
	uint32_t tile = rnd(&seed, card.device.num_tiles), mode;
	uint32_t target = rnd(&seed, 4) ? CSLICE : rnd(&seed, 2) ? TILE : ROOT;
	uint32_t modes = card.tiles[tile].ccs_modes;
	struct worker w;

	for (uint32_t t = 0; target == ROOT && t < card.device.num_tiles; t++)
		modes &= card.tiles[t].ccs_modes;
	do {
		mode = 1u << rnd(&seed, 3);
	} while (!(modes & 1u << mode));
	worker_init(&w, target, target == ROOT ? 0 : tile,
		    target == CSLICE ? rnd(&seed, mode) : 0, mode, 0);
	for (unsigned int i = 0; i < rounds; i++) {
		worker_start(&w);
		worker_end(&w);
	}
	worker_fini(&w);
}

/* Processes with random modes: every group of every walker runs once. */
static void test_random(unsigned int processes, unsigned int rounds)
{
	igt_fork(child, processes)
		work(child * 7919 + 1, rounds);
	igt_waitchildren();
}

static void restore(int sig)
{
	(void)sig;
	if (card.fd < 0)
		return;
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		xetile_sysfs_write(card.fd, t, "ccs_mode_policy", "epochs");
	xetile_usual_ccs_modes(&card);
}

igt_main
{
	igt_fixture {
		xetile_open_card(&card);
		igt_require_f(card.device.caps & DRM_XETILE_CAP_CCS_MODE,
			      "the driver has no modes for queues\n");
		igt_install_exit_handler(restore);
	}
	igt_describe("A queue must have the mode that it wants beside queues of another one");
	igt_subtest("own")
		test_own();
	igt_describe("The tile's own mode must change for queues that come alone");
	igt_subtest("default")
		test_default();
	igt_describe("The administrator's policy must be obeyed");
	igt_subtest("policy")
		test_policy();
	igt_describe("Modes that a tile does not have must be refused");
	igt_subtest("refused")
		test_refused();
	igt_describe("A batch that hangs in one mode must not end those of others");
	igt_subtest("hang")
		test_hang();
	igt_describe("Sixteen processes with random modes must have all of their work done");
	igt_subtest("random")
		test_random(16, 12);
	igt_fixture {
		restore(0);
		close(card.fd);
		card.fd = -1;
	}
}
