// SPDX-License-Identifier: MIT
/*
 * Queues that borrow idle compute slices: who is alone on a tile has all of it, if it asks for that
 * and the administrator allows it; who comes has its own slice, and loses next to nothing.
 * Statements: W17, S72, S76.
 *
 * suite: once
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_igt.h"
#include "xetile_lab.h"
#include "xetile_worker.h"

IGT_TEST_DESCRIPTION("Queues that borrow idle compute slices");

#define CSLICE		DRM_XETILE_TARGET_CSLICE
#define BORROW		DRM_XETILE_QUEUE_BORROW

/* Policies that lend nothing */
static const char * const others[] = { "epochs", "fixed", "default" };

static struct xetile_card card = { .fd = -1 };
/* The mode of the queues: the largest one of all tiles */
static unsigned int mode;

static void set(const char *file, const char *text)
{
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		igt_assert_eq(xetile_sysfs_write(card.fd, t, file, text), 0);
}

static void restore(int sig)
{
	(void)sig;
	if (card.fd < 0)
		return;
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		xetile_sysfs_write(card.fd, t, "ccs_mode_policy", "epochs");
	xetile_sysfs_write(card.fd, 0, "engines/ccs/timeslice_duration_us", "5000");
	xetile_sysfs_write(card.fd, 0, "engines/ccs/timeslice_duration_max", "50000");
}

static void slice_init(struct worker *w, uint32_t tile, uint32_t cslice, uint32_t flags)
{
	const struct drm_xetile_queue_create args = {
		.target = CSLICE, .tile = tile, .cslice = cslice, .ccs_mode = mode,
		.flags = flags, .weight = flags ? 1000 : 0,
		/* It may poll all the time that a test takes, perhaps on a slow machine. */
		.timeout_ms = card.device.max_timeout_ms,
	};

	worker_open(w, &card, &args);
}

static uint64_t counter(uint32_t tile, uint32_t instance, const char *name)
{
	char engine[32];

	snprintf(engine, sizeof(engine), "tile%u.ccs%u", tile, instance);
	return lab_counter(engine, name);
}

/* Walkers of all engines of a tile */
static uint64_t all_walkers(uint32_t tile)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < DRM_XETILE_MAX_CSLICES; i++)
		if (card.tiles[tile].cslice_mask & 1u << i)
			n += counter(tile, i, "walkers");
	return n;
}

static uint32_t all_slices(uint32_t tile)
{
	return card.tiles[tile].cslice_mask;
}

static unsigned int own_slices(uint32_t tile)
{
	return card.tiles[tile].num_cslices / mode;
}

/*
 * Runs a batch on an idle card. The card and QUEUE_INFO say alike that it ran on @slices slices of
 * tile 0, and no other engine ran a walker.
 */
static void check_slices(struct worker *w, unsigned int slices)
{
	uint64_t all = all_walkers(0), before[DRM_XETILE_MAX_CSLICES];
	struct drm_xetile_queue_info info;
	uint32_t i;

	xetile_wait_engines_free(card.fd);
	for (i = 0; i < DRM_XETILE_MAX_CSLICES; i++)
		before[i] = all_slices(0) & 1u << i ? counter(0, i, "walkers") : 0;
	worker_start(w);
	worker_end(w);
	xetile_queue_info(w->fd, w->queue, &info);
	igt_assert_eq_u32(info.num_members, 1);
	igt_assert_eq_u32(info.cslices_used, slices);
	igt_assert_eq(__builtin_popcount(info.members[0].cslice_mask), slices);
	i = info.members[0].instance;
	igt_assert_eq_u64(counter(0, i, "walkers") - before[i], w->walkers);
	igt_assert_eq_u64(all_walkers(0) - all, w->walkers);
	igt_assert_eq_u64(counter(0, i, "last_cslices"), info.members[0].cslice_mask);
}

/* Other processes, of this test and of those before it, count for a moment after their end. */
static void wait_quiet(struct worker *w, uint32_t tile)
{
	for (int i = 0; i < 3000; i++) {
		xetile_wait_engines_free(card.fd);
		worker_start(w);
		worker_end(w);
		if (worker_slices(w) == all_slices(tile))
			return;
		usleep(20000);
	}
	igt_assert_f(false, "no loan on tile %u after 3000 tries\n", tile);
}

static void lend(void)
{
	struct worker w;

	set("ccs_mode_policy", "lend");
	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		slice_init(&w, t, 0, BORROW);
		wait_quiet(&w, t);
		worker_fini(&w);
	}
}

