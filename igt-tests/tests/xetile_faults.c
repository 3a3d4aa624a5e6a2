// SPDX-License-Identifier: MIT
/*
 * Hardware that fails: each fault the virtual card can be asked for, met by jobs
 * of every kind. What is lost is told by its fence, and a line in the log; what is
 * not lost ends well; after it the card works.
 * Statements: S108, W12.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Injected faults of the hardware");

#define LIMIT_MS	1000

/* Not a command */
#define MI_UNKNOWN	(0x3fu << 23)

/* A banned queue refuses; a new one of the same file works. */
static void check_banned(struct job *j)
{
	igt_assert(job_is_banned(j));
	igt_assert_eq(job_start(j), -ECANCELED);
	job_renew_queue(j);
	igt_assert_eq(job_run(j), 1);
}

static void check_unharmed(struct job *j)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 0);
	igt_assert_eq(job_run(j), 1);
}

/*
 * The engine stops at one command after the other of a job. A neighbour on the same
 * engine, or on another one of the class if it has several, does not suffer.
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
		/* Else the neighbour may be the one that it meets, on a busy host. */
		xetile_assert_soon(lab_injected() != before);
		igt_assert_eq(job_start(&neighbour), 0);
		status = job_end(&j);
		/* The neighbour gets its turn once the engine works again. */
		igt_assert_eq(job_end(&neighbour), 1);
		igt_debug("%s %s=%llu of %llu: %d\n", job_kind_name(kind), when,
			  (unsigned long long)at, (unsigned long long)last, status);
		if (status == 1) {
			/* Behind its end: then there was nothing left to lose. */
			igt_assert_lt(1, i);
			close(log);
		} else {
			igt_assert_eq(status, -ETIME);
			lab_log_close(log, "did not end in time");
			check_banned(&j);
		}
		xetile_wait_engines_free(fd);
	}
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * A batch that may take an hour, and does not leave its engine when the neighbour's turn
 * comes: it is stopped for that.
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
	check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

static void write_time(int fd, const char *file, const char *value)
{
	char name[64];

	snprintf(name, sizeof(name), "engines/ccs/%s", file);
	igt_assert_eq(xetile_sysfs_write(fd, 0, name, value), 0);
}

/* What a subtest that fails has set would fail those behind it. */
static void usual_times(int fd)
{
	write_time(fd, "preempt_timeout_us", "640000");
	/* In this order, because a turn is never longer than the longest. */
	write_time(fd, "timeslice_duration_us", "5000");
	write_time(fd, "timeslice_duration_max", "50000");
}

