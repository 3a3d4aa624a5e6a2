// SPDX-License-Identifier: MIT
/*
 * Clients that take as much as they can, each a process of an ordinary user, beside well-behaved
 * clients whose jobs must end right meanwhile.
 *
 * The greedy clients reach their limits (EDQUOT), the end of the card's numbers (ENOBUFS), or a
 * wait that a signal ends. The other clients lose nothing but turns: each client gets as many turns
 * as any other, however many queues it has.
 *
 * suite: hostile
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "xetile_beside.h"

IGT_TEST_DESCRIPTION("Greedy clients take nothing but turns from others");

/* The limits of a file */
#define FILE_MAX_QUEUES	1024u
#define FILE_MAX_VMS	1024u
/* The jobs that may wait in a queue, and a few more that are in its ring */
#define QUEUE_JOBS	4096u
#define QUEUE_MAX_JOBS	(QUEUE_JOBS + 64)

/* --- queues -------------------------------------------------------------- */

/* A file of the greedy client */
struct greedy {
	int fd;
	uint32_t vm;
	uint64_t batch;
};

static void greedy_init(struct greedy *g, int fd)
{
	struct xetile_batch b;
	struct xetile_buf buf;

	g->fd = fd;
	g->vm = xetile_vm(fd);
	xetile_buf_init(&buf, fd, g->vm, JOB_BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	batch_begin(&b, &buf, 0);
	batch_wait(&b, JOB_BATCH_ADDR + SZ_4K, 1);
	batch_end(&b);
	g->batch = batch_addr(&b);
}

/*
 * Submits a job to each of at most @max new queues. The jobs wait for their turn, and then for a
 * word that is never written. @n becomes the number of jobs. Returns 0 or the -errno of the first
 * call that failed.
 */
static int fill_file(struct greedy *g, unsigned int num_tiles, unsigned int max, unsigned int *n)
{
	for (*n = 0; *n < max; ++*n) {
		struct drm_xetile_queue_create args = {
			.vm_id = g->vm, .engine_class = COMPUTE, .target = TILE,
			.tile = *n % num_tiles,
		};
		int err = __xetile_queue_create(g->fd, &args);

		if (err)
			return err;
		igt_assert_eq(__xetile_exec(g->fd, args.queue_id, g->batch, NULL, 0), 0);
	}
	return 0;
}

static unsigned int num_tiles(int fd)
{
	struct drm_xetile_query_device device;

	xetile_query(fd, DRM_XETILE_QUERY_DEVICE, XETILE_ARRAY(&device, 1));
	return device.num_tiles;
}

#define MANY_QUEUES	10000u

/*
 * Fills several files with queues, up to their limit; the test has lifted the user's own limit. The
 * first file already has one queue.
 */
static void attack_by_queues(struct hostile *h)
{
	unsigned int n, sum = 0, tiles = num_tiles(h->fd);
	struct greedy g;

	greedy_init(&g, h->fd);
	igt_assert_eq(fill_file(&g, tiles, MANY_QUEUES, &n), -EDQUOT);
	igt_assert_eq(n, FILE_MAX_QUEUES - 1);
	for (sum = n; sum < MANY_QUEUES; sum += n) {
		unsigned int rest = MANY_QUEUES - sum;

		greedy_init(&g, hostile_open());
		igt_assert_eq(fill_file(&g, tiles, rest, &n),
			      rest > FILE_MAX_QUEUES ? -EDQUOT : 0);
		igt_assert_eq(n, rest > FILE_MAX_QUEUES ? FILE_MAX_QUEUES : rest);
	}
	hostile_begin(h);
	hostile_hold(h);
}

static void test_queues(void)
{
	uint64_t used = xetile_hbm_used(beside_card());
	unsigned int was = xetile_set_parameter("user_contexts", UINT_MAX);
	unsigned int pinned = xetile_set_parameter("user_pinned", UINT_MAX);
	struct beside b;

	beside_start(&b, attack_by_queues, JOB_COMPUTE_TILE);
	for (int i = 0; i < 3; i++)
		beside_round(&b, true);
	beside_end(&b);
	xetile_set_parameter("user_contexts", was);
	xetile_set_parameter("user_pinned", pinned);
	xetile_wait_hbm_free(beside_card());
	igt_assert(xetile_hbm_comes_back(beside_card(), used));
}

/* A compute context takes 128 KiB of a tile's HBM, and of its 4 GiB of global addresses. */
#define CONTEXT_BYTES	(2 * SZ_64K)
#define TILE_CONTEXTS	31000u

/* Creates contexts on a tile until it has no global address for another one. */
static void attack_by_contexts(struct hostile *h)
{
	unsigned int n, sum = 0;
	struct greedy g;
	int err;

	for (int fd = h->fd; ; fd = hostile_open()) {
		greedy_init(&g, fd);
		err = fill_file(&g, 1, FILE_MAX_QUEUES, &n);
		sum += n;
		if (err && err != -EDQUOT)
			break;
	}
	igt_info("note: %u contexts, then %s\n", sum, strerror(-err));
	igt_assert_eq(err, -ENOBUFS);
	igt_assert_lte(TILE_CONTEXTS, sum);
	hostile_begin(h);
	hostile_hold(h);
}

/* Existing queues go on. A new queue is refused with ENOBUFS until the greedy client is gone. */
static void test_contexts(void)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	struct drm_xetile_queue_create args = { .engine_class = COMPUTE, .target = TILE };
	unsigned int was, pinned;
	struct beside b;

	xetile_query_tiles(beside_card(), tiles);
	igt_require_f(tiles[0].hbm_total - tiles[0].hbm_used > 33000 * CONTEXT_BYTES,
		      "the tile has HBM for fewer contexts than global addresses\n");
	/* Lifts the limits that keep one user from doing this. */
	was = xetile_set_parameter("user_contexts", UINT_MAX);
	pinned = xetile_set_parameter("user_pinned", UINT_MAX);
	beside_start(&b, attack_by_contexts, JOB_COMPUTE_TILE);
	args.vm_id = xetile_vm(beside_card());
	for (int i = 0; i < 3; i++) {
		beside_round(&b, false);
		igt_assert_eq(__xetile_queue_create(beside_card(), &args), -ENOBUFS);
	}
	beside_end(&b);
	xetile_set_parameter("user_contexts", was);
	xetile_set_parameter("user_pinned", pinned);
	igt_assert_eq(__xetile_queue_create(beside_card(), &args), 0);
	xetile_queue_destroy(beside_card(), args.queue_id);
	xetile_vm_destroy(beside_card(), args.vm_id);
	job_check_usable(beside_card());
}