/* W17: one that is alone has the whole tile, if both it and the administrator say so. */
static void test_alone(void)
{
	unsigned int own = xetile_sysfs_uint(card.fd, 0, "ccs_mode");
	struct worker asks, asks_not;

	slice_init(&asks, 0, mode - 1, BORROW);
	slice_init(&asks_not, 0, 0, 0);
	check_slices(&asks, own_slices(0));
	lend();
	check_slices(&asks, card.tiles[0].num_cslices);
	check_slices(&asks_not, own_slices(0));
	check_slices(&asks, card.tiles[0].num_cslices);
	igt_assert_eq(xetile_sysfs_uint(card.fd, 0, "ccs_mode"), own);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		set("ccs_mode_policy", others[i]);
		check_slices(&asks, own_slices(0));
	}
	worker_fini(&asks_not);
	worker_fini(&asks);
}

/* What two processes tell each other */
struct shared {
	volatile uint32_t go, held, slices, end;
};

/* The second process, which comes during a long walker of the first one */
static void second(struct shared *s)
{
	struct worker w;

	slice_init(&w, 0, 0, 0);
	xetile_assert_soon(s->go);
	worker_start(&w);
	worker_end(&w);
	s->slices = worker_slices(&w);
	worker_hold(&w);
	xetile_assert_soon(worker_holds(&w));
	s->held = 1;
	xetile_assert_soon(s->end);
	worker_let_go(&w);
	worker_fini(&w);
}

/*
 * W17: who comes has its turn beside the loan, and no batch that comes later begins with the loan.
 * Then both run on slices of their own.
 */
static void test_second(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t first = __builtin_ctz(all_slices(0)), slices, i;
	uint64_t before[DRM_XETILE_MAX_CSLICES], preemptions;
	struct drm_xetile_queue_info info;
	struct worker w;

	igt_assert(s != MAP_FAILED);
	lend();
	/* A queue that is still to be freed could have the second one take another engine. */
	xetile_wait_hbm_free(card.fd);
	slice_init(&w, 0, 1, BORROW);
	worker_load(&w, WORKER_GROUPS, 8);
	igt_fork(child, 1)
		second(s);
	xetile_wait_engines_free(card.fd);
	preemptions = counter(0, first, "preemptions");
	for (i = 0; i < DRM_XETILE_MAX_CSLICES; i++)
		before[i] = all_slices(0) & 1u << i ? counter(0, i, "walkers") : 0;
	worker_start(&w);
	worker_hold(&w);
	xetile_assert_soon(worker_walks(&w));
	igt_assert_eq_u32(worker_slices(&w), all_slices(0));
	s->go = 1;
	/* The first one cannot end meanwhile: it waits to be let go. */
	xetile_assert_soon(s->held);
	igt_assert_lte_u64(preemptions + 1, counter(0, first, "preemptions"));
	igt_assert_eq(__builtin_popcount(s->slices), own_slices(0));
	igt_assert_eq_u32(worker_slices(&w), all_slices(0));
	worker_start(&w);
	worker_let_go(&w);
	xetile_queue_info(w.fd, w.queue, &info);
	slices = info.members[0].cslice_mask;
	i = info.members[0].instance;
	igt_assert_eq(__builtin_popcount(slices), own_slices(0));
	igt_assert_eq_u32(info.cslices_used, own_slices(0));
	igt_assert_eq_u32(slices & s->slices, 0);
	/* The last batch alone ran there. */
	igt_assert_neq(i, first);
	igt_assert_eq_u64(counter(0, i, "walkers") - before[i], w.walkers);
	igt_assert_eq_u64(counter(0, i, "last_cslices"), slices);
	s->end = 1;
	igt_waitchildren();
	wait_quiet(&w, 0);
	check_slices(&w, card.tiles[0].num_cslices);
	worker_fini(&w);
	munmap(s, sizeof(*s));
}

/* The process that waits for each of its batches: there is a gap between any two of them. */
static void neighbour(struct shared *s)
{
	struct worker w;

	slice_init(&w, 0, 0, 0);
	xetile_assert_soon(s->go);
	for (unsigned int i = 0; i < 30; i++) {
		worker_start(&w);
		worker_end(&w);
		s->held = 1;
		usleep(3000);
	}
	s->end = 1;
	worker_fini(&w);
}

