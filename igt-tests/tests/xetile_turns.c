// SPDX-License-Identifier: MIT
/*
 * The use of an engine by several queues: priorities, weights, time limits, and turns by process.
 * Statements: W2, W17.
 *
 * suite: once soak 4-tiles
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Priorities, weights and turns");

/*
 * Three queues want one engine. The queue with high priority gets it at once and keeps it. The
 * queue with low priority waits for a turn, but not until the others are done.
 */
static void test_priority(const struct xetile_card *card)
{
	static const uint32_t priorities[] = {
		DRM_XETILE_PRIORITY_NORMAL, DRM_XETILE_PRIORITY_LOW, DRM_XETILE_PRIORITY_HIGH,
	};
	struct drm_xetile_sync done[3];
	struct drm_xetile_queue_create args = { .engine_class = COMPUTE, .target = TILE };
	volatile uint32_t *started;
	struct xetile_batch b;
	uint32_t q[3];
	struct ctx c;

	ctx_init(&c, card->fd);
	args.vm_id = c.vm;
	started = &c.gate.map[48];
	for (int i = 0; i < 3; i++) {
		args.priority = priorities[i];
		igt_assert_eq(__xetile_queue_create(c.fd, &args), 0);
		q[i] = args.queue_id;
		done[i] = (struct drm_xetile_sync) {
			.handle = xetile_syncobj(c.fd), .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		batch_begin(&b, &c.batch, 4096 * i);
		batch_store(&b, c.gate.addr + 192 + 4 * i, 1, false);
		batch_wait(&b, c.gate.addr + 64 * i, 1);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(c.fd, q[i], batch_addr(&b), &done[i], 1), 0);
		xetile_assert_soon(started[i]);
		/* The low one ends while the normal one does nothing but wait. */
		if (priorities[i] == DRM_XETILE_PRIORITY_LOW) {
			c.gate.map[16 * i] = 1;
			igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 60000), 0);
			igt_assert_eq(xetile_fence_status(c.fd, done[0].handle), 0);
		}
	}
	/* The normal one could go on now, but the high one has the engine. */
	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, done[0].handle, 200), -ETIME);
	c.gate.map[32] = 1;
	for (int i = 0; i < 3; i++) {
		igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 10000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, done[i].handle), 1);
		xetile_syncobj_destroy(c.fd, done[i].handle);
		xetile_queue_destroy(c.fd, q[i]);
	}

	/* An ordinary user must not get high priority. */
	igt_assert_eq(seteuid(65534), 0);
	for (int i = 0; i < 3; i++) {
		args.priority = priorities[i];
		args.queue_id = 0;
		igt_assert_eq(__xetile_queue_create(c.fd, &args),
			      priorities[i] == DRM_XETILE_PRIORITY_HIGH ? -EACCES : 0);
		if (args.queue_id)
			xetile_queue_destroy(c.fd, args.queue_id);
	}
	igt_assert_eq(seteuid(0), 0);
	ctx_fini(&c);
}

/*
 * A batch needs its engine back before it can store the word for which the other batch on that
 * engine waits. It gets the engine in its turn; or, if the other batch has a higher priority, when
 * that batch has used up its time. The batch that stores must never be blamed.
 */
static void test_signaller(const struct xetile_card *card, uint32_t target, uint32_t signaller,
			   uint32_t waiter, int expected)
{
	struct drm_xetile_queue_create args[2] = {
		{ .engine_class = COMPUTE, .target = target, .priority = signaller },
		{ .engine_class = COMPUTE, .target = TILE, .priority = waiter,
		  .timeout_ms = expected == 1 ? 0 : 500 },
	};
	enum { BEGUN = 0, GO = 64, WORD = 128 };
	struct drm_xetile_sync done[2];
	struct drm_xetile_queue_info info;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card->fd);
	for (int i = 0; i < 2; i++) {
		args[i].vm_id = c.vm;
		igt_assert_eq(__xetile_queue_create(c.fd, &args[i]), 0);
		done[i] = (struct drm_xetile_sync) {
			.handle = xetile_syncobj(c.fd), .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		batch_begin(&b, &c.batch, 4096 * i);
		batch_store(&b, c.gate.addr + BEGUN + 4 * i, 1, false);
		batch_wait(&b, c.gate.addr + (i ? WORD : GO), 1);
		if (!i)
			batch_store(&b, c.gate.addr + WORD, 1, false);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(c.fd, args[i].queue_id, batch_addr(&b), &done[i], 1),
			      0);
		/* The second batch has the engine, so the first one has lost it. */
		xetile_assert_soon(((volatile uint32_t *)c.gate.map)[BEGUN / 4 + i]);
	}
	c.gate.map[GO / 4] = 1;
	for (int i = 0; i < 2; i++) {
		igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 60000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, done[i].handle), i ? expected : 1);
		xetile_syncobj_destroy(c.fd, done[i].handle);
	}
	xetile_queue_info(c.fd, args[0].queue_id, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 0);
	for (int i = 0; i < 2; i++)
		xetile_queue_destroy(c.fd, args[i].queue_id);
	ctx_fini(&c);
}