/* --- VMs and their tables --------------------------------------------------- */

#define ALL_VMS		(1u << 20)
#define VM_FILES	3

static void attack_by_vms(struct hostile *h)
{
	for (int file = 0; file < VM_FILES; file++) {
		int fd = file ? hostile_open() : h->fd, err = 0;
		struct drm_xetile_vm_create args = { 0 };
		unsigned int n;

		for (n = 0; n < ALL_VMS && !err; n++)
			err = xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &args);
		igt_assert_eq(err, -EDQUOT);
		/* The job of the client has a VM, too. */
		igt_assert_eq(n - 1, FILE_MAX_VMS - !file);
	}
	hostile_begin(h);
	hostile_hold(h);
}

/* The HBM of the VMs comes back when the files are closed. */
static void test_vms(void)
{
	uint64_t used = xetile_hbm_used(beside_card());
	struct beside b;

	beside_start(&b, attack_by_vms, JOB_COMPUTE_TILE);
	for (int i = 0; i < 2; i++)
		beside_round(&b, true);
	beside_end(&b);
	xetile_wait_hbm_free(beside_card());
	igt_assert(xetile_hbm_comes_back(beside_card(), used));
}

#define FIRST_LONE	(1ull << 40)
/* The part of a tile, 1/8, that a user may have for page tables and contexts */
#define USER_PART	8