/* A batch that does not leave has the time to do so that the file says. */
static void test_preempt_timeout(int fd)
{
	struct job j, neighbour;
	struct timespec begin, end;
	uint64_t before = lab_injected();

	write_time(fd, "preempt_timeout_us", "3000000");
	job_init(&j, fd, JOB_COMPUTE_TILE, 3600000);
	job_init(&neighbour, fd, JOB_COMPUTE_TILE, 0);
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start(&j), 0);
	xetile_assert_soon(lab_injected() != before);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	igt_assert_eq(job_start(&neighbour), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	clock_gettime(CLOCK_MONOTONIC, &end);
	write_time(fd, "preempt_timeout_us", "640000");
	igt_assert_eq(job_end(&neighbour), 1);
	igt_assert_lte(3000, (end.tv_sec - begin.tv_sec) * 1000 +
			     (end.tv_nsec - begin.tv_nsec) / 1000000);
	job_fini(&j);
	job_fini(&neighbour);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* Below the second in which the driver asks an engine of its own accord */
#define ACK_MS		800
#define LEAVE_MS	1000

/*
 * The interrupt of a load comes late, and only then the engine can be asked to leave what
 * it loaded: the batch has its whole time from there on.
 */
static void test_late_ack(int fd)
{
	uint64_t before = lab_injected(), begin, end;
	struct job j, neighbour;
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	write_time(fd, "preempt_timeout_us", "1000000");
	job_init(&j, fd, JOB_COMPUTE_TILE, 3600000);
	job_init(&neighbour, fd, JOB_COMPUTE_TILE, 0);
	igt_assert(!strcmp(j.engine, neighbour.engine));
	batch_begin(&b, &j.batch, 0);
	batch_keep_engine(&b);
	batch_wait(&b, j.data.addr + 256, 1);
	batch_store(&b, j.data.addr, ++j.number, false);
	batch_end(&b);
	sync.handle = j.syncobj = xetile_syncobj(j.fd);
	lab_inject("irq-late engine=%s us=%u", j.engine, ACK_MS * 1000);

	begin = now_ms();
	igt_assert_eq(__xetile_exec(j.fd, j.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(job_start(&neighbour), 0);
	/* Its time would be over, had it begun when the neighbour's turn came. */
	usleep((LEAVE_MS + ACK_MS / 2) * 1000);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	end = now_ms();
	write_time(fd, "preempt_timeout_us", "640000");
	igt_assert_lt(before, lab_injected());
	igt_info("note: let go after %llu ms\n", (unsigned long long)(end - begin));
	igt_require_f(end - begin < ACK_MS + LEAVE_MS, "the host is too slow to tell\n");
	igt_assert_eq(job_end(&j), 1);
	igt_assert_eq(job_end(&neighbour), 1);
	check_unharmed(&j);
	check_unharmed(&neighbour);
	lab_heal();
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * An engine that never takes a load cannot be asked to leave what it ran before; that is
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
	/* Its context is loaded once more, with the new job. */
	igt_assert_eq(__xetile_exec(j.fd, j.queue, j.batch.addr, NULL, 0), 0);
	igt_assert_eq(job_start(&neighbour), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	igt_assert_eq(job_end(&neighbour), 1);
	job_check_ban(&j, &ban);
	check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

/* Two that never end, on one engine; how often they have changed places before */
static uint64_t start_two(struct job j[2], int fd, uint32_t limit_ms)
{
	uint64_t changes;

	for (int i = 0; i < 2; i++)
		job_init(&j[i], fd, JOB_COMPUTE_TILE, limit_ms);
	/* What processes that were killed left at work takes its turns. */
	xetile_assert_soon(!lab_engines("active"));
	changes = lab_counter(j[0].engine, "preemptions");
	for (int i = 0; i < 2; i++)
		igt_assert_eq(job_start_endless(&j[i]), 0);
	return changes;
}

/* A turn takes as long as the file says: longer than all the time of both, or much less. */
static void test_timeslice(int fd)
{
	struct job j[2];
	uint64_t before;

	write_time(fd, "timeslice_duration_max", "10000000");
	write_time(fd, "timeslice_duration_us", "10000000");
	before = start_two(j, fd, 300);
	for (int i = 0; i < 2; i++)
		igt_assert_eq(job_end(&j[i]), -ETIME);
	/* Who is blamed is asked to leave, and on a busy host does so before its reset. */
	igt_assert_lte_u64(lab_counter(j[0].engine, "preemptions"), before + 2);
	for (int i = 0; i < 2; i++)
		job_fini(&j[i]);

	usual_times(fd);
	before = start_two(j, fd, 0);
	xetile_assert_soon(before + 4 <= lab_counter(j[0].engine, "preemptions"));
	for (int i = 0; i < 2; i++) {
		munmap(j[i].batch.map, j[i].batch.size);
		munmap(j[i].data.map, j[i].data.size);
		close(j[i].fd);
	}
}

/* Events that get lost or late, or come twice: nobody is harmed. */
static void test_event(int fd, enum job_kind kind, const char *fault, unsigned int skips)
{
	for (unsigned int skip = 0; skip < skips; skip++) {
		struct job j, neighbour;
		uint64_t before;

		job_init(&j, fd, kind, LIMIT_MS);
		job_init(&neighbour, fd, kind, LIMIT_MS);
		before = lab_injected();
		lab_inject(fault, j.engine, skip);
		igt_assert_eq(job_start(&j), 0);
		igt_assert_eq(job_start(&neighbour), 0);
		igt_assert_eq(job_end(&j), 1);
		igt_assert_eq(job_end(&neighbour), 1);
		check_unharmed(&j);
		check_unharmed(&neighbour);
		igt_assert_lt(before, lab_injected());
		lab_heal();
		job_fini(&j);
		job_fini(&neighbour);
	}
}

/*
 * An entry that comes late must not stand for the one that takes its place a round
 * later, and is lost: another context's.
 */
static void test_event_late(int fd)
{
	struct job j, neighbour;
	uint64_t before = lab_injected();
	int log = lab_log_open();

	job_init(&j, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	job_init(&neighbour, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	igt_assert(!strcmp(j.engine, neighbour.engine));
	/* Of twelve entries a job has two; that of its end waits for the next job's. */
	lab_inject("csb-late engine=%s skip=1", j.engine);
	for (int i = 0; i < 6; i++)
		igt_assert_eq(job_run(&j), 1);
	lab_inject("csb-lost engine=%s skip=1", j.engine);
	igt_assert_eq(job_run(&neighbour), 1);
	lab_log_close(log, NULL);
	check_unharmed(&j);
	check_unharmed(&neighbour);
	igt_assert_eq_u64(lab_injected(), before + 2);
	job_fini(&j);
	job_fini(&neighbour);
}

/* Slow is no error, too slow is. */
static void test_slow(int fd, enum job_kind kind)
{
	struct job j;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	lab_inject("slow engine=%s us=5000", j.engine);
	igt_assert_eq(job_run(&j), 1);
	check_unharmed(&j);
	log = lab_log_open();
	lab_inject("slow engine=%s us=%u", j.engine, 2000 * LIMIT_MS);
	igt_assert_eq(job_run(&j), -ETIME);
	lab_heal();
	lab_log_close(log, "did not end in time");
	check_banned(&j);
	job_fini(&j);
}

static void check_log_of_fault(int log)
{
	char at[64];

	snprintf(at, sizeof(at), "page fault at %#llx, write", (unsigned long long)JOB_DATA_ADDR);
	lab_log_close(log, at);
}

static void test_page_fault(int fd, enum job_kind kind, const char *why)
{
	struct job j, neighbour;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	log = lab_log_open();
	/* Whoever comes first: both have that address. */
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=%s count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine, why);
	igt_assert_eq(job_run(&j), -EIO);
	igt_assert_eq(job_run(&neighbour), 1);
	check_log_of_fault(log);
	check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * The engine's word that it stopped is lost: it is asked before its batch is said to be too
 * slow, so that its owner is told the right reason.
 */
static void test_silent_fault(int fd, enum job_kind kind)
{
	struct drm_xetile_queue_info info;
	struct job j, neighbour;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	log = lab_log_open();
	/* bit 3 of the vector: the command streamer's error */
	lab_inject("irq-lost engine=%s vector=0x8", j.engine);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine);
	igt_assert_eq(job_run(&j), -EIO);
	igt_assert_eq(job_run(&neighbour), 1);
	lab_heal();
	check_log_of_fault(log);
	xetile_queue_info(j.fd, j.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_FAULT);
	igt_assert_eq_u64(info.ban.fault_addr, JOB_DATA_ADDR);
	job_fini(&j);
	job_fini(&neighbour);
}

/* Much longer than the second in which the driver asks an engine of its own accord */
#define LATE_MS	4000

/*
 * The word comes, but later than the reset, which the driver makes because it has asked: it is
 * not believed of the batch that the engine has by then.
 */
static void test_late_fault(int fd)
{
	struct job j, next;
	uint64_t begin, started;

	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	job_init(&next, fd, JOB_COMPUTE_TILE, 3600000);
	igt_assert(!strcmp(j.engine, next.engine));
	lab_inject("irq-late engine=%s vector=0x8 us=%u", j.engine, LATE_MS * 1000);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine);
	begin = now_ms();
	igt_assert_eq(job_start(&j), 0);
	igt_assert_eq(job_end(&j), -EIO);
	igt_assert_eq(job_start_held(&next), 0);
	xetile_assert_soon(lab_engines("active") == 1);
	started = now_ms() - begin;
	/* The fault was before the end of its job. */
	usleep((LATE_MS + LATE_MS / 4) * 1000);
	*(volatile uint32_t *)&next.data.map[64] = 1;
	igt_assert_eq(job_end(&next), 1);
	check_unharmed(&next);
	check_banned(&j);
	lab_heal();
	job_fini(&j);
	job_fini(&next);
	igt_require_f(started < LATE_MS, "the host is too slow to tell\n");
}

/* The engine cannot read its context. */
static void test_context_fault(int fd, enum job_kind kind)
{
	char key[32];
	struct job j;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	log = lab_log_open();
	lab_inject("fault space=ggtt address=%#llx size=8192 engine=%s count=1",
		   (unsigned long long)lab_counter(j.engine, "last_lrca"), j.engine);
	igt_assert_eq(job_run(&j), -EIO);
	snprintf(key, sizeof(key), "process %d", getpid());
	lab_log_close(log, key);
	check_banned(&j);
	job_fini(&j);
}

/* Memory that cannot be corrected any more, under the page the job writes. */
static void test_poison(int fd, enum job_kind kind)
{
	struct job j, neighbour;
	char *answer;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	igt_assert_eq(job_run(&j), 1);
	answer = lab_ask("translate %s %#llx", j.engine, (unsigned long long)JOB_DATA_ADDR);
	igt_assert(strstr(answer, "\"hbm\""));
	log = lab_log_open();
	lab_inject("poison address=%llu size=64", (unsigned long long)lab_number(answer, "address"));
	free(answer);
	igt_assert_eq(job_run(&j), -EIO);
	/* the host finds all ones */
	igt_assert_eq_u32(*(volatile uint32_t *)j.data.map, ~0u);
	igt_assert_eq(job_run(&neighbour), 1);
	lab_log_close(log, "non-fatal hardware error");
	lab_inject("poison off");
	check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

/* The card fell off the bus under work: all is told, and a new binding works. */
static void test_all_ones(bool idle)
{
	struct job j[JOB_KINDS];
	char address[64];
	int fd = xetile_open();

	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init(&j[i], fd, i, 0);
	for (unsigned int i = 0; i < JOB_KINDS && !idle; i++)
		igt_assert_eq(job_start_held(&j[i]), 0);
	lab_inject("all-ones");
	for (unsigned int i = 0; i < JOB_KINDS && !idle; i++)
		igt_assert_eq(xetile_fence_status(j[i].fd, j[i].syncobj), 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		int err = idle ? job_start(&j[i]) : 0;

		igt_assert(!err || err == -EIO || err == -ENODEV);
		if (!err)
			igt_assert_lt(job_end(&j[i]), 0);
	}
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		int err = job_start(&j[i]);

		igt_assert(err == -EIO || err == -ENODEV);
	}
	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
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
	job_check_usable(fd);
	close(fd);
}

/* A card whose engine got stuck, and that nobody could reach to reset it, is bound again. */
static void test_left_stuck(void)
{
	char address[64];
	struct job j;
	uint64_t before = lab_injected();
	int fd = xetile_open(), log;

	/* The card goes before the time is over. */
	job_init(&j, fd, JOB_COPY_TILE, 10 * LIMIT_MS);
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start(&j), 0);
	xetile_assert_soon(before < lab_injected());
	lab_inject("all-ones");
	igt_assert_lt(job_end(&j), 0);
	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	munmap(j.batch.map, j.batch.size);
	munmap(j.data.map, j.data.size);
	close(j.fd);
	close(fd);
	lab_heal();
	igt_assert_eq(lab_engines("active"), 1);

	log = lab_log_open();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	/* The driver's own first jobs leave their engine a moment after their fences. */
	xetile_assert_soon(!lab_engines("active"));
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
	lab_log_no_error(log);
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
	job_check_usable(fd);
	close(fd);
}

/* --- the kernel's own copies ---------------------------------------------- */

/* As a debugger reads another process: 0 or -errno */
static int peek(const uint32_t *map, uint32_t *word)
{
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), err = 0;

	igt_assert_lte(0, mem);
	if (pread(mem, word, sizeof(*word), to_user(map)) != sizeof(*word))
		err = -errno;
	close(mem);
	return err;
}

/*
 * Memory goes bad under a buffer that is then evicted: its bytes are lost, and it
 * alone. Neither its owner nor anybody else reads what was in the pages before.
 */
static void test_lost_evicted(int fd)
{
	struct job j, neighbour;
	char *answer;
	uint32_t word;
	int log;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	job_init(&neighbour, fd, JOB_COPY_TILE, 0);
	igt_assert_eq(job_run(&j), 1);
	answer = lab_ask("translate %s %#llx", j.engine, (unsigned long long)JOB_DATA_ADDR);
	igt_assert(strstr(answer, "\"hbm\""));
	log = lab_log_open();
	lab_inject("poison address=%llu size=64", (unsigned long long)lab_number(answer, "address"));
	free(answer);
	xetile_evict_all(fd);
	lab_inject("poison off");
	lab_log_close(log, "batch failed");

	xetile_check_sigbus(j.data.map);
	igt_assert_eq(peek(j.batch.map, &word), 0);
	igt_assert_eq_u32(word, *j.batch.map);
	igt_assert_eq(peek(j.data.map, &word), -EIO);
	igt_assert_eq(job_start(&j), -ENODATA);

	check_unharmed(&neighbour);
	job_check_usable(fd);
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * Fresh memory cannot be cleared: what was submitted meanwhile does not run, and the
 * queue it was submitted to goes on.
 */
static void test_lost_clear(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_buf fresh;
	struct xetile_batch b;
	struct job j;
	char engine[32];
	uint32_t word;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	xetile_use_up_clear(fd);
	xetile_kernel_engine(fd, engine, sizeof(engine));
	j.data.map[1] = 0x600d;
	/* Slow enough for all that follows to be there before it fails */
	lab_inject("slow engine=%s us=1000000", engine);
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
	fresh = (struct xetile_buf) { .fd = j.fd, .vm = j.vm, .addr = 2 * JOB_DATA_ADDR, .size = SZ_64K };
	fresh.handle = xetile_bo_color(j.fd, SZ_64K, DRM_XETILE_COLOR_TILE, 1, 0);
	fresh.map = xetile_bo_map(j.fd, fresh.handle, SZ_64K);
	xetile_vm_map(j.fd, j.vm, fresh.handle, 0, fresh.addr, SZ_64K);

	sync.handle = xetile_syncobj(j.fd);
	batch_begin(&b, &j.batch, 0);
	batch_mem_copy(&b, j.data.addr, fresh.addr, SZ_4K);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j.fd, j.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(xetile_fence_status(j.fd, sync.handle), 0);
	/* Both wait for the clear, and learn how it ended. */
	igt_assert_eq(peek(fresh.map, &word), -EIO);
	xetile_check_sigbus(fresh.map);
	igt_assert_eq(__xetile_wait(j.fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(j.fd, sync.handle), -ENODATA);
	igt_assert_eq_u32(j.data.map[1], 0x600d);
	lab_heal();
	xetile_syncobj_destroy(j.fd, sync.handle);

	igt_assert_eq(job_start(&j), -ENODATA);
	/* It stays lost where it is moved, by a copy that ends well. */
	xetile_evict_all(fd);
	xetile_check_sigbus(fresh.map);
	xetile_buf_fini(&fresh);
	check_unharmed(&j);
	job_fini(&j);
}

/* --- queues that end ------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/*
 * When the only fence of a sync file signalled, and how. A queue is off its engine a moment
 * before its fences signal.
 */
static uint64_t signalled_ns(int file, int *status)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = to_user(&fence) };
	struct pollfd pfd = { .fd = file, .events = POLLIN };

	igt_assert_eq(poll(&pfd, 1, 10000), 1);
	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	igt_assert_eq_u32(info.num_fences, 1);
	*status = fence.status;
	return fence.timestamp_ns;
}

/*
 * A process ends while a job of it is on an engine that does not let it go, and
 * another one waits behind it. Whoever holds memory for the queue looks at the last
 * fence only: it must not signal before the engine is free.
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
	/* Of the same process, on another engine: what the second job waits for */
	held = j;
	held.kind = JOB_COMPUTE_TILE;
	job_new_queue(&held);
	igt_assert_eq(job_start_held(&held), 0);

	/* Its first command takes a minute, and nothing interrupts it but a reset. */
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
	killed = now_ns();
	close(j.fd);
	signalled_ns(first, &status);
	igt_assert_eq(status, -ECANCELED);
	/* A killed queue has 640 ms to leave by itself, which this one cannot. */
	igt_assert_lte_u64(killed + 600000000, signalled_ns(last, &status));
	igt_assert_eq(status, -ECANCELED);
	lab_heal();
	close(first);
	close(last);
	job_check_usable(fd);
}

#define SWITCHES	40
#define RING_CONTEXT_STATUS_PTR	0x3a0

/* How often the card was asked what its engines of a tile have reported */
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

/* A job that would never end, and its queue */
static void end_with_file(struct job *j)
{
	munmap(j->batch.map, j->batch.size);
	munmap(j->data.map, j->data.size);
	close(j->fd);
}

/*
 * Two share an engine by time slices; it tells of every switch. The card need not be asked
 * for anything as long as it tells.
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
};

static void *submit(void *arg)
{
	struct submitter *s = arg;

	s->ret = job_start(s->j);
	return NULL;
}

/* A queue that is gone is freed by work, once the engine has switched. */
static void set_mode(int fd, const char *mode)
{
	int err = -EBUSY;

	for (int i = 0; i < 20000 && err == -EBUSY; i++) {
		err = xetile_sysfs_write(fd, 0, "ccs_mode", mode);
		usleep(1000);
	}
	igt_require_f(err != -EINVAL, "the tile has no mode %s\n", mode);
	igt_assert_eq(err, 0);
}

/* On slice @v of tile 0 alone; nobody shares its engine, but the domain of its reset. */
static void job_init_on_cslice(struct job *j, int fd, unsigned int v, uint32_t limit_ms)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = DRM_XETILE_TARGET_CSLICE, .cslice = v,
		.timeout_ms = limit_ms,
	};
	struct drm_xetile_queue_info info;

	job_init(j, fd, JOB_COMPUTE_TILE, limit_ms);
	xetile_queue_destroy(j->fd, j->queue);
	args.vm_id = j->vm;
	igt_assert_eq(__xetile_queue_create(j->fd, &args), 0);
	j->queue = args.queue_id;
	igt_assert_eq(job_run(j), 1);
	xetile_queue_info(j->fd, j->queue, &info);
	snprintf(j->engine, sizeof(j->engine), "tile0.ccs%u", info.members[0].instance);
}

