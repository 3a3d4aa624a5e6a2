// SPDX-License-Identifier: MIT
/*
 * Memory of processes (MAP_USER) is taken away while batches use it that do not end: those who wait
 * for the batches do not wait for ever, and what waits for the pages holds nothing.
 *
 * suite: igt soak
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_binds.h"
#include "xetile_user_memory.h"

IGT_TEST_DESCRIPTION("Nobody waits for ever for memory of processes");

static void punch(int file)
{
	fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SZ_4K);
}

/* Asserts that a child ends within a minute, by itself. */
static void child_ends(pid_t child)
{
	int status;

	xetile_assert_soon(waitpid(child, &status, WNOHANG) == child);
	igt_assert_eq(status, 0);
}

static void check_late(struct place *s, uint32_t queue, uint32_t done)
{
	struct drm_xetile_queue_info info = { 0 };

	igt_assert_eq(__xetile_wait(s->fd, done, 0), 0);
	igt_assert_lt(xetile_fence_status(s->fd, done), 0);
	xetile_queue_info(s->fd, queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_TIMEOUT);
	xetile_syncobj_destroy(s->fd, done);
	xetile_queue_destroy(s->fd, queue);
}

/*
 * Another process takes a page away. It does not wait for longer than a batch may take, although
 * the batch itself waits for something that does not come; and a queue without batches goes on.
 */
static void test_others(const struct xetile_card *card)
{
	int file = make_file(SZ_4K);
	volatile uint32_t *p = map_file(file, NULL, 0, SZ_4K);
	uint32_t queue, done;
	struct place s;
	struct gate gate;
	pid_t child;

	place_init(&s, card->fd);
	gate_init(&gate, card->fd);
	map_user(&s, AT, (void *)p, SZ_4K, 0);
	queue = user_queue(&s, 500);
	done = store_after(&s, queue, gate.fence, xetile_syncobj(s.fd));
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		punch(file);
		_exit(0);
	}
	child_ends(child);
	igt_assert_eq(__xetile_wait(card->fd, gate.fence, 0), -ETIME);
	check_late(&s, queue, done);
	place_store(&s, AT, 2);
	igt_assert_eq_u32(*p, 2);
	gate_open(&gate);
	igt_assert_eq_u32(*p, 2);
	gate_fini(&gate);
	place_fini(&s);
	munmap((void *)p, SZ_4K);
	close(file);
}

/* The process itself takes the page away, and is patient: its batch ends well. */
static void *puncher(void *file)
{
	punch(*(int *)file);
	return NULL;
}

static void test_own(const struct xetile_card *card)
{
	int file = make_file(SZ_4K);
	volatile uint32_t *p = map_file(file, NULL, 0, SZ_4K);
	uint32_t queue, done;
	pthread_t thread;
	struct place s;
	struct gate gate;

	place_init(&s, card->fd);
	gate_init(&gate, card->fd);
	map_user(&s, AT, (void *)p, SZ_4K, 0);
	queue = user_queue(&s, 500);
	done = store_after(&s, queue, gate.fence, xetile_syncobj(s.fd));
	igt_assert_eq(pthread_create(&thread, NULL, puncher, &file), 0);
	/* Time for a call that does not wait for as long to end the batch */
	sleep(2);
	gate_open(&gate);
	igt_assert_eq(__xetile_wait(s.fd, done, 60000), 0);
	igt_assert_eq(xetile_fence_status(s.fd, done), 1);
	pthread_join(thread, NULL);
	igt_assert_eq_u32(*p, 0);
	gate_fini(&gate);
	xetile_queue_destroy(s.fd, queue);
	xetile_syncobj_destroy(s.fd, done);
	place_fini(&s);
	munmap((void *)p, SZ_4K);
	close(file);
}