/* Maps a page at each of @n lone addresses from @first on, whose cost is page tables. */
static int bind_lone(struct hostile *h, uint32_t bo, uint64_t first, unsigned int n)
{
	struct drm_xetile_bind binds[64];

	igt_assert_lte(n, ARRAY_SIZE(binds));
	for (unsigned int i = 0; i < n; i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP, .handle = bo, .addr = first + i * SZ_1G,
			.range = SZ_64K,
		};
	return __xetile_vm_bind(h->fd, h->job.vm, binds, n, NULL, 0);
}

/* Maps lone pages until the limit, first 64 at a time and then one at a time. */
static void attack_by_pages(struct hostile *h)
{
	uint32_t bo = xetile_bo(h->fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	struct drm_xetile_queue_create queue = {
		.vm_id = h->job.vm, .engine_class = COMPUTE, .target = TILE,
	};
	uint64_t addr = FIRST_LONE;
	int err;

	for (unsigned int n = 64; n; n = n == 64 ? 1 : 0) {
		while (!(err = bind_lone(h, bo, addr, n)))
			addr += n * SZ_1G;
		igt_assert_eq(err, -EDQUOT);
	}
	igt_info("note: %u lone pages\n", (unsigned int)((addr - FIRST_LONE) / SZ_1G));
	/* A context is larger than a table. */
	igt_assert_eq(__xetile_queue_create(h->fd, &queue), -EDQUOT);
	/* The objects that the client has still work. */
	igt_assert_eq(job_start(&h->job), 0);
	igt_assert_eq(job_end(&h->job), 1);
	hostile_begin(h);
	hostile_hold(h);
}

/*
 * Takes all of each tile that the greedy client cannot have. Strict buffers of one tile cannot go
 * elsewhere.
 */
static void take_rest(const struct drm_xetile_query_tile *tiles, unsigned int num_tiles)
{
	for (unsigned int t = 0; t < num_tiles; t++) {
		struct drm_xetile_bo_create args = {
			.size = (tiles[t].hbm_total - tiles[t].hbm_total / USER_PART) / SZ_2M *
				SZ_2M - 4 * SZ_2M,
			.placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
			.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1u << t,
		};

		igt_assert_eq(__xetile_bo_create(beside_card(), &args), 0);
		xetile_bo_close(beside_card(), args.handle);
	}
}

static void test_lone_pages(void)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	unsigned int n = num_tiles(beside_card());
	uint64_t used = xetile_hbm_used(beside_card());
	struct beside b;

	xetile_query_tiles(beside_card(), tiles);
	beside_start(&b, attack_by_pages, JOB_COMPUTE_TILE);
	for (int i = 0; i < 2; i++)
		beside_round(&b, true);
	/* The greedy client did get its part. */
	igt_assert_lte_u64(used + tiles[0].hbm_total / USER_PART * n * 9 / 10,
			   xetile_hbm_used(beside_card()));
	take_rest(tiles, n);
	beside_end(&b);
	xetile_wait_hbm_free(beside_card());
	igt_assert(xetile_hbm_comes_back(beside_card(), used));
}

/* --- buffers that are closed while a job uses them --------------------------- */

/* More than the workers per card with which TTM waits for such jobs */
#define DELETED_BOS	32
#define DELETED_ADDR	0x8000000000ull

/* Gives up a buffer that a held job uses. */
static void delete_bo(struct job *j, uint32_t bo, uint64_t addr, uint64_t size)
{
	xetile_vm_unmap(j->fd, j->vm, addr, size);
	xetile_bo_close(j->fd, bo);
}

static void attack_by_deleting(struct hostile *h)
{
	uint32_t bos[DELETED_BOS];

	for (int i = 0; i < DELETED_BOS; i++) {
		bos[i] = xetile_bo(h->fd, SZ_64K, DRM_XETILE_PLACE_HBM);
		xetile_vm_map(h->fd, h->job.vm, bos[i], 0, DELETED_ADDR + i * SZ_64K, SZ_64K);
	}
	igt_assert_eq(job_start_held(&h->job), 0);
	for (int i = 0; i < DELETED_BOS; i++)
		delete_bo(&h->job, bos[i], DELETED_ADDR + i * SZ_64K, SZ_64K);
	hostile_begin(h);
	hostile_hold(h);
}