/*
 * A queue is destroyed while a job for it is being made: its slices stay its own
 * until the job is done, so that no mode can be set in which there are none.
 */
static void test_destroy_while_submitting(int fd)
{
	struct xetile_buf big;
	struct submitter s;
	struct job j;
	char engine[32];

	set_mode(fd, "2");
	job_init_on_cslice(&j, fd, 1, 0);
	/* To come back it takes more passes than the kernel has in flight at a time. */
	big = (struct xetile_buf) { .fd = j.fd, .vm = j.vm, .addr = 2 * JOB_DATA_ADDR,
				    .size = 64ull << 20 };
	big.handle = xetile_bo_color(j.fd, big.size, DRM_XETILE_COLOR_TILE, 1, 0);
	xetile_vm_map(j.fd, j.vm, big.handle, 0, big.addr, big.size);
	igt_assert_eq(job_run(&j), 1);
	xetile_evict_all(fd);

	xetile_kernel_engine(fd, engine, sizeof(engine));
	lab_inject("slow engine=%s us=50000", engine);
	s = (struct submitter) { .j = &j };
	igt_assert_eq(pthread_create(&s.thread, NULL, submit, &s), 0);
	/* Only that call has the kernel copy. */
	xetile_assert_soon(xetile_debugfs_sum(fd, "engines", "owned"));
	xetile_queue_destroy(j.fd, j.queue);
	igt_assert_eq(xetile_sysfs_write(fd, 0, "ccs_mode", "1"), -EBUSY);
	lab_heal();
	igt_assert_eq(pthread_join(s.thread, NULL), 0);
	igt_assert_eq(s.ret, 0);
	igt_assert_eq(job_end(&j), 1);
	set_mode(fd, "1");
	xetile_vm_unmap(j.fd, j.vm, big.addr, big.size);
	xetile_bo_close(j.fd, big.handle);
	job_new_queue(&j);
	job_fini(&j);
}

