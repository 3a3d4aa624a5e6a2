// SPDX-License-Identifier: MIT
/*
 * Running jobs use nearly all HBM, and a client needs room in it: the documented order of
 * alternatives when a tile is full, which processes wait, which locks are held meanwhile, and the
 * sharing of the kernel's own copies.
 * Statements: W22.
 *
 * suite: once soak-alone
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_memcg.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("Calls that need room in HBM while jobs use it");

static void on_alarm(int sig)
{
}

/*
 * A buffer that found HBM full stays in use while HBM has room again. Each job tries once to move
 * the buffer: many jobs start before one of them waits for it.
 */
static void test_busy_stray(const struct xetile_card *card)
{
	const struct itimerval tick = { .it_interval.tv_usec = 50000, .it_value.tv_usec = 50000 };
	const struct sigaction interrupt = { .sa_handler = on_alarm };
	struct drm_xetile_exec args = { .num_batches = 1 };
	uint64_t size = 4 * SZ_2M, hog_size = part_of_tile(card, 99);
	struct place hog, user, p;
	struct xetile_batch b;
	struct sigaction old;
	uint32_t hog_bo, bo;
	bool waits = false;

	xetile_wait_hbm_free(card->fd);
	place_init(&hog, card->fd);
	place_init(&user, card->fd);
	place_init(&p, card->fd);
	hog_bo = strict_on(card->fd, hog_size, 0);
	xetile_vm_map(card->fd, hog.vm, hog_bo, 0, DATA_ADDR, hog_size);
	place_hold(&hog);
	igt_assert_eq(try_tile(card->fd, 4 * size, 0, DRM_XETILE_BO_STRICT,
			       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, &bo), 0);
	igt_assert_eq_u64(pages_on(card->fd, bo, DRM_XETILE_MEM_SYSTEM), 4 * size / PAGE);
	xetile_vm_map(card->fd, p.vm, bo, 0, DATA_ADDR, size);
	xetile_vm_map(card->fd, user.vm, bo, 0, DATA_ADDR, size);
	place_hold(&user);
	place_let_go(&hog);
	xetile_bo_close(card->fd, hog_bo);
	place_fini(&hog);
	xetile_assert_soon(hbm_free(card->fd) > hog_size);

	args.queue_id = p.queue;
	batch_begin(&b, &p.ctl, 0);
	batch_end(&b);
	args.batch = batch_addr(&b);
	igt_assert_eq(sigaction(SIGALRM, &interrupt, &old), 0);
	igt_assert_eq(setitimer(ITIMER_REAL, &tick, NULL), 0);
	for (int i = 0; i < 60; i++)
		igt_assert_eq(ioctl(card->fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
	/* One of the next jobs does wait. */
	for (int i = 0; i < 8; i++)
		waits |= ioctl(card->fd, DRM_IOCTL_XETILE_EXEC, &args) == -1 && errno == EINTR;
	igt_assert(waits);
	igt_assert_eq(setitimer(ITIMER_REAL, &(struct itimerval) { 0 }, NULL), 0);
	igt_assert_eq(sigaction(SIGALRM, &old, NULL), 0);
	igt_assert_eq_u64(pages_on(card->fd, bo, DRM_XETILE_MEM_SYSTEM), 4 * size / PAGE);

	place_let_go(&user);
	for (int i = 0; i < 2; i++)
		place_store(&p, DATA_ADDR, i);
	igt_assert_eq_u64(pages_on(card->fd, bo, 0), 4 * size / PAGE);
	xetile_bo_close(card->fd, bo);
	place_fini(&p);
	place_fini(&user);
}

/* A process whose call has to wait for room */
struct waiter {
	int (*call)(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size);
	/*
	 * In this order: its buffer exists; all is busy; it makes the call; the call returned @ret
	 */
	volatile bool ready, go, calls, done;
	pid_t pid;
	int ret;
};

/*
 * Buffers of a running job fill tile 0. A new buffer spills to the sibling, or goes to system
 * memory, or waits.
 */
static void test_busy(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), pages = size / PAGE;
	uint32_t busy, bo;
	struct place p;
	int status;

	place_init(&p, card->fd);
	busy = strict_on(p.fd, size, 0);
	xetile_vm_map(p.fd, p.vm, busy, 0, DATA_ADDR, size);
	place_hold(&p);

	if (card->device.num_tiles > 1) {
		igt_assert_eq(try_tile(p.fd, size, 0, 0, DRM_XETILE_PLACE_HBM, &bo), 0);
		igt_assert_lte_u64(pages / 2, pages_on(p.fd, bo, 0));
		igt_assert_eq_u64(pages_on(p.fd, bo, 0) + pages_on(p.fd, bo, 1), pages);
		xetile_bo_close(p.fd, bo);
	}
	igt_assert_eq(try_tile(p.fd, size, 0, DRM_XETILE_BO_STRICT,
			       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, &bo), 0);
	igt_assert_eq_u64(pages_on(p.fd, bo, DRM_XETILE_MEM_SYSTEM), pages);
	xetile_bo_close(p.fd, bo);
	igt_assert_eq_u64(pages_on(p.fd, busy, 0), pages);

	/* A strict HBM buffer has no alternative: the call waits for the job, and does not fail. */
	igt_fork(child, 1) {
		usleep(300000);
		p.ctl.map[GO] = 1;
	}
	bo = strict_on(p.fd, size, 0);
	status = xetile_fence_status(p.fd, p.held);
	igt_waitchildren();
	igt_assert_eq(status, 1);
	igt_assert_eq_u64(pages_on(p.fd, busy, DRM_XETILE_MEM_SYSTEM), pages);
	xetile_syncobj_destroy(p.fd, p.held);
	xetile_bo_close(p.fd, bo);
	xetile_bo_close(p.fd, busy);
	place_fini(&p);
}

/* --- a call waits for room while running jobs use HBM --------------------------- */

#define ROUNDS 10

static int call_create(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size)
{
	uint32_t another;

	return try_tile(fd, size, 0, DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM, &another);
}

static int call_bind(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size)
{
	struct drm_xetile_bind bind = {
		.addr = DATA_ADDR + SZ_1G, .range = PAGE, .handle = bo, .op = DRM_XETILE_BIND_MAP,
	};

	return __xetile_vm_bind(fd, vm, &bind, 1, NULL, 0);
}

static int call_exec(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size)
{
	struct place p = { .fd = fd, .vm = vm, .queue = queue };
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	int ret;

	xetile_buf_init(&p.ctl, fd, vm, BATCH_ADDR + SZ_2M, PAGE, DRM_XETILE_PLACE_SYSTEM);
	batch_begin(&b, &p.ctl, 0);
	batch_store(&b, DATA_ADDR, 5, false);
	batch_end(&b);
	sync.handle = xetile_syncobj(fd);
	ret = __xetile_exec(fd, queue, batch_addr(&b), &sync, 1);
	if (!ret)
		ret = __xetile_wait(fd, sync.handle, 20000);
	return ret;
}

static void wait_for_room(struct waiter *w, int card, uint64_t size)
{
	int fd = xetile_reopen(card);
	uint32_t bo = strict_on(fd, size, 0);
	struct place p;

	place_init(&p, fd);
	xetile_vm_map(fd, p.vm, bo, 0, DATA_ADDR, size);
	w->pid = getpid();
	w->ready = true;
	xetile_assert_soon(w->go);
	w->calls = true;
	w->ret = w->call(fd, p.vm, p.queue, bo, size);
	w->done = true;
	close(fd);
}

/* So many buffers on tile 1 that a search for room takes a while to pass them */
#define ELSEWHERE	200

/*
 * While the call waits it holds no lock of our buffers: queries of our buffers return at once. In
 * the end our job is released.
 */
static void test_busy_wait(const struct xetile_card *card,
			   int (*call)(int fd, uint32_t vm, uint32_t queue, uint32_t bo,
				       uint64_t size))
{
	struct waiter *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t size = part_of_tile(card, 30);
	int elsewhere = xetile_reopen(card->fd);
	uint32_t busy[3];
	struct place p;
	time_t start;

	igt_assert(w != MAP_FAILED);
	for (int i = 0; i < ELSEWHERE && card->device.num_tiles > 1; i++)
		strict_on(elsewhere, SZ_64K, 1);
	w->call = call;
	igt_fork(child, 1)
		wait_for_room(w, card->fd, 2 * size);
	xetile_assert_soon(w->ready);

	place_init(&p, card->fd);
	for (int i = 0; i < 3; i++) {
		busy[i] = strict_on(p.fd, size, 0);
		xetile_vm_map(p.fd, p.vm, busy[i], 0, DATA_ADDR + i * SZ_1G, size);
	}
	place_hold(&p);
	w->go = true;
	xetile_assert_soon(w->calls && xetile_waits_for_fence(w->pid));
	/* A call that kept one buffer after the other locked would delay us in each round. */
	start = time(NULL);
	for (int i = 0; i < 3 * ROUNDS; i++) {
		igt_assert_eq_u64(pages_on(p.fd, busy[i % 3], 0), size / PAGE);
		igt_assert_lt(time(NULL) - start, 60);
	}
	igt_assert(!w->done);

	place_let_go(&p);
	xetile_assert_soon(w->done);
	igt_assert_eq(w->ret, 0);
	igt_waitchildren();
	/* The VM whose buffers were evicted still works. */
	place_store(&p, DATA_ADDR, 1);
	for (int i = 0; i < 3; i++)
		xetile_bo_close(p.fd, busy[i]);
	place_fini(&p);
	close(elsewhere);
	munmap(w, sizeof(*w));
}

/* --- the kernel's own copies are shared ------------------------------------------- */

/* Returns the passes, of 8 MiB each, that move a buffer of @size to system memory. */
static uint64_t passes_of(uint64_t size)
{
	return size / (4 * SZ_2M);
}

/* Returns an idle buffer whose eviction takes a long copy. */
static uint32_t big_idle(const struct xetile_card *card, uint64_t size)
{
	uint32_t bo = strict_on(card->fd, size, 0);

	paint(card->fd, bo, size, 0x3000000);
	return bo;
}

static void wait_for_copies(struct waiter *w, int card, uint64_t size)
{
	int fd = xetile_reopen(card);

	w->pid = getpid();
	w->ready = true;
	xetile_assert_soon(w->go);
	w->calls = true;
	w->ret = call_create(fd, 0, 0, 0, size);
	w->done = true;
	close(fd);
}

static struct waiter *start_copies(const struct xetile_card *card, uint64_t size)
{
	struct waiter *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	igt_assert(w != MAP_FAILED);
	igt_fork(child, 1)
		wait_for_copies(w, card->fd, size);
	xetile_assert_soon(w->ready);
	return w;
}

/*
 * Skips the test unless the CPU reaches all HBM. Otherwise buffers that the CPU paints move to
 * system memory at once, and no copy is left for the test.
 */
static void require_reach(const struct xetile_card *card)
{
	igt_require_f(card->tiles[0].hbm_visible == card->tiles[0].hbm_total,
		      "the CPU does not reach all of the HBM\n");
}

/* Enough free HBM for small buffers, and too little for clearing in advance */
#define ROOM_TO_CLEAR	(64 * SZ_2M)

/* Takes most of the free HBM, so that the driver clears nothing in advance. */
static uint32_t leave_little(int fd)
{
	uint64_t bytes = hbm_free(fd);

	igt_require(bytes > 2 * ROOM_TO_CLEAR);
	xetile_use_up_clear(fd);
	return strict_on(fd, (bytes - ROOM_TO_CLEAR) / PAGE * PAGE, 0);
}

/*
 * Small buffers are cleared between the passes of a big buffer's copy. The test counts the small
 * buffers that are created after the copy has begun and before it is half done.
 */
static void test_copy_shared(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), start, half = passes_of(size) / 2, own = 0;
	uint32_t big = big_idle(card, size), small, rest = leave_little(card->fd);
	unsigned int between = 0;
	struct waiter *w;

	w = start_copies(card, size);
	start = xetile_copy_passes(card->fd);
	w->go = true;
	while (!w->done) {
		bool begun = xetile_copy_passes(card->fd) - start - own > 1;

		small = strict_on(card->fd, PAGE, 0);
		own++;
		between += begun && xetile_copy_passes(card->fd) - start - own < half;
		xetile_bo_close(card->fd, small);
	}
	igt_waitchildren();
	igt_assert_eq(w->ret, 0);
	xetile_bo_close(card->fd, rest);
	igt_info("%u buffers made within %" PRIu64 " passes\n", between, half);
	igt_assert_lte(1, (int)between);
	igt_assert_eq_u64(pages_on(card->fd, big, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	check_paint(card->fd, big, size, 0x3000000);
	xetile_bo_close(card->fd, big);
	munmap(w, sizeof(*w));
}

/* A killed process stops copying before the end, and the buffer's contents survive. */
static void test_copy_killed(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), start;
	uint32_t big = big_idle(card, size);
	struct waiter *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	igt_assert(w != MAP_FAILED);
	w->go = true;
	start = xetile_copy_passes(card->fd);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		wait_for_copies(w, card->fd, size);
		_exit(0);
	}
	xetile_assert_soon(xetile_copy_passes(card->fd) > start + 1);
	igt_assert_eq(kill(pid, SIGKILL), 0);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFSIGNALED(status));
	igt_info("%" PRIu64 " of %" PRIu64 " passes\n", xetile_copy_passes(card->fd) - start, passes_of(size));
	igt_assert_lte_u64(xetile_copy_passes(card->fd) - start, passes_of(size) - 1);
	igt_assert_eq_u64(pages_on(card->fd, big, 0), size / PAGE);
	check_paint(card->fd, big, size, 0x3000000);
	xetile_bo_close(card->fd, big);
	munmap(w, sizeof(*w));
}

