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
 * Three queues want one engine. The queue with high priority gets it at once. Each of the others
 * waits for a turn, but not until those above are done.
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
	/* The normal one ends while the high one does nothing but wait. */
	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, done[0].handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(c.fd, done[2].handle), 0);
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
 * engine waits. It gets the engine in its turn, also if the other batch has a higher priority. The
 * batch that stores must never be blamed.
 */
static void test_signaller(const struct xetile_card *card, uint32_t target, uint32_t signaller,
			   uint32_t waiter)
{
	struct drm_xetile_queue_create args[2] = {
		{ .engine_class = COMPUTE, .target = target, .priority = signaller },
		{ .engine_class = COMPUTE, .target = TILE, .priority = waiter },
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
		igt_assert_eq(xetile_fence_status(c.fd, done[i].handle), 1);
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

/* Of an engine, from its base: the time for which the context has run, in ticks of the card */
#define CTX_TIMESTAMP	0x3a8
/* Time that is measured, in ns, in which the engine has something to do */
#define MEASURED_NS	2000000000ull
/* Engine time of a turn, in us */
#define TURN_US		40000
/* Two processes are read at nearly the same time: while one of them used so little, in ns */
#define TOGETHER_NS	10000000ull
/* In the buffer of words, the time of a queue's context */
#define TIME_BYTES	64
/* How many short jobs wait at most */
#define DEPTH		64

/* In the batch buffer, the words of a queue's batch that does not end */
#define BATCH_BYTES	64
/* There, too, from there to its end a batch that ends soon, and the commands until it may leave */
#define SHORT_BATCH	32768
#define YIELD_STEPS	32
/* In the other buffer, the word that tells its process to end */
#define END_WORD	(SZ_64K / 4 - 1)

static uint32_t queue_of_weight(struct ctx *c, uint32_t weight)
{
	struct drm_xetile_queue_create args = {
		.vm_id = c->vm, .engine_class = COMPUTE, .target = TILE, .weight = weight,
		.timeout_ms = max_timeout_ms(c->fd),
	};

	igt_assert_eq(__xetile_queue_create(c->fd, &args), 0);
	return args.queue_id;
}

/* Starts a job that notes its context's time on the card, until the file is closed. */
static void start_timed(struct ctx *c, uint32_t n, uint32_t weight)
{
	uint32_t queue = queue_of_weight(c, weight);
	struct xetile_batch b;

	batch_begin(&b, &c->batch, BATCH_BYTES * n);
	batch_store_reg(&b, CTX_TIMESTAMP, c->gate.addr + TIME_BYTES * n);
	batch_yield(&b);
	batch_jump(&b, batch_addr(&b));
	igt_assert(b.len * 4 <= BATCH_BYTES);
	igt_assert_eq(__xetile_exec(c->fd, queue, batch_addr(&b), NULL, 0), 0);
}

/* Submits jobs that end soon, of which some wait at any time, until it is told to end. */
static void feed_short(struct ctx *c, uint32_t weight)
{
	volatile uint32_t *words = c->gate.map;
	uint32_t queue = queue_of_weight(c, weight);
	struct drm_xetile_sync done[DEPTH] = { };
	struct xetile_batch b;

	/* On a slow engine the batch leaves in time, too. */
	batch_begin(&b, &c->batch, SHORT_BATCH);
	while (b.len < SHORT_BATCH / 4 - 4 * YIELD_STEPS - 8) {
		for (int i = 0; i < YIELD_STEPS; i++)
			batch_store_reg(&b, CTX_TIMESTAMP, c->gate.addr);
		batch_yield(&b);
	}
	batch_end(&b);
	for (uint32_t n = 0; !words[END_WORD]; n++) {
		struct drm_xetile_sync *sync = &done[n % DEPTH];

		if (n < DEPTH)
			*sync = (struct drm_xetile_sync) {
				.handle = xetile_syncobj(c->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
			};
		else
			igt_assert_eq(__xetile_wait(c->fd, sync->handle, 60000), 0);
		igt_assert_eq(__xetile_exec(c->fd, queue, batch_addr(&b), sync, 1), 0);
	}
}

/* A process has a file, of which its parent reads what was used. */
struct sharer {
	struct ctx c;
	uint32_t weight;
	/* None: the process has a single queue, with jobs that end soon. */
	uint32_t queues;
	uint64_t held, before, ran;
};

static uint32_t time_of(const struct sharer *s, uint32_t queue)
{
	return ((volatile uint32_t *)s->c.gate.map)[TIME_BYTES / 4 * queue];
}

/*
 * How long the process's queues had the engine, and how long they ran by what they noted, in ns.
 * Both are by the card's clock.
 */
static void read_sharer(struct sharer *s, uint64_t hz)
{
	uint64_t ticks = 0;

	for (uint32_t i = 0; i < (s->queues ?: 1); i++)
		ticks += time_of(s, i);
	s->held = xetile_fdinfo_bytes(s->c.fd, "drm-engine-compute");
	s->ran = ticks * 1000000000 / hz;
}

/* Whether the process has had the engine since the last look, before which it had @before */
static bool has_engine(struct sharer *s, uint64_t hz)
{
	s->before = s->held;
	read_sharer(s, hz);
	return s->held != s->before;
}

/* Reads the second one, and whether the first one has used next to nothing since it had @held. */
static bool read_second(struct sharer s[2], uint64_t held, uint64_t hz)
{
	bool together;

	read_sharer(&s[1], hz);
	read_sharer(&s[0], hz);
	together = s[0].held - held < TOGETHER_NS;
	s[0].held = held;
	return together;
}

/*
 * Reads both when the first one begins a turn: then each has had its share. (At any other time one
 * of them may owe what it has had since it could not be interrupted at once.) Returns false when
 * this process was too slow.
 */
static bool read_in_balance(struct sharer s[2], uint64_t hz)
{
	xetile_assert_soon(!has_engine(&s[0], hz));
	xetile_assert_soon(has_engine(&s[0], hz));
	/* The turn may have begun some time ago. */
	return read_second(s, s[0].before, hz);
}

/*
 * Both have the shares that their weights say, within 5 %. A process is charged for the time for
 * which an engine is kept for it. The card's clock does not count what of that switches take, which
 * is at most what no context has had, and little, because turns are long here.
 */
static void check_shares(struct sharer s[2], uint64_t hz)
{
	uint64_t weight = s[0].weight, weights = s[0].weight + s[1].weight;
	uint64_t held[2], ran[2], begin, all, switches;

	xetile_assert_soon(read_in_balance(s, hz));
	begin = xetile_now_ns();
	for (int i = 0; i < 2; i++) {
		held[i] = s[i].held;
		ran[i] = s[i].ran;
	}
	do {
		xetile_assert_soon(read_in_balance(s, hz));
		all = xetile_now_ns() - begin;
	} while (all < MEASURED_NS);
	switches = all;
	for (int i = 0; i < 2; i++) {
		held[i] = s[i].held - held[i];
		ran[i] = s[i].ran - ran[i];
		igt_assert_lte_u64(held[i], 2 * ran[i]);
		igt_assert_lte_u64(ran[i] * 95, held[i] * 100);
		switches -= held[i] < switches ? held[i] : switches;
	}
	igt_info("note: %llu of %llu us, %u beside %u; switches took %llu us\n",
		 (unsigned long long)held[0] / 1000, (unsigned long long)all / 1000, s[0].weight,
		 s[1].weight, (unsigned long long)switches / 1000);
	igt_assert_lte_u64(held[0] * weights * 100, all * weight * 105);
	igt_assert_lte_u64(all * weight * 95, (held[0] + switches) * weights * 100);
}

static void write_slice(int fd, const char *most, uint32_t us)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", us);
	igt_assert_eq(xetile_sysfs_write(fd, 0, most, text), 0);
}

/*
 * All turns are of 40 ms, whatever the weight. The heavier one goes on after that: so it is no more
 * than a part of a turn ahead when the lighter one begins.
 */
static void set_slices(int fd)
{
	write_slice(fd, "engines/ccs/timeslice_duration_us", TURN_US);
	write_slice(fd, "engines/ccs/timeslice_duration_max", TURN_US);
	write_slice(fd, "engines/ccs/timeslice_duration_min", TURN_US);
}

static void run_sharer(struct sharer *s)
{
	for (uint32_t i = 0; i < s->queues; i++)
		start_timed(&s->c, i, s->weight);
	if (!s->queues)
		feed_short(&s->c, s->weight);
}

/* Closes the process's file. A mapping would hold it, and its jobs would go on. */
static void end_sharer(struct sharer *s)
{
	munmap(s->c.batch.map, s->c.batch.size);
	munmap(s->c.gate.map, s->c.gate.size);
	close(s->c.fd);
}

/* Two sharers want the same engine, without end, from as many processes. */
static void test_shares(const struct xetile_card *card, struct sharer s[2], int processes)
{
	set_slices(card->fd);
	for (int i = 0; i < 2; i++)
		ctx_init(&s[i].c, xetile_open());
	/* Who makes a queue is its process. */
	igt_fork(child, processes)
		for (int k = child; k < 2; k += processes)
			run_sharer(&s[k]);
	for (int i = 0; i < 2; i++)
		xetile_assert_soon(time_of(&s[i], 0));
	check_shares(s, card->device.timestamp_hz);
	for (int i = 0; i < 2; i++)
		((volatile uint32_t *)s[i].c.gate.map)[END_WORD] = 1;
	igt_waitchildren();
	for (int i = 0; i < 2; i++)
		end_sharer(&s[i]);
}

static const struct {
	const char *name;
	struct sharer s[2];
	int processes;
} shares[] = {
	{ "1-1", { { .weight = 100, .queues = 1 }, { .weight = 100, .queues = 3 } }, 2 },
	{ "1-3", { { .weight = 100, .queues = 1 }, { .weight = 300, .queues = 3 } }, 2 },
	{ "1-10", { { .weight = 100, .queues = 1 }, { .weight = 1000, .queues = 3 } }, 2 },
	{ "1-100", { { .weight = 10, .queues = 1 }, { .weight = 1000, .queues = 1 } }, 2 },
	{ "of-short-jobs", { { .weight = 100, .queues = 1 }, { .weight = 100 } }, 2 },
	{ "of-queues", { { .weight = 100, .queues = 1 }, { .weight = 300, .queues = 1 } }, 1 },
	{ "of-many-queues", { { .weight = 100, .queues = 1 }, { .weight = 100, .queues = 1000 } },
	  2 },
};

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("The higher priority must have the engine first, but not for ever (W17)");
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
				       DRM_XETILE_PRIORITY_NORMAL);
			test_signaller(&card, target, DRM_XETILE_PRIORITY_LOW,
				       DRM_XETILE_PRIORITY_NORMAL);
			test_signaller(&card, target, DRM_XETILE_PRIORITY_NORMAL,
				       DRM_XETILE_PRIORITY_HIGH);
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
	igt_describe("Two processes must have shares of an engine as their weights, by the card's "
		     "clock (W17)");
	for (unsigned int i = 0; i < ARRAY_SIZE(shares); i++)
		igt_subtest_f("shares-%s", shares[i].name) {
			struct sharer s[2] = { shares[i].s[0], shares[i].s[1] };

			igt_require(!geteuid());
			test_shares(&card, s, shares[i].processes);
		}
	igt_fixture {
		if (!geteuid()) {
			write_slice(card.fd, "engines/ccs/timeslice_duration_min", 500);
			xetile_usual_times(card.fd);
		}
		close(card.fd);
	}
}