/*
 * A neighbour's context cannot be saved when it is to leave for a reset: nobody asks
 * what fault that was. The tile's next one must be told, and not as that one.
 */
static void test_fault_under_reset(int fd)
{
	struct job j, neighbour, next;
	int log;

	set_mode(fd, "2");
	job_init(&next, fd, JOB_COPY_TILE, LIMIT_MS);
	job_init_on_cslice(&j, fd, 0, LIMIT_MS);
	job_init_on_cslice(&neighbour, fd, 1, 0);
	igt_assert(strcmp(j.engine, neighbour.engine));
	igt_assert_eq(job_start_held(&neighbour), 0);
	lab_inject("fault space=ggtt address=%#llx size=8192 engine=%s access=write count=1",
		   (unsigned long long)lab_counter(neighbour.engine, "last_lrca"), neighbour.engine);
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);

	log = lab_log_open();
	lab_inject("fault address=%#llx size=4096 engine=%s access=write count=1",
		   (unsigned long long)JOB_DATA_ADDR, next.engine);
	igt_assert_eq(job_start(&next), 0);
	igt_assert_eq(job_end(&next), -EIO);
	check_log_of_fault(log);
	lab_heal();
	igt_assert_lt(job_end(&neighbour), 0);
	job_fini(&j);
	job_fini(&neighbour);
	job_fini(&next);
	set_mode(fd, "1");
}