/* A process ends, and its batch, which another process could still see, does not. */
static void test_release(const struct xetile_card *card)
{
	uint32_t queue, done;
	struct place s;
	struct gate gate;
	pid_t child;

	place_init(&s, card->fd);
	gate_init(&gate, card->fd);
	queue = user_queue(&s, 300000);
	done = xetile_syncobj(s.fd);
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		map_user(&s, AT, anon(SZ_4K), SZ_4K, 0);
		store_after(&s, queue, gate.fence, done);
		_exit(0);
	}
	child_ends(child);
	igt_assert_eq(__xetile_wait(card->fd, gate.fence, 0), -ETIME);
	check_late(&s, queue, done);
	gate_open(&gate);
	gate_fini(&gate);
	place_fini(&s);
}

/* A call of EXEC in a thread */
struct exec {
	struct place s;
	uint32_t done;
	int ret;
	atomic_bool ended;
};

static void *exec_run(void *arg)
{
	struct exec *e = arg;

	e->ret = try_store(&e->s, AT + 64, 0x222, &e->done);
	atomic_store(&e->ended, true);
	return NULL;
}

/*
 * A page is being taken away, and the call that does so waits for a batch. Batches that are
 * submitted meanwhile wait in EXEC: they must not have the page that goes. Their queues can be
 * destroyed, and leave nothing behind, although the calls still wait.
 */
static void test_exec_waits(const struct xetile_card *card)
{
	int file = make_file(SZ_4K);
	volatile uint32_t *p = map_file(file, NULL, 0, SZ_4K);
	pthread_t taker, threads[2];
	struct exec e[2] = { 0 };
	struct held held;
	struct place s;
	uint64_t used;

	place_init(&s, xetile_reopen(card->fd));
	map_user(&s, AT, (void *)p, SZ_4K, 0);
	held = hold_store(&s, AT, 0x111, 100000);
	used = xetile_fdinfo_bytes(s.fd, "drm-total-hbm0");
	for (unsigned int i = 0; i < 2; i++)
		e[i].s = s;
	e[1].s.queue = user_queue(&s, 0);
	igt_assert(used < xetile_fdinfo_bytes(s.fd, "drm-total-hbm0"));
	igt_assert_eq(pthread_create(&taker, NULL, puncher, &file), 0);
	usleep(200000);
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(pthread_create(&threads[i], NULL, exec_run, &e[i]), 0);
	/* Time for calls that do not wait */
	usleep(200000);
	xetile_queue_destroy(s.fd, e[1].s.queue);
	xetile_assert_soon(xetile_fdinfo_bytes(s.fd, "drm-total-hbm0") == used);
	for (unsigned int i = 0; i < 2; i++)
		igt_assert(!atomic_load(&e[i].ended));
	s.ctl.map[GO] = 1;
	igt_assert_eq(held_end(&held), 1);
	pthread_join(taker, NULL);
	for (unsigned int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	igt_assert_eq(e[0].ret, 0);
	igt_assert_eq(e[1].ret, -ENOENT);
	igt_assert_eq(__xetile_wait(s.fd, e[0].done, 60000), 0);
	igt_assert_eq(xetile_fence_status(s.fd, e[0].done), 1);
	igt_assert_eq_u32(p[0], 0);
	igt_assert_eq_u32(p[16], 0x222);
	xetile_syncobj_destroy(s.fd, e[0].done);
	place_fini(&s);
	close(s.fd);
	munmap((void *)p, SZ_4K);
	close(file);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_user(&card);
	}

	igt_describe("Others must not wait for longer than a batch may take");
	igt_subtest("others")
		test_others(&card);
	igt_describe("A process must not lose a batch because it waits for it");
	igt_subtest("own")
		test_own(&card);
	igt_describe("The end of a process must not wait for a batch that does not end");
	igt_subtest("release")
		test_release(&card);
	igt_describe("EXEC must wait for pages that are being taken away, and hold no queue then");
	igt_subtest("exec-waits")
		test_exec_waits(&card);

	igt_fixture
		close(card.fd);
}
