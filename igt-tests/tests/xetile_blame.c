// SPDX-License-Identifier: MIT
/*
 * Clients whose batches fail again and again, each a process of an ordinary user, beside
 * well-behaved clients whose jobs must end right meanwhile. In the end the failing clients get no
 * more queues (ECANCELED), unless they have a privilege, and their lines do not fill the log.
 *
 * suite: hostile
 */
#include <errno.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_beside.h"
#include "xetile_lab.h"
#include "xetile_privilege.h"
#include "xetile_xe_exec.h"

IGT_TEST_DESCRIPTION("Clients whose batches fail again and again");

/* Failed batches that a file may have in a minute before it gets no more queues */
#define BLAMES		32u

/* Hangs, makes a new queue, hangs again */
static void attack_by_hanging(struct hostile *h)
{
	const struct drm_xetile_queue_ban ban = { .reason = DRM_XETILE_BAN_TIMEOUT };
	unsigned int n = 0;
	int err;

	hostile_begin(h);
	do {
		struct drm_xetile_queue_create args = {
			.vm_id = h->job.vm, .engine_class = COMPUTE, .target = TILE,
			.timeout_ms = 1,
		};

		err = __xetile_queue_create(h->fd, &args);
		if (err)
			break;
		xetile_queue_destroy(h->fd, h->job.queue);
		h->job.queue = args.queue_id;
		igt_assert_eq(job_start_endless(&h->job), 0);
		igt_assert_eq(job_end(&h->job), -ETIME);
		job_check_ban(&h->job, &ban);
	} while (++n < 2 * BLAMES);
	igt_assert_eq(err, -ECANCELED);
	igt_assert_eq_u32(n, BLAMES);
	igt_assert_eq(job_start(&h->job), -ECANCELED);
	/* The client can still use its other objects. */
	xetile_bo_close(h->fd, xetile_bo(h->fd, SZ_64K, DRM_XETILE_PLACE_HBM));
}

/* Failed batches that a user may have in a minute, over all files */
#define USER_BLAMES	64u
#define AT_ONCE		8u	/* for each file */

/* Returns 0 or what refuses a queue, which goes to @queue. */
typedef int queue_fn(int fd, uint32_t vm, uint32_t *queue);

static int own_queue(int fd, uint32_t vm, uint32_t *queue)
{
	struct drm_xetile_queue_create args = {
		.vm_id = vm, .engine_class = COPY, .target = TILE,
	};
	int err = __xetile_queue_create(fd, &args);

	*queue = args.queue_id;
	return err;
}

static int queue_of_xe(int fd, uint32_t vm, uint32_t *queue)
{
	return __xe_queue(fd, vm, 0, DRM_XE_ENGINE_CLASS_COPY, 1, NULL, queue);
}

/*
 * Runs batches at an address without a mapping, each on a new queue, until a queue is refused or
 * @max times. Returns how often that went well.
 */
static unsigned int fault_on(queue_fn *create, int fd, unsigned int max, int *err)
{
	struct drm_xetile_sync sync = {
		.flags = DRM_XETILE_SYNC_SIGNAL, .handle = xetile_syncobj(fd),
	};
	uint32_t vm = xetile_vm(fd), queue;
	unsigned int n;

	*err = 0;
	for (n = 0; n < max; n++) {
		*err = create(fd, vm, &queue);
		if (*err)
			break;
		igt_assert_eq(__xetile_exec(fd, queue, JOB_BATCH_ADDR, &sync, 1), 0);
		igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
		igt_assert_eq(xetile_fence_status(fd, sync.handle), -EIO);
	}
	return n;
}

static unsigned int fault_again(int fd, unsigned int max, int *err)
{
	return fault_on(own_queue, fd, max, err);
}

/* Opens one file after the other, never two at once: only the user can be blamed. */
static void attack_by_reopening(struct hostile *h)
{
	unsigned int n = 0;
	int err;

	hostile_begin(h);
	munmap(h->job.batch.map, h->job.batch.size);
	munmap(h->job.data.map, h->job.data.size);
	close(h->fd);
	do {
		int fd = hostile_open();

		n += fault_again(fd, AT_ONCE, &err);
		close(fd);
	} while (!err && n <= USER_BLAMES);
	igt_assert_eq(err, -ECANCELED);
	igt_assert_eq_u32(n, USER_BLAMES);
}

static void attack_by_nothing(struct hostile *h)
{
	hostile_begin(h);
	igt_assert_eq(job_start(&h->job), 0);
	igt_assert_eq(job_end(&h->job), 1);
}