/*
 * A tile has one place for a fault. That of an engine whose word is lost is found when another
 * one is reset, for a command there is not: it is told of the one that had it.
 */
static void test_fault_of_another(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_info info;
	uint64_t before = lab_injected();
	struct job faults, wrong;
	struct xetile_batch b;
	int log;

	job_init(&faults, fd, JOB_COPY_TILE, 0);
	job_init(&wrong, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(faults.engine[4], wrong.engine[4]);
	log = lab_log_open();
	lab_inject("irq-lost engine=%s vector=0x8", faults.engine);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, faults.engine);
	igt_assert_eq(job_start(&faults), 0);
	xetile_assert_soon(lab_injected() == before + 2);
	sync.handle = wrong.syncobj = xetile_syncobj(wrong.fd);
	batch_begin(&b, &wrong.batch, 0);
	batch_emit(&b, MI_UNKNOWN);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(wrong.fd, wrong.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(job_end(&wrong), -EIO);
	igt_assert_eq(job_end(&faults), -EIO);
	lab_heal();
	check_log_of_fault(log);
	xetile_queue_info(wrong.fd, wrong.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_ERROR);
	igt_assert_eq_u64(info.ban.fault_addr, 0);
	xetile_queue_info(faults.fd, faults.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_FAULT);
	igt_assert_eq_u64(info.ban.fault_addr, JOB_DATA_ADDR);
	job_fini(&faults);
	job_fini(&wrong);
}

/* --- bystanders of a reset --------------------------------------------------- */

/* Its next command takes so long, and nothing interrupts that but a reset. */
static void make_stubborn(const struct job *j, unsigned int seconds)
{
	uint64_t before = lab_injected();

	lab_inject("slow engine=%s us=%u000000", j->engine, seconds);
	xetile_assert_soon(lab_injected() != before);
}

/* A batch that counts, then waits for dword 64 of the data; @sync: its fence */
static void start_counter(struct job *j, uint32_t batch, uint32_t *sync)
{
	struct drm_xetile_sync s = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	*sync = s.handle = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, batch);
	batch_atomic_inc(&b, j->data.addr + 512);
	batch_wait(&b, j->data.addr + 256, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &s, 1), 0);
}

static int sync_end(struct job *j, uint32_t sync)
{
	int status;

	igt_assert_eq(__xetile_wait(j->fd, sync, 60000), 0);
	status = xetile_fence_status(j->fd, sync);
	xetile_syncobj_destroy(j->fd, sync);
	return status;
}

/*
 * A slice hangs; a neighbour of the same reset domain does not let itself be interrupted,
 * and is lost. What it has done in part is not done twice, and it is told; what has not
 * begun is done, once. Of a gang each part gives up a batch that one part is lost in.
 */
enum lost {
	LOST_BEFORE,		/* it had not begun */
	LOST_INSIDE,		/* inside its batch */
	LOST_HALF,		/* the first part inside, the last before it */
};

