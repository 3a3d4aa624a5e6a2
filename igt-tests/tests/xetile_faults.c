// SPDX-License-Identifier: MIT
/*
 * Hardware that fails: each fault the virtual card can be asked for, met by jobs
 * of every kind. What is lost is told by its fence, and a line in the log; what is
 * not lost ends well; after it the card works.
 * Statements: S108, W12.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Injected faults of the hardware");

#define BATCH_ADDR	0x10000000ull
#define GATE_ADDR	0x20000000ull
#define DATA_ADDR	0x4000000000ull

#define COMPUTE		DRM_XETILE_ENGINE_COMPUTE
#define COPY		DRM_XETILE_ENGINE_COPY
#define ROOT		DRM_XETILE_TARGET_ROOT
#define TILE		DRM_XETILE_TARGET_TILE

#define LIMIT_MS	500

struct target {
	const char *name;
	uint32_t class, target;
};

static const struct target targets[] = {
	{ "compute-tile", COMPUTE, TILE },
	{ "compute-root", COMPUTE, ROOT },
	{ "copy-tile", COPY, TILE },
};

/* A file of its own with a queue, and a job that stores a new number. */
struct job {
	int fd;
	uint32_t vm, queue, number, syncobj, limit_ms;
	struct xetile_buf batch, data;
	char engine[32];		/* the last tile's */
};

static void new_queue(struct job *j, const struct target *t)
{
	struct drm_xetile_queue_create args = {
		.vm_id = j->vm, .engine_class = t->class, .target = t->target,
		.timeout_ms = j->limit_ms,
	};

	igt_assert_eq(__xetile_queue_create(j->fd, &args), 0);
	j->queue = args.queue_id;
}

/* @held: it waits for a word nobody writes. */
static int __start_job(struct job *j, bool held)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	sync.handle = j->syncobj = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, 0);
	if (held)
		batch_wait(&b, j->data.addr + 256, 1);
	batch_store(&b, j->data.addr, ++j->number, false);
	batch_end(&b);
	return __xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1);
}

static int start_job(struct job *j)
{
	return __start_job(j, false);
}

/* The fence's status: 1, or the error. That it signals at all is asserted. */
static int end_job(struct job *j)
{
	int status;

	igt_assert_eq(__xetile_wait(j->fd, j->syncobj, 60000), 0);
	status = xetile_fence_status(j->fd, j->syncobj);
	xetile_syncobj_destroy(j->fd, j->syncobj);
	/* Done is what says it is. */
	if (status == 1)
		igt_assert_eq_u32(*(volatile uint32_t *)j->data.map, j->number);
	return status;
}

static int run_job(struct job *j)
{
	int status;

	igt_assert_eq(start_job(j), 0);
	status = end_job(j);
	/* What starts before may go to another engine than the one that is to fail. */
	xetile_wait_engines_free(j->fd);
	return status;
}

/* @limit_ms: engine time of a job, 0: long enough for all that is innocent */
static void job_init(struct job *j, int fd, const struct target *t, uint32_t limit_ms)
{
	struct drm_xetile_queue_info info;
	const struct drm_xetile_queue_member *m;

	memset(j, 0, sizeof(*j));
	j->limit_ms = limit_ms;
	j->fd = xetile_reopen(fd);
	j->vm = xetile_vm(j->fd);
	xetile_buf_init(&j->batch, j->fd, j->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&j->data, j->fd, j->vm, DATA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	new_queue(j, t);
	/* Bound by the first one. */
	igt_assert_eq(run_job(j), 1);
	xetile_queue_info(j->fd, j->queue, &info);
	m = &info.members[info.num_members - 1];
	snprintf(j->engine, sizeof(j->engine), "tile%u.%s%u", m->tile,
		 t->class == COPY ? "bcs" : "ccs", m->instance);
}

static void job_fini(struct job *j)
{
	xetile_queue_destroy(j->fd, j->queue);
	xetile_buf_fini(&j->batch);
	xetile_buf_fini(&j->data);
	xetile_vm_destroy(j->fd, j->vm);
	close(j->fd);
}

/* A banned queue refuses; a new one of the same file works. */
static void check_banned(struct job *j, const struct target *t)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	igt_assert(info.flags & DRM_XETILE_QUEUE_BANNED);
	igt_assert_eq(start_job(j), -EIO);
	xetile_syncobj_destroy(j->fd, j->syncobj);
	xetile_queue_destroy(j->fd, j->queue);
	new_queue(j, t);
	igt_assert_eq(run_job(j), 1);
}