static void test_reopening(void)
{
	beside(attack_by_reopening, JOB_COMPUTE_TILE);
	/* Another ordinary user gets a queue. */
	beside(attack_by_nothing, JOB_COMPUTE_TILE);
}

/* A user whose failed batches no other test counts */
#define PRIVILEGED	9999

static int try_queue(queue_fn *create, int fd)
{
	uint32_t queue;
	int err = create(fd, xetile_vm(fd), &queue);

	if (!err)
		xetile_queue_destroy(fd, queue);
	return err;
}

/*
 * The same process without the privilege and with it. The calls of xe know no rule for one who has
 * it; the own calls do not count the user's other files then, but the file.
 */
static void fail_privileged(void)
{
	int file, other, err;

	privilege_keep(PRIVILEGED, CAP_SYS_RESOURCE);
	/* Files have the score of the user who opens them. */
	file = hostile_open();
	other = hostile_open();
	igt_assert_eq_u32(fault_on(queue_of_xe, file, BLAMES + 1, &err), BLAMES);
	igt_assert_eq(err, -ECANCELED);

	privilege_use(CAP_SYS_RESOURCE, true);
	igt_assert_eq_u32(fault_on(queue_of_xe, file, USER_BLAMES, &err), USER_BLAMES);
	igt_assert_eq(err, 0);
	igt_assert_eq(try_queue(queue_of_xe, other), 0);
	igt_assert_eq(try_queue(own_queue, file), -ECANCELED);
	igt_assert_eq(try_queue(own_queue, other), 0);

	privilege_use(CAP_SYS_RESOURCE, false);
	igt_assert_eq(try_queue(queue_of_xe, file), -ECANCELED);
	igt_assert_eq(try_queue(queue_of_xe, other), -ECANCELED);
	igt_assert_eq(try_queue(own_queue, other), -ECANCELED);
}

static void test_privilege(void)
{
	igt_fork(child, 1)
		fail_privileged();
	igt_waitchildren();
}

#define FLOOD_FILES	2	/* a user may have 64 failed batches in a minute */
#define FLOOD_SECONDS	5u	/* as the driver: this many batches in so many seconds, */
#define FLOOD_BATCHES	20u
#define FLOOD_LINES	3u	/* with this many lines each, are logged */

/* Has as many batches fail as each file may have */
static void attack_by_log(struct hostile *h)
{
	int err;

	hostile_begin(h);
	for (int file = 0; file < FLOOD_FILES; file++) {
		igt_assert_eq_u32(fault_again(hostile_open(), BLAMES + 1, &err), BLAMES);
		igt_assert_eq(err, -ECANCELED);
	}
}

static void test_log(void)
{
	int log = lab_log_open();
	unsigned int lines, windows;
	unsigned long long us;

	beside(attack_by_log, JOB_COPY_TILE);
	lines = lab_log_errors(log, &us);
	/* One window begins before the first line, one ends after the last line. */
	windows = us / (FLOOD_SECONDS * 1000000ull) + 2;
	igt_info("note: %u lines for %u batches in %llu ms\n", lines, FLOOD_FILES * BLAMES,
		 us / 1000);
	igt_assert_lte(1, lines);
	igt_assert_lte(lines, windows * FLOOD_BATCHES * FLOOD_LINES);
	igt_require_f(windows * FLOOD_BATCHES < FLOOD_FILES * BLAMES,
		      "batches fail too slowly here for the driver to leave lines out\n");
}

igt_main
{
	igt_fixture
		beside_init();

	igt_describe("Batches that fail by the dozen must log at most 60 lines in five seconds");
	igt_subtest("log")
		test_log();
	/* After the subtest before, because this one also fills the log */
	igt_describe("Each hang must end with ETIME and a ban, and the file's 33rd queue be "
		     "refused with ECANCELED");
	igt_subtest("hang-again")
		beside(attack_by_hanging, JOB_COMPUTE_TILE);
	igt_describe("Each fault must end with EIO, and the user's 65th queue be refused with "
		     "ECANCELED");
	igt_subtest("fault-reopen")
		test_reopening();
	igt_describe("With CAP_SYS_RESOURCE xe's calls must give queues to who has failed often, "
		     "own calls must not count the user's other files, and without it both must");
	igt_subtest("privilege")
		test_privilege();

	igt_fixture {
		beside_fini();
		/* Tests that look for a line in the log come next, maybe: leave room for it. */
		sleep(FLOOD_SECONDS + 1);
	}
}