/* The kernel memory that a copy takes does not grow with the buffer. */
static void test_copy_memory(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), before;
	uint32_t big = big_idle(card, size);

	memcg_init();
	igt_fork(child, 1) {
		int fd = xetile_reopen(card->fd);

		memcg_enter();
		/* A first call, whose memory is not counted */
		xetile_bo_close(fd, strict_on(fd, PAGE, 0));
		before = memcg_bytes("current", "");
		strict_on(fd, size, 0);
		igt_info("%" PRIu64 " bytes\n", memcg_bytes("peak", "") - before);
		/*
		 * Less than two bytes for each 4 KiB page, and the memory that is charged in
		 * advance
		 */
		igt_assert_lte_u64(memcg_bytes("peak", ""),
				   before + size / 4096 * 2 + SZ_2M / 2);
	}
	igt_waitchildren();
	memcg_fini();
	igt_assert_eq_u64(pages_on(card->fd, big, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	xetile_bo_close(card->fd, big);
}

#define IN_FLIGHT 4

struct busy {
	volatile bool ready, stop;
	volatile unsigned int batches;
};

/* Submits batches without a pause, so that one of them always uses the VM. */
static void keep_busy(int card, uint64_t size, struct busy *busy)
{
	struct drm_xetile_sync sync[IN_FLIGHT];
	int fd = xetile_reopen(card);
	struct xetile_batch b;
	struct place p;

	place_init(&p, fd);
	xetile_vm_map(fd, p.vm, strict_on(fd, size, 0), 0, DATA_ADDR, size);
	xetile_queue_destroy(fd, p.queue);
	p.queue = xetile_queue(fd, p.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	batch_begin(&b, &p.ctl, 0);
	for (int i = 0; i < 16; i++)
		batch_mem_copy(&b, DATA_ADDR, DATA_ADDR + SZ_2M, 4 * PAGE);
	batch_end(&b);
	for (unsigned int n = 0; !busy->stop; n++) {
		struct drm_xetile_sync *s = &sync[n % IN_FLIGHT];

		if (n >= IN_FLIGHT) {
			igt_assert_eq(__xetile_wait(fd, s->handle, 20000), 0);
			xetile_syncobj_destroy(fd, s->handle);
			busy->ready = true;
		}
		*s = (struct drm_xetile_sync) {
			.handle = xetile_syncobj(fd), .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		igt_assert_eq(__xetile_exec(fd, p.queue, batch_addr(&b), s, 1), 0);
		busy->batches = n;
	}
	close(fd);
}

/* A client that is never idle gets its turn but cannot keep all of a tile. */
static void test_busy_always(const struct xetile_card *card)
{
	struct busy *s;
	uint64_t size = part_of_tile(card, 60);
	unsigned int before;
	uint32_t bo;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(s != MAP_FAILED);
	igt_fork(child, 1)
		keep_busy(card->fd, size, s);
	xetile_assert_soon(s->ready);
	for (int i = 0; i < 3; i++) {
		bo = strict_on(card->fd, size, 0);
		before = s->batches;
		/* Our buffer, which is idle, has made room for the client again. */
		xetile_assert_soon(s->batches > before + IN_FLIGHT);
		xetile_bo_close(card->fd, bo);
	}
	s->stop = true;
	igt_waitchildren();
	munmap(s, sizeof(*s));
}

/* A buffer that is mapped while a job runs counts as used by that job. */
static void test_map_under_job(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60);
	uint32_t late, bo;
	struct place p;

	place_init(&p, card->fd);
	place_hold(&p);
	late = strict_on(p.fd, size, 0);
	xetile_vm_map(p.fd, p.vm, late, 0, DATA_ADDR, size);
	igt_assert_eq(try_tile(p.fd, size, 0, DRM_XETILE_BO_STRICT,
			       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, &bo), 0);
	igt_assert_eq_u64(pages_on(p.fd, late, 0), size / PAGE);
	xetile_bo_close(p.fd, bo);
	place_let_go(&p);
	xetile_bo_close(p.fd, late);
	place_fini(&p);
}

/*
 * A running job does not see a fresh buffer before it is cleared: when the bind is done, the
 * previous owner's data is gone.
 */
static void test_fresh_under_job(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), left = part_of_tile(card, 70);
	struct drm_xetile_sync done = { .flags = DRM_XETILE_SYNC_SIGNAL }, bound = done;
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = size };
	const unsigned int probes = 16;
	struct xetile_batch b;
	struct place p;
	uint32_t bo;

	bo = strict_on(card->fd, left, 0);
	paint(card->fd, bo, left, 0x5ec00000);
	xetile_bo_close(card->fd, bo);

	place_init(&p, card->fd);
	xetile_queue_destroy(p.fd, p.queue);
	p.queue = xetile_queue(p.fd, p.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	p.ctl.map[GO] = 0;
	batch_begin(&b, &p.ctl, 0);
	batch_wait(&b, p.ctl.addr + GO * 4, 1);
	for (unsigned int i = 0; i < probes; i++)
		batch_mem_copy(&b, p.ctl.addr + 0x4000 + i * 64,
			       DATA_ADDR + size - (i + 1) * (size / probes / PAGE * PAGE), 64);
	batch_end(&b);
	done.handle = xetile_syncobj(p.fd);
	bound.handle = xetile_syncobj(p.fd);
	igt_assert_eq(__xetile_exec(p.fd, p.queue, batch_addr(&b), &done, 1), 0);

	bind.handle = strict_on(p.fd, size, 0);
	igt_assert_eq(__xetile_vm_bind(p.fd, p.vm, &bind, 1, &bound, 1), 0);
	igt_assert_eq(__xetile_wait(p.fd, bound.handle, 20000), 0);
	p.ctl.map[GO] = 1;
	igt_assert_eq(__xetile_wait(p.fd, done.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(p.fd, done.handle), 1);
	for (unsigned int i = 0; i < probes; i++)
		igt_assert_eq_u32(p.ctl.map[(0x4000 + i * 64) / 4], 0);

	xetile_syncobj_destroy(p.fd, done.handle);
	xetile_syncobj_destroy(p.fd, bound.handle);
	xetile_bo_close(p.fd, bind.handle);
	place_fini(&p);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_room_elsewhere(&card);
	}

	igt_describe("A tile full of busy buffers must give a sibling, system memory, or a wait, "
		     "in this order (W22)");
	igt_subtest("full")
		test_busy(&card);
	igt_describe("A job must try only once to move a buffer that is in use to its proper "
		     "place");
	igt_subtest("stray")
		test_busy_stray(&card);
	igt_describe("A BO_CREATE that waits for room must hold no lock of other buffers");
	igt_subtest("create")
		test_busy_wait(&card, call_create);
	igt_describe("A VM_BIND that waits for room must hold no lock of other buffers");
	igt_subtest("bind")
		test_busy_wait(&card, call_bind);
	igt_describe("An EXEC that waits for room must hold no lock of other buffers");
	igt_subtest("exec")
		test_busy_wait(&card, call_exec);
	igt_describe("The copy of a big buffer to system memory must not delay the clearing of "
		     "small ones");
	igt_subtest("copy-shared") {
		require_reach(&card);
		test_copy_shared(&card);
	}
	igt_describe("A killed call must stop copying and lose no contents");
	igt_subtest("copy-killed") {
		require_reach(&card);
		test_copy_killed(&card);
	}
	igt_describe("Moving a big buffer must take little kernel memory");
	igt_subtest("copy-memory") {
		require_reach(&card);
		test_copy_memory(&card);
	}
	igt_describe("A client that always has a job in flight must share its tile with others");
	igt_subtest("always")
		test_busy_always(&card);
	igt_describe("What is mapped while a job runs is not evicted under it");
	igt_subtest("map-under-job")
		test_map_under_job(&card);
	igt_describe("What is mapped while a job runs is cleared before it is seen");
	igt_subtest("fresh-under-job")
		test_fresh_under_job(&card);

	igt_fixture
		close(card.fd);
}