static void test_bystander(int fd, bool root, enum lost lost)
{
	bool begun = lost != LOST_BEFORE;
	volatile uint32_t *count;
	struct drm_xetile_queue_info info;
	unsigned int parts, runs;
	uint32_t syncs[2];
	struct job j, near;
	int log;

	set_mode(fd, "2");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	if (root)
		job_init(&near, fd, JOB_COMPUTE_ROOT, 0);
	else
		job_init_on_cslice(&near, fd, 0, 0);
	xetile_queue_info(near.fd, near.queue, &info);
	parts = info.num_members;
	runs = 2 * parts;
	igt_require(lost != LOST_HALF || parts > 1);
	/* The part on the tile that is reset */
	snprintf(near.engine, sizeof(near.engine), "tile0.ccs%u", info.members[0].instance);
	igt_assert(strcmp(j.engine, near.engine));
	count = near.data.map + 128;
	*count = 0;

	log = lab_log_open();
	if (!begun) {
		lab_inject("slow engine=%s us=60000000", near.engine);
		start_counter(&near, 0, &syncs[0]);
		/* The other tiles' parts do theirs. */
		xetile_assert_soon(*count == parts - 1);
	} else if (lost == LOST_HALF) {
		lab_inject("slow engine=tile%u.ccs%u us=60000000", parts - 1,
			   info.members[parts - 1].instance);
		start_counter(&near, 0, &syncs[0]);
		xetile_assert_soon(*count == parts - 1);
		make_stubborn(&near, 60);
		runs--;
	} else {
		start_counter(&near, 0, &syncs[0]);
		xetile_assert_soon(*count == parts);
		make_stubborn(&near, 60);
	}
	start_counter(&near, SZ_4K, &syncs[1]);
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	lab_heal();
	near.data.map[64] = 1;
	igt_assert_eq(sync_end(&near, syncs[0]), begun ? -EAGAIN : 1);
	igt_assert_eq(sync_end(&near, syncs[1]), 1);
	igt_assert_eq_u32(*count, runs);
	lab_log_close(log, "did not end in time");

	xetile_queue_info(near.fd, near.queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, begun);
	igt_assert_eq(job_run(&near), 1);
	job_fini(&j);
	job_fini(&near);
	set_mode(fd, "1");
}

/*
 * A neighbour that takes long to leave is waited for as long as the administrator says it
 * may take, also when a reset asks it to: then nothing of it is lost.
 */
static void test_bystander_leaves(int fd, bool root)
{
	struct drm_xetile_queue_info info;
	struct job j, near;
	uint32_t sync;

	set_mode(fd, "2");
	/* Also of a queue for all tiles: it is tile 0's that counts. */
	write_time(fd, "preempt_timeout_us", "10000000");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	if (root)
		job_init(&near, fd, JOB_COMPUTE_ROOT, 3600000);
	else
		job_init_on_cslice(&near, fd, 0, 3600000);
	xetile_queue_info(near.fd, near.queue, &info);
	snprintf(near.engine, sizeof(near.engine), "tile0.ccs%u", info.members[0].instance);
	igt_assert(strcmp(j.engine, near.engine));
	start_counter(&near, 0, &sync);
	xetile_assert_soon(*(volatile uint32_t *)(near.data.map + 128));
	/* That one command only: the last of it is to be waited for. */
	make_stubborn(&near, 6);
	lab_heal();
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	write_time(fd, "preempt_timeout_us", "640000");
	near.data.map[64] = 1;
	igt_assert_eq(sync_end(&near, sync), 1);
	check_unharmed(&near);
	job_fini(&j);
	job_fini(&near);
	set_mode(fd, "1");
}

/*
 * A tile has one place for a fault. One that comes while another engine's reset waits for a
 * neighbour is not cleared away by that reset: its own engine's is told of it.
 */
static void test_fault_beside_reset(int fd)
{
	struct drm_xetile_queue_info info;
	struct job j, near, faults;
	uint32_t sync;
	int log;

	set_mode(fd, "2");
	write_time(fd, "preempt_timeout_us", "10000000");
	job_init(&faults, fd, JOB_COPY_TILE, 0);
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	job_init_on_cslice(&near, fd, 0, 3600000);
	start_counter(&near, 0, &sync);
	xetile_assert_soon(*(volatile uint32_t *)(near.data.map + 128));
	make_stubborn(&near, 6);
	lab_heal();
	log = lab_log_open();
	igt_assert_eq(job_start_held(&j), 0);
	xetile_assert_soon(lab_log_says(log, "did not end in time"));
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, faults.engine);
	igt_assert_eq(job_start(&faults), 0);
	igt_assert_eq(job_end(&faults), -EIO);
	igt_assert_eq(job_end(&j), -ETIME);
	lab_heal();
	check_log_of_fault(log);
	write_time(fd, "preempt_timeout_us", "640000");
	near.data.map[64] = 1;
	igt_assert_eq(sync_end(&near, sync), 1);
	xetile_queue_info(j.fd, j.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_TIMEOUT);
	igt_assert_eq_u64(info.ban.fault_addr, 0);
	xetile_queue_info(faults.fd, faults.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_FAULT);
	igt_assert_eq_u64(info.ban.fault_addr, JOB_DATA_ADDR);
	job_fini(&faults);
	job_fini(&j);
	job_fini(&near);
	set_mode(fd, "1");
}

/* --- the log ----------------------------------------------------------------- */

#define FLOOD		120u
#define FLOOD_SECONDS	5u	/* as the driver has it: so many batches in so many seconds, */
#define FLOOD_BATCHES	20u
#define FLOOD_LINES	3u	/* and so many lines of each */

