// SPDX-License-Identifier: MIT
/*
 * The driver's trace events: each is there when what it stands for happens, once, and its fields
 * are those of what the test did.
 * Statements: W10.
 *
 * suite: once
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_place.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Trace events of the driver");

#define TRACING		"/sys/kernel/tracing"
/* A buffer of our own, which no other tracer disturbs */
#define INSTANCE	TRACING "/instances/xetile_trace"
#define LIMIT_MS	500
#define MAX_EVENTS	4096
#define LINE		512

static struct xetile_card card = { .fd = -1 };
static char address[64];

/* The events that trace_read() found, in the order of time */
static char events[MAX_EVENTS][LINE];
static unsigned int num_events;

static void trace_init(void)
{
	mount("tracefs", TRACING, "tracefs", 0, NULL);
	igt_require_f(!access(TRACING "/events/enable", W_OK), "the kernel has no trace events\n");
	rmdir(INSTANCE);
	igt_assert_eq(mkdir(INSTANCE, 0700), 0);
}

/* Forgets what was traced, and traces all events of the driver from now on. */
static void trace_begin(void)
{
	close(open(INSTANCE "/trace", O_WRONLY | O_TRUNC | O_CLOEXEC));
	igt_assert_eq(xetile_write_file(INSTANCE "/events/xetile/enable", "1"), 0);
}

/* Ends the trace, and reads it. */
static void trace_read(void)
{
	FILE *f;

	igt_assert_eq(xetile_write_file(INSTANCE "/events/xetile/enable", "0"), 0);
	f = fopen(INSTANCE "/trace", "re");
	igt_assert(f);
	num_events = 0;
	while (num_events < MAX_EVENTS && fgets(events[num_events], LINE, f)) {
		igt_assert(!strstr(events[num_events], "LOST"));
		num_events += events[num_events][0] != '#';
	}
	igt_assert_lt(num_events, MAX_EVENTS);
	fclose(f);
}

/* Whether an event is one of @name with all fields of @fields, which are divided by blanks */
static bool is_event(const char *event, const char *name, const char *fields)
{
	char copy[LINE], word[LINE], *field, *rest;

	snprintf(word, sizeof(word), ": xetile_%s: card=%s ", name, address);
	if (!strstr(event, word))
		return false;
	snprintf(copy, sizeof(copy), "%s", fields);
	for (field = strtok_r(copy, " ", &rest); field; field = strtok_r(NULL, " ", &rest)) {
		const char *at = event;
		size_t len = snprintf(word, sizeof(word), " %s", field);

		while ((at = strstr(at, word)) && !strchr(" \n", at[len]))
			at++;
		if (!at)
			return false;
	}
	return true;
}

/*
 * Returns the place of the first such event from @from on. @count: how many there have to be from
 * there on; 0 for any number but none.
 */
static unsigned int find(unsigned int from, unsigned int count, const char *name,
			 const char *format, ...) __attribute__((format(printf, 4, 5)));
static unsigned int find(unsigned int from, unsigned int count, const char *name,
			 const char *format, ...)
{
	unsigned int first = num_events, found = 0;
	char fields[LINE];
	va_list args;

	va_start(args, format);
	vsnprintf(fields, sizeof(fields), format, args);
	va_end(args);
	for (unsigned int i = from; i < num_events; i++) {
		if (!is_event(events[i], name, fields))
			continue;
		if (!found++)
			first = i;
	}
	if (!found || (count && found != count))
		for (unsigned int i = 0; i < num_events; i++)
			igt_info("%s", events[i]);
	igt_assert_f(found && (!count || found == count), "%u events %s with %s, not %u\n", found,
		     name, fields, count);
	return first;
}

/* As xetile_wait_engines_free(), and the driver has told of it. */
static void wait_left(void)
{
	xetile_wait_engines_free(card.fd);
	/* Takes the lock under which the driver does. */
	xetile_fdinfo_bytes(card.fd, "drm-engine-compute");
}

/* Returns whether there is no such event. */
static bool none(const char *name, const char *fields)
{
	for (unsigned int i = 0; i < num_events; i++)
		if (is_event(events[i], name, fields))
			return false;
	return true;
}

