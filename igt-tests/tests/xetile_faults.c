// SPDX-License-Identifier: MIT
/*
 * Hardware that fails: engines that hang or are slow; interrupts and status entries that are lost,
 * late or repeated; jobs of every kind meet them. A lost job is reported by its fence and a line in
 * the log, all other jobs end well, and the card works afterwards.
 * Statements: S108, W12.
 *
 * suite: faults soak-faults
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Injected faults of the hardware");

#define LIMIT_MS	1000

/*
 * The engine stops at one command of a job after the other. A neighbour's job on the same engine,
 * or on another engine of the class, must end well.
 */
static void test_hang(int fd, enum job_kind kind, const char *when)
{
	struct job j, neighbour;
	uint64_t first, last;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	first = lab_counter(j.engine, "commands");
	igt_assert_eq(job_run(&j), 1);
	last = lab_counter(j.engine, "commands") - first;
	igt_assert_lte_u64(4, last);
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t at = 1 + i * (last - 1) / 3, before = lab_injected();
		int log = lab_log_open(), status;

		lab_inject("hang engine=%s %s=%llu", j.engine, when, (unsigned long long)at);
		igt_assert_eq(job_start(&j), 0);
		/* Otherwise, on a busy host, the neighbour's job might meet the hang. */
		xetile_assert_soon(lab_injected() != before);
		igt_assert_eq(job_start(&neighbour), 0);
		status = job_end(&j);
		/* The neighbour gets its turn once the engine works again. */
		igt_assert_eq(job_end(&neighbour), 1);
		igt_debug("%s %s=%llu of %llu: %d\n", job_kind_name(kind), when,
			  (unsigned long long)at, (unsigned long long)last, status);
		if (status == 1) {
			/* The engine stopped behind the job's end, so that the job lost nothing. */
			igt_assert_lt(1, i);
			close(log);
		} else {
			igt_assert_eq(status, -ETIME);
			lab_log_close(log, "did not end in time");
			job_check_banned(&j);
		}
		xetile_wait_engines_free(fd);
	}
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * A batch with a limit of an hour does not leave its engine when the neighbour's turn comes, and is
 * stopped for that.
 */