/* A batch that is nowhere, in a file of its own */
static void fail_once(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_create args = { .engine_class = COPY, .target = TILE };

	fd = xetile_reopen(fd);
	args.vm_id = xetile_vm(fd);
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	sync.handle = xetile_syncobj(fd);
	igt_assert_eq(__xetile_exec(fd, args.queue_id, JOB_BATCH_ADDR, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(fd, sync.handle), -EIO);
	close(fd);
}

/* As many as the driver has a file hang or fault before it takes no queue of it any more */
#define BLAMES		32u

/*
 * So many lines were made that others are left out for a while. A card that is bound anew
 * begins with none.
 */
static int let_log_speak(int fd)
{
	char address[64];

	xetile_bound_card(address, sizeof(address));
	close(fd);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	return xetile_open();
}

/* A client that makes another queue each time gets none in the end; others do. */
static void test_ban_client(int fd)
{
	struct drm_xetile_queue_create args = { .engine_class = COPY, .target = TILE };
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct job innocent;
	uint32_t kept;

	job_init(&innocent, fd, JOB_COPY_TILE, 0);
	fd = xetile_reopen(fd);
	args.vm_id = xetile_vm(fd);
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	kept = args.queue_id;
	sync.handle = xetile_syncobj(fd);
	for (unsigned int i = 0; i < BLAMES; i++) {
		igt_assert_eq(__xetile_queue_create(fd, &args), 0);
		igt_assert_eq(__xetile_exec(fd, args.queue_id, JOB_BATCH_ADDR, &sync, 1), 0);
		igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
		igt_assert_eq(xetile_fence_status(fd, sync.handle), -EIO);
		xetile_queue_destroy(fd, args.queue_id);
	}
	igt_assert_eq(__xetile_queue_create(fd, &args), -ECANCELED);
	/* What it has is its own, and who did nothing is not touched. */
	igt_assert_eq(__xetile_exec(fd, kept, JOB_BATCH_ADDR, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
	job_renew_queue(&innocent);
	igt_assert_eq(job_run(&innocent), 1);
	job_fini(&innocent);
	close(fd);
	job_check_usable(fd = xetile_open());
	close(fd);
}

/* Bad batches by the dozen: each is told its client, and some of them the log. */
static void test_log_flood(int fd)
{
	int log = lab_log_open();
	unsigned long long us;
	unsigned int lines, windows;

	for (unsigned int i = 0; i < FLOOD; i++)
		fail_once(fd);
	lines = lab_log_errors(log, &us);
	/* One begins before the first, one ends after the last. */
	windows = us / (FLOOD_SECONDS * 1000000ull) + 2;
	igt_info("%u lines for %u batches in %llu ms\n", lines, FLOOD, us / 1000);
	igt_assert_lte(1, lines);
	igt_assert_lte(lines, windows * FLOOD_BATCHES * FLOOD_LINES);
	job_check_usable(fd);
}

/* --- device coredumps ------------------------------------------------------------ */

#define DUMPS		"/sys/class/devcoredump"
#define SECRET		0x5ec2e75eu

/* The dump that stands of the card, if one does: its folder */
static bool find_dump(const char *address, char *path, size_t size)
{
	DIR *dir = opendir(DUMPS);
	struct dirent *entry;
	bool found = false;

	igt_assert(dir);
	while (!found && (entry = readdir(dir))) {
		char link[320], target[PATH_MAX] = "";

		snprintf(link, sizeof(link), DUMPS "/%s/failing_device", entry->d_name);
		if (readlink(link, target, sizeof(target) - 1) < 0)
			continue;
		found = strstr(target, address);
		snprintf(path, size, DUMPS "/%s/data", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* Whoever has read it writes to it; the kernel then makes room for the next one. */
static void drop_dump(const char *address)
{
	char path[320];

	while (find_dump(address, path, sizeof(path))) {
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		/* It may be on its way. */
		if (fd >= 0) {
			igt_assert_eq(write(fd, "0", 1), 1);
			close(fd);
		}
		usleep(1000);
	}
}

/* The text, when there is one; the caller frees it. */
static char *read_dump(const char *address)
{
	char path[320], *text = calloc(1, SZ_2M), *at = text;
	struct stat st;
	ssize_t n;
	int fd;

	xetile_assert_soon(find_dump(address, path, sizeof(path)));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	igt_assert_lte(0, fd);
	igt_assert_eq(fstat(fd, &st), 0);
	igt_assert_eq(st.st_uid, 0);
	igt_assert_eq(st.st_mode & 077, 0);
	while ((n = read(fd, at, text + SZ_2M - 1 - at)) > 0)
		at += n;
	close(fd);
	return text;
}

static void dump_says(const char *dump, const char *fmt, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	igt_assert_f(strstr(dump, text), "no \"%s\" in\n%s\n", text, dump);
}

static uint32_t hang_once(struct job *j)
{
	lab_inject("hang engine=%s before=4", j->engine);
	igt_assert_eq(job_start(j), 0);
	igt_assert_eq(job_end(j), -ETIME);
	return j->queue;
}

/* Whoever unbinds the card waits for a text that is in the making. */
static void rebind(const char *address)
{
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
}

/*
 * A batch that hangs leaves a text behind: what its queue and engines were at, and where
 * its buffers are, but nothing of what they hold. The first one stays until it was read,
 * also without the driver.
 */
static void test_coredump(void)
{
	char address[64], *first, *again;
	uint32_t queues[2];
	struct job j;
	int fd = xetile_open();

	igt_require_f(!access(DUMPS, F_OK), "the kernel keeps no device coredumps\n");
	xetile_bound_card(address, sizeof(address));
	drop_dump(address);
	job_init(&j, fd, JOB_COMPUTE_ROOT, LIMIT_MS);
	/* Behind the commands, and beside the data */
	j.batch.map[SZ_4K / 4 - 1] = SECRET;
	for (unsigned int i = 64; i < 1024; i++)
		j.data.map[i] = SECRET;
	queues[0] = hang_once(&j);
	first = read_dump(address);
	igt_debug("%s\n", first);
	dump_says(first, "reason: batch did not end in time");
	dump_says(first, "engine: %s", j.engine);
	dump_says(first, "queue: %u\n  process %d\n  vm %u\n", queues[0], getpid(), j.vm);
	dump_says(first, "class compute\n  target root");
	dump_says(first, "weight 100\n  timeout_ms %u", LIMIT_MS);
	dump_says(first, "context 1: on");
	dump_says(first, "registers of %s\n", j.engine);
	dump_says(first, "RING_ACTHD ");
	dump_says(first, "ring of context 1");
	dump_says(first, "image of context 0");
	dump_says(first, "tile1 %#llx-", (unsigned long long)JOB_DATA_ADDR);
	igt_assert(!strstr(first, "5ec2e75e"));

	job_new_queue(&j);
	queues[1] = hang_once(&j);
	igt_assert_neq(queues[0], queues[1]);
	munmap(j.batch.map, j.batch.size);
	munmap(j.data.map, j.data.size);
	close(j.fd);
	close(fd);
	rebind(address);
	again = read_dump(address);
	igt_assert(!strcmp(first, again));
	free(first);
	free(again);
	drop_dump(address);

	/* A fault, and there is room again. */
	fd = xetile_open();
	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine);
	igt_assert_eq(job_run(&j), -EIO);
	again = read_dump(address);
	dump_says(again, "reason: page fault at %#llx, write", (unsigned long long)JOB_DATA_ADDR);
	dump_says(again, "class copy\n  target tile");
	free(again);
	drop_dump(address);
	job_fini(&j);
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
	static const char * const pages[] = {
		"not-present", "read-only", "misaligned", "out-of-range",
	};
	int fd = -1;

	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		fd = xetile_open();
	}
	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		const char *name = job_kind_name(kind);

		igt_describe("An engine stops at some command of a job");
		/* Of copy engines there are others, and nobody waits for this one. */
		if (kind != JOB_COPY_TILE) {
			igt_subtest_f("stuck-%s", name)
				test_stuck(fd, kind);
		}
		igt_subtest_f("hang-before-%s", name)
			test_hang(fd, kind, "before");
		igt_subtest_f("hang-after-%s", name)
			test_hang(fd, kind, "after");
		for (unsigned int k = 0; k < ARRAY_SIZE(events); k++) {
			igt_describe("Interrupts and status entries lost, late, twice");
			igt_subtest_f("%s-%s", events[k].name, name)
				test_event(fd, kind, events[k].fault, events[k].skips);
		}
		igt_describe("An engine becomes slow, then too slow");
		igt_subtest_f("slow-%s", name)
			test_slow(fd, kind);
		for (unsigned int k = 0; k < ARRAY_SIZE(pages); k++) {
			igt_describe("A page fault on an access");
			igt_subtest_f("fault-%s-%s", pages[k], name)
				test_page_fault(fd, kind, pages[k]);
		}
		igt_describe("A page fault whose interrupt is lost");
		igt_subtest_f("fault-irq-lost-%s", name)
			test_silent_fault(fd, kind);
		igt_describe("A fault on the context image");
		igt_subtest_f("fault-context-%s", name)
			test_context_fault(fd, kind);
		igt_describe("Uncorrectable memory under a job");
		igt_subtest_f("poison-%s", name)
			test_poison(fd, kind);
	}
	igt_describe("The times that the administrator sets");
	igt_subtest("preempt-timeout")
		test_preempt_timeout(fd);
	igt_subtest("timeslice")
		test_timeslice(fd);
	igt_fixture
		usual_times(fd);
	igt_describe("A load that is acknowledged late, or never, while its batch is to leave");
	igt_subtest("late-ack")
		test_late_ack(fd);
	igt_fixture
		usual_times(fd);
	igt_subtest("no-ack")
		test_no_ack(fd);
	igt_describe("A status entry that comes when nobody waits for it");
	igt_subtest("csb-late")
		test_event_late(fd);
	igt_describe("The word of an error that comes when the engine was reset already");
	igt_subtest("fault-irq-late")
		test_late_fault(fd);
	igt_describe("A fault nobody asked for does not hide the next");
	igt_subtest("fault-under-reset")
		test_fault_under_reset(fd);
	igt_describe("A fault whose word is lost is not another engine's");
	igt_subtest("fault-of-another")
		test_fault_of_another(fd);
	igt_describe("A neighbour that is lost in a reset: inside its batch, or before");
	igt_subtest("bystander-begun")
		test_bystander(fd, false, LOST_INSIDE);
	igt_subtest("bystander-not-begun")
		test_bystander(fd, false, LOST_BEFORE);
	igt_subtest("bystander-begun-root")
		test_bystander(fd, true, LOST_INSIDE);
	igt_subtest("bystander-not-begun-root")
		test_bystander(fd, true, LOST_BEFORE);
	igt_subtest("bystander-half-begun-root")
		test_bystander(fd, true, LOST_HALF);
	igt_describe("A neighbour that takes as long to leave as it may");
	igt_subtest("bystander-leaves")
		test_bystander_leaves(fd, false);
	igt_subtest("bystander-leaves-root")
		test_bystander_leaves(fd, true);
	igt_fixture
		usual_times(fd);
	igt_describe("A fault that comes during another engine's reset");
	igt_subtest("fault-beside-reset")
		test_fault_beside_reset(fd);
	igt_fixture
		usual_times(fd);
	igt_describe("Bad batches do not flood the log");
	igt_subtest("log-flood") {
		test_log_flood(fd);
		fd = let_log_speak(fd);
	}
	igt_describe("Who has batches fail again and again gets no queue");
	igt_subtest("ban-client") {
		test_ban_client(fd);
		fd = let_log_speak(fd);
	}
	igt_describe("Memory that is bad under an eviction");
	igt_subtest("lost-evicted")
		test_lost_evicted(fd);
	igt_describe("Memory that cannot be cleared");
	igt_subtest("lost-clear")
		test_lost_clear(fd);
	igt_describe("Fences of a killed queue say when its engine is free");
	igt_subtest("killed-in-order")
		/* A busy host may hide it once. */
		for (int i = 0; i < 3; i++)
			test_killed_in_order(fd);
	igt_describe("An engine that tells of itself is not asked");
	igt_subtest("polls")
		test_polls(fd);

	igt_describe("A queue is destroyed under a call that submits to it");
	igt_subtest("destroy-while-submitting")
		test_destroy_while_submitting(fd);
	igt_describe("All that was hurt works");
	igt_subtest("usable") {
		lab_heal();
		job_check_usable(fd);
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
	igt_describe("What the driver before left stuck is reset");
	igt_subtest("left-stuck")
		test_left_stuck();
	igt_describe("What a batch that hangs leaves for whoever looks into it");
	igt_subtest("coredump")
		test_coredump();
	for (unsigned int i = 0; i < ARRAY_SIZE(binds); i++) {
		igt_describe("A card that does not come up, and later does");
		igt_subtest_f("bind-%s", binds[i].name)
			test_bind(binds[i].fault, binds[i].why);
	}
	igt_fixture
		lab_heal();
}