/* W17: a process that has work again and again meets a loan once, not with each of its batches. */
static void test_neighbour(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int loans = 0;
	struct worker w;

	igt_assert(s != MAP_FAILED);
	lend();
	slice_init(&w, 0, 1, BORROW);
	worker_load(&w, WORKER_GROUPS, 1);
	igt_fork(child, 1)
		neighbour(s);
	s->go = 1;
	xetile_assert_soon(s->held);
	while (!s->end) {
		worker_start(&w);
		worker_end(&w);
		loans += worker_slices(&w) == all_slices(0);
	}
	/* More than one on a machine so slow that there is a second between two batches */
	igt_assert_lte(loans, 8);
	igt_waitchildren();
	worker_fini(&w);
	munmap(s, sizeof(*s));
}

/* W17: whoever takes the time it can get has less of the tile than its own slice, by no weight more. */
static void test_share(void)
{
	struct worker greedy, other;
	uint64_t had, others;

	lend();
	/* Turns that are long beside the time that a switch takes on a slow machine */
	xetile_write_time(card.fd, "timeslice_duration_max", "1000000");
	xetile_write_time(card.fd, "timeslice_duration_us", "80000");
	slice_init(&greedy, 0, 1, BORROW);
	slice_init(&other, 0, 0, 0);
	xetile_wait_engines_free(card.fd);
	worker_hold(&greedy);
	xetile_assert_soon(worker_holds(&greedy));
	igt_assert_eq_u32(worker_slices(&greedy), all_slices(0));
	worker_hold(&other);
	xetile_assert_soon(worker_holds(&other));
	had = xetile_fdinfo_bytes(greedy.fd, "drm-engine-compute");
	others = xetile_fdinfo_bytes(other.fd, "drm-engine-compute");
	/* A slice counts as its part of the tile. */
	xetile_assert_soon(xetile_fdinfo_bytes(other.fd, "drm-engine-compute") - others >
			   1000000000 / mode);
	had = xetile_fdinfo_bytes(greedy.fd, "drm-engine-compute") - had;
	others = (xetile_fdinfo_bytes(other.fd, "drm-engine-compute") - others) * mode;
	igt_info("the loan had %" PRIu64 " ms beside %" PRIu64 " ms of a slice\n", had / 1000000,
		 others / 1000000);
	/* It has had some of it, and about the mode's part of the other's. */
	igt_assert_lte_u64(1, had);
	igt_assert_lte_u64(had * mode, 2 * others);
	worker_let_go(&other);
	worker_let_go(&greedy);
	restore(0);
	worker_fini(&other);
	worker_fini(&greedy);
}

/* A loan that somebody ends is over with two batches, however many the queue has. */
static void test_policy(const char *policy)
{
	uint32_t first = __builtin_ctz(all_slices(0));
	uint64_t before;
	struct worker w;

	lend();
	slice_init(&w, 0, 1, BORROW);
	xetile_wait_engines_free(card.fd);
	before = counter(0, first, "walkers");
	worker_hold(&w);
	xetile_assert_soon(worker_holds(&w));
	worker_start(&w);
	worker_start(&w);
	igt_assert_eq_u32(worker_slices(&w), all_slices(0));
	set("ccs_mode_policy", policy);
	worker_let_go(&w);
	/* The second batch, and perhaps the third, which has its own slice */
	igt_assert_lte_u64(before + w.walkers, counter(0, first, "walkers"));
	igt_assert_eq(__builtin_popcount(worker_slices(&w)), own_slices(0));
	worker_fini(&w);
}

/* A queue of all tiles borrows on all of them or none. */
static void test_gang(void)
{
	const struct drm_xetile_queue_create args = {
		.target = ROOT, .ccs_mode = mode, .flags = BORROW,
	};
	uint32_t last = card.device.num_tiles - 1;
	struct drm_xetile_queue_info info;
	struct worker gang, other;

	igt_require_f(last, "the card has one tile\n");
	lend();
	worker_open(&gang, &card, &args);
	slice_init(&other, last, 0, 0);
	for (unsigned int round = 0; round < 2; round++) {
		xetile_wait_engines_free(card.fd);
		if (round) {
			worker_hold(&other);
			xetile_assert_soon(worker_holds(&other));
		}
		worker_start(&gang);
		worker_end(&gang);
		xetile_queue_info(gang.fd, gang.queue, &info);
		igt_assert_eq_u32(info.num_members, last + 1);
		igt_assert_eq_u32(info.cslices_used, info.cslices_total / (round ? mode : 1));
		for (uint32_t t = 0; t <= last; t++) {
			uint32_t slices = info.members[t].cslice_mask;

			igt_assert_eq(__builtin_popcount(slices),
				      round ? own_slices(t) : card.tiles[t].num_cslices);
			igt_assert_eq_u64(counter(t, info.members[t].instance, "last_cslices"),
					  slices);
		}
	}
	worker_let_go(&other);
	worker_fini(&other);
	worker_fini(&gang);
}