static void check_unharmed(struct job *j)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 0);
	igt_assert_eq(run_job(j), 1);
}

static void check_usable(int fd)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		struct job j;

		job_init(&j, fd, &targets[i], 0);
		igt_assert_eq(run_job(&j), 1);
		job_fini(&j);
	}
}

static uint64_t commands_of(const char *engine)
{
	char *answer = lab_ask("counters"), *at, key[32];
	unsigned int tile;
	uint64_t n;

	igt_assert_eq(sscanf(engine, "tile%u.", &tile), 1);
	snprintf(key, sizeof(key), "{\"tile\":%u,", tile);
	at = strstr(answer, key);
	igt_assert(at);
	snprintf(key, sizeof(key), "\"name\":\"%s\"", strchr(engine, '.') + 1);
	at = strstr(at, key);
	igt_assert(at);
	n = lab_number(at, "commands");
	free(answer);
	return n;
}

/*
 * The engine stops at one command after the other of a job. A neighbour on the same
 * engine, or on another one of the class if it has several, does not suffer.
 */
static void test_hang(int fd, const struct target *t, const char *when)
{
	struct job j, neighbour;
	uint64_t first, last;

	job_init(&j, fd, t, LIMIT_MS);
	job_init(&neighbour, fd, t, 0);
	first = commands_of(j.engine);
	igt_assert_eq(run_job(&j), 1);
	last = commands_of(j.engine) - first;
	igt_assert_lte_u64(4, last);
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t at = 1 + i * (last - 1) / 3, before = lab_injected();
		int log = lab_log_open(), status;

		lab_inject("hang engine=%s %s=%llu", j.engine, when, (unsigned long long)at);
		igt_assert_eq(start_job(&j), 0);
		igt_assert_eq(start_job(&neighbour), 0);
		status = end_job(&j);
		/* The neighbour gets its turn once the engine works again. */
		igt_assert_eq(end_job(&neighbour), 1);
		igt_assert_lt(before, lab_injected());
		igt_debug("%s %s=%llu of %llu: %d\n", t->name, when, (unsigned long long)at,
			  (unsigned long long)last, status);
		if (status == 1) {
			/* Behind its end: then there was nothing left to lose. */
			igt_assert_lt(1, i);
			close(log);
		} else {
			igt_assert_eq(status, -ETIME);
			lab_log_close(log, "did not end in time");
			check_banned(&j, t);
		}
		xetile_wait_engines_free(fd);
	}
	job_fini(&j);
	job_fini(&neighbour);
}

/* Events that get lost or late, or come twice: nobody is harmed. */
static void test_event(int fd, const struct target *t, const char *fault, unsigned int skips)
{
	for (unsigned int skip = 0; skip < skips; skip++) {
		struct job j, neighbour;
		uint64_t before;

		job_init(&j, fd, t, LIMIT_MS);
		job_init(&neighbour, fd, t, LIMIT_MS);
		before = lab_injected();
		lab_inject(fault, j.engine, skip);
		igt_assert_eq(start_job(&j), 0);
		igt_assert_eq(start_job(&neighbour), 0);
		igt_assert_eq(end_job(&j), 1);
		igt_assert_eq(end_job(&neighbour), 1);
		check_unharmed(&j);
		check_unharmed(&neighbour);
		igt_assert_lt(before, lab_injected());
		lab_heal();
		job_fini(&j);
		job_fini(&neighbour);
	}
}

