// SPDX-License-Identifier: MIT
/*
 * Who has an engine, when and for how long: priorities, weights, time limits, and turns by
 * process.
 * Statements: W2, W17.
 *
 * suite: igt soak 1-tile 2nd-card 4-tiles
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_ctx.h"

IGT_TEST_DESCRIPTION("Priorities, weights and turns");

/*
 * One engine, and three who want it: the highest gets it at once and keeps it, whatever the
 * time; the lowest waits for the others, but not until they are done.
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
		/* the low one is done while the normal one does nothing but wait */
		if (priorities[i] == DRM_XETILE_PRIORITY_LOW) {
			c.gate.map[16 * i] = 1;
			igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 60000), 0);
			igt_assert_eq(xetile_fence_status(c.fd, done[0].handle), 0);
		}
	}
	/* the normal one could go on now, but for the high one */
	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, done[0].handle, 200), -ETIME);
	c.gate.map[32] = 1;
	for (int i = 0; i < 3; i++) {
		igt_assert_eq(__xetile_wait(c.fd, done[i].handle, 10000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, done[i].handle), 1);
		xetile_syncobj_destroy(c.fd, done[i].handle);
		xetile_queue_destroy(c.fd, q[i]);
	}

	/* the highest is not everybody's */
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
 * A batch has to have an engine back before it can store the word that the other one on that
 * engine waits for. It comes: in its turn, or, if the other one's priority lets nobody near,
 * when that has used up its time. The signaller is never blamed.
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
		/* The second one has the engine, so the first one has lost it. */
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

/* What QUERY says is what a queue of the caller can ask for: an ordinary user's is less. */
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

/* A process that has one of these counts on an engine until it is killed. */
static uint32_t queue_that_counts(struct ctx *c, uint32_t n, uint32_t weight)
{
	/* A machine may be so slow that all others' turns take longer than the default. */
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
	/* How many queues of each process have run at all */
	volatile uint32_t ran[2];
	/* When all had: from here on their rounds count, and who had some */
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
	/* Its queues end with it. */
	close(c.fd);
}

/*
 * One process with many queues and one with a single queue want the same engine, for ever:
 * when each queue of the many has had another turn, the single one has had as many. What
 * counts is what the engine has done since all of them were there.
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
 * Two queues want the same engine, for ever. They have as many turns, but those of the one
 * are a second long, and those of the other one a millisecond and what a switch takes, which
 * is long on a busy machine.
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
	/* Each time the second one is found to have gone on it had a turn, or more. */
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

	igt_describe("The higher priority first, for as long as it likes");
	igt_subtest("priority") {
		igt_require(!geteuid());
		test_priority(&card);
	}

	igt_describe("A batch is preempted by another one that waits for what it will store");
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

	igt_describe("Who may ask for a long timeout");
	igt_subtest("timeout") {
		igt_require(!geteuid());
		test_timeout(&card);
	}

	igt_describe("A process has no more for having more queues (W17)");
	igt_subtest("fair")
		test_fair();
	igt_describe("Who has more weight has longer turns (W2)");
	igt_subtest("weight") {
		igt_require(!geteuid());
		test_weight();
	}

	igt_fixture
		close(card.fd);
}