static uint64_t max_timeout_ms(int fd)
{
	struct drm_xetile_query_device device;

	xetile_query(fd, DRM_XETILE_QUERY_DEVICE, XETILE_ARRAY(&device, 1));
	return device.max_timeout_ms;
}

/* QUERY reports the longest timeout that the caller may ask for; an ordinary user's is shorter. */
static void test_timeout(const struct xetile_card *card)
{
	uint64_t privileged = max_timeout_ms(card->fd), ordinary;
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(card->fd), .engine_class = COMPUTE, .target = TILE,
	};

	igt_assert_eq(seteuid(65534), 0);
	ordinary = max_timeout_ms(card->fd);
	args.timeout_ms = ordinary + 1;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), -EACCES);
	args.timeout_ms = privileged + 1;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), -EINVAL);
	args.timeout_ms = ordinary;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	xetile_queue_destroy(card->fd, args.queue_id);
	igt_assert_eq(seteuid(0), 0);

	igt_assert_lte_u64(ordinary + 1, privileged);
	args.timeout_ms = privileged;
	args.queue_id = 0;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	xetile_queue_destroy(card->fd, args.queue_id);
	xetile_vm_destroy(card->fd, args.vm_id);
}

/* Creates a queue whose job counts on an engine until its process is killed. */
static uint32_t queue_that_counts(struct ctx *c, uint32_t n, uint32_t weight)
{
	/* On a slow machine the others' turns may take longer than the default limit. */
	struct drm_xetile_queue_create args = {
		.vm_id = c->vm, .engine_class = COMPUTE, .target = TILE, .weight = weight,
		.timeout_ms = max_timeout_ms(c->fd),
	};
	struct xetile_batch b;

	igt_assert_eq(__xetile_queue_create(c->fd, &args), 0);
	batch_begin(&b, &c->batch, 256 * n);
	batch_atomic_inc(&b, c->gate.addr + 64 * n);
	batch_yield(&b);
	batch_jump(&b, batch_addr(&b));
	igt_assert_eq(__xetile_exec(c->fd, args.queue_id, batch_addr(&b), NULL, 0), 0);
	return args.queue_id;
}

#define MANY	20

struct counts {
	/* The number of queues of each process that have run */
	volatile uint32_t ran[2];
	/* Set when all queues have run; again[] counts the queues that have run since */
	volatile uint32_t start;
	volatile uint64_t rounds[2];
	volatile uint32_t again[2];
	volatile uint32_t end;
};

static uint32_t count_from(const struct ctx *c, const uint32_t *base, unsigned int queues,
			   volatile uint64_t *rounds)
{
	uint64_t sum = 0;
	uint32_t ran = 0;

	for (unsigned int i = 0; i < queues; i++) {
		uint32_t n = ((volatile uint32_t *)c->gate.map)[16 * i] - base[i];

		sum += n;
		ran += n != 0;
	}
	*rounds = sum;
	return ran;
}

static void count_rounds(struct counts *counts, int process, unsigned int queues)
{
	uint32_t base[MANY] = { 0 };
	struct ctx c;

	ctx_init(&c, xetile_open());
	for (unsigned int i = 0; i < queues; i++)
		queue_that_counts(&c, i, 0);
	while (!counts->start) {
		counts->ran[process] = count_from(&c, base, queues, &counts->rounds[process]);
		usleep(1000);
	}
	for (unsigned int i = 0; i < queues; i++)
		base[i] = c.gate.map[16 * i];
	while (!counts->end) {
		counts->again[process] = count_from(&c, base, queues, &counts->rounds[process]);
		usleep(1000);
	}
	/* The queues end with the file. */
	close(c.fd);
}