/* Slow is no error, too slow is. */
static void test_slow(int fd, const struct target *t)
{
	struct job j;
	int log;

	job_init(&j, fd, t, LIMIT_MS);
	lab_inject("slow engine=%s us=5000", j.engine);
	igt_assert_eq(run_job(&j), 1);
	check_unharmed(&j);
	log = lab_log_open();
	lab_inject("slow engine=%s us=%u", j.engine, 2000 * LIMIT_MS);
	igt_assert_eq(run_job(&j), -ETIME);
	lab_heal();
	lab_log_close(log, "did not end in time");
	check_banned(&j, t);
	job_fini(&j);
}

static void test_page_fault(int fd, const struct target *t, const char *kind)
{
	struct job j, neighbour;
	char at[64];
	int log;

	job_init(&j, fd, t, LIMIT_MS);
	job_init(&neighbour, fd, t, 0);
	log = lab_log_open();
	/* Whoever comes first: both have that address. */
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=%s count=1",
		   (unsigned long long)DATA_ADDR, j.engine, kind);
	igt_assert_eq(run_job(&j), -EIO);
	igt_assert_eq(run_job(&neighbour), 1);
	snprintf(at, sizeof(at), "page fault at %#llx, write", (unsigned long long)DATA_ADDR);
	lab_log_close(log, at);
	check_banned(&j, t);
	job_fini(&j);
	job_fini(&neighbour);
}

/* The engine cannot read its context. */
static void test_context_fault(int fd, const struct target *t)
{
	char *answer, *at, key[32];
	struct job j;
	int log;

	job_init(&j, fd, t, LIMIT_MS);
	answer = lab_ask("counters");
	snprintf(key, sizeof(key), "{\"tile\":%c,", j.engine[4]);
	at = strstr(answer, key);
	igt_assert(at);
	snprintf(key, sizeof(key), "\"name\":\"%s\"", strchr(j.engine, '.') + 1);
	at = strstr(at, key);
	igt_assert(at);
	log = lab_log_open();
	lab_inject("fault space=ggtt address=%#llx size=8192 engine=%s count=1",
		   (unsigned long long)lab_number(at, "last_lrca"), j.engine);
	free(answer);
	igt_assert_eq(run_job(&j), -EIO);
	lab_log_close(log, "batch failed");
	check_banned(&j, t);
	job_fini(&j);
}

/* Memory that cannot be corrected any more, under the page the job writes. */
static void test_poison(int fd, const struct target *t)
{
	struct job j, neighbour;
	char *answer;
	int log;

	job_init(&j, fd, t, LIMIT_MS);
	job_init(&neighbour, fd, t, 0);
	igt_assert_eq(run_job(&j), 1);
	answer = lab_ask("translate %s %#llx", j.engine, (unsigned long long)DATA_ADDR);
	igt_assert(strstr(answer, "\"hbm\""));
	log = lab_log_open();
	lab_inject("poison address=%llu size=64", (unsigned long long)lab_number(answer, "address"));
	free(answer);
	igt_assert_eq(run_job(&j), -EIO);
	/* the host finds all ones */
	igt_assert_eq_u32(*(volatile uint32_t *)j.data.map, ~0u);
	igt_assert_eq(run_job(&neighbour), 1);
	lab_log_close(log, "non-fatal hardware error");
	lab_inject("poison off");
	check_banned(&j, t);
	job_fini(&j);
	job_fini(&neighbour);
}

/* The card fell off the bus under work: all is told, and a new binding works. */
static void test_all_ones(bool idle)
{
	struct job j[ARRAY_SIZE(targets)];
	char address[64];
	int fd = xetile_open();

	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++)
		job_init(&j[i], fd, &targets[i], 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(targets) && !idle; i++)
		igt_assert_eq(__start_job(&j[i], true), 0);
	lab_inject("all-ones");
	for (unsigned int i = 0; i < ARRAY_SIZE(targets) && !idle; i++)
		igt_assert_eq(xetile_fence_status(j[i].fd, j[i].syncobj), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		int err = idle ? start_job(&j[i]) : 0;

		igt_assert(!err || err == -EIO || err == -ENODEV);
		if (err)
			xetile_syncobj_destroy(j[i].fd, j[i].syncobj);
		else
			igt_assert_lt(end_job(&j[i]), 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		int err = start_job(&j[i]);

		igt_assert(err == -EIO || err == -ENODEV);
		xetile_syncobj_destroy(j[i].fd, j[i].syncobj);
	}
	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		munmap(j[i].batch.map, j[i].batch.size);
		munmap(j[i].data.map, j[i].data.size);
		close(j[i].fd);
	}
	close(fd);
	/* dead as it is nobody binds it */
	igt_assert_lt(xetile_write_driver("bind", address), 0);
	lab_heal();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	fd = xetile_open();
	check_usable(fd);
	close(fd);
}

