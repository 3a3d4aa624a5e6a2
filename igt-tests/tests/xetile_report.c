// SPDX-License-Identifier: MIT
/*
 * Reports of failed batches: lines in the log, of limited number; the device coredump; and the
 * client, which gets no more queues in the end.
 *
 * suite: faults soak-faults
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_privilege.h"
#include "xetile_user_memory.h"

IGT_TEST_DESCRIPTION("Reports of batches that fail");

#define LIMIT_MS	1000
#define SHORT_MS	400	/* for a batch that is to run too long, and for one that is not */

/* --- the log ----------------------------------------------------------------- */

#define FLOOD		120u
#define FLOOD_SECONDS	5u	/* as the driver: this many batches in so many seconds, */
#define FLOOD_BATCHES	20u
#define FLOOD_LINES	3u	/* with this many lines each, are logged */

/* Runs a batch at an address without a mapping. */
static void fail_in(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_create args = { .engine_class = COPY, .target = TILE };

	args.vm_id = xetile_vm(fd);
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	sync.handle = xetile_syncobj(fd);
	igt_assert_eq(__xetile_exec(fd, args.queue_id, JOB_BATCH_ADDR, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(fd, sync.handle), -EIO);
}

/* As fail_in(), in a file of its own */
static void fail_once(int fd)
{
	fd = xetile_reopen(fd);
	fail_in(fd);
	close(fd);
}

/* Failed batches that a file may have in a minute before it gets no more queues */
#define BLAMES		32u

/*
 * Binds the card anew, because the log leaves lines out for a while after many, and a newly bound
 * card starts from none. Returns a new file.
 */
static int let_log_speak(int fd)
{
	char address[64];

	xetile_bound_card(address, sizeof(address));
	close(fd);
	xetile_rebind(address);
	return xetile_open();
}

/*
 * A client that makes a new queue after each failed batch gets no more queues in the end; other
 * clients do.
 */
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
	/* The client's other queue still takes batches, and the other client still works. */
	igt_assert_eq(__xetile_exec(fd, kept, JOB_BATCH_ADDR, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
	job_renew_queue(&innocent);
	igt_assert_eq(job_run(&innocent), 1);
	job_fini(&innocent);
	close(fd);
	job_check_usable(fd = xetile_open());
	close(fd);
}

/*
 * Looks for the next uevent of a queue that was banned. Returns its size, or 0 if there is none;
 * @event has its strings, one after the other.
 */
static size_t next_event(int events, char *event, size_t size)
{
	ssize_t n;

	while ((n = recv(events, event, size - 1, 0)) > 0) {
		event[n++] = 0;
		if (memmem(event, n, "\0XETILE_BANNED=", 15))
			return n;
	}
	return 0;
}

static bool event_has(const char *event, size_t size, const char *text)
{
	for (const char *at = event; at < event + size; at += strlen(at) + 1)
		if (!strcmp(at, text))
			return true;
	return false;
}

/*
 * A uevent tells that a queue was banned: why, on which engine, and whose it was. It tells nothing
 * that only the process or root may know, because every user can read it.
 */
static void test_event(int fd)
{
	int events = lab_events_open();
	char event[4096], engine[64], process[64];
	size_t size = 0;
	struct job j;

	job_init(&j, fd, JOB_COMPUTE_TILE, SHORT_MS);
	igt_assert_eq(job_start_endless(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	xetile_assert_soon((size = next_event(events, event, sizeof(event))));
	snprintf(engine, sizeof(engine), "XETILE_ENGINE=%s", j.engine);
	snprintf(process, sizeof(process), "XETILE_PROCESS=%d", getpid());
	igt_assert(event_has(event, size, "ACTION=change"));
	igt_assert(event_has(event, size, "SUBSYSTEM=drm"));
	igt_assert(event_has(event, size, "XETILE_BANNED=timeout"));
	igt_assert(event_has(event, size, engine));
	igt_assert(event_has(event, size, process));
	igt_assert(!memmem(event, size, "0x", 2));
	igt_assert(!memmem(event, size, "xetile_report", 13));
	job_fini(&j);

	/* Once for each queue */
	job_init(&j, fd, JOB_COPY_TILE, SHORT_MS);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine);
	igt_assert_eq(job_run(&j), -EIO);
	xetile_assert_soon((size = next_event(events, event, sizeof(event))));
	igt_assert(event_has(event, size, "XETILE_BANNED=fault"));
	igt_assert(!memmem(event, size, "4000000", 7));
	job_renew_queue(&j);
	igt_assert_eq(job_run(&j), 1);
	/* Nothing came of that one: the next event is the next ban's. */
	igt_assert_eq(job_start_endless(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	xetile_assert_soon((size = next_event(events, event, sizeof(event))));
	igt_assert(event_has(event, size, "XETILE_BANNED=timeout"));
	igt_assert(event_has(event, size, "XETILE_MISSED=0"));
	job_fini(&j);
	close(events);
}

#define FILE_EVENTS	5u	/* as the driver: in FLOOD_SECONDS so many of a file, */
#define USER_EVENTS	10u	/* and so many of a user */
#define USER		65534

/* @times batches fail in each of @files files of a user, who may open the card as long. */
static void fail_as(int fd, uid_t user, unsigned int files, unsigned int times)
{
	char *path = drmGetRenderDeviceNameFromFd(fd);
	struct stat node;

	igt_assert(path && !stat(path, &node) && !chmod(path, 0666));
	igt_fork(child, 1) {
		privilege_become(user);
		for (unsigned int i = 0; i < files * times; i++) {
			if (i % times == 0)
				igt_assert_lte(0, fd = open(path, O_RDWR | O_CLOEXEC));
			fail_in(fd);
		}
	}
	igt_waitchildren();
	chmod(path, node.st_mode & 07777);
	free(path);
}

/* How many events are sent, and how many are left out */
struct told {
	unsigned int sent, missed;
};

/*
 * A batch of another user runs too long, which is told. Returns what was told before, and what the
 * event says that was not.
 */
static struct told told_before(int fd, int events)
{
	struct told told = { 0 };
	char event[4096];
	size_t size = 0;
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, SHORT_MS);
	igt_assert_eq(job_start_endless(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	job_fini(&j);
	for (;; told.sent++) {
		xetile_assert_soon((size = next_event(events, event, sizeof(event))));
		for (const char *at = event; at < event + size; at += strlen(at) + 1)
			sscanf(at, "XETILE_MISSED=%u", &told.missed);
		if (event_has(event, size, "XETILE_BANNED=timeout"))
			return told;
	}
}

/* A user whose batches fail again and again does not keep the failures of others from being told. */
static void test_event_limit(int fd)
{
	struct timespec begin, end;
	struct told file, user;
	int events;

	events = lab_events_open();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	fail_as(fd, USER, 1, FILE_EVENTS + 3);
	file = told_before(fd, events);
	fail_as(fd, USER, 3, 4);
	user = told_before(fd, events);
	clock_gettime(CLOCK_MONOTONIC, &end);
	close(events);
	igt_require_f(end.tv_sec - begin.tv_sec < (time_t)FLOOD_SECONDS,
		      "batches fail too slowly here for the driver to leave events out\n");
	igt_assert_eq_u32(file.sent, FILE_EVENTS);
	igt_assert_eq_u32(file.missed, 3);
	igt_assert_eq_u32(user.sent, USER_EVENTS - FILE_EVENTS);
	igt_assert_eq_u32(user.missed, 3 * 4 - user.sent);
}

/*
 * Batches fail by the dozen: each is reported to its client, and only some of them in the log and by
 * uevents.
 */
static void test_log_flood(int fd)
{
	int log = lab_log_open(), events = lab_events_open();
	unsigned int lines, windows, sent = 0;
	unsigned long long us;
	char event[4096];

	for (unsigned int i = 0; i < FLOOD; i++)
		fail_once(fd);
	while (next_event(events, event, sizeof(event)))
		sent++;
	close(events);
	lines = lab_log_errors(log, &us);
	/* One window begins before the first line, one ends after the last line. */
	windows = us / (FLOOD_SECONDS * 1000000ull) + 2;
	igt_info("%u lines and %u uevents for %u batches in %llu ms\n", lines, sent, FLOOD,
		 us / 1000);
	igt_assert_lte(1, lines);
	igt_assert_lte(lines, windows * FLOOD_BATCHES * FLOOD_LINES);
	igt_assert_lte(1, sent);
	igt_assert_lte(sent, windows * FLOOD_BATCHES);
	job_check_usable(fd);
	igt_require_f(windows * FLOOD_BATCHES < FLOOD,
		      "batches fail too slowly here for the driver to leave lines out\n");
}

/* --- device coredumps ------------------------------------------------------------ */

#define DUMPS		"/sys/class/devcoredump"
#define SECRET		0x5ec2e75eu
#define EVENTS		12u	/* of an engine that it keeps */

/* Looks for a dump of the card. Returns whether there is one, and its data file in @path. */
static bool find_dump(const char *address, char *path, size_t size)
{
	DIR *dir = opendir(DUMPS);
	struct dirent *entry;
	bool found = false;

	/* A kernel that keeps no dumps */
	if (!dir)
		return false;
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

/* Deletes the dumps of the card: a write to a dump deletes it. */
static void drop_dump(const char *address)
{
	char path[320];

	while (find_dump(address, path, sizeof(path))) {
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		/* The dump may not be complete yet. */
		if (fd >= 0) {
			igt_assert_eq(write(fd, "0", 1), 1);
			close(fd);
		}
		usleep(1000);
	}
}

/* Returns the text of a file that only root may read; the caller frees it. */
static char *read_private(const char *path)
{
	char *text = calloc(1, SZ_2M), *at = text;
	struct stat st;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	igt_assert_f(fd >= 0, "%s: %m\n", path);
	igt_assert_eq(fstat(fd, &st), 0);
	igt_assert_eq(st.st_uid, 0);
	igt_assert_eq(st.st_mode & 077, 0);
	while ((n = read(fd, at, text + SZ_2M - 1 - at)) > 0)
		at += n;
	close(fd);
	return text;
}

/* Returns the text of the dump; the caller frees it. Waits for the dump to be there. */
static char *read_dump(const char *address)
{
	char path[320];

	xetile_assert_soon(find_dump(address, path, sizeof(path)));
	return read_private(path);
}

/* Returns what debugfs keeps of the last failure; the caller frees it. */
static char *read_last(int fd)
{
	char path[128];
	struct stat st;

	igt_assert_eq(fstat(fd, &st), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/last_failure", minor(st.st_rdev));
	return read_private(path);
}

static bool last_says(int fd, const char *text)
{
	char *last = read_last(fd);
	bool says = strstr(last, text);

	free(last);
	return says;
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

static unsigned long long event_of(const char *dump, unsigned int place)
{
	unsigned long long event = 0;
	char name[32];
	const char *at;

	snprintf(name, sizeof(name), "  event %-2u ", place);
	at = strstr(dump, name);
	igt_assert(at && sscanf(at + strlen(name), "%llx", &event) == 1);
	return event;
}

/*
 * The engine's last event is there: it tells that the engine took a context. Each place has its own
 * event: one that took a context does not come twice in a row.
 */
static void check_events(const char *dump)
{
	const char *at = strstr(dump, "  last event in place ");
	unsigned long long event;
	unsigned int place;
	bool same = true;

	igt_assert(at && sscanf(at, "  last event in place %u", &place) == 1);
	event = event_of(at, place);
	igt_assert_f(event && event != UINT64_MAX, "no event in place %u\n", place);
	for (unsigned int i = 0; i < EVENTS; i++)
		same &= event_of(at, i) == event;
	igt_assert_f(!same, "%#llx in each place\n", event);
}

static uint32_t hang_once(struct job *j)
{
	lab_inject("hang engine=%s before=4", j->engine);
	igt_assert_eq(job_start(j), 0);
	igt_assert_eq(job_end(j), -ETIME);
	return j->queue;
}

/* Unbind waits until a dump that is being made is complete. */
/*
 * A batch that hangs leaves a dump: the state of its queue and engines, and the places of its
 * buffers, but no contents of them beside the batch. The first dump stays until it is deleted, even
 * without the driver.
 */
static void test_coredump(void)
{
	char address[64], *first, *again, last;
	uint32_t queues[2];
	struct job j;
	int fd = xetile_open();

	igt_require_f(!access(DUMPS, F_OK), "the kernel keeps no device coredumps\n");
	xetile_bound_card(address, sizeof(address));
	drop_dump(address);
	job_init(&j, fd, JOB_COMPUTE_ROOT, LIMIT_MS);
	/* The digit of "tile1.ccs0", the last tile: it runs the last context. */
	last = j.engine[strlen("tile")];
	/* Far behind the commands, and beside the data of the job */
	j.batch.map[SZ_64K / 4 - 1] = SECRET;
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
	dump_says(first, "context %c: on %s\n", last, j.engine);
	dump_says(first, "registers of %s\n", j.engine);
	dump_says(first, "RING_ACTHD ");
	check_events(first);
	dump_says(first, "ring of context %c", last);
	dump_says(first, "image of context 0");
	dump_says(first, "tile%c %#llx-", last, (unsigned long long)JOB_DATA_ADDR);
	igt_assert(!strstr(first, "5ec2e75e"));

	job_new_queue(&j);
	queues[1] = hang_once(&j);
	igt_assert_neq(queues[0], queues[1]);
	munmap(j.batch.map, j.batch.size);
	munmap(j.data.map, j.data.size);
	close(j.fd);
	close(fd);
	xetile_rebind(address);
	again = read_dump(address);
	igt_assert(!strcmp(first, again));
	free(first);
	free(again);
	drop_dump(address);

	/* A fault leaves the next dump, now that the first one is deleted. */
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

/*
 * debugfs keeps the text of the last failure: it is that of the dump, the next failure replaces
 * it, also when the dump of the first one is still there, and it goes with the card.
 */
static void test_last_failure(void)
{
	char address[64], line[64], *dump, *last;
	struct job j;
	int fd = xetile_open();

	xetile_bound_card(address, sizeof(address));
	close(fd);
	xetile_rebind(address);
	drop_dump(address);
	fd = xetile_open();
	last = read_last(fd);
	igt_assert_f(!last[0], "the card was bound anew, and has failed before:\n%s\n", last);
	free(last);

	job_init(&j, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	hang_once(&j);
	snprintf(line, sizeof(line), "context 0: on %s\n", j.engine);
	xetile_assert_soon(last_says(fd, line));
	last = read_last(fd);
	dump_says(last, "registers of %s\n", j.engine);
	check_events(last);
	dump_says(last, "ring of context 0\n");
	dump_says(last, "image of context 0\n");
	if (access(DUMPS, F_OK)) {
		igt_info("no comparison: the kernel keeps no device coredumps\n");
	} else {
		dump = read_dump(address);
		igt_assert_f(!strcmp(dump, last), "the dump:\n%s\ndebugfs:\n%s\n", dump, last);
		free(dump);
	}
	free(last);
	job_fini(&j);

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	hang_once(&j);
	/* The queues of both have the same number, each in its file; the engines are not the same. */
	snprintf(line, sizeof(line), "context 0: on %s\n", j.engine);
	xetile_assert_soon(last_says(fd, line));
	last = read_last(fd);
	igt_assert_f(!strstr(last, "ccs"), "the first failure is still there:\n%s\n", last);
	free(last);
	job_fini(&j);
	close(fd);
	drop_dump(address);
}

/* --- the batch in the dump ------------------------------------------------------- */

#define MARK(i)		(0xb5000000u | (i))	/* dword number i of the batch's buffer */
#define AROUND_BYTES	4096u	/* as the driver: before the command, and from it on, */
#define HEAD_BYTES	1024u	/* and from the begin of the batch on */
#define STUCK_AT	32768u
#define STUCK_MS	500	/* enough for the engine to come to that place */

/*
 * Fills a buffer with marks, and writes a batch to its begin that jumps @at bytes into it, and waits
 * there for a value that never comes.
 */
static void write_stuck_batch(struct job *j, uint32_t at)
{
	struct xetile_batch b;

	for (uint32_t i = 0; i < SZ_64K / 4; i++)
		j->batch.map[i] = MARK(i);
	batch_begin(&b, &j->batch, 0);
	batch_jump(&b, j->batch.addr + at);
	batch_begin(&b, &j->batch, at);
	batch_wait(&b, j->data.addr + 256, 1);
	batch_end(&b);
}

static void dump_has_mark(const char *dump, uint32_t offset, bool expected)
{
	char text[16];

	snprintf(text, sizeof(text), "%08x", MARK(offset / 4));
	igt_assert_f(!!strstr(dump, text) == expected, "%s\nhas %s the dword at %#x\n", dump,
		     expected ? "not" : "also", offset);
}

/*
 * Runs such a batch, at another place than the one before. Returns the text of its failure, which
 * the caller frees.
 */
static char *fail_stuck(struct job *j, uint32_t at)
{
	char line[96];

	igt_assert_eq(job_run_at(j, 0), -ETIME);
	snprintf(line, sizeof(line), "batch of context 0, around %#llx",
		 (unsigned long long)j->batch.addr + at);
	xetile_assert_soon(last_says(j->fd, line));
	return read_last(j->fd);
}

/*
 * The text of a failure has the batch: so many bytes around the command where the engine stood, and
 * from its begin on. It has no more of that buffer, and nothing of others.
 */
static void test_batch_in(int fd, uint32_t placement, uint32_t at)
{
	uint32_t end = at + AROUND_BYTES < SZ_64K ? at + AROUND_BYTES : SZ_64K;
	struct xetile_buf beside;
	struct job j;
	char *dump;

	job_init(&j, fd, JOB_COMPUTE_TILE, STUCK_MS);
	xetile_buf_fini(&j.batch);
	xetile_buf_init(&j.batch, j.fd, j.vm, JOB_BATCH_ADDR, SZ_64K, placement);
	xetile_buf_init(&beside, j.fd, j.vm, JOB_BATCH_ADDR + SZ_64K, SZ_64K, placement);
	for (unsigned int i = 80; i < SZ_64K / 4; i++)
		j.data.map[i] = beside.map[i - 80] = SECRET;
	write_stuck_batch(&j, at);
	dump = fail_stuck(&j, at);
	dump_says(dump, "around %#llx\n", (unsigned long long)j.batch.addr + at);
	dump_says(dump, "  %#014llx: 0e00c003 00000001 %08x %08x 00000000",
		  (unsigned long long)j.batch.addr + at, (uint32_t)(j.data.addr + 256),
		  (uint32_t)(j.data.addr >> 32));
	dump_has_mark(dump, at - AROUND_BYTES - 4, false);
	dump_has_mark(dump, at - AROUND_BYTES, true);
	dump_has_mark(dump, end - 4, true);
	dump_has_mark(dump, end, false);
	dump_says(dump, "batch of context 0, from %#llx\n", (unsigned long long)j.batch.addr);
	dump_has_mark(dump, HEAD_BYTES - 4, true);
	dump_has_mark(dump, HEAD_BYTES, false);
	igt_assert(!strstr(dump, "5ec2e75e"));
	free(dump);
	xetile_buf_fini(&beside);
	job_fini(&j);
}

/* A batch in memory of the process is not read. */
static void test_batch_of_process(int fd)
{
	struct xetile_buf bo;
	struct job j;
	char *dump;

	job_init(&j, fd, JOB_COMPUTE_TILE, STUCK_MS);
	bo = j.batch;
	xetile_vm_unmap(j.fd, j.vm, bo.addr, bo.size);
	j.batch.map = anon(SZ_64K);
	igt_assert_eq(try_user(j.fd, j.vm, bo.addr, j.batch.map, SZ_64K, 0), 0);
	write_stuck_batch(&j, STUCK_AT / 2);
	dump = fail_stuck(&j, STUCK_AT / 2);
	dump_says(dump, "around %#llx: memory of a process\n",
		  (unsigned long long)j.batch.addr + STUCK_AT / 2);
	dump_has_mark(dump, STUCK_AT / 2 + 64, false);
	free(dump);
	munmap(j.batch.map, SZ_64K);
	j.batch = bo;
	job_fini(&j);
}

/* More mappings than the text of a failure tells of, which make it take long */
#define MAPPINGS	1500u
#define TOLD		1000u
#define BESIDE_ADDR	(JOB_DATA_ADDR + SZ_1G)

static void map_many(struct job *j)
{
	uint32_t bo = xetile_bo(j->fd, SZ_64K, DRM_XETILE_PLACE_HBM);

	for (uint64_t i = 0; i < MAPPINGS; i++)
		xetile_vm_map(j->fd, j->vm, bo, 0, BESIDE_ADDR + i * SZ_2M, SZ_64K);
	xetile_bo_close(j->fd, bo);
}

/* The text of a failure @at an address beside the last mapping has that one, and not the first. */
static void check_mappings(int fd, uint64_t at)
{
	char *dump = read_last(fd), *line = strstr(dump, "mappings of address space");
	unsigned int lines = 0;

	igt_assert(line);
	dump_says(dump, "batch of context 0, around %#llx: not mapped\n", (unsigned long long)at);
	dump_says(line, " on tile0, around %#llx\n  ...\n", (unsigned long long)at);
	dump_says(line, "\n  tile0 %#llx-", (unsigned long long)(at - SZ_2M / 2));
	igt_assert(!strstr(line, "\n  tile0 0x10000000-"));
	for (; (line = strstr(line, "\n  tile0 ")); line++)
		lines++;
	igt_assert_lte(TOLD / 2, lines);
	igt_assert_lte(lines, TOLD);
	free(dump);
}

/*
 * A batch fails while the text of the failure before is being made, which has to tell of many
 * mappings: debugfs tells of the second one in the end. Nobody sees from outside when a text is
 * being made, so the subtest has several pairs.
 */
static void test_failure_beside_text(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_create args = { .engine_class = COPY, .target = TILE };
	char line[64];
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	map_many(&j);
	args.vm_id = j.vm;
	sync.handle = xetile_syncobj(j.fd);
	/* At an address without a mapping, the next one each time */
	for (uint64_t i = 0; i < 8; i++) {
		uint64_t at = BESIDE_ADDR + SZ_2M / 2 + (MAPPINGS - 8 + i) * SZ_2M;

		igt_assert_eq(__xetile_queue_create(j.fd, &args), 0);
		igt_assert_eq(__xetile_exec(j.fd, args.queue_id, at, &sync, 1), 0);
		igt_assert_eq(__xetile_wait(j.fd, sync.handle, 60000), 0);
		igt_assert_eq(xetile_fence_status(j.fd, sync.handle), -EIO);
		xetile_queue_destroy(j.fd, args.queue_id);
		if (i % 2 == 0)
			continue;
		snprintf(line, sizeof(line), "page fault at %#llx,", (unsigned long long)at);
		xetile_assert_soon(last_says(fd, line));
		check_mappings(fd, at);
	}
	job_fini(&j);
}

/* --- gangs ------------------------------------------------------------------- */

/* As lab_log_open(), which was called just before, and has waited for room in the driver's limit */
static int open_log_again(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	igt_assert_lte(0, log);
	igt_assert_lte(0, (int)lseek(log, 0, SEEK_END));
	return log;
}

/* The log, which is open once for each tile, has lines of that tile and of no other. */
static void check_names(const int *logs, uint32_t tile)
{
	char text[32];

	snprintf(text, sizeof(text), "tile%u.ccs", tile);
	lab_log_close(logs[tile], text);
	for (uint32_t t = 0; t < DRM_XETILE_MAX_TILES; t++) {
		if (t == tile)
			continue;
		snprintf(text, sizeof(text), "tile%u.", t);
		igt_assert_f(!lab_log_says(logs[t], text), "the log names tile %u, not only %u\n", t,
			     tile);
		close(logs[t]);
	}
}

/*
 * The batch of one tile hangs or faults, and those of the others end: the log and QUEUE_INFO name
 * that tile alone.
 */
static void test_names_tile(uint32_t tile, bool faults)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = ROOT, .timeout_ms = 1000,
	};
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	uint64_t addrs[DRM_XETILE_MAX_TILES];
	struct drm_xetile_exec exec = {
		.batch = to_user(addrs), .syncs = DRM_XETILE_ARRAY(&sync, 1),
	};
	int logs[DRM_XETILE_MAX_TILES], fd = xetile_open();
	struct drm_xetile_queue_info info;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, fd);
	args.vm_id = c.vm;
	logs[0] = lab_log_open();
	for (uint32_t t = 1; t < ARRAY_SIZE(logs); t++)
		logs[t] = open_log_again();
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	xetile_queue_info(fd, args.queue_id, &info);
	for (uint32_t t = 0; t < info.num_members; t++) {
		batch_begin(&b, &c.batch, 4096 * t);
		/* Not before the others have stored: they may begin late. */
		for (uint32_t other = 0; t == tile && other < info.num_members; other++)
			if (other != tile)
				batch_wait(&b, c.gate.addr + 64 * other, 1);
		if (t == tile && faults)
			batch_store(&b, JOB_DATA_ADDR, 1, false);
		else if (t == tile)
			batch_hang(&b);
		batch_store(&b, c.gate.addr + 64 * t, 1, false);
		batch_end(&b);
		addrs[t] = batch_addr(&b);
	}
	exec.queue_id = args.queue_id;
	exec.num_batches = info.num_members;
	sync.handle = xetile_syncobj(fd);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_EXEC, &exec), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(fd, sync.handle), faults ? -EIO : -ETIME);
	xetile_queue_info(fd, args.queue_id, &info);
	igt_assert_eq_u32(info.ban.reason, faults ? DRM_XETILE_BAN_FAULT : DRM_XETILE_BAN_TIMEOUT);
	igt_assert_eq_u32(info.ban.tile, tile);
	job_check_usable(fd);
	for (uint32_t t = 0; t < info.num_members; t++)
		igt_assert_eq(c.gate.map[16 * t], t != tile);
	check_names(logs, tile);
	ctx_fini(&c);
	close(fd);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = lab_open();
	igt_describe("A uevent must tell of a queue that is banned, and no secrets");
	igt_subtest("event")
		test_event(fd);
	igt_describe("The failures of one user must not hide those of others");
	igt_subtest("event-limit") {
		fd = let_log_speak(fd);
		test_event_limit(fd);
	}
	igt_describe("Failed batches must not flood the log, nor the receivers of uevents");
	igt_subtest("log-flood") {
		test_log_flood(fd);
		fd = let_log_speak(fd);
	}
	igt_describe("A client whose batches fail again and again must get no more queues");
	igt_subtest("ban-client") {
		test_ban_client(fd);
		fd = let_log_speak(fd);
	}
	igt_fixture {
		lab_heal();
		close(fd);
	}
	igt_describe("A batch that hangs must leave a dump with its state and without contents "
		     "of buffers beside it");
	igt_subtest("coredump")
		test_coredump();
	igt_describe("debugfs must keep the text of the last failure, and of no other");
	igt_subtest("last-failure")
		test_last_failure();
	igt_describe("The text of a failure must have the batch around the engine's place, and "
		     "nothing else of buffers");
	igt_subtest("batch") {
		fd = xetile_open();
		test_batch_in(fd, DRM_XETILE_PLACE_SYSTEM, STUCK_AT);
		test_batch_in(fd, DRM_XETILE_PLACE_HBM, SZ_64K - 1024);
		test_batch_of_process(fd);
		close(fd);
	}
	igt_describe("debugfs must keep the text of the last failure, also of one that comes while "
		     "that of another is made");
	igt_subtest("last-failure-beside") {
		fd = xetile_open();
		test_failure_beside_text(fd);
		close(fd);
	}
	igt_describe("The log and the queue's state must name the tile alone whose batch failed (W12)");
	igt_subtest("names-tile") {
		struct xetile_card card = { .fd = -1 };

		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles > 1, "needs two tiles\n");
		for (uint32_t t = 0; t < 2 * card.device.num_tiles; t++)
			test_names_tile(t / 2, t % 2);
		close(card.fd);
	}
	igt_fixture
		lab_heal();
}