/*
 * A process with many queues and a process with a single queue want the same engine, without end.
 * When each of the many queues has had another turn, the single queue must have at least a quarter
 * of all rounds; it should have half. Only rounds since all queues have run count.
 */
static void test_fair(void)
{
	struct counts *counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t one, all;

	igt_assert(counts != MAP_FAILED);
	igt_fork(child, 2)
		count_rounds(counts, child, child ? MANY : 1);
	xetile_assert_soon(counts->ran[0] == 1 && counts->ran[1] == MANY);
	counts->start = 1;
	xetile_assert_soon(counts->again[0] == 1 && counts->again[1] == MANY);
	one = counts->rounds[0];
	all = one + counts->rounds[1];
	counts->end = 1;
	igt_waitchildren();
	igt_assert_f(one > all / 4, "one queue had %llu of %llu rounds\n",
		     (unsigned long long)one, (unsigned long long)all);
	munmap(counts, sizeof(*counts));
}

static void write_slice(int fd, const char *max_us, const char *us)
{
	igt_assert_eq(xetile_sysfs_write(fd, 0, "engines/ccs/timeslice_duration_max", max_us), 0);
	igt_assert_eq(xetile_sysfs_write(fd, 0, "engines/ccs/timeslice_duration_us", us), 0);
}

/*
 * Two queues want the same engine, without end, and have equally many turns. The turns of the first
 * queue take a second. Those of the second one take a millisecond and the time of a switch, which
 * may be long on a busy machine.
 */
static void test_weight(void)
{
	volatile uint32_t *rounds[2];
	uint32_t base[2], had[2], turns = 0;
	struct ctx c;

	ctx_init(&c, xetile_open());
	write_slice(c.fd, "1000000", "100000");
	for (uint32_t i = 0; i < 2; i++) {
		queue_that_counts(&c, i, i ? 1 : 1000);
		rounds[i] = (volatile uint32_t *)c.gate.map + 16 * i;
	}
	xetile_assert_soon(*rounds[0] && *rounds[1]);
	base[0] = *rounds[0];
	base[1] = *rounds[1];
	/* Each progress of the second queue means at least one turn. */
	while (turns < 4) {
		had[0] = *rounds[0];
		xetile_assert_soon(*rounds[0] != had[0]);
		had[1] = *rounds[1];
		xetile_assert_soon(*rounds[1] != had[1]);
		turns++;
	}
	had[0] = *rounds[0] - base[0];
	had[1] = *rounds[1] - base[1];
	write_slice(c.fd, "1000000", "5000");
	write_slice(c.fd, "50000", "5000");
	igt_assert_f(had[0] / 2 > had[1], "%u rounds with weight 1000, %u with 1\n", had[0],
		     had[1]);
	close(c.fd);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("The higher priority must have the engine first, and as long as it wants");
	igt_subtest("priority") {
		igt_require(!geteuid());
		test_priority(&card);
	}

	igt_describe("A batch must get its engine back from a batch that waits for its store");
	for (int i = 0; i < 2; i++) {
		igt_subtest_f("signaller-%s", i ? "gang" : "tile") {
			uint32_t target = i ? ROOT : TILE;

			igt_require(!geteuid());
			test_signaller(&card, target, DRM_XETILE_PRIORITY_NORMAL,
				       DRM_XETILE_PRIORITY_NORMAL, 1);
			test_signaller(&card, target, DRM_XETILE_PRIORITY_LOW,
				       DRM_XETILE_PRIORITY_NORMAL, 1);
			test_signaller(&card, target, DRM_XETILE_PRIORITY_NORMAL,
				       DRM_XETILE_PRIORITY_HIGH, -ETIME);
		}
	}

	igt_describe("An ordinary user's longest timeout must be shorter than root's, and QUERY "
		     "report both");
	igt_subtest("timeout") {
		igt_require(!geteuid());
		test_timeout(&card);
	}

	igt_describe("A process must not have more of an engine because it has more queues (W17)");
	igt_subtest("fair")
		test_fair();
	igt_describe("A queue with more weight must have longer turns (W2)");
	igt_subtest("weight") {
		igt_require(!geteuid());
		test_weight();
	}

	igt_fixture
		close(card.fd);
}