/* A fault while the card is bound: one line says why, and without it all is well. */
static void test_bind(const char *fault, const char *why)
{
	char address[64];
	int fd, log;

	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	log = lab_log_open();
	lab_inject("%s", fault);
	igt_assert_lt(xetile_write_driver("bind", address), 0);
	lab_heal();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	lab_log_close(log, why);
	fd = xetile_open();
	check_usable(fd);
	close(fd);
}

igt_main
{
	static const struct {
		const char *name, *fault;
		unsigned int skips;
	} events[] = {
		{ "irq-lost", "irq-lost engine=%s skip=%u", 3 },
		{ "irq-all-lost", "irq-lost engine=%s skip=%u count=0", 1 },
		{ "irq-late", "irq-late engine=%s skip=%u us=200000", 3 },
		{ "irq-twice", "irq-twice engine=%s skip=%u count=0", 1 },
		{ "csb-lost", "csb-lost engine=%s skip=%u", 3 },
		{ "csb-lost-twice", "csb-lost engine=%s skip=%u count=2", 2 },
	};
	static const struct {
		const char *name, *fault, *why;
	} binds[] = {
		{ "forcewake-gt", "forcewake-dead well=gt", "power well GT does not wake" },
		{ "forcewake-render", "forcewake-dead well=render",
		  "power well RENDER does not wake" },
		{ "pcode-error", "pcode-error count=0", "pcode refuses" },
		{ "pcode-busy", "pcode-busy count=0", "pcode is not ready" },
		{ "all-ones", "all-ones", "the card does not answer" },
	};
	static const char * const kinds[] = {
		"not-present", "read-only", "misaligned", "out-of-range",
	};
	int fd = -1;

	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		fd = xetile_open();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		const struct target *t = &targets[i];

		igt_describe("An engine stops at some command of a job");
		igt_subtest_f("hang-before-%s", t->name)
			test_hang(fd, t, "before");
		igt_subtest_f("hang-after-%s", t->name)
			test_hang(fd, t, "after");
		for (unsigned int k = 0; k < ARRAY_SIZE(events); k++) {
			igt_describe("Interrupts and status entries lost, late, twice");
			igt_subtest_f("%s-%s", events[k].name, t->name)
				test_event(fd, t, events[k].fault, events[k].skips);
		}
		igt_describe("An engine becomes slow, then too slow");
		igt_subtest_f("slow-%s", t->name)
			test_slow(fd, t);
		for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
			igt_describe("A page fault on an access");
			igt_subtest_f("fault-%s-%s", kinds[k], t->name)
				test_page_fault(fd, t, kinds[k]);
		}
		igt_describe("A fault on the context image");
		igt_subtest_f("fault-context-%s", t->name)
			test_context_fault(fd, t);
		igt_describe("Uncorrectable memory under a job");
		igt_subtest_f("poison-%s", t->name)
			test_poison(fd, t);
	}
	igt_describe("All that was hurt works");
	igt_subtest("usable") {
		lab_heal();
		check_usable(fd);
	}
	igt_fixture {
		lab_heal();
		close(fd);
	}

	igt_describe("The card falls off the bus: while it works, and while it does not");
	igt_subtest("all-ones-busy")
		test_all_ones(false);
	igt_subtest("all-ones-idle")
		test_all_ones(true);
	for (unsigned int i = 0; i < ARRAY_SIZE(binds); i++) {
		igt_describe("A card that does not come up, and later does");
		igt_subtest_f("bind-%s", binds[i].name)
			test_bind(binds[i].fault, binds[i].why);
	}
	igt_fixture
		lab_heal();
}