static unsigned long long number(unsigned int event, const char *key)
{
	const char *at = strstr(events[event], key);

	igt_assert_f(at, "no %s in %s", key, events[event]);
	return strtoull(at + strlen(key), NULL, 0);
}

/* Returns the place of the event of a job's submission, the first one of the queue. */
static unsigned int submitted(const struct job *j, unsigned long long *context,
			      unsigned long long *seqno)
{
	unsigned int at = find(0, 0, "submit", "queue=%u process=%d", j->queue, getpid());

	*context = number(at, " context=");
	*seqno = number(at, " seqno=");
	return at;
}

/* A job's way: accepted, started on its engines, done, off its engines */
static void test_job(enum job_kind kind)
{
	unsigned int tiles = kind == JOB_COMPUTE_ROOT ? card.device.num_tiles : 1, at, start, done;
	unsigned long long context, seqno;
	char key[64];
	struct job j;

	job_init(&j, card.fd, kind, 0);
	trace_begin();
	igt_assert_eq(job_run(&j), 1);
	wait_left();
	trace_read();
	at = submitted(&j, &context, &seqno);
	find(at, 1, "submit", "context=%llu seqno=%llu class=%s target=%s tile=0 cslice=0",
	     context, seqno, kind == JOB_COPY_TILE ? "copy" : "compute",
	     kind == JOB_COMPUTE_ROOT ? "root" : "tile");
	start = find(at, tiles, "start", "context=%llu seqno=%llu", context, seqno);
	for (unsigned int t = 0; t < tiles; t++) {
		if (kind == JOB_COMPUTE_ROOT)
			snprintf(j.engine, sizeof(j.engine), "tile%u.ccs0", t);
		find(start, 1, "start", "context=%llu engine=%s", context, j.engine);
	}
	done = find(start, 1, "complete", "context=%llu seqno=%llu error=0", context, seqno);
	find(done, 1, "leave", "context=%llu jobs=0", context);
	snprintf(key, sizeof(key), "context=%llu", context);
	igt_assert(none("preempt", key));
	job_fini(&j);
}

/* A job that is asked to leave its engine leaves without its end, and starts once more. */
static void test_preempt(void)
{
	unsigned long long context, seqno, other_context, other_seqno;
	struct job j, other;
	unsigned int at;

	job_init(&j, card.fd, JOB_COMPUTE_TILE, card.device.max_timeout_ms);
	job_init(&other, card.fd, JOB_COMPUTE_TILE, 0);
	trace_begin();
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_start(&other), 0);
	igt_assert_eq(job_end(&other), 1);
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 0);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	wait_left();
	trace_read();
	/* Ids of queues are those of their files. */
	at = find(0, 0, "submit", "queue=%u process=%d", j.queue, getpid());
	context = number(at, " context=");
	seqno = number(at, " seqno=");
	for (unsigned int i = at + 1; i < num_events; i++)
		if (is_event(events[i], "submit", "class=compute"))
			at = i;
	other_context = number(at, " context=");
	other_seqno = number(at, " seqno=");
	igt_assert(other_context != context);

	at = find(0, 0, "start", "context=%llu seqno=%llu", context, seqno);
	at = find(at, 0, "preempt", "context=%llu seqno=%llu", context, seqno);
	at = find(at, 0, "leave", "context=%llu jobs=1", context);
	at = find(at, 0, "start", "context=%llu seqno=%llu engine=%s", other_context, other_seqno,
		  j.engine);
	at = find(at, 1, "complete", "context=%llu seqno=%llu error=0", other_context, other_seqno);
	at = find(at, 0, "start", "context=%llu seqno=%llu", context, seqno);
	at = find(at, 1, "complete", "context=%llu seqno=%llu error=0", context, seqno);
	find(at, 1, "leave", "context=%llu jobs=0", context);
	job_fini(&other);
	job_fini(&j);
}