#define PAGES_LIMIT	"/sys/module/ttm/parameters/pages_limit"
#define FEW_PAGES	16384u

/*
 * Limits the system memory for buffers of cards that are bound later. Returns the previous limit.
 */
static unsigned int set_pages_limit(unsigned int pages)
{
	FILE *f = fopen(PAGES_LIMIT, "r+e");
	unsigned int was;

	igt_assert_f(f, "%s: %m\n", PAGES_LIMIT);
	igt_assert_eq(fscanf(f, "%u", &was), 1);
	rewind(f);
	igt_assert(fprintf(f, "%u\n", pages) > 0);
	igt_assert_eq(fclose(f), 0);
	return was;
}

/* Binds the card anew with that limit of system memory, in pages. Returns the previous limit. */
static unsigned int rebind(unsigned int pages)
{
	unsigned int was;
	char address[64];

	xetile_bound_card(address, sizeof(address));
	beside_fini();
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	was = set_pages_limit(pages);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	beside_init();
	return was;
}

/* Another client's buffer that is closed, and that no job uses, makes room at once. */
static void test_deleted(void)
{
	uint64_t most = FEW_PAGES * SZ_4K / 8 * 5;	/* of 7/8: one buffer fits */
	unsigned int was = rebind(FEW_PAGES);
	struct beside b;
	struct job j;
	uint32_t bo;

	beside_start(&b, attack_by_deleting, JOB_COMPUTE_TILE);
	job_init_at(&j, xetile_reopen(beside_card()), JOB_COPY_TILE, 0);
	for (int i = 0; i < 2; i++) {
		bo = xetile_bo(j.fd, most, DRM_XETILE_PLACE_SYSTEM);
		xetile_vm_map(j.fd, j.vm, bo, 0, DELETED_ADDR, most);
		igt_assert_eq(job_start_held(&j), 0);
		delete_bo(&j, bo, DELETED_ADDR, most);
		((volatile uint32_t *)j.data.map)[64] = 1;
		igt_assert_eq(job_end(&j), 1);
		((volatile uint32_t *)j.data.map)[64] = 0;
	}
	beside_round(&b, true);
	job_fini(&j);
	close(j.fd);
	beside_end(&b);
	rebind(was);
}

/* --- a buffer that no HBM holds ------------------------------------------------ */

#define TRACING		"/sys/kernel/tracing/"