static void test_stuck(int fd, enum job_kind kind)
{
	struct job j, neighbour;
	uint64_t before = lab_injected();
	int log = lab_log_open();

	job_init(&j, fd, kind, 3600000);
	job_init(&neighbour, fd, kind, 0);
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start(&j), 0);
	xetile_assert_soon(lab_injected() != before);
	igt_assert_eq(job_start(&neighbour), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	igt_assert_eq(job_end(&neighbour), 1);
	lab_log_close(log, "did not end in time");
	job_check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

/* A batch has the time in preempt_timeout_us to leave its engine. */
static void test_preempt_timeout(int fd)
{
	struct job j, neighbour;
	struct timespec begin, end;
	uint64_t before = lab_injected();

	xetile_write_time(fd, "preempt_timeout_us", "3000000");
	job_init(&j, fd, JOB_COMPUTE_TILE, 3600000);
	job_init(&neighbour, fd, JOB_COMPUTE_TILE, 0);
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start(&j), 0);
	xetile_assert_soon(lab_injected() != before);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	igt_assert_eq(job_start(&neighbour), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	clock_gettime(CLOCK_MONOTONIC, &end);
	xetile_write_time(fd, "preempt_timeout_us", "640000");
	igt_assert_eq(job_end(&neighbour), 1);
	igt_assert_lte(3000, (end.tv_sec - begin.tv_sec) * 1000 +
			     (end.tv_nsec - begin.tv_nsec) / 1000000);
	job_fini(&j);
	job_fini(&neighbour);
}

/* Shorter than the second after which the driver asks a silent engine */
#define ACK_MS		800
#define LEAVE_MS	1000

/*
 * The interrupt that acknowledges a load is late. The engine can be asked to leave only afterwards;
 * the batch must get its full time to leave from then on.
 */
static void test_late_ack(int fd)
{
	uint64_t before = lab_injected(), begin, end, beyond;
	struct job j, neighbour;
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	volatile uint32_t *target;
	struct xetile_batch b;

	xetile_write_time(fd, "preempt_timeout_us", "1000000");
	job_init(&j, fd, JOB_COMPUTE_TILE, 3600000);
	job_init(&neighbour, fd, JOB_COMPUTE_TILE, 0);
	igt_assert(!strcmp(j.engine, neighbour.engine));
	batch_begin(&b, &j.batch, 0);
	batch_keep_engine(&b);
	/* A batch that waits for a number would have the engine report, and its load be known. */
	batch_spin(&b);
	target = &b.buf->map[b.start + b.len - 2];
	beyond = batch_addr(&b) + b.len * 4ull;
	batch_store(&b, j.data.addr, ++j.number, false);
	batch_end(&b);
	sync.handle = j.syncobj = xetile_syncobj(j.fd);
	lab_inject("irq-late engine=%s us=%u", j.engine, ACK_MS * 1000);

	begin = xetile_now_ms();
	igt_assert_eq(__xetile_exec(j.fd, j.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(job_start(&neighbour), 0);
	/* The batch's time would be over if it had begun with the neighbour's turn. */
	usleep((LEAVE_MS + ACK_MS / 2) * 1000);
	*target = beyond;
	end = xetile_now_ms();
	xetile_write_time(fd, "preempt_timeout_us", "640000");
	igt_assert_lt(before, lab_injected());
	igt_info("note: let go after %llu ms\n", (unsigned long long)(end - begin));
	igt_require_f(end - begin < ACK_MS + LEAVE_MS, "the host is too slow for this test\n");
	igt_assert_eq(job_end(&j), 1);
	igt_assert_eq(job_end(&neighbour), 1);
	job_check_unharmed(&j);
	job_check_unharmed(&neighbour);
	lab_heal();
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * An engine that never acknowledges a load cannot be asked to leave. Its previous job must be
 * stopped all the same.
 */
static void test_no_ack(int fd)
{
	const struct drm_xetile_queue_ban ban = { .reason = DRM_XETILE_BAN_PREEMPT };
	uint64_t before = lab_injected();
	struct job j, neighbour;

	job_init(&j, fd, JOB_COMPUTE_TILE, 3600000);
	job_init(&neighbour, fd, JOB_COMPUTE_TILE, 0);
	igt_assert(!strcmp(j.engine, neighbour.engine));
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start_held(&j), 0);
	xetile_assert_soon(lab_injected() != before);
	/* The context is loaded once more, because of the new job. */
	igt_assert_eq(__xetile_exec(j.fd, j.queue, j.batch.addr, NULL, 0), 0);
	igt_assert_eq(job_start(&neighbour), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	igt_assert_eq(job_end(&neighbour), 1);
	job_check_ban(&j, &ban);
	job_check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

/* Starts two endless jobs on one engine. Returns the number of preemptions before. */
static uint64_t start_two(struct job j[2], int fd, uint32_t limit_ms)
{
	uint64_t changes;

	for (int i = 0; i < 2; i++)
		job_init(&j[i], fd, JOB_COMPUTE_TILE, limit_ms);
	/* Jobs of killed processes that still run would take turns of the engine. */
	xetile_assert_soon(!lab_engines("active"));
	changes = lab_counter(j[0].engine, "preemptions");
	for (int i = 0; i < 2; i++)
		igt_assert_eq(job_start_endless(&j[i]), 0);
	return changes;
}

/* A turn takes the time in timeslice_duration_us: first longer than both jobs, then much less. */
static void test_timeslice(int fd)
{
	struct job j[2];
	uint64_t before;

	xetile_write_time(fd, "timeslice_duration_max", "10000000");
	xetile_write_time(fd, "timeslice_duration_us", "10000000");
	before = start_two(j, fd, 300);
	for (int i = 0; i < 2; i++)
		igt_assert_eq(job_end(&j[i]), -ETIME);
	/* A job that is to be stopped is first asked to leave, and on a busy host it may do so. */
	igt_assert_lte_u64(lab_counter(j[0].engine, "preemptions"), before + 2);
	for (int i = 0; i < 2; i++)
		job_fini(&j[i]);

	xetile_usual_times(fd);
	before = start_two(j, fd, 0);
	xetile_assert_soon(before + 4 <= lab_counter(j[0].engine, "preemptions"));
	for (int i = 0; i < 2; i++) {
		munmap(j[i].batch.map, j[i].batch.size);
		munmap(j[i].data.map, j[i].data.size);
		close(j[i].fd);
	}
}

/*
 * Lost, late or repeated events must not harm a job. Its limit is far away, because the time until
 * the driver has found out is the job's on the engine.
 */
static void test_event(int fd, enum job_kind kind, const char *fault, unsigned int skips)
{
	for (unsigned int skip = 0; skip < skips; skip++) {
		struct job j, neighbour;
		uint64_t before;

		job_init(&j, fd, kind, 10 * LIMIT_MS);
		job_init(&neighbour, fd, kind, 10 * LIMIT_MS);
		before = lab_injected();
		lab_inject(fault, j.engine, skip);
		igt_assert_eq(job_start(&j), 0);
		igt_assert_eq(job_start(&neighbour), 0);
		igt_assert_eq(job_end(&j), 1);
		igt_assert_eq(job_end(&neighbour), 1);
		job_check_unharmed(&j);
		job_check_unharmed(&neighbour);
		igt_assert_lt(before, lab_injected());
		lab_heal();
		job_fini(&j);
		job_fini(&neighbour);
	}
}

/*
 * A status entry is late. It must not be taken for the entry of another context that has the same
 * place one round later, and is lost.
 */
static void test_event_late(int fd)
{
	struct job j, neighbour;
	uint64_t before = lab_injected();
	int log = lab_log_open();

	job_init(&j, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	job_init(&neighbour, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	igt_assert(!strcmp(j.engine, neighbour.engine));
	/*
	 * Each job has two of the twelve entries. The entry of a job's end is delivered with the
	 * next job.
	 */
	lab_inject("csb-late engine=%s skip=1", j.engine);
	for (int i = 0; i < 6; i++)
		igt_assert_eq(job_run(&j), 1);
	lab_inject("csb-lost engine=%s skip=1", j.engine);
	igt_assert_eq(job_run(&neighbour), 1);
	lab_log_close(log, NULL);
	job_check_unharmed(&j);
	job_check_unharmed(&neighbour);
	igt_assert_eq_u64(lab_injected(), before + 2);
	job_fini(&j);
	job_fini(&neighbour);
}

/* A slow engine is no error; an engine that is too slow for the limit is one. */
static void test_slow(int fd, enum job_kind kind)
{
	struct job j;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	lab_inject("slow engine=%s us=5000", j.engine);
	igt_assert_eq(job_run(&j), 1);
	job_check_unharmed(&j);
	log = lab_log_open();
	lab_inject("slow engine=%s us=%u", j.engine, 2000 * LIMIT_MS);
	igt_assert_eq(job_run(&j), -ETIME);
	lab_heal();
	lab_log_close(log, "did not end in time");
	job_check_banned(&j);
	job_fini(&j);
}

/* --- queues that end ------------------------------------------------------- */

/*
 * A process ends while its job is on an engine that does not let go, and another job waits behind
 * it. The code that frees memory of the queue waits for the last fence only. Therefore that fence
 * must not signal before the engine is free.
 */
static void test_killed_in_order(int fd)
{
	struct drm_xetile_sync syncs[2] = {
		{ 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL },
	};
	struct xetile_batch b;
	struct job j, held;
	uint64_t before, killed;
	int first, last, status;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	/* The second job waits for this one, of the same process on another engine. */
	held = j;
	held.kind = JOB_COMPUTE_TILE;
	job_new_queue(&held);
	igt_assert_eq(job_start_held(&held), 0);

	/* The first command takes a minute; only a reset interrupts it. */
	before = lab_injected();
	lab_inject("slow engine=%s us=60000000", j.engine);
	igt_assert_eq(job_start(&j), 0);
	xetile_assert_soon(lab_injected() != before);
	syncs[0].handle = held.syncobj;
	syncs[1].handle = xetile_syncobj(j.fd);
	batch_begin(&b, &j.batch, SZ_4K);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j.fd, j.queue, batch_addr(&b), syncs, 2), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(j.fd, j.syncobj, &first), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(j.fd, syncs[1].handle, &last), 0);

	munmap(j.batch.map, j.batch.size);
	munmap(j.data.map, j.data.size);
	killed = xetile_now_ns();
	close(j.fd);
	xetile_signalled_ns(first, &status);
	igt_assert_eq(status, -ECANCELED);
	/* A killed queue has 640 ms to leave by itself, which this one cannot do. */
	igt_assert_lte_u64(killed + 600000000, xetile_signalled_ns(last, &status));
	igt_assert_eq(status, -ECANCELED);
	lab_heal();
	job_check_usable(fd);
}

#define SWITCHES	40
#define RING_CONTEXT_STATUS_PTR	0x3a0

/* Returns how often the driver has read the status pointers of a tile's engines. */
static uint64_t polls(unsigned int tile)
{
	char *answer = lab_ask("registers"), *at, key[32];
	uint64_t n = 0;

	snprintf(key, sizeof(key), "{\"tile\":%u,", tile);
	at = strstr(answer, key);
	igt_assert(at);
	for (at = strstr(at, "\"offset\":"); at; at = strstr(at + 1, "\"offset\":"))
		if ((strtoul(at + strlen("\"offset\":"), NULL, 10) & 0x1fff) ==
		    RING_CONTEXT_STATUS_PTR)
			n += lab_number(at, "reads");
	free(answer);
	return n;
}

/* Closes the file of a job that would never end. */
static void end_with_file(struct job *j)
{
	munmap(j->batch.map, j->batch.size);
	munmap(j->data.map, j->data.size);
	close(j->fd);
}

/*
 * Two jobs share an engine by time slices, and the engine reports every switch by interrupt. The
 * driver must not poll the card meanwhile.
 */
static void test_polls(int fd)
{
	uint64_t switches, asked;
	struct job a, b;

	job_init(&a, fd, JOB_COMPUTE_TILE, 0);
	job_init(&b, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&a), 0);
	igt_assert_eq(job_start_held(&b), 0);
	switches = lab_counter(a.engine, "preemptions");
	xetile_assert_soon(lab_counter(a.engine, "preemptions") - switches > 4);
	asked = polls(a.engine[4] - '0');
	switches = lab_counter(a.engine, "preemptions");
	xetile_assert_soon(lab_counter(a.engine, "preemptions") - switches >= SWITCHES);
	switches = lab_counter(a.engine, "preemptions") - switches;
	asked = polls(a.engine[4] - '0') - asked;
	igt_assert_f(asked <= switches / 4, "asked %llu times in %llu slices\n",
		     (unsigned long long)asked, (unsigned long long)switches);
	end_with_file(&a);
	end_with_file(&b);
}

struct submitter {
	pthread_t thread;
	struct job *j;
	int ret;
	atomic_bool done;
};

static void *submit(void *arg)
{
	struct submitter *s = arg;

	s->ret = job_start(s->j);
	atomic_store(&s->done, true);
	return NULL;
}

/*
 * A queue is destroyed while a job is being submitted to it. The queue keeps its slices until the
 * job is done, so that no mode without these slices can be set.
 */
static void test_destroy_while_submitting(int fd)
{
	struct xetile_buf big;
	struct submitter s;
	struct job j;
	char engine[32];
	bool early = false;

	xetile_set_ccs_mode(fd, "2");
	/* Queues can hold a mode. */
	igt_assert_eq(xetile_sysfs_write(fd, 0, "ccs_mode_policy", "fixed"), 0);
	job_init_on_cslice(&j, fd, 1, 0);
	/* The return to HBM takes more passes than the kernel has in flight at a time. */
	big = (struct xetile_buf) { .fd = j.fd, .vm = j.vm, .addr = 2 * JOB_DATA_ADDR,
				    .size = 64ull << 20 };
	big.handle = xetile_bo_color(j.fd, big.size, DRM_XETILE_COLOR_TILE, 1, 0);
	xetile_vm_map(j.fd, j.vm, big.handle, 0, big.addr, big.size);
	igt_assert_eq(job_run(&j), 1);
	xetile_evict_all(fd);

	xetile_kernel_engine(fd, engine, sizeof(engine));
	lab_inject("slow engine=%s us=100000", engine);
	s = (struct submitter) { .j = &j };
	igt_assert_eq(pthread_create(&s.thread, NULL, submit, &s), 0);
	/* Only this submission makes the kernel's engine copy, unless the CPU copies (copy=cpu). */
	xetile_assert_soon((early = atomic_load(&s.done)) ||
			   xetile_debugfs_sum(fd, "owners", "owned"));
	igt_assert_f(!early, "the submission has not waited for a copy by the engine\n");
	xetile_queue_destroy(j.fd, j.queue);
	/* The job that is being submitted holds the mode. */
	igt_assert_eq(xetile_sysfs_write(fd, 0, "ccs_mode", "1"), -EBUSY);
	lab_heal();
	igt_assert_eq(pthread_join(s.thread, NULL), 0);
	igt_assert_eq(s.ret, 0);
	igt_assert_eq(job_end(&j), 1);
	igt_assert_eq(xetile_sysfs_write(fd, 0, "ccs_mode_policy", "epochs"), 0);
	xetile_set_ccs_mode(fd, "1");
	xetile_vm_unmap(j.fd, j.vm, big.addr, big.size);
	xetile_bo_close(j.fd, big.handle);
	job_new_queue(&j);
	job_fini(&j);
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
	int fd = -1;

	igt_fixture
		fd = lab_open();
	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		const char *name = job_kind_name(kind);

		igt_describe("A job whose engine stops must end with ETIME and a ban; its "
			     "neighbour must end well");
		/* Other copy engines are free, so that no job waits for this one. */
		if (kind != JOB_COPY_TILE) {
			igt_subtest_f("stuck-%s", name)
				test_stuck(fd, kind);
		}
		igt_subtest_f("hang-before-%s", name)
			test_hang(fd, kind, "before");
		igt_subtest_f("hang-after-%s", name)
			test_hang(fd, kind, "after");
		for (unsigned int k = 0; k < ARRAY_SIZE(events); k++) {
			igt_describe("Lost, late or repeated interrupts and status entries must "
				     "harm no job");
			igt_subtest_f("%s-%s", events[k].name, name)
				test_event(fd, kind, events[k].fault, events[k].skips);
		}
		igt_describe("A slow engine must be accepted, one that is too slow reported with "
			     "ETIME and a ban");
		igt_subtest_f("slow-%s", name)
			test_slow(fd, kind);
	}
	igt_describe("The times that the administrator sets must be kept");
	igt_subtest("preempt-timeout")
		test_preempt_timeout(fd);
	igt_subtest("timeslice")
		test_timeslice(fd);
	igt_fixture
		xetile_usual_times(fd);
	igt_describe("A batch must have its full time to leave, counted from the acknowledged "
		     "load");
	igt_subtest("late-ack")
		test_late_ack(fd);
	igt_fixture
		xetile_usual_times(fd);
	igt_subtest("no-ack")
		test_no_ack(fd);
	igt_describe("A late status entry must not be taken for another context's lost one");
	igt_subtest("csb-late")
		test_event_late(fd);
	igt_describe("Fences of a killed queue must not signal before its engine is free");
	igt_subtest("killed-in-order")
		/* On a busy host a single try may miss the mistake. */
		for (int i = 0; i < 3; i++)
			test_killed_in_order(fd);
	igt_describe("An engine that reports its events must not be polled");
	igt_subtest("polls")
		test_polls(fd);

	igt_describe("A queue destroyed under a call that submits to it must keep its slices "
		     "until the job is done");
	igt_subtest("destroy-while-submitting")
		test_destroy_while_submitting(fd);
	igt_describe("Afterwards jobs of every kind must end well");
	igt_subtest("usable") {
		lab_heal();
		job_check_usable(fd);
	}
	igt_fixture {
		lab_heal();
		close(fd);
	}
}