/* A job whose error its event tells, and the reset that ended the job */
static void test_reset(bool error)
{
	unsigned long long context, seqno;
	struct xetile_batch b;
	unsigned int at;
	struct job j;

	job_init(&j, card.fd, JOB_COMPUTE_TILE, LIMIT_MS);
	batch_begin(&b, &j.batch, 4096);
	batch_emit(&b, 0x7fu << 23 | 7u << 29);
	batch_end(&b);
	trace_begin();
	if (error) {
		igt_assert_eq(job_run_at(&j, 4096), -EIO);
	} else {
		igt_assert_eq(job_start_endless(&j), 0);
		igt_assert_eq(job_end(&j), -ETIME);
	}
	/* A job that leaves when asked to ends before the reset. The next job starts after that. */
	job_check_banned(&j);
	trace_read();
	at = submitted(&j, &context, &seqno);
	find(at, 1, "reset", "what=engines tile=0 reason=%s", error ? "error" : "timeout");
	find(at, 1, "complete", "context=%llu seqno=%llu error=%d", context, seqno,
	     error ? -EIO : -ETIME);
	job_fini(&j);
}

/* Engines that do not end their reset, and a tile that does not */
static void test_reset_more(bool whole_card)
{
	unsigned int at;
	struct job j;

	lab_require_card();
	lab_heal();
	/* Compute engines are reset together: the next job finds none that works meanwhile. */
	job_init(&j, card.fd, JOB_COMPUTE_TILE, LIMIT_MS);
	trace_begin();
	lab_inject(whole_card ? "reset-hang" : "reset-dead domain=0xfffffffe count=0");
	igt_assert_eq(job_start_endless(&j), 0);
	igt_assert_lt(job_end(&j), 0);
	if (whole_card) {
		struct drm_xetile_bo_create bo = {
			.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
		};

		/* The file of before never works again: another card is there. */
		xetile_assert_soon(__xetile_bo_create(j.fd, &bo) == -ENODEV);
	} else {
		job_check_banned(&j);
	}
	lab_heal();
	trace_read();
	at = find(0, 1, "reset", "what=engines tile=0 reason=timeout");
	at = find(at, 1, "reset", "what=tile tile=0 reason=unfinished");
	if (whole_card)
		find(at, 1, "reset", "what=card tile=-1 reason=wedged");
	else
		igt_assert(none("reset", "what=card"));
	if (whole_card)
		close(j.fd);
	else
		job_fini(&j);
}

static void test_bind(void)
{
	uint32_t vm = xetile_vm(card.fd), bo = xetile_bo(card.fd, 4 * SZ_64K,
							 DRM_XETILE_PLACE_SYSTEM);
	struct drm_xetile_bind binds[] = {
		{ .addr = DATA_ADDR, .range = 4 * SZ_64K, .handle = bo,
		  .op = DRM_XETILE_BIND_MAP },
		{ .addr = DATA_ADDR + SZ_64K, .range = SZ_64K, .op = DRM_XETILE_BIND_UNMAP },
		{ .addr = DATA_ADDR + SZ_1G, .range = 2 * SZ_64K, .op = DRM_XETILE_BIND_MAP_NULL },
	};
	struct drm_xetile_bind wrong = { .addr = DATA_ADDR, .range = SZ_64K, .handle = BAD_ID };

	trace_begin();
	igt_assert_eq(__xetile_vm_bind(card.fd, vm, binds, ARRAY_SIZE(binds), NULL, 0), 0);
	igt_assert_eq(__xetile_vm_bind(card.fd, vm, &wrong, 1, NULL, 0), -ENOENT);
	trace_read();
	find(0, 3, "bind", "vm=%u", vm);
	find(0, 1, "bind", "vm=%u addr=%#llx bytes=%llu op=map", vm, DATA_ADDR, 4 * SZ_64K);
	find(0, 1, "bind", "vm=%u addr=%#llx bytes=%llu op=unmap", vm, DATA_ADDR + SZ_64K, SZ_64K);
	find(0, 1, "bind", "vm=%u addr=%#llx bytes=%llu op=map-null", vm, DATA_ADDR + SZ_1G,
	     2 * SZ_64K);
	xetile_vm_destroy(card.fd, vm);
	xetile_bo_close(card.fd, bo);
}