static bool trace_write(const char *file, int flags, const char *text)
{
	char path[128];
	bool done;
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

/*
 * Starts to count the calls of a function of the driver. Returns false if the kernel cannot do
 * that.
 */
static bool count_begin(const char *function)
{
	char probe[128];

	if (access(TRACING "kprobe_events", W_OK))
		return false;
	snprintf(probe, sizeof(probe), "p:xetile_calls %s\n", function);
	igt_assert(trace_write("kprobe_events", O_APPEND, probe));
	igt_assert(trace_write("events/kprobes/xetile_calls/enable", 0, "1"));
	return true;
}

static uint64_t count_so_far(void)
{
	FILE *f = fopen(TRACING "kprobe_profile", "re");
	uint64_t hits = 0, missed;
	char name[64];

	igt_assert(f);
	while (fscanf(f, "%63s %" SCNu64 " %" SCNu64, name, &hits, &missed) == 3)
		if (!strcmp(name, "xetile_calls"))
			break;
	fclose(f);
	return hits;
}

static void count_end(void)
{
	trace_write("events/kprobes/xetile_calls/enable", 0, "0");
	trace_write("kprobe_events", O_APPEND, "-:xetile_calls\n");
}

static bool is_evicted(int fd, uint32_t bo)
{
	struct drm_xetile_color_run runs[16];
	uint32_t n = xetile_bo_runs(fd, bo, runs, ARRAY_SIZE(runs));

	igt_assert_lte(n, ARRAY_SIZE(runs));
	for (uint32_t i = 0; i < n; i++)
		if (runs[i].tile == DRM_XETILE_MEM_SYSTEM)
			return true;
	return false;
}

/*
 * A buffer as large as the limit of system memory, and larger than all HBM, with its pages dealt to
 * the tiles one by one. There is no room for it, because another buffer has a page of system
 * memory. No other buffer may be evicted for it, and its color may not be computed.
 */
static void test_too_large(void)
{
	static const struct {
		uint32_t placement, flags;
		int err;
	} tries[] = {
		{ DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, 0, -ENOMEM },
		{ DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, DRM_XETILE_BO_STRICT, -ENOMEM },
		{ DRM_XETILE_PLACE_HBM, 0, -ENOSPC },
		{ DRM_XETILE_PLACE_HBM, DRM_XETILE_BO_STRICT, -ENOSPC },
	};
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	unsigned int n = xetile_query_tiles(beside_card(), tiles), was;
	uint64_t hbm = 0, pages, calls[ARRAY_SIZE(tries)] = { 0 }, small = 0, before;
	bool evicted[ARRAY_SIZE(tries)], counts;
	int errs[ARRAY_SIZE(tries)], fd;
	const volatile uint32_t *map;
	uint32_t idle;

	for (unsigned int t = 0; t < n; t++)
		hbm += tiles[t].hbm_total;
	/* Buffers may have 7/8 of this limit, more memory than exists, but none of it is taken. */
	pages = 2 * hbm / SZ_4K / 128 * 128;
	was = rebind(pages);
	fd = xetile_reopen(beside_card());
	idle = xetile_bo(beside_card(), n * SZ_2M, DRM_XETILE_PLACE_HBM);
	/* The read waits until the buffer is clear; then no job uses the buffer. */
	map = xetile_bo_map(beside_card(), idle, n * SZ_2M);
	igt_assert_eq_u32(map[0], 0);
	munmap((void *)map, n * SZ_2M);
	xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);

	counts = count_begin("xetile_color_next");
	/* A call count of zero below is valid only if the counter counts here. */
	before = counts ? count_so_far() : 0;
	xetile_bo_close(fd, xetile_bo_color(fd, SZ_2M, DRM_XETILE_COLOR_CHUNK, 0, SZ_64K));
	if (counts)
		small = count_so_far() - before;
	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct drm_xetile_bo_create args = {
			.size = pages / 8 * 7 * SZ_4K, .placement = tries[i].placement,
			.flags = tries[i].flags, .color = DRM_XETILE_COLOR_CHUNK,
			.granule = SZ_64K,
		};

		before = counts ? count_so_far() : 0;
		errs[i] = __xetile_bo_create(fd, &args);
		if (counts)
			calls[i] = count_so_far() - before;
		evicted[i] = is_evicted(beside_card(), idle);
	}
	if (counts)
		count_end();
	else
		igt_info("note: this kernel does not count calls\n");

	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++) {
		igt_assert(!evicted[i]);
		igt_assert_eq_u64(calls[i], 0);
		igt_assert_eq(errs[i], tries[i].err);
	}
	igt_assert(!counts || small >= SZ_2M / SZ_64K);
	close(fd);
	xetile_bo_close(beside_card(), idle);
	rebind(was);
}

/* --- jobs ------------------------------------------------------------------ */

static void on_alarm(int sig)
{
}

/* Signals that end a call that waits, ten in a second, because one may come too early. */
static void set_alarm(bool on)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	const struct timeval tenth = { 0, on ? 100000 : 0 };
	const struct itimerval every = { tenth, tenth };

	igt_assert_eq(sigaction(SIGALRM, &sa, NULL), 0);
	igt_assert_eq(setitimer(ITIMER_REAL, &every, NULL), 0);
}

/* An interrupted call may not have waited for room. So many in a row have. */
#define INTERRUPTED	10u

/* Submits jobs until a call fails. Returns its -errno; @n becomes the number of jobs since. */
static int submit_on(int fd, uint32_t queue, uint64_t batch, unsigned int *n)
{
	struct drm_xetile_exec args = { .queue_id = queue, .batch = batch, .num_batches = 1 };
	unsigned int interrupted = 0;

	*n = 0;
	do {
		for (; !ioctl(fd, DRM_IOCTL_XETILE_EXEC, &args); interrupted = 0)
			++*n;
	} while (errno == EINTR && ++interrupted < INTERRUPTED);
	return -errno;
}