/* A loan ends with its queue, also when that hangs, or is closed in its midst. */
static void test_lost(void)
{
	struct worker w, hangs;
	struct xetile_batch b;

	lend();
	slice_init(&w, 0, 0, BORROW);
	slice_init(&hangs, 0, 1, BORROW);
	xetile_wait_engines_free(card.fd);
	worker_hold(&hangs);
	xetile_assert_soon(worker_holds(&hangs));
	igt_assert_eq_u32(worker_slices(&hangs), all_slices(0));
	/* Mappings would keep the file open. */
	munmap(hangs.batch.map, SZ_64K);
	munmap(hangs.isa.map, SZ_64K);
	munmap(hangs.counts.map, SZ_64K);
	close(hangs.fd);
	check_slices(&w, card.tiles[0].num_cslices);

	const struct drm_xetile_queue_create args = {
		.target = CSLICE, .cslice = 1, .ccs_mode = mode, .flags = BORROW, .timeout_ms = 100,
	};
	worker_open(&hangs, &card, &args);
	batch_begin(&b, &hangs.batch, 0);
	batch_hang(&b);
	worker_start(&hangs);
	worker_start(&hangs);
	igt_assert_eq(__xetile_wait(hangs.fd, hangs.sync.handle, 60000), 0);
	igt_assert_lt(xetile_fence_status(hangs.fd, hangs.sync.handle), 0);
	check_slices(&w, card.tiles[0].num_cslices);
	worker_fini(&hangs);
	worker_fini(&w);
}

static void test_refused(void)
{
	const struct drm_xetile_queue_create wrong[] = {
		{ .target = TILE, .flags = BORROW, .priority = DRM_XETILE_PRIORITY_LOW },
		{ .target = TILE, .flags = BORROW | 1u << 31 },
		{ .target = TILE, .flags = BORROW, .priority = DRM_XETILE_PRIORITY_HIGH },
		{ .target = TILE, .flags = BORROW, .engine_class = COPY },
		{ .target = ROOT, .flags = BORROW, .engine_class = DRM_XETILE_ENGINE_BIND },
	};
	uint32_t vm = xetile_vm(card.fd);

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct drm_xetile_queue_create args = wrong[i];

		args.vm_id = vm;
		igt_assert_f(__xetile_queue_create(card.fd, &args) == -EINVAL, "queue %u\n", i);
	}
	xetile_vm_destroy(card.fd, vm);
}

igt_main
{
	igt_fixture {
		lab_require_card();
		xetile_open_card(&card);
		igt_require_f(card.device.caps & DRM_XETILE_CAP_BORROW,
			      "the driver lends no slices\n");
		mode = 4;
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			while (!(card.tiles[t].ccs_modes & 1u << mode))
				mode /= 2;
		igt_require_f(mode > 1, "the tiles have one mode\n");
		igt_install_exit_handler(restore);
	}
	igt_describe("One that is alone must have all slices, if it and the administrator say so");
	igt_subtest("alone")
		test_alone();
	igt_describe("One that comes must have its turn, and then both must have their own slices");
	igt_subtest("second")
		test_second();
	igt_describe("One that has work again and again must not meet a loan each time");
	igt_subtest("neighbour")
		test_neighbour();
	igt_describe("A loan must have no more time than its own slice is worth");
	igt_subtest("share")
		test_share();
	igt_describe("A loan must end when the administrator says so");
	igt_subtest("policy")
		for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
			test_policy(others[i]);
	igt_describe("A gang must borrow on all of its tiles or none");
	igt_subtest("gang")
		test_gang();
	igt_describe("A loan must end with its queue");
	igt_subtest("lost")
		test_lost();
	igt_describe("Who cannot borrow must be told");
	igt_subtest("refused")
		test_refused();
	igt_fixture {
		restore(0);
		close(card.fd);
		card.fd = -1;
	}
}