static void test_recolor(void)
{
	struct drm_xetile_bo_range range = range_of(0, 5, DRM_XETILE_COLOR_TILE, 2);
	struct canvas c;
	uint64_t moved;

	igt_require_f(card.device.num_tiles > 1, "a single tile has a single color\n");
	canvas_init(&c, &card, 8, 0, DRM_XETILE_PLACE_HBM);
	moved = canvas_note(&c, &range, 1);
	trace_begin();
	xetile_recolor(c.fd, c.bo, &range, 1);
	/* Nothing moves: the pages are there. */
	xetile_recolor(c.fd, c.bo, &range, 1);
	trace_read();
	igt_assert_lte_u64(PAGE, moved);
	find(0, 1, "recolor", "handle=%u size=%llu moved=%llu", c.bo, 8 * PAGE,
	     (unsigned long long)moved);
	find(0, 1, "recolor", "handle=%u size=%llu moved=0", c.bo, 8 * PAGE);
	canvas_fini(&c);
}

/* A buffer that another one pushes out, and that a job brings back */
static void test_move(void)
{
	uint64_t size = part_of_tile(&card, 60);
	unsigned int at;
	struct place p;
	uint32_t bo;

	place_init(&p, card.fd);
	bo = strict_on(p.fd, size, 0);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, size);
	place_store(&p, DATA_ADDR, 7);
	trace_begin();
	xetile_bo_close(p.fd, strict_on(p.fd, size, 0));
	place_store(&p, DATA_ADDR, 8);
	trace_read();
	at = find(0, 1, "move", "tile=0 reason=evict bytes=%llu", (unsigned long long)size);
	find(at, 1, "move", "tile=0 reason=return bytes=%llu", (unsigned long long)size);
	find(0, 2, "move", "tile=0");
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

/* A mode that the tile comes into because a queue wants it, and the one that it had */
static void test_mode(void)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = TILE, .ccs_mode = 2,
	};
	struct job j, other;
	unsigned int at;

	igt_require_f(card.tiles[0].ccs_modes & 1u << 2, "the tile has no mode 2\n");
	job_init(&j, card.fd, JOB_COMPUTE_TILE, 0);
	job_init(&other, card.fd, JOB_COMPUTE_TILE, 0);
	args.vm_id = j.vm;
	xetile_queue_destroy(j.fd, j.queue);
	igt_assert_eq(__xetile_queue_create(j.fd, &args), 0);
	j.queue = args.queue_id;
	trace_begin();
	igt_assert_eq(job_run(&j), 1);
	igt_assert_eq(job_run(&j), 1);
	igt_assert_eq(job_run(&other), 1);
	trace_read();
	at = find(0, 1, "mode", "tile=0 from=1 to=2");
	/* Its first job starts in the mode that it wants. */
	find(at, 0, "start", "engine=tile0.ccs0");
	find(at, 1, "mode", "tile=0 from=2 to=1");
	find(0, 2, "mode", "tile=0");
	job_fini(&other);
	job_fini(&j);
}

igt_main
{
	igt_fixture {
		xetile_open_card(&card);
		xetile_bound_card(address, sizeof(address));
		trace_init();
	}

	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		igt_describe("A job must be traced from its submission until its engine is left");
		igt_subtest_f("job-%s", job_kind_name(kind))
			test_job(kind);
	}
	igt_describe("A job that leaves for another must be traced as asked, left, started anew");
	igt_subtest("preempt")
		test_preempt();
	igt_describe("A job that fails must be traced with its error, and its reset with the reason");
	igt_subtest("reset-timeout")
		test_reset(false);
	igt_subtest("reset-error")
		test_reset(true);
	igt_describe("Binds must be traced one by one, if they succeed");
	igt_subtest("bind")
		test_bind();
	igt_describe("A recolor must be traced with the bytes that get another tile");
	igt_subtest("recolor")
		test_recolor();
	igt_describe("Bytes that leave HBM and come back must be traced with the cause");
	igt_subtest("move")
		test_move();
	igt_describe("A tile's mode must be traced when it changes, for whatever reason");
	igt_subtest("mode")
		test_mode();
	igt_describe("The reset of a tile must be traced after that of its engines, which did not end");
	igt_subtest("reset-tile")
		test_reset_more(false);
	igt_describe("The reset of the card must be traced after that of a tile, which did not end");
	igt_subtest("reset-card")
		test_reset_more(true);

	igt_fixture {
		rmdir(INSTANCE);
		lab_recover(address);
		close(card.fd);
	}
}