/*
 * Submits as many jobs as possible behind one that does not end. The next call must wait until a
 * signal comes.
 */
static void attack_by_backlog(struct hostile *h)
{
	unsigned int n;
	int err;

	igt_assert_eq(job_start_held(&h->job), 0);
	set_alarm(true);
	err = submit_on(h->fd, h->job.queue, h->job.batch.addr, &n);
	set_alarm(false);
	igt_info("note: %u jobs, then %s\n", n, strerror(-err));
	igt_assert_eq(err, -EINTR);
	igt_assert_lte(QUEUE_JOBS, n);
	igt_assert_lte(n, QUEUE_MAX_JOBS);
	hostile_begin(h);
	hostile_hold(h);
}

/* Submits jobs on every kind of engine in turn, as fast as the calls return. */
static void attack_by_jobs(struct hostile *h)
{
	struct pollfd enough = { .fd = h->stop, .events = POLLIN };
	struct job jobs[JOB_KINDS];
	unsigned int n = 0;

	for (enum job_kind k = 0; k < JOB_KINDS; k++) {
		job_init_at(&jobs[k], h->fd, k, 0);
		/* a job that ends at once */
		igt_assert_eq(job_start(&jobs[k]), 0);
		igt_assert_eq(job_end(&jobs[k]), 1);
	}
	hostile_begin(h);
	for (; !poll(&enough, 1, 0); n++) {
		struct job *j = &jobs[n % JOB_KINDS];

		igt_assert_eq(__xetile_exec(j->fd, j->queue, j->batch.addr, NULL, 0), 0);
	}
	igt_info("note: %u jobs\n", n);
	for (enum job_kind k = 0; k < JOB_KINDS; k++) {
		igt_assert_eq(job_start(&jobs[k]), 0);
		igt_assert_eq(job_end(&jobs[k]), 1);
	}
}

static void test_turns(void (*attack)(struct hostile *h), enum job_kind kind)
{
	struct beside b;

	beside_start(&b, attack, kind);
	for (int i = 0; i < 3; i++)
		beside_round(&b, true);
	beside_end(&b);
}

igt_main
{
	igt_fixture
		beside_init();

	igt_describe("Each file's queues must be limited to 1024 (EDQUOT); beside 10,000 queues "
		     "the others must have every second turn");
	igt_subtest("queues")
		test_queues();
	igt_describe("Without global addresses on a tile, QUEUE_CREATE must say ENOBUFS; "
		     "existing queues must have every second turn");
	igt_subtest("contexts")
		test_contexts();
	igt_describe("Each file's VMs must be limited to 1024 (EDQUOT); the others must lose "
		     "nothing");
	igt_subtest("vms")
		test_vms();
	igt_describe("Page tables for lone pages must be limited to an eighth of a tile (EDQUOT)");
	igt_subtest("lone-pages")
		test_lone_pages();

	igt_describe("Closed buffers of other clients must make room beside closed buffers in "
		     "use by an endless job");
	igt_subtest("deleted")
		test_deleted();

	igt_describe("A buffer larger than HBM and free system memory must be refused without "
		     "evicting others");
	igt_subtest("too-large")
		test_too_large();

	/* A slow machine fills the queue for longer than a batch has by default. */
	igt_fixture {
		xetile_write_time(beside_card(), "job_timeout_max", "120000");
		xetile_write_time(beside_card(), "job_timeout_ms", "120000");
	}
	igt_describe("A call on a queue of 4096 waiting jobs must wait, and end with a signal");
	igt_subtest("backlog")
		test_turns(attack_by_backlog, JOB_COMPUTE_TILE);
	igt_fixture {
		xetile_write_time(beside_card(), "job_timeout_ms", "10000");
		xetile_write_time(beside_card(), "job_timeout_max", "10000");
	}
	igt_describe("Endless submissions must be done, and the others must have their turns");
	igt_subtest("jobs")
		test_turns(attack_by_jobs, JOB_COMPUTE_TILE);

	igt_fixture
		beside_fini();
}
