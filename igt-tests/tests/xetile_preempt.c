// SPDX-License-Identifier: MIT
/*
 * Walkers that leave their engines in their midst, because another process wants the engines, and
 * go on later.
 * Statements: W2, W17.
 *
 * suite: once soak-alone
 */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_walker.h"

IGT_TEST_DESCRIPTION("Walkers that are preempted");

#define ISA_ADDR	0x30000000ull
#define COUNTS_ADDR	0x50000000ull
#define GROUPS		(SZ_2M / 4 - 1024)
#define WALKERS		4
/* Jobs of the other process, each of which has to interrupt the walkers */
#define JOBS		24
/* Far more than run beside so many jobs: the other process gets no turn. */
#define MAX_BATCHES	1000

/* The other process: begins when it is told to, and is over when it ends, well or not. */
struct other {
	int begin[2], over[2];	/* pipes */
};

static void start_other(struct other *o, enum job_kind kind)
{
	igt_assert_eq(pipe(o->begin), 0);
	igt_assert_eq(pipe(o->over), 0);
	igt_fork(child, 1) {
		struct job j;
		char go;

		close(o->begin[1]);
		job_init_at(&j, xetile_open(), kind, 0);
		igt_assert_eq(read(o->begin[0], &go, 1), 1);
		for (int i = 0; i < JOBS; i++) {
			igt_assert_eq(job_start(&j), 0);
			igt_assert_eq(job_end(&j), 1);
		}
		igt_assert(!job_is_banned(&j));
	}
	/* The child has the only end to write to: its end can be seen at the other one. */
	close(o->over[1]);
	close(o->begin[0]);
}

static bool is_over(const struct other *o)
{
	struct pollfd pfd = { .fd = o->over[0] };

	igt_assert_lte(0, poll(&pfd, 1, 0));
	return pfd.revents & POLLHUP;
}

/* Asserts that the other process has ended well. */
static void end_other(struct other *o)
{
	igt_waitchildren();
	close(o->begin[1]);
	close(o->over[0]);
}

/* Each group of each walker has run once, and each tile has said that it is done. */
static void check(struct xetile_buf *counts, uint32_t times, uint32_t tiles)
{
	for (uint32_t i = 0; i < GROUPS; i++)
		igt_assert_f(counts->map[i] == times, "group %u ran %u times, not %u\n", i,
			     counts->map[i], times);
	for (uint32_t t = 0; t < tiles; t++)
		igt_assert_eq_u32(counts->map[GROUPS + 2 * t], COUNT_DONE);
	igt_assert_eq_u32(counts->map[GROUPS + 2 * tiles], 0);
}

static void start_batch(struct job *j, uint32_t *syncobj)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

	sync.handle = xetile_syncobj(j->fd);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, j->batch.addr, &sync, 1), 0);
	*syncobj = sync.handle;
}

static void end_batch(struct job *j, uint32_t syncobj)
{
	igt_assert_eq(__xetile_wait(j->fd, syncobj, 60000), 0);
	igt_assert_eq(xetile_fence_status(j->fd, syncobj), 1);
	xetile_syncobj_destroy(j->fd, syncobj);
}

static uint64_t sum(uint32_t tiles, const char *counter)
{
	char engine[32];
	uint64_t n = 0;

	for (uint32_t t = 0; t < tiles; t++) {
		snprintf(engine, sizeof(engine), "tile%u.ccs0", t);
		n += lab_counter(engine, counter);
	}
	return n;
}

static void test_walker(const struct xetile_card *card, enum job_kind kind,
			enum count_preemption how)
{
	uint32_t tiles = kind == JOB_COMPUTE_ROOT ? card->device.num_tiles : 1, times = 0;
	uint64_t resets, preemptions;
	struct drm_xetile_queue_info info;
	struct xetile_buf isa, counts;
	unsigned int at = 0;
	uint32_t done[2];
	struct other other;
	struct job j;

	start_other(&other, kind);
	job_init(&j, card->fd, kind, 0);
	xetile_buf_init(&isa, j.fd, j.vm, ISA_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&counts, j.fd, j.vm, COUNTS_ADDR, SZ_2M, DRM_XETILE_PLACE_HBM);
	resets = sum(tiles, "resets");
	preemptions = sum(tiles, "preemptions");
	count_batch(&j.batch, &isa, counts.addr, GROUPS, WALKERS, tiles, how);
	start_batch(&j, &done[0]);
	/* The other's jobs would all be over before the first walker begins. */
	xetile_assert_soon(*(volatile uint32_t *)counts.map);
	igt_assert_eq(write(other.begin[1], "", 1), 1);
	/* There is always a walker to interrupt, because the next batch waits in the ring. */
	do {
		start_batch(&j, &done[!at]);
		end_batch(&j, done[at]);
		times += WALKERS;
		at = !at;
		igt_assert_lt(times, MAX_BATCHES * WALKERS);
	} while (!is_over(&other));
	end_other(&other);
	end_batch(&j, done[at]);
	check(&counts, times + WALKERS, tiles);
	igt_assert_lte_u64(JOBS / 2 * tiles, sum(tiles, "preemptions") - preemptions);
	igt_assert_eq_u64(sum(tiles, "resets"), resets);
	xetile_queue_info(j.fd, j.queue, &info);
	igt_assert_eq(info.resets, 0);
	xetile_buf_fini(&counts);
	xetile_buf_fini(&isa);
	job_fini(&j);
}

igt_main
{
	static const struct {
		const char *name;
		enum count_preemption how;
	} hows[] = {
		{ "driver", COUNT_AS_DRIVER }, { "descriptor", COUNT_BY_DESCRIPTOR },
	};
	struct xetile_card card;

	igt_fixture {
		lab_require_card();
		xetile_open_card(&card);
	}

	igt_describe("A walker that is preempted many times must run each group once, whether the "
		     "driver or the walker keeps preemption out of threads");
	for (unsigned int i = 0; i < ARRAY_SIZE(hows); i++) {
		igt_subtest_f("walker-%s", hows[i].name)
			test_walker(&card, JOB_COMPUTE_TILE, hows[i].how);
		igt_subtest_f("walker-%s-gang", hows[i].name)
			test_walker(&card, JOB_COMPUTE_ROOT, hows[i].how);
	}

	igt_fixture
		close(card.fd);
}
