// SPDX-License-Identifier: MIT
/*
 * Waiting for numbers in memory by the xe driver's call (M7): comparisons, timeouts, bad input, who
 * ends the wait, and that it holds the card's removal up for no time (T4).
 *
 * suite: igt
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_binds.h"
#include "xetile_job.h"
#include "xetile_xe.h"

IGT_TEST_DESCRIPTION("Waiting for numbers in memory by the xe driver's call");

#define MS	1000000ll

static uint64_t number;

static struct drm_xe_wait_user_fence usual(uint16_t op, uint64_t value, int64_t timeout)
{
	return (struct drm_xe_wait_user_fence) {
		.addr = to_user(&number), .op = op, .value = value, .mask = -1ull,
		.timeout = timeout,
	};
}

static void test_args(int fd)
{
	struct drm_xe_wait_user_fence args;

	number = 1;
#define CHECK(field, value_, err) do { \
		args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 1, 1000); \
		args.field = (value_); \
		igt_assert_f(__xe_wait(fd, &args) == (err), #field " = " #value_ "\n"); \
	} while (0)
	CHECK(timeout, 1000, 0);
	CHECK(extensions, BAD_POINTER, -EINVAL);
	CHECK(op, DRM_XE_UFENCE_WAIT_OP_LTE + 1, -EINVAL);
	CHECK(op, 0xffff, -EINVAL);
	CHECK(flags, 1u << 1, -EINVAL);
	CHECK(flags, 0xffff, -EINVAL);
	CHECK(pad, 1, -EINVAL);
	CHECK(pad2, 1, -EINVAL);
	CHECK(reserved[0], 1, -EINVAL);
	CHECK(reserved[1], 1, -EINVAL);
	CHECK(addr, to_user(&number) + 4, -EINVAL);
	CHECK(addr, BAD_POINTER, -EFAULT);
	CHECK(addr, -8ull, -EFAULT);
	CHECK(exec_queue_id, BAD_ID, -ENOENT);
#undef CHECK
}

static void test_ops(int fd)
{
	static const struct {
		uint16_t op;
		bool below, same, above;
	} ops[] = {
		{ DRM_XE_UFENCE_WAIT_OP_EQ, false, true, false },
		{ DRM_XE_UFENCE_WAIT_OP_NEQ, true, false, true },
		{ DRM_XE_UFENCE_WAIT_OP_GT, false, false, true },
		{ DRM_XE_UFENCE_WAIT_OP_GTE, false, true, true },
		{ DRM_XE_UFENCE_WAIT_OP_LT, true, false, false },
		{ DRM_XE_UFENCE_WAIT_OP_LTE, true, true, false },
	};
	/* The highest bit counts: numbers have no sign. Bits outside of the mask do not. */
	static const uint64_t values[] = { 5, 0x8000000000000000ull };

	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		for (unsigned int v = 0; v < ARRAY_SIZE(values); v++)
			for (int d = -1; d <= 1; d++) {
				bool passes = d < 0 ? ops[i].below : d ? ops[i].above : ops[i].same;
				struct drm_xe_wait_user_fence args =
					usual(ops[i].op, values[v], 0);

				args.mask = ~0x0f00ull;
				number = (values[v] + d) | 0x0700;
				if (v && d < 0)
					number = 0x7ffffffffffff0ffull;
				igt_assert_f(__xe_wait(fd, &args) == (passes ? 0 : -ETIME),
					     "op %u value %u %+d\n", ops[i].op, v, d);
			}
}

static void test_timeout(int fd)
{
	struct drm_xe_wait_user_fence args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 1, 50 * MS);
	uint64_t start = xetile_now_ns();

	number = 0;
	igt_assert_eq(__xe_wait(fd, &args), -ETIME);
	igt_assert_lte_u64(50 * MS, xetile_now_ns() - start);
	igt_assert_eq(args.timeout, 0);
	/* What is left comes back; a number that is there takes none of an absolute time. */
	args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 0, 1000000 * MS);
	igt_assert_eq(__xe_wait(fd, &args), 0);
	igt_assert(args.timeout > 0 && args.timeout < 1000000 * MS);
	args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 0, -1);
	igt_assert_eq(__xe_wait(fd, &args), 0);
	igt_assert(args.timeout < 0);
	args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 0, INT64_MAX);
	igt_assert_eq(__xe_wait(fd, &args), 0);

	args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 1, xetile_now_ns() + 50 * MS);
	args.flags = DRM_XE_UFENCE_WAIT_FLAG_ABSTIME;
	start = args.timeout;
	igt_assert_eq(__xe_wait(fd, &args), -ETIME);
	igt_assert_lte_u64(start, xetile_now_ns());
	igt_assert_eq(args.timeout, start);
	args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 1, 1);
	args.flags = DRM_XE_UFENCE_WAIT_FLAG_ABSTIME;
	igt_assert_eq(__xe_wait(fd, &args), -ETIME);
}

/* A thread that waits for ever */
struct waiter {
	int fd, err;
	struct drm_xe_wait_user_fence args;
	pthread_t thread;
	bool ended;
};

static void *wait_thread(void *arg)
{
	struct waiter *w = arg;

	w->err = __xe_wait(w->fd, &w->args);
	__atomic_store_n(&w->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

static void waiter_start(struct waiter *w, int fd, uint32_t queue)
{
	w->fd = fd;
	w->ended = false;
	w->args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 1, -1);
	w->args.exec_queue_id = queue;
	number = 0;
	igt_assert_eq(pthread_create(&w->thread, NULL, wait_thread, w), 0);
	usleep(200000);
	igt_assert(!__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE));
}

static int waiter_end(struct waiter *w)
{
	xetile_assert_soon(__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE));
	igt_assert_eq(pthread_join(w->thread, NULL), 0);
	return w->err;
}

/* The GPU writes the number, with nothing else that the kernel could hear of but its interrupt. */
static void test_gpu(int fd)
{
	struct waiter w;
	struct binds s;
	uint32_t bo = xe_bo(fd, SZ_4K, 1);
	uint64_t *map = xetile_bo_map(fd, bo, SZ_4K);

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	xe_map(fd, s.vm, bo, DATA_ADDR, SZ_4K);
	waiter_start(&w, fd, s.queue);
	number = 1;
	igt_assert_eq(waiter_end(&w), 0);

	w.ended = false;
	w.args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 3, -1);
	w.args.addr = to_user(map);
	igt_assert_eq(pthread_create(&w.thread, NULL, wait_thread, &w), 0);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 3), 1);
	igt_assert_eq(waiter_end(&w), 0);
	munmap(map, SZ_4K);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
}

#define CROWD	300u	/* many more than an interrupt wakes */

/* However many wait, all hear of a number, and the last one soon. */
static void test_crowd(int fd)
{
	static struct waiter crowd[CROWD];
	struct binds s;
	uint32_t bo = xe_bo(fd, SZ_4K, 1);
	uint64_t *map = xetile_bo_map(fd, bo, SZ_4K);

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	xe_map(fd, s.vm, bo, DATA_ADDR, SZ_4K);
	for (unsigned int i = 0; i < CROWD; i++) {
		crowd[i].fd = fd;
		crowd[i].args = usual(DRM_XE_UFENCE_WAIT_OP_GTE, 1 + i % 3, -1);
		crowd[i].args.addr = to_user(map);
		igt_assert_eq(pthread_create(&crowd[i].thread, NULL, wait_thread, &crowd[i]), 0);
	}
	for (unsigned int n = 1; n <= 3; n++) {
		igt_assert_eq(binds_store(&s, DATA_ADDR, n), 1);
		for (unsigned int i = n - 1; i < CROWD; i += 3)
			igt_assert_eq(waiter_end(&crowd[i]), 0);
	}
	munmap(map, SZ_4K);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
}

/* The queue that is to write the number runs nothing any more. */
static void test_banned(int fd)
{
	struct waiter w;
	struct job job;

	job_init_at(&job, fd, JOB_COPY_TILE, 1000);
	waiter_start(&w, fd, job.queue);
	igt_assert_eq(job_start_endless(&job), 0);
	igt_assert_eq(waiter_end(&w), -EIO);
	/* Again, of a queue that is banned already; but a number that is there counts. */
	number = 0;
	w.args = usual(DRM_XE_UFENCE_WAIT_OP_EQ, 1, -1);
	w.args.exec_queue_id = job.queue;
	igt_assert_eq(__xe_wait(fd, &w.args), -EIO);
	number = 1;
	igt_assert_eq(__xe_wait(fd, &w.args), 0);
	job_end(&job);

	job_renew_queue(&job);
	waiter_start(&w, fd, job.queue);
	xetile_queue_destroy(fd, job.queue);
	igt_assert_eq(waiter_end(&w), -EIO);
	job_new_queue(&job);
	job_fini(&job);
}

static void nothing(int sig)
{
}

/* A signal ends the call, which is repeated as it is, with what is left of its time. */
static void test_signal(int fd)
{
	struct sigaction act = { .sa_handler = nothing };
	struct waiter w;

	igt_assert_eq(sigaction(SIGUSR1, &act, NULL), 0);
	waiter_start(&w, fd, 0);
	igt_assert_eq(pthread_kill(w.thread, SIGUSR1), 0);
	igt_assert_eq(waiter_end(&w), -EINTR);
	igt_assert(w.args.timeout < 0);
	act.sa_flags = SA_RESTART;
	igt_assert_eq(sigaction(SIGUSR1, &act, NULL), 0);
	waiter_start(&w, fd, 0);
	igt_assert_eq(pthread_kill(w.thread, SIGUSR1), 0);
	usleep(100000);
	igt_assert(!__atomic_load_n(&w.ended, __ATOMIC_ACQUIRE));
	number = 1;
	igt_assert_eq(waiter_end(&w), 0);
}

/* The card goes: the wait ends, and the removal does not wait for it. */
static void test_removal(void)
{
	char address[32];
	struct waiter w;
	uint64_t start;
	int fd;

	xetile_bound_card(address, sizeof(address));
	fd = xetile_open();
	waiter_start(&w, fd, 0);
	start = xetile_now_ns();
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_debug("removed after %llu ms\n",
		  (unsigned long long)(xetile_now_ns() - start) / 1000000);
	igt_assert_eq(waiter_end(&w), -EIO);
	igt_assert_eq(__xe_wait(fd, &w.args), -EIO);
	close(fd);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = xetile_open();

	igt_describe("Bad input in each field (M7)");
	igt_subtest("args")
		test_args(fd);
	igt_describe("The six comparisons, with a mask (M7)");
	igt_subtest("ops")
		test_ops(fd);
	igt_describe("Relative and absolute times (M7)");
	igt_subtest("timeout")
		test_timeout(fd);
	igt_describe("A number that a job writes (M7)");
	igt_subtest("gpu")
		test_gpu(fd);
	igt_describe("Hundreds of waiters (M7)");
	igt_subtest("crowd")
		test_crowd(fd);
	igt_describe("The queue is banned, or destroyed (M7, M12)");
	igt_subtest("banned")
		test_banned(fd);
	igt_describe("Signals (M7)");
	igt_subtest("signal")
		test_signal(fd);
	igt_describe("The card is removed under a wait (T4)");
	igt_subtest("removal") {
		close(fd);
		fd = -1;
		test_removal();
	}

	igt_fixture
		if (fd >= 0)
			close(fd);
}
